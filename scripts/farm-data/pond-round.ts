import { measurement } from '#contract/resources/water-quality.ts';
import { type Deps, emitBatch, type LivingBatch, recount, stock } from './batch-life.ts';
import { end, haul, payHarvest, thin } from './batch-work.ts';
import { type Chance, createChance } from './chance.ts';
import {
  createRowBuffer,
  DAY_MS,
  type Grown,
  HOUR_MS,
  iso,
  MINUTE_MS,
  OFFSET_MS,
  UNTOUCHED,
  written,
} from './grown.ts';
import type { PondPlace } from './places.ts';

// How ponds follow each other: nurseries supply fattening ponds, ponds rest between two batches.

type Move = { living: LivingBatch; from: PondPlace; to: PondPlace; hauls: number };

/** Everything that lives on the farm, and what is planned for the ponds. */
export type Stocked = {
  living: LivingBatch[];
  moves: Move[];
  /** Day from which an empty pond may be stocked again. */
  readyByPond: Map<string, number>;
  batches: number;
};

const NURSERY_DAYS = 32;
/** Juveniles that come within these days are worth waiting for. */
const WAIT_DAYS = 5;
/** Younger stockings are topped up with what is left over. */
const TOP_UP_DAYS = 25;
/** Juveniles that nobody has room for are sold. */
const MOST_DAYS = { nursery: 48, fattening: 128 };
const HAUL_SHARES = [0.45, 0.6, 1];
const SICK_PER_DAY = 0.000_2;

export function emptyFarm(chance: Chance, ponds: readonly PondPlace[], firstDay: number): Stocked {
  // farms never start all ponds on one day
  const readyByPond = new Map(
    ponds.map((pond) => [pond.id, firstDay + chance.whole(0, pond.isNursery ? 55 : 110)]),
  );
  return { living: [], moves: [], readyByPond, batches: 0 };
}

export const inPond = (stocked: Stocked, pondId: string): LivingBatch[] =>
  stocked.living.filter(({ stockedByPond }) => (stockedByPond.get(pondId) ?? 0) > 0);

/** Stocks what is ready, and plans where juveniles go. */
export function fillPonds(deps: Deps, stocked: Stocked): void {
  const promised = new Set(stocked.moves.map(({ living }) => living));
  for (const pond of deps.places.ponds) {
    if (deps.day < (stocked.readyByPond.get(pond.id) ?? 0)) continue;
    if (stocked.moves.some(({ to }) => to.id === pond.id) || inPond(stocked, pond.id).length > 0) continue;
    const juveniles = pond.isNursery ? undefined : oldestJuveniles(deps, stocked, promised);
    if (juveniles !== undefined) {
      promised.add(juveniles.living);
      const age = deps.day - juveniles.living.startDay;
      if (age >= NURSERY_DAYS) stocked.moves.push({ ...juveniles, to: pond, hauls: 0 });
      continue;
    }
    stocked.batches += 1;
    stocked.living.push(stock(deps, pond, stocked.batches));
  }
}

function oldestJuveniles(
  { places, day }: Deps,
  stocked: Stocked,
  promised: ReadonlySet<LivingBatch>,
): { living: LivingBatch; from: PondPlace } | undefined {
  for (const living of stocked.living) {
    if (!living.isNursery || day - living.startDay < NURSERY_DAYS - WAIT_DAYS) continue;
    if (promised.has(living)) continue;
    const from = places.ponds.find(({ id }) => id === living.row.pond_id);
    if (from !== undefined) return { living, from };
  }
  return undefined;
}

/** Carries on with the moves: three evenings each, after a count. */
export function moveJuveniles(deps: Deps, stocked: Stocked): void {
  // a move lasts to the end of its last day: nothing else may change the count on it
  stocked.moves = stocked.moves.filter(({ hauls }) => hauls < HAUL_SHARES.length);
  for (const move of stocked.moves) {
    if (move.hauls === 0) recount(deps, move.living, 'Contagem na transferência');
    const share = HAUL_SHARES[move.hauls] ?? 1;
    const isLast = share === 1;
    const leftover = isLast && deps.chance.happens(0.3) ? youngNeighbour(deps, stocked, move.to) : undefined;
    haul(deps, move.living, { from: move.from, to: leftover ?? move.to, share });
    move.hauls += 1;
    if (!isLast) continue;
    move.living.isNursery = false;
    move.living.mostPercent = move.living.believedPercent;
    stocked.readyByPond.set(move.from.id, deps.day + deps.chance.whole(14, 24));
  }
}

function youngNeighbour({ places, day }: Deps, stocked: Stocked, not: PondPlace): PondPlace | undefined {
  const young = stocked.living.find(
    ({ isNursery, startDay, row }) => !isNursery && day - startDay < TOP_UP_DAYS && row.pond_id !== not.id,
  );
  return places.ponds.find(({ id }) => id === young?.row.pond_id);
}

/** Harvests, partly or for good, and gives up what a disease has taken. */
export function takeOut(deps: Deps, stocked: Stocked): void {
  stocked.living = stocked.living.filter((living) => {
    if (stocked.moves.some((move) => move.living === living)) return true;
    const ponds = [...living.stockedByPond].filter(([, count]) => count > 0).map(([id]) => id);
    thinWhenDue(deps, living, ponds);
    const restDays = endWhenDue(deps, living);
    if (restDays === null) return true;
    for (const id of ponds) stocked.readyByPond.set(id, deps.day + restDays);
    return false;
  });
}

function thinWhenDue(deps: Deps, living: LivingBatch, ponds: readonly string[]): void {
  if (living.thinAtShare === null || living.weightG < living.targetG * living.thinAtShare) return;
  living.thinAtShare = null;
  const [pondId = ''] = ponds;
  // what is taken from one of several ponds would have to be counted pond by pond
  if (ponds.length === 1 && !living.isNursery) thin(deps, living, pondId);
}

/** Days its ponds rest afterwards; null: it lives on. */
function endWhenDue(deps: Deps, living: LivingBatch): number | null {
  const { chance, day, emit } = deps;
  const age = day - living.startDay;
  const isSick = age > 20 && chance.happens(SICK_PER_DAY);
  const isDue =
    living.weightG >= living.targetG || age >= MOST_DAYS[living.isNursery ? 'nursery' : 'fattening'];
  if (!isSick && !isDue) return null;
  if (isSick) living.alive *= 0.12;
  recount(deps, living, isSick ? 'Mortalidade por mancha branca' : 'Contagem na despesca');
  end(deps, living, isSick ? 'Mancha branca confirmada; viveiro esvaziado e desinfetado' : null);
  if (!isSick) payHarvest(deps, living);
  emitBatch(emit, living);
  return isSick ? chance.whole(30, 50) : chance.whole(11, 24);
}

const EVERY_MS = 15 * MINUTE_MS;
/** Oxygen is lowest at six in the morning. */
const DAWN_MS = 6 * HOUR_MS;

/** What a probe in one pond has sent every quarter of an hour: oxygen, temperature and pH through day and night. */
export function* probeReadings(options: {
  seed: number;
  pondId: string;
  days: number;
  until: string;
}): Generator<Grown> {
  const chance = createChance(options.seed);
  const { emit, taken } = createRowBuffer();
  const untilMs = Date.parse(options.until);
  const firstMs = Math.ceil((untilMs - options.days * DAY_MS) / EVERY_MS) * EVERY_MS;
  for (let unixMs = firstMs; unixMs <= untilMs; unixMs += EVERY_MS) {
    const dayShare = ((unixMs + OFFSET_MS - DAWN_MS) % DAY_MS) / DAY_MS;
    const light = (1 - Math.cos(2 * Math.PI * dayShare)) / 2;
    emit(measurement, {
      ...UNTOUCHED,
      id: chance.uuid(unixMs),
      pond_id: options.pondId,
      measurement_date: iso(unixMs),
      temperature: written(chance.normal(27.6 + 2.2 * light, 0.15), 2),
      dissolved_oxygen: written(chance.normal(4.9 + 2.9 * light, 0.2), 2),
      ph: written(chance.normal(7.85 + 0.4 * light, 0.03), 2),
      salinity: null,
      alkalinity: null,
      ammonia: null,
      nitrite: null,
      nitrate: null,
      transparency: null,
      notes: null,
      source: 'probe',
      created_by: null,
      created_at: iso(unixMs),
    });
    if (light < 0.001) yield* taken();
  }
  yield* taken();
}
