import type { LotTrace } from '#contract/resources/lot-trace.ts';
import { notFound } from '#core/errors.ts';
import { grams, kilograms, percent, roundTo } from '#core/rounding.ts';
import type { FarmAccess } from '#core/route.ts';
import { dayAfter, localDay, startOfDay } from '#core/zone-clock.ts';
import { wasIn } from '../batch-in-pond.ts';
import type { BatchState } from '../batch-state.ts';
import { gramsOf } from '../feed-stock.ts';
import { harvestFrom } from '../withdrawal.ts';
import { fedLots } from './fed-lots.ts';
import { lotAnswerOf } from './lot-answer.ts';
import { harvestedKgOf, lotsKg } from './lot-rules.ts';
import type { HarvestLot } from './ports.ts';
import type { TraceDeps, TracedRecord } from './trace-ports.ts';

// All that is on record of the animals of a lot, up to the end of its day. A batch is one: what was given in any pond where
// animals of it were counts for all of it, as for the withdrawal.

type Asked = { lot: HarvestLot; state: BatchState; day: string; before: string };

export async function traceLot(
  deps: TraceDeps,
  lot: HarvestLot,
  by: Pick<FarmAccess, 'role'>,
): Promise<LotTrace> {
  const history = await deps.batches.historyOf(lot.batch_id);
  const farm = await deps.traces.farmOf(lot.farm_id);
  if (history === null || farm === null) throw notFound('Harvest lot');
  const { state } = history;
  const { batch } = state;
  const day = localDay(lot.harvested_at, state.timezone);
  const asked: Asked = { lot, state, day, before: startOfDay(dayAfter(day, 1), state.timezone) };
  const stays = [...state.stays].filter(([, { from }]) => from <= day);
  const moves = await deps.traces.movesOf(batch.id, asked.before);
  const losses = (await deps.lossesOf(batch.id)).filter(({ lost_at }) => lost_at < asked.before).toReversed();
  const weighings = history.weighings.filter(({ measurement_date: at }) => at < asked.before);
  const cods = await deps.traces.pondCods([
    ...new Set([
      ...stays.map(([id]) => id),
      ...moves.flatMap((move) => [move.source_pond_id, move.destination_pond_id]),
      ...losses.flatMap(({ pond_id }) => pond_id ?? []),
      ...weighings.flatMap(({ pondId }) => pondId ?? []),
    ]),
  ]);
  const cod = (id: string): string => cods.get(id) ?? id;
  const codOrAll = (id: string | null) => ({ pond_id: id, pond_cod: id === null ? null : cod(id) });
  return {
    lot: lotAnswerOf(lot, batch.batch_code, by),
    day,
    farm: { id: farm.id, name: farm.name, timezone: farm.timezone },
    batch: stockingOf(state),
    harvest: await harvestOf(deps, asked),
    ponds: stays.map(([id, { from, to }]) => ({
      pond_id: id,
      pond_cod: cod(id),
      from,
      to: to === null || to > day ? null : to,
    })),
    transfers: moves.map((move) => ({
      transfer_date: move.transfer_date,
      source_pond_cod: cod(move.source_pond_id),
      destination_pond_cod: cod(move.destination_pond_id),
      quantity: move.quantity,
      average_weight_g: grams(move.average_weight),
    })),
    feeds: await feedsOf(deps, asked),
    ...(await recordsOf(deps, asked, cod)),
    withdrawal: await deps.withdrawals.on(state, day),
    losses: losses.map(({ pond_id, lost_at, cause, dead_count, event_description }) => ({
      ...codOrAll(pond_id),
      lost_at,
      cause,
      dead_count,
      event_description,
    })),
    weighings: weighings.map((each) => ({
      ...codOrAll(each.pondId),
      measurement_date: each.measurement_date,
      sample_size: each.sample_size,
      average_weight_g: grams(each.average_weight_g),
      coefficient_variation: percent(each.coefficient_variation),
    })),
    water: await waterOf(deps, asked, cod),
  };
}

function stockingOf({ batch }: BatchState): LotTrace['batch'] {
  return {
    id: batch.id,
    batch_code: batch.batch_code,
    species: batch.species,
    lineage: batch.lineage,
    larva_origin: batch.larva_origin,
    start_date: batch.start_date,
    initial_count: batch.initial_count,
    initial_avg_weight: batch.initial_avg_weight,
    initial_density: batch.initial_density,
    status: batch.status,
  };
}

async function harvestOf(deps: TraceDeps, { lot, state }: Asked): Promise<LotTrace['harvest']> {
  const of = lot.harvest_id === null ? null : await deps.queries.harvestById(lot.harvest_id);
  const { kg, isWeighed } = harvestedKgOf(state, of);
  return {
    kind: of === null ? 'FINAL' : 'PARTIAL',
    harvested_at: of?.harvest_date ?? state.batch.actual_harvest_date,
    weight_kg: kilograms(kg),
    is_weighed: isWeighed,
    lots_kg: kilograms(lotsKg(lot, await deps.queries.lotsOf([lot.batch_id]))),
  };
}

/** What the batch ate by feed, and of which deliveries. */
async function feedsOf(deps: TraceDeps, { lot, before }: Asked): Promise<LotTrace['feeds']> {
  const fed = await deps.traces.fedTo(lot.batch_id, before);
  if (fed.length === 0) return [];
  const { stock, entries } = await fedLots(deps, lot.farm_id);
  const entryById = new Map(entries.map((entry) => [entry.id, entry]));
  return fed.map(({ feed, kg, first, last }) => {
    const byEntry = new Map<string, number>();
    for (const { of, lot: taken, grams: taking } of stock.takes)
      if (taken !== null && of.batchId === lot.batch_id && of.feed === feed && of.first < before)
        byEntry.set(taken.entryId, (byEntry.get(taken.entryId) ?? 0) + taking);
    const known = [...byEntry.values()].reduce((sum, each) => sum + each, 0);
    return {
      feed_type: feed,
      kg: kilograms(kg),
      first_fed_at: first,
      last_fed_at: last,
      lots: [...byEntry].flatMap(([id, taking]) => {
        const entry = entryById.get(id);
        if (entry === undefined) return [];
        return {
          entry_id: id,
          product: entry.product,
          lot: entry.lot,
          supplier: entry.supplier,
          delivered_at: entry.happened_at,
          expires_on: entry.expires_on,
          kg: kilograms(taking / 1000),
        };
      }),
      unknown_lot_kg: kilograms(Math.max(0, gramsOf(kg) - known) / 1000),
    };
  });
}

async function recordsOf(
  deps: TraceDeps,
  { lot, state, before }: Asked,
  cod: (id: string) => string,
): Promise<Pick<LotTrace, 'treatments' | 'water_exchanges' | 'signs_of_disease' | 'laboratory'>> {
  const from = startOfDay(state.batch.start_date, state.timezone);
  const records = (await deps.traces.recordsIn([...state.stays.keys()], { from, before })).filter(
    ({ pond_id: pondId, happened_at: at }) =>
      pondId !== null && wasIn(state, pondId, localDay(at, state.timezone)),
  );
  const placeOf = ({ pond_id: pondId }: TracedRecord) => ({
    pond_id: pondId ?? '',
    pond_cod: cod(pondId ?? ''),
  });
  return {
    treatments: records
      .filter(({ kind }) => kind === 'TREATMENT')
      .map((record) => ({
        record_id: record.id,
        ...placeOf(record),
        happened_at: record.happened_at,
        product: record.product,
        product_kind: record.product_kind,
        product_lot: record.product_lot,
        amount: record.amount,
        unit: record.unit,
        reason: record.text,
        responsible: record.responsible,
        withdrawal_days: record.withdrawal_days,
        harvest_from: harvestFrom(record, state.timezone),
      })),
    water_exchanges: records
      .filter(({ kind }) => kind === 'WATER_EXCHANGE')
      .map((record) => ({
        record_id: record.id,
        ...placeOf(record),
        happened_at: record.happened_at,
        amount: record.amount,
        unit: record.unit,
        source: record.source,
        reason: record.text,
      })),
    ...findingsOf([...(await deps.traces.findingsOf(lot.batch_id, before)), ...records], cod),
  };
}

function findingsOf(
  records: readonly TracedRecord[],
  cod: (id: string) => string,
): Pick<LotTrace, 'signs_of_disease' | 'laboratory'> {
  const inOrder = records.toSorted((a, b) => (a.happened_at < b.happened_at ? -1 : 1));
  const ofBoth = (record: TracedRecord) => ({
    record_id: record.id,
    pond_id: record.pond_id,
    pond_cod: record.pond_id === null ? null : cod(record.pond_id),
    happened_at: record.happened_at,
    disease: record.disease,
    disease_name: record.disease_name,
    details: record.text,
    responsible: record.responsible,
  });
  return {
    signs_of_disease: inOrder
      .filter(({ kind }) => kind === 'DISEASE')
      .map((record) => ({
        ...ofBoth(record),
        signs: record.signs,
        affected_percent: record.affected_percent,
        severity: record.severity,
      })),
    laboratory: inOrder
      .filter(({ kind }) => kind === 'LAB')
      .map((record) => ({
        ...ofBoth(record),
        laboratory: record.source,
        sample: record.sample,
        method: record.method,
        result: record.result,
        amount: record.amount,
        unit: record.unit,
        result_on: record.result_on,
        report_number: record.report_number,
      })),
  };
}

async function waterOf(
  deps: TraceDeps,
  { state, day }: Asked,
  cod: (id: string) => string,
): Promise<LotTrace['water']> {
  const found: LotTrace['water'] = [];
  for (const [pondId, { from, to }] of state.stays) {
    if (from > day) continue;
    const last = to === null || to > day ? day : to;
    const { count, of } = await deps.traces.waterTotals(pondId, {
      from: startOfDay(from, state.timezone),
      before: startOfDay(dayAfter(last, 1), state.timezone),
    });
    found.push({
      pond_id: pondId,
      pond_cod: cod(pondId),
      measurements: count,
      parameters: [...of].map(([parameter, { least, mean, most }]) => ({
        parameter,
        least,
        mean: roundTo(mean, 3),
        most,
      })),
    });
  }
  return found;
}
