import type { RowOf } from '#contract/resource.ts';
import {
  feedStockEntry,
  type StockEntryCreate,
  type StockEntryUpdate,
} from '#contract/resources/feed-stock.ts';
import { asParent, type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { notAhead } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { dayAfter, instantOnFarm, localDay, startOfDay } from '#core/zone-clock.ts';
import type { FeedStockDeps, FeedStockEntry, StockFarm } from './ports.ts';

type WriteDeps = Pick<FeedStockDeps, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality' | 'queries'>;
type Row = RowOf<typeof feedStockEntry>;

/** Of one day of a farm: no farm gets that many deliveries, and a program gone wild would enter them. */
export const MOST_A_DAY = 200;

export async function requireFarm(
  { queries }: Pick<FeedStockDeps, 'queries'>,
  farmId: string,
): Promise<StockFarm> {
  const farm = await queries.farmOf(farmId);
  if (farm === null) throw notFound('Farm');
  return farm;
}

/**
 * Decides a delivery or a count. Throws 409 for an id that is taken, or more than MOST_A_DAY of one day; 422 for a day more
 * than one ahead, or a delivery that tells its weight twice or not at all.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function writeEntry(
  deps: WriteDeps,
  caller: Caller,
  farmId: string,
  { input, sentDate }: { input: StockEntryCreate; sentDate: unknown },
): Promise<Decision<Row>> {
  const guard = asParent(await deps.guard('farm', farmId));
  const farm = await requireFarm(deps, farmId);
  if (input.id !== undefined && (await deps.queries.entryIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const now = isoOf(deps.now());
  const happenedAt =
    input.happened_at === undefined ? now : dateOf(deps, farm, { instant: input.happened_at, sentDate });
  const room = await requireRoom(deps, farm, happenedAt);
  const row: Row = {
    id: input.id ?? deps.newId(),
    farm_id: farm.id,
    happened_at: happenedAt,
    ...toldOf(input),
    product: input.product,
    lot: input.lot ?? null,
    notes: input.notes ?? null,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: now,
    updated_at: null,
  };
  return { answer: row, changes: [insert(feedStockEntry, row)], guards: [guard, room] };
}

function toldOf(input: StockEntryCreate) {
  const nothing = {
    bags: null,
    bag_kg: null,
    protein_percent: null,
    pellet_mm: null,
    price_per_kg: null,
    supplier: null,
    expires_on: null,
  };
  if (input.kind === 'COUNT') return { ...nothing, kind: input.kind, quantity_kg: input.quantity_kg };
  return {
    kind: input.kind,
    ...weightOf({ quantity_kg: input.quantity_kg, bags: input.bags, bag_kg: input.bag_kg }),
    protein_percent: input.protein_percent ?? null,
    pellet_mm: input.pellet_mm ?? null,
    price_per_kg: input.price_per_kg ?? null,
    supplier: input.supplier ?? null,
    expires_on: input.expires_on ?? null,
  };
}

type Weight = {
  quantity_kg?: number | undefined;
  bags?: number | null | undefined;
  bag_kg?: number | null | undefined;
};

/** The weight as one number, however it was told. */
function weightOf({ quantity_kg: kg, bags, bag_kg: bagKg }: Weight) {
  const isInBags = bags !== undefined && bags !== null && bagKg !== undefined && bagKg !== null;
  const inBags = isInBags ? Math.round(bags * bagKg * 1000) / 1000 : null;
  if (isInBags && inBags !== null) {
    if (kg !== undefined && Math.abs(kg - inBags) > 0.001)
      throw invalidField(422, 'quantity_kg', `is not what the bags weigh (${inBags} kg)`, 'BAGS_DIFFER');
    return { quantity_kg: inBags, bags, bag_kg: bagKg };
  }
  if (kg === undefined)
    throw invalidField(422, 'quantity_kg', 'is required, unless bags and bag_kg are told', 'NO_WEIGHT');
  return { quantity_kg: kg, bags: null, bag_kg: null };
}

const OF_A_COUNT: ReadonlySet<string> = new Set(['happened_at', 'product', 'lot', 'quantity_kg', 'notes']);

/** Decides a correction. Fields left out stay; what changes nothing leaves no entry. */
export async function changeEntry(
  deps: WriteDeps,
  caller: Caller,
  current: FeedStockEntry,
  { input, sentDate }: { input: StockEntryUpdate; sentDate: unknown },
): Promise<Decision<FeedStockEntry>> {
  const farm = await requireFarm(deps, current.farm_id);
  if (current.kind === 'COUNT')
    for (const [field, value] of Object.entries(input))
      if (value !== undefined && value !== null && !OF_A_COUNT.has(field))
        throw invalidField(422, field, 'a count has no such field', 'OTHER_KIND');
  const { happened_at, quantity_kg, bags, bag_kg, ...fields } = input;
  const happenedAt =
    happened_at === undefined ? current.happened_at : dateOf(deps, farm, { instant: happened_at, sentDate });
  const changed = changesOf(current, {
    ...fields,
    ...correctedWeight(current, { quantity_kg, bags, bag_kg }),
    happened_at: happenedAt,
  });
  if (changed === null) return { answer: current };
  const isMoved = localDay(happenedAt, farm.timezone) !== localDay(current.happened_at, farm.timezone);
  const guards = isMoved ? [await requireRoom(deps, farm, happenedAt)] : [];
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [
      update(feedStockEntry, current, set),
      correctionEntry(deps, { ...entryOf(caller, farm, current), ...changed }),
    ],
    guards,
  };
}

/** A weight without bags is one of no bags; bags of another number or size weigh accordingly. */
function correctedWeight(current: FeedStockEntry, told: Weight) {
  const { quantity_kg: kg, bags, bag_kg } = told;
  if (kg === undefined && bags === undefined && bag_kg === undefined) return {};
  if (current.kind === 'COUNT') return kg === undefined ? {} : { quantity_kg: kg };
  if (kg === 0)
    throw invalidField(422, 'quantity_kg', 'of a delivery must be above 0; delete one that never came');
  if (bags === undefined && bag_kg === undefined) return weightOf({ quantity_kg: kg });
  return weightOf({
    quantity_kg: kg ?? (bags === null || bag_kg === null ? current.quantity_kg : undefined),
    bags: bags === undefined ? current.bags : bags,
    bag_kg: bag_kg === undefined ? current.bag_kg : bag_kg,
  });
}

/** Decides the end of an entry; its values stay in the audit. */
export async function deleteEntry(
  deps: WriteDeps,
  caller: Caller,
  current: FeedStockEntry,
): Promise<Decision<void>> {
  const farm = await requireFarm(deps, current.farm_id);
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...entryOf(caller, farm, current), before, after: null });
  return { answer: undefined, changes: [remove(feedStockEntry, current), entry] };
}

function entryOf(caller: Caller, farm: StockFarm, row: FeedStockEntry) {
  const what = row.kind === 'DELIVERY' ? 'Delivery' : 'Count';
  return {
    kind: 'feed_stock' as const,
    id: row.id,
    name: `${what} of ${row.product}, ${localDay(row.happened_at, farm.timezone)}`,
    farmId: row.farm_id,
    userId: caller.userId,
  };
}

function dateOf(
  deps: Pick<FeedStockDeps, 'now' | 'clockQuality'>,
  { timezone }: StockFarm,
  { instant, sentDate }: { instant: string; sentDate: unknown },
): string {
  return notAhead(deps, 'happened_at', instantOnFarm(instant, sentDate, timezone), timezone);
}

/** Counted and written are one step, behind the guard that it answers: of many at the same moment none is one too many. */
async function requireRoom(deps: WriteDeps, { id, timezone }: StockFarm, at: string): Promise<GuardSeen> {
  const guard = await deps.guard('feed_stock', id);
  const day = localDay(at, timezone);
  const span = { from: startOfDay(day, timezone), before: startOfDay(dayAfter(day, 1), timezone) };
  if ((await deps.queries.countBetween(id, span)) < MOST_A_DAY) return guard;
  throw conflict(
    `${day} has ${MOST_A_DAY} deliveries and counts already: correct one of them, or delete some`,
    'TOO_MANY_RECORDS',
  );
}
