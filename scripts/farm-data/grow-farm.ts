import { logEntry } from '#contract/resources/logs.ts';
import type { Origin } from '#contract/words.ts';
import {
  believedIn,
  type Deps,
  emitBatch,
  grow,
  type LivingBatch,
  recount,
  sufferEvent,
} from './batch-life.ts';
import { feed, record, spend, weigh } from './batch-work.ts';
import { type Chance, createChance } from './chance.ts';
import { emptyStore, type FeedStore, keepStore } from './feed-store.ts';
import { at, createRowBuffer, DAY_MS, dayOf, type Emit, type Grown, iso, UNTOUCHED } from './grown.ts';
import { readMeter } from './meter-round.ts';
import { keepTasks } from './own-tasks.ts';
import { type FarmSize, makePlaces, operatorOf, type Places, type PondPlace, recorderOf } from './places.ts';
import { emptyFarm, fillPonds, inPond, moveJuveniles, type Stocked, takeOut } from './pond-round.ts';
import { createWeather, type Load, measurePond } from './water.ts';
import { createWaterAlerts } from './water-alerts.ts';

type Entry = { hour: number; action: string; origin: Origin; byPerson: boolean };

/** Night aeration by schedule, and a round by hand before the afternoon feed: six entries a day. */
const DAY: readonly Entry[] = [
  { hour: 6, action: 'schedule_trigger', origin: 'SCHEDULE', byPerson: false },
  { hour: 6, action: 'status_changed', origin: 'DEVICE', byPerson: false },
  { hour: 13, action: 'turn_on', origin: 'LOCAL', byPerson: true },
  { hour: 15, action: 'turn_off', origin: 'LOCAL', byPerson: true },
  { hour: 18, action: 'schedule_trigger', origin: 'SCHEDULE', byPerson: false },
  { hour: 18, action: 'status_changed', origin: 'DEVICE', byPerson: false },
];

export type FarmOptions = {
  seed: number;
  /** How far back its history goes; 0.5 for half a year. */
  years: number;
  /** The instant at which the farm stands now; nothing is later. */
  until: string;
  /** A farm of that size with an owner who may sign in (null: one who cannot), or a farm that is there already. */
  on: { size: FarmSize; ownerId: string | null } | Places;
};

type Water = ReturnType<typeof createWaterAlerts>;

const FIRST_WEIGHING_DAY = 20;
const WEIGHING_EVERY_DAYS = 7;
const COUNTED_ON_DAYS = [50, 80];
const EVENT_PER_DAY = 0.005;

/**
 * Grows a believable farm of the Brazilian Northeast, day by day, row by row: batches on the growth curve under the
 * season's temperature, weekly weighings, four meals a day, water at dawn and in the afternoon with what it alerts,
 * costs, and the switching of the aerators. The same options give the same rows. Batches come when they end, or last,
 * so parents may come after their children.
 */
export function* growFarm(options: FarmOptions): Generator<Grown> {
  const chance = createChance(options.seed);
  const untilMs = Date.parse(options.until);
  const lastDay = dayOf(untilMs);
  const firstDay = lastDay - Math.round(options.years * 365);
  const { emit, taken } = createRowBuffer();
  const making = { chance, emit, unixMs: firstDay * DAY_MS };
  const places = 'size' in options.on ? makePlaces(making, options.on.size, options.on.ownerId) : options.on;
  const weatherOf = createWeather(chance);
  const water = createWaterAlerts({ chance, emit, places, untilMs });
  const stocked = emptyFarm(chance, places.ponds, firstDay);
  const store = emptyStore();
  for (let day = firstDay; day <= lastDay; day += 1) {
    const deps: Deps = { chance, emit, places, day, weather: weatherOf(day) };
    // the last day is not over: it is fed and measured, but nothing begins or ends on it
    if (day < lastDay) changeStock(deps, stocked);
    for (const living of stocked.living) liveADay(deps, living, { stocked, store });
    keepStore(deps, store);
    keepTasks(deps, lastDay);
    readMeter(deps, lastDay);
    measureWater(deps, stocked, { water, untilMs });
    logControl(deps, day);
    yield* day < lastDay ? taken() : taken().filter((grown) => isPast(grown, options.until));
  }
  for (const living of stocked.living) emitBatch(emit, living);
  water.finish();
  yield* taken();
}

function changeStock(deps: Deps, stocked: Stocked): void {
  moveJuveniles(deps, stocked);
  takeOut(deps, stocked);
  fillPonds(deps, stocked);
}

function liveADay(
  deps: Deps,
  living: LivingBatch,
  { stocked, store }: { stocked: Stocked; store: FeedStore },
): void {
  const { chance, day, places } = deps;
  const age = day - living.startDay;
  const firstPond = places.ponds.find(({ id }) => id === living.row.pond_id);
  if (firstPond !== undefined) spend(deps, living, firstPond);
  if (age === 0) return;
  grow(deps, living);
  const isMoving = stocked.moves.some((move) => move.living === living);
  if (!isMoving && chance.happens(EVENT_PER_DAY)) sufferEvent(deps, living);
  if (!isMoving && COUNTED_ON_DAYS.includes(age)) recount(deps, living, 'Contagem com tarrafa');
  if (age >= FIRST_WEIGHING_DAY && (age - FIRST_WEIGHING_DAY) % WEIGHING_EVERY_DAYS === 0)
    weigh(deps, living);
  for (const [pondId, count] of living.stockedByPond) {
    if (count <= 0) continue;
    feed(deps, living, pondId, store);
    const pond = places.ponds.find(({ id }) => id === pondId);
    if (pond !== undefined) record(deps, living, pond);
  }
}

function measureWater(
  deps: Deps,
  stocked: Stocked,
  { water, untilMs }: { water: Water; untilMs: number },
): void {
  const { places } = deps;
  const recorderId = recorderOf(places);
  for (const pond of places.ponds) {
    const batches = inPond(stocked, pond.id);
    if (batches.length === 0) continue;
    const measured = measurePond({ ...deps, recorderId }, pond, loadOf(pond, batches, deps.day));
    for (const each of measured) if (each.unixMs <= untilMs) water.look(each);
  }
}

function loadOf(pond: PondPlace, batches: readonly LivingBatch[], day: number): Load {
  const kg = batches.reduce((sum, living) => sum + (believedIn(living, pond.id) * living.weightG) / 1_000, 0);
  const days = Math.max(...batches.map(({ startDay }) => day - startDay));
  return { kgPerM3: kg / (pond.areaM2 * pond.depthM), days };
}

function isPast({ row }: Grown, until: string): boolean {
  const when = row['created_at'] ?? row['timestamp'];
  return typeof when !== 'string' || when <= iso(Date.parse(until));
}

/** The audit entries of one day, in order of time. */
function logControl(deps: { chance: Chance; emit: Emit; places: Places }, day: number): void {
  const { chance, emit, places } = deps;
  for (const [place, { hour, action, origin, byPerson }] of DAY.entries()) {
    for (const [index, point] of places.controlPoints.entries()) {
      const unixMs = at(day, hour, byPerson ? chance.whole(0, 55) : 0) + index * 5_000 + place * 700;
      emit(logEntry, {
        id: chance.uuid(unixMs),
        farm_id: places.farmId,
        entity_type: 'CONTROL_POINT',
        entity_id: point.id,
        entity_name: point.cod,
        action,
        user_id: byPerson ? operatorOf(places) : null,
        origin,
        details: action === 'status_changed' ? { to: hour === 18 ? 'ON' : 'OFF' } : { reason: 'schedule' },
        timestamp: iso(unixMs),
        clock_quality: UNTOUCHED.clock_quality,
      });
    }
  }
}
