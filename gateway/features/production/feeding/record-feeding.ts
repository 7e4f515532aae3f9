import type { RowOf } from '#contract/resource.ts';
import { type FeedingCreate, type FeedingUpdate, feedingRecord } from '#contract/resources/feeding.ts';
import { asParent, insert, remove, update } from '#core/changes.ts';
import { type CorrectionDeps, changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isAhead, notAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import { calendarDay, figure, type Language } from '#science/advice/language.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { feedingRatePercent, largestBlindFeedKg, weightToFeedG } from '#science/feeding-ration.ts';
import { wasIn } from '../batch-in-pond.ts';
import type { BatchState, BatchStates } from '../batch-state.ts';
import type { StockLot } from '../feed-stock.ts';
import { batchToRation } from './pond-conditions.ts';
import type { BatchToFeed, FeedingQueries, FeedingRecord } from './ports.ts';

type Words = {
  /** A meal, kg, against what the batch eats in a day. */
  largeQuantity: (quantityKg: number, day: { rationKg: number; times: number }) => string;
  withoutCost: string;
  inTheFuture: string;
  notInPond: (day: string) => string;
  expired: (feed: string, day: string) => string;
};

/** What is unlikely about a feeding, as a technician is told. */
const FEEDING_WARNINGS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    largeQuantity: (quantityKg, { rationKg, times }) =>
      `${figure(quantityKg, 2, 'pt-BR')} kg passam de ${times} vezes o que este lote come por dia ` +
      `(cerca de ${figure(rationKg, 2, 'pt-BR')} kg): confira a quantidade.`,
    withoutCost: 'Ração sem custo: o custo por kg de camarão vai parecer menor do que é.',
    inTheFuture: 'A data do arraçoamento está no futuro: até lá ele não conta.',
    notInPond: (day) =>
      `Pelo que está registrado, este lote não tinha animais nesse viveiro em ${calendarDay(day, 'pt-BR')}: ` +
      'confira o viveiro, ou registre a transferência.',
    expired: (feed, day) =>
      `Pelo estoque, esta ração é de um lote vencido em ${calendarDay(day, 'pt-BR')} (${feed}): confira o saco; se for outro, registre a contagem.`,
  },
  en: {
    largeQuantity: (quantityKg, { rationKg, times }) =>
      `${figure(quantityKg, 2, 'en')} kg is more than ${times} times what this batch eats in a day ` +
      `(about ${figure(rationKg, 2, 'en')} kg): check the quantity.`,
    withoutCost: 'This feed costs nothing: the cost per kg of shrimp will look lower than it is.',
    inTheFuture: 'The date of the feeding lies in the future: until then it does not count.',
    notInPond: (day) =>
      `By what is on record this batch had no animals in that pond on ${calendarDay(day, 'en')}: ` +
      'check the pond, or record the transfer.',
    expired: (feed, day) =>
      `By the stock this feed is of a lot that expired on ${calendarDay(day, 'en')} (${feed}): check the bag; if it is another one, record a count.`,
  },
  es: {
    largeQuantity: (quantityKg, { rationKg, times }) =>
      `${figure(quantityKg, 2, 'es')} kg pasan de ${times} veces lo que este lote come por día ` +
      `(cerca de ${figure(rationKg, 2, 'es')} kg): revise la cantidad.`,
    withoutCost: 'Balanceado sin costo: el costo por kg de camarón va a parecer menor de lo que es.',
    inTheFuture: 'La fecha de la alimentación está en el futuro: hasta entonces no cuenta.',
    notInPond: (day) =>
      `Por lo que está registrado, este lote no tenía animales en esa piscina el ${calendarDay(day, 'es')}: ` +
      'revise la piscina, o registre la transferencia.',
    expired: (feed, day) =>
      `Según las existencias, este balanceado es de un lote vencido el ${calendarDay(day, 'es')} (${feed}): revise el saco; si es otro, registre un conteo.`,
  },
};

export type FeedingWarning = { code: string; message: string };

type WarningDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  batches: Pick<BatchStates, 'byIds'>;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
};

/** One meal above this many whole-day rations is more likely a slip of the pen. */
const RATIONS_BELIEVED = 3;

/** What is unlikely about a feeding, but kept as it was entered. */
export async function warningsOf(
  deps: WarningDeps,
  row: Pick<FeedingRecord, 'batch_id' | 'pond_id' | 'quantity_kg' | 'cost_per_kg' | 'feed_date'>,
  language: Language,
): Promise<FeedingWarning[]> {
  const words = FEEDING_WARNINGS[language];
  const state = (await deps.batches.byIds([row.batch_id])).get(row.batch_id);
  const rationKg = state === undefined ? null : await plainRationKg(deps, state);
  const day = state === undefined ? null : localDay(row.feed_date, state.timezone);
  const isElsewhere =
    state !== undefined && day !== null && row.pond_id !== null && !wasIn(state, row.pond_id, day);
  return [
    ...(rationKg !== null && row.quantity_kg > RATIONS_BELIEVED * rationKg
      ? [
          {
            code: 'LARGE_QUANTITY',
            message: words.largeQuantity(row.quantity_kg, { rationKg, times: RATIONS_BELIEVED }),
          },
        ]
      : []),
    ...(row.cost_per_kg === 0 ? [{ code: 'FEED_WITHOUT_COST', message: words.withoutCost }] : []),
    ...(isElsewhere ? [{ code: 'NOT_IN_POND', message: words.notInPond(day) }] : []),
    ...(isAhead(deps, row.feed_date) ? [{ code: 'FUTURE_DATE', message: words.inTheFuture }] : []),
  ];
}

/** The lots of the feed stock that a meal is taken of and that had expired. */
async function expiryWarnings(
  deps: ExpiryDeps,
  { farm_id, timezone }: Pick<BatchToFeed, 'farm_id' | 'timezone'>,
  row: Pick<FeedingRecord, 'feed_type' | 'quantity_kg' | 'feed_date'>,
  language: Language,
): Promise<FeedingWarning[]> {
  const meal = {
    feed: row.feed_type,
    kg: row.quantity_kg,
    at: row.feed_date,
    day: localDay(row.feed_date, timezone),
  };
  return (await deps.expiredLots(farm_id, meal)).map(({ product, lot, expiresOn }) => ({
    code: 'FEED_EXPIRED',
    message: FEEDING_WARNINGS[language].expired(
      lot === null ? product : `${product}, ${lot}`,
      expiresOn ?? '',
    ),
  }));
}

/** The day's ration in good conditions, kg; null: nothing lives, so nothing can be compared. */
export async function plainRationKg(
  deps: Pick<WarningDeps, 'scienceOf'>,
  state: BatchState,
): Promise<number | null> {
  if (state.population === 0) return null;
  const science = await deps.scienceOf(state.batch.farm_id);
  const batch = batchToRation(state, null);
  const weightG = weightToFeedG(science, batch);
  const ratePercent = feedingRatePercent(science.feeding, batch.species, weightG);
  const byWeightKg = (((state.population * weightG) / 1000) * ratePercent) / 100;
  const blindKg = largestBlindFeedKg(science, { ...batch, isWeighed: batch.lastWeighing !== null });
  // whichever chart the farm goes by, what another one says is no slip of the pen
  return Math.max(byWeightKg, (blindKg * batch.stocked) / 100_000);
}

/** Lots of the farm's stock that a meal is taken of and that had expired; brought by the feed stock. */
type ExpiryDeps = {
  expiredLots: (
    farmId: string,
    meal: { feed: string; kg: number; at: string; day: string },
  ) => Promise<Pick<StockLot, 'product' | 'lot' | 'expiresOn'>[]>;
};

export type RecordFeedingDeps = Pick<Kernel, 'now' | 'newId' | 'guard' | 'clockQuality'> &
  WarningDeps &
  ExpiryDeps & { queries: FeedingQueries };

/**
 * Decides a feeding of a batch. Throws 404 for a batch deleted meanwhile, 409 for one that is not ACTIVE or an id that
 * is taken, 422 for a day before the batch's start or a pond of another farm.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function recordFeeding(
  deps: RecordFeedingDeps,
  caller: Caller,
  { input, sentDate, language }: { input: FeedingCreate; sentDate: unknown; language: Language },
): Promise<Decision<{ row: RowOf<typeof feedingRecord>; warnings: FeedingWarning[] }>> {
  const named = await requireBatch(deps, input.batch_id);
  const guard = asParent(await deps.guard('batch', named.id));
  // read again behind its guard: a finish between the two makes this run anew
  const batch = await requireBatch(deps, named.id);
  // before all else: what was sent already is told as that, whatever became of the batch since
  if (input.id !== undefined && (await deps.queries.feedingIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  if (batch.status !== 'ACTIVE') {
    throw conflict(
      `Batch ${batch.batch_code} is ${batch.status}: only an ACTIVE batch is fed`,
      'BATCH_NOT_ACTIVE',
    );
  }
  const row: RowOf<typeof feedingRecord> = {
    id: input.id ?? deps.newId(),
    batch_id: batch.id,
    pond_id: await pondIdOf(deps, batch, input.pond_id ?? null),
    feed_type: input.feed_type,
    quantity_kg: input.quantity_kg,
    cost_per_kg: input.cost_per_kg,
    feed_date: feedDateOf(deps, batch, { instant: input.feed_date, sent: sentDate }),
    tray_leftover_percent: input.tray_leftover_percent ?? null,
    notes: input.notes ?? null,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  return {
    answer: {
      row,
      warnings: [
        ...(await warningsOf(deps, row, language)),
        ...(await expiryWarnings(deps, batch, row, language)),
      ],
    },
    changes: [insert(feedingRecord, row)],
    guards: [guard],
  };
}

export async function requireBatch(
  deps: { queries: Pick<FeedingQueries, 'batchToFeed'> },
  ref: string,
): Promise<BatchToFeed> {
  const batch = await deps.queries.batchToFeed(ref);
  if (batch === null) throw notFound('Batch');
  return batch;
}

/** The instant of a feeding; throws 422 for one on a day before the batch was stocked, or more than a day ahead. */
function feedDateOf(
  clock: Pick<Kernel, 'now' | 'clockQuality'>,
  batch: BatchToFeed,
  { instant, sent }: { instant: string; sent: unknown },
): string {
  const at = instantOnFarm(instant, sent, batch.timezone);
  if (localDay(at, batch.timezone) < batch.start_date) {
    const message = `must not lie before the start of the batch (${batch.start_date})`;
    throw invalidField(422, 'feed_date', message, 'BEFORE_BATCH_START');
  }
  return notAhead(clock, 'feed_date', at, batch.timezone);
}

/** UUID of the pond that was named; throws 422 unless it lies on the farm of the batch. */
async function pondIdOf(
  deps: { queries: Pick<FeedingQueries, 'pond'> },
  batch: BatchToFeed,
  ref: string | null,
): Promise<string | null> {
  if (ref === null) return null;
  const pond = await deps.queries.pond(ref);
  if (pond?.farm_id !== batch.farm_id)
    throw invalidField(422, 'pond_id', 'no such pond on the farm of this batch');
  return pond.id;
}

export type ChangeFeedingDeps = CorrectionDeps & WarningDeps & { queries: FeedingQueries };

/** Decides a correction, also of a batch that is finished. Fields left out stay; what changes nothing leaves no entry. */
export async function changeFeeding(
  deps: ChangeFeedingDeps,
  caller: Caller,
  current: FeedingRecord,
  { input, sentDate, language }: { input: FeedingUpdate; sentDate: unknown; language: Language },
): Promise<Decision<{ row: FeedingRecord; warnings: FeedingWarning[] }>> {
  const batch = await requireBatch(deps, current.batch_id);
  const { pond_id, feed_date, ...fields } = input;
  const changed = changesOf(current, {
    ...fields,
    ...(pond_id === undefined ? {} : { pond_id: await pondIdOf(deps, batch, pond_id) }),
    ...(feed_date === undefined
      ? {}
      : { feed_date: feedDateOf(deps, batch, { instant: feed_date, sent: sentDate }) }),
  });
  if (changed === null) return { answer: { row: current, warnings: [] } };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: FeedingRecord = { ...current, ...set, rev: current.rev + 1 };
  const entry = correctionEntry(deps, { ...entryOf(caller, batch, current), ...changed });
  return {
    answer: { row, warnings: await warningsOf(deps, row, language) },
    changes: [update(feedingRecord, current, set), entry],
  };
}

/** Decides the end of a record; its values stay in the audit. */
export async function deleteFeeding(
  deps: ChangeFeedingDeps,
  caller: Caller,
  current: FeedingRecord,
): Promise<Decision<void>> {
  const batch = await requireBatch(deps, current.batch_id);
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...entryOf(caller, batch, current), before, after: null });
  return { answer: undefined, changes: [remove(feedingRecord, current), entry] };
}

function entryOf(caller: Caller, batch: BatchToFeed, row: FeedingRecord) {
  return {
    kind: 'feeding_record' as const,
    id: row.id,
    name: `Feeding of ${batch.batch_code}, ${localDay(row.feed_date, batch.timezone)}`,
    farmId: batch.farm_id,
    userId: caller.userId,
  };
}
