import type { LotAnswer } from '#contract/resources/harvest-lots.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { grams, kilograms, money } from '#core/rounding.ts';
import type { FarmAccess } from '#core/route.ts';
import { receivedOf } from '../lots-of-harvest.ts';
import type { LotRow } from './ports.ts';

type Seen = Pick<FarmAccess, 'role'>;

/** A lot as that role sees it: who may not read the farm's money sees no price. */
export function lotAnswerOf(row: LotRow, batchCode: string, { role }: Seen): LotAnswer {
  const readsFinance = mayOnFarm(role, 'read_finance');
  const { count, average_weight_g: averageG, weight_kg: kg } = row;
  const { revenue } = receivedOf({ kg: 0, price: null, classes: row.classes });
  const isPriced = row.classes.some(({ price_per_kg }) => price_per_kg !== null);
  return {
    id: row.id,
    farm_id: row.farm_id,
    batch_id: row.batch_id,
    batch_code: batchCode,
    harvest_id: row.harvest_id,
    pond_id: row.pond_id,
    lot_code: row.lot_code,
    harvested_at: row.harvested_at,
    weight_kg: kilograms(kg),
    count: count ?? (averageG === null ? null : Math.round((kg * 1000) / averageG)),
    average_weight_g: averageG ?? (count === null ? null : grams((kg * 1000) / count)),
    classes: readsFinance ? row.classes : row.classes.map((each) => ({ ...each, price_per_kg: null })),
    revenue: readsFinance && isPriced ? money(revenue) : null,
    buyer: row.buyer,
    buyer_tax_id: row.buyer_tax_id,
    transport_document: row.transport_document,
    vehicle: row.vehicle,
    driver: row.driver,
    loading_temperature_c: row.loading_temperature_c,
    notes: row.notes,
    created_by: row.created_by,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
