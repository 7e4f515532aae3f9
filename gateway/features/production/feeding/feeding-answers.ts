import type { RowOf } from '#contract/resource.ts';
import type { FeedingAnswer, FeedingSummary, feedingRecord } from '#contract/resources/feeding.ts';
import { kilograms, money, percent, ratio } from '#core/rounding.ts';
import { efficiencyRating } from '#science/biomass.ts';
import type { BatchHistory } from '../batch-state.ts';

export function feedingAnswerOf(row: RowOf<typeof feedingRecord>): FeedingAnswer {
  return {
    id: row.id,
    batch_id: row.batch_id,
    pond_id: row.pond_id,
    feed_type: row.feed_type,
    quantity_kg: kilograms(row.quantity_kg),
    cost_per_kg: money(row.cost_per_kg),
    total_cost: money(row.quantity_kg * row.cost_per_kg),
    feed_date: row.feed_date,
    tray_leftover_percent: percent(row.tray_leftover_percent),
    notes: row.notes,
    created_by: row.created_by,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** What a batch was fed, and what became of it. */
export function feedingSummaryOf({ state, feedDays }: BatchHistory): FeedingSummary {
  const { totalFeedKg, fca } = state;
  return {
    batch_id: state.batch.id,
    batch_number: state.batch.batch_code,
    summary: {
      total_feed_consumed_kg: kilograms(totalFeedKg),
      total_feed_cost: money(state.totalFeedCost),
      average_daily_feed_kg: feedDays === 0 ? null : kilograms(totalFeedKg / feedDays),
      days_with_feeding: feedDays,
      current_fca: ratio(fca),
      total_feeding_records: state.feedingCount,
    },
    fca_analysis: {
      total_feed_kg: kilograms(totalFeedKg),
      biomass_gained_kg: kilograms(state.biomassGainedKg),
      initial_biomass_kg: kilograms(state.initialBiomassKg),
      current_biomass_kg: kilograms(state.biomassKg),
      harvested_kg: kilograms(state.harvestedKg),
      fca: ratio(fca),
      efficiency_rating: efficiencyRating(fca),
    },
  };
}
