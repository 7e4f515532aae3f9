import { farm as farmTable } from '#contract/resources/farms.ts';
import { update } from '#core/changes.ts';
import {
  AHEAD,
  ahead,
  CLOCK_SLACK_MS,
  compare,
  doubled,
  invented,
  lostWrites,
  MOST_AHEAD_MS,
  resurrected,
  superfluous,
  type Violation,
} from './check.ts';
import { clockComesBack, clockIsBehind, farmIsAway, groupIsEdited } from './episodes.ts';
import { isRefusal } from './farm-work.ts';
import { type Fault, faultsOfSeed, heal, type Images, keepImages, revive, strike } from './faults.ts';
import { farmsOn, moveAct } from './moves.ts';
import { CALM } from './network.ts';
import { STREAM } from './paired-farm.ts';
import { leavers, peopleAct } from './people.ts';
import { askedAbout, keyOf, tableOf } from './replica-state.ts';
import {
  asShared,
  isLostButForName,
  isOfMoved,
  isUnheard,
  movesHeard,
  ONE_BOX,
  withoutGateway,
  withoutOthers,
  withoutUnseen,
} from './shared-rows.ts';
import type { Side } from './things.ts';
import { falseConflicts, type ProgramOf, planVersions, unexplained, upgradeDue } from './versions.ts';
import { createPairedWorld, type World, type WorldOptions } from './world.ts';

// One seed: a farm at work while everything goes wrong, then a quiet line, then the question whether anything was lost.

export type SimulationOptions = WorldOptions & {
  steps?: number;
  faults?: Readonly<Partial<Record<Fault, number>>>;
  /** Share of the steps after which the hosted disk is copied, so that it can fall back to there. */
  hostedImages?: number;
  /** One side begins as an earlier version. */
  programOf?: ProgramOf;
  /** Called after every step and at the end, for looking at a seed that fails. */
  look?: (world: World, step: number) => Promise<void>;
};

export type SimulationResult = {
  seed: number;
  violations: Violation[];
  traceHash: string;
  counts: Record<string, number>;
  /** The last of what happened, for looking at a seed that fails. */
  lines: readonly string[];
};

const STEPS = 60;
/** Back-off goes up to five minutes; a few rounds of it must do. */
const HEALED_WITHIN_MS = 45 * 60_000;
const LOOK_EVERY_MS = 20_000;
/** What one side had not known until its upgrade is filled in by the comparison after it, at the second try at the latest. */
const COMPARED_WITHIN_MS = 60 * 60_000;
/** What happens to the people and to the farm as a whole: each kind is at home in some seeds, and rare in the others. */
const isOfMoves = (seed: number): boolean => seed % 5 === 3;
const isOfReturns = (seed: number): boolean => seed % 6 === 4;
const eventsOfSeed = (seed: number): Record<'people' | 'moves' | 'away', number> => ({
  people: seed % 4 === 2 ? 14 : 2,
  moves: isOfMoves(seed) ? 6 : 0.5,
  away: isOfMoves(seed) ? 4 : 0,
});
/** In every second seed with an earlier version both sides come upon what only one of them knows. */
const EDITED_EVERY = 12;

/** Whether something is lost is looked at after so many steps, and before every fault. */
const LOST_EVERY = 6;

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, steps = STEPS } = options;
  const versions =
    options.programOf === undefined ? null : await planVersions(seed, steps, options.programOf);
  const world = await createPairedWorld(
    versions === null ? options : { ...options, programs: versions.programs },
  );
  const images: Images = { gateway: [await world.gateway.replica.image()], hosted: [] };
  const violations: Violation[] = [];
  try {
    // now and then trouble begins while both meet for the first time
    if (world.chance.of(0.8)) await world.pass(120_000);
    for (let step = 0; step < steps && violations.length === 0; step += 1) {
      violations.push(...(await oneStep(world, images, options)));
      if (versions !== null && seed % 2 === 0 && step % EDITED_EVERY === EDITED_EVERY - 1)
        await eventUnlessDead(world, groupIsEdited);
      if (versions !== null) await upgradeDue(world, versions, step);
      if (step % LOST_EVERY === 0) violations.push(...(await lostNow(world)));
      await options.look?.(world, step);
    }
    // one that stays away is not seen where it comes back later
    if (isOfMoves(seed) && violations.length === 0) await chainUnlessDead(world, images);
    if (isOfReturns(seed) && violations.length === 0)
      await eventUnlessDead(world, async () => {
        await (world.chance.of(0.7) ? clockComesBack : clockIsBehind)(world);
        return 'a clock of the cloud comes right';
      });
    await heal(world);
    if (versions !== null) {
      await upgradeDue(world, versions, 'last');
      await world.pass(COMPARED_WITHIN_MS);
    }
    if (violations.length === 0) violations.push(...(await judgeInTime(world)));
    if (violations.length === 0 && versions !== null) violations.push(...(await judgeVersions(world)));
    await options.look?.(world, steps);
    const wasWrong = (world.counts['hosted clock is set wrong'] ?? 0) > 0;
    if (violations.length === 0 && (wasWrong || seed % 10 === 0))
      violations.push(...(await laterWins(world)));
  } catch (error) {
    violations.push({ rule: 'the programs live', what: sentenceOf(error) });
  } finally {
    await world.close();
  }
  return {
    seed,
    violations,
    traceHash: world.traceHash(),
    counts: { ...world.counts, ...world.network.counts, writes: world.ledger.count() },
    lines: world.lines,
  };
}

async function oneStep(
  world: World,
  images: Images,
  { seed, faults = faultsOfSeed(seed), hostedImages = 1 }: SimulationOptions,
): Promise<Violation[]> {
  const { chance } = world;
  const happens = chance.weighted({ gateway: 30, hosted: 25, time: 35, fault: 14, ...eventsOfSeed(seed) });
  // a disk that goes back would hide what was lost before
  const lost = happens === 'fault' || happens === 'away' ? await lostNow(world) : [];
  if (happens === 'fault') await strike(world, images, faults);
  else if (happens === 'time') await world.pass(chance.pick([50, 300, 2_000, 10_000, 70_000, 400_000]));
  else if (happens === 'people') await eventUnlessDead(world, peopleAct);
  else if (happens === 'moves') await eventUnlessDead(world, moveAct);
  else if (happens === 'away') await chainUnlessDead(world, images);
  else await workUnlessDead(world, happens, seed);
  await world.settle();
  await revive(world);
  await keepImages(world, images, hostedImages);
  return lost;
}

/** A write whose answer never came may have been done or not; it is not counted. */
async function workUnlessDead(world: World, side: 'gateway' | 'hosted', seed: number): Promise<void> {
  try {
    // on every sixth farm few things are changed again and again
    await world.work(side, seed % 6 === 1 ? { make: 0.5, edit: 12, delete: 0.1 } : {});
  } catch (error) {
    if (!world[side].run().breakable.isDead()) throw error;
  }
}

async function eventUnlessDead(world: World, act: (world: World) => Promise<string | null>): Promise<void> {
  try {
    const done = await act(world);
    world.trace(`${world.time.now()} EVENT ${done ?? 'nothing'}`);
    if (done !== null) world.counts[done] = (world.counts[done] ?? 0) + 1;
  } catch (error) {
    // a full disk takes nothing, not even that everything is compared
    const isExpected =
      isRefusal(error) || [world.hosted, world.gateway].some((box) => box.run().breakable.isDead());
    if (!isExpected) throw error;
  }
}

const chainUnlessDead = (world: World, images: Images): Promise<void> =>
  eventUnlessDead(world, async () => {
    await farmIsAway(world, images);
    return 'a farm is away while its gateway works';
  });

async function lostNow(world: World): Promise<Violation[]> {
  const { gateway, hosted } = await world.states();
  return lostWrites(world.ledger, [gateway, hosted]);
}

async function judgeVersions(world: World): Promise<Violation[]> {
  const { gateway, hosted } = await world.states();
  return [
    ...falseConflicts(world.ledger, gateway),
    ...falseConflicts(world.ledger, hosted),
    ...unexplained(world),
  ];
}

/** What both need not know by the first moment at which all is told, and by when they do. */
const KNOWN_WITHIN_MS: Readonly<Record<string, number>> = {
  // a clock may come right without a start: stamps from the future are looked for once an hour, too
  [AHEAD]: 60 * 60_000,
  // told with the next answer to a pull, which comes without any news once a minute
  [ONE_BOX]: 2 * 60_000,
};

async function judgeInTime(world: World): Promise<Violation[]> {
  const found = await judgeHealed(world);
  const inMs = Math.max(0, ...found.map(({ rule }) => KNOWN_WITHIN_MS[rule] ?? 0));
  if (inMs === 0) return found;
  await world.pass(inMs);
  return judgeHealed(world);
}

export async function judgeHealed(world: World): Promise<Violation[]> {
  for (let passed = 0; passed < HEALED_WITHIN_MS; passed += LOOK_EVERY_MS) {
    await world.pass(LOOK_EVERY_MS);
    if (await isCalm(world)) return judge(world);
  }
  const found = await judge(world);
  const points = await pointsOf(world);
  return [{ rule: 'both come to an end', what: JSON.stringify(points) }, ...found];
}

/** Of two edits that did not know of each other the later one stands, whatever the clocks were before. */
async function laterWins(world: World): Promise<Violation[]> {
  const [farm] = await world.hosted.replica.read(
    `select id from farms where hidden = 0 and id in (select id from sync_farms where stream_id = ${STREAM}) order by id`,
  );
  if (farm === undefined) return [];
  // a clock may be ahead by a few minutes, and what it stamped so stands until then
  for (const side of ['gateway', 'hosted'] as const) world.setClock(side, 0);
  await world.pass(MOST_AHEAD_MS + CLOCK_SLACK_MS);
  const named = async (side: Side, name: string) =>
    world.commit(side, [update(farmTable, String(farm['id']), { name })]);
  for (const [first, second] of [
    ['hosted', 'gateway'],
    ['gateway', 'hosted'],
  ] as const) {
    world.network.setWeather({ ...CALM, lost: 1 });
    await named(first, `first ${first}`);
    await world.pass(LOOK_EVERY_MS);
    const later = await named(second, `then ${second}`);
    world.network.setWeather(CALM);
    const found = await judgeHealed(world);
    if (found.length > 0) return found;
    const states = await world.states();
    const names = [states.gateway, states.hosted].map(
      ({ rows }) => rows.get(keyOf('farms', String(farm['id'])))?.row['name'],
    );
    if (later !== null && names.some((name) => name !== `then ${second}`))
      return [{ rule: 'the later edit stands', what: `${JSON.stringify(names)}, the ${second} was later` }];
  }
  return [];
}

/** Everything logged here was applied there, and the other way round. */
async function isCalm(world: World): Promise<boolean> {
  const { gateway, hosted } = await pointsOf(world);
  return (
    gateway['resync'] === null &&
    hosted['resync'] === null &&
    gateway['epoch'] === hosted['epoch'] &&
    gateway['core_seq'] === hosted['in_core_seq'] &&
    gateway['history_seq'] === hosted['in_history_seq'] &&
    gateway['in_core_seq'] === hosted['core_seq'] &&
    // after a disk went back the same number may mean another change
    gateway['core_chain'] === hosted['in_core_chain'] &&
    gateway['history_chain'] === hosted['in_history_chain'] &&
    gateway['in_core_chain'] === hosted['core_chain'] &&
    gateway['acked_core_seq'] === gateway['core_seq'] &&
    gateway['acked_history_seq'] === gateway['history_seq']
  );
}

async function pointsOf({ gateway, hosted }: World) {
  const [here] = await gateway.replica.read('select * from sync_stream where stream_id = 1');
  const [there] = await hosted.replica.read('select * from sync_stream where stream_id = 2');
  return { gateway: here ?? {}, hosted: there ?? {} };
}

async function judge(world: World): Promise<Violation[]> {
  const states = await world.states();
  const farms = await farmsOn(world.hosted.replica.read);
  const { gateway, hosted } = states;
  const shared = asShared(states, farms);
  const asked = await askedAbout(world.hosted.replica.read);
  const wasOlder = (world.counts['gateway is upgraded'] ?? 0) > 0;
  const isMixed = wasOlder || (world.counts['hosted is upgraded'] ?? 0) > 0;
  const [here, there] = shared;
  const seen = isMixed ? ([withoutUnseen(here, there), withoutUnseen(there, here)] as const) : shared;
  const found = [
    ...compare(...seen, asked),
    ...leavers(gateway, hosted, farms),
    ...(await movesHeard(world, gateway, farms)),
    ...lostWrites(world.ledger, [gateway, hosted]),
    ...invented(
      world.ledger,
      withoutOthers(gateway),
      new Map(),
      (known, word) => wasOlder && isUnheard(gateway, known, { word, farms }),
    ),
    ...invented(world.ledger, hosted, asked, (known, word) =>
      isLostButForName(states, known, { word, ledger: world.ledger }),
    ),
    ...resurrected(world.ledger, shared[1]),
    ...ahead(hosted, world.wallTime('hosted')),
    ...doubled(gateway),
    ...doubled(hosted, ({ within }) => within === undefined),
    ...doubled(shared[1], ({ within }) => within !== undefined),
    ...doubled(withoutGateway(hosted, farms), ({ within }) => within !== undefined),
  ];
  for (const [name, box] of [
    ['gateway', world.gateway],
    ['hosted', world.hosted],
  ] as const) {
    const broken = await box.replica.orphans();
    if (!(await stampsCameBack(world))) found.push(...(await superfluous(world.ledger, box.replica.read)));
    if (broken.length > 0) {
      found.push({ rule: 'children have parents', what: `${name}: ${JSON.stringify(broken.slice(0, 3))}` });
    }
    const aside = await box.replica.read('select reason, entity, row_id, change_json from sync_parked');
    // the only copy of what stood below a row that no disk has any more stays where people find it
    const parked = aside.filter(({ reason, entity, row_id }) => {
      if (isOfMoved(states, keyOf(tableOf(Number(entity)), String(row_id)), farms)) return false;
      const [, table = '', id = ''] = /^parent:(\w+)\/(.+)$/.exec(String(reason)) ?? [];
      return !world.ledger.isGone(keyOf(table, id), [gateway, hosted]);
    });
    if (parked.length > 0) {
      found.push({ rule: 'nothing waits aside', what: `${name}: ${JSON.stringify(parked.slice(0, 3))}` });
    }
  }
  return found;
}

/** Both sides set a stamp anew that one of them knows from the other: that it is the same word is not known any more. */
const stampsCameBack = async ({ hosted }: World): Promise<boolean> =>
  (await hosted.replica.read('select id from sync_time_returns')).length > 0;

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined
    ? (error.stack ?? error.message)
    : `${error.message}: ${sentenceOf(error.cause)}`;
}
