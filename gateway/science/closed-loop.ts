import type { ScienceConstants } from './constants.ts';

type Aeration = ScienceConstants['aeration'];

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export type LoopReason =
  | 'EMERGENCY_LEVEL'
  | 'EMERGENCY_HELD'
  | 'BELOW_ON_LEVEL'
  | 'LAST_KNOWN_LOW'
  | 'BETWEEN_LEVELS'
  | 'NOT_SEEN'
  | 'MINIMUM_RUN'
  | 'SILENT_AT_NIGHT'
  | 'ABOVE_OFF_LEVEL'
  | 'RECOVERED'
  | 'SILENT'
  | 'NO_OXYGEN_LEVELS';

/** What a pond asks of the motors that air it; null: nothing, orders and schedules decide. */
export type PondWish = 'EMERGENCY' | 'ON' | 'OFF' | null;

/** What a pond has asked for until now, and since when. */
export type PondHeld = { wish: 'EMERGENCY' | 'ON' | 'OFF'; sinceMs: number };

export type PondLoopFacts = {
  /** ms on the clock of `held.sinceMs`, best one that only grows. */
  nowMs: number;
  /** True also while nobody can tell. */
  isNight: boolean;
  /** Oxygen, mg/L; null: that part of the loop is off. */
  levels: { onMgL: number | null; offMgL: number | null; emergencyMgL: number | null };
  /** The newest reading that a pond can have; null: none. `ageMs` null: how old it is nobody can tell. */
  reading: { oxygenMgL: number; ageMs: number | null } | null;
  /** A probe has been sending here until a few hours ago: silence means that it is out of order. */
  isStreaming: boolean;
  held: PondHeld | null;
};

export type PondLoop = { wish: PondWish; reason: LoopReason };

/** What is held after a look: a motor that goes on running goes on with its run. */
export function heldAfter(before: PondHeld | null, wish: PondWish, nowMs: number): PondHeld | null {
  if (wish === null) return null;
  if (before?.wish === wish) return before;
  const goesOn = wish !== 'OFF' && before !== null && before.wish !== 'OFF';
  return { wish, sinceMs: goesOn ? before.sinceMs : nowMs };
}

/**
 * Closed-loop aeration of one pond: ON at or below the ON level, until a reading at or above the OFF level; at or below
 * the emergency level an emergency, until a reading is well above it. What is ON stays so for the minimum run.
 *
 * Only a fresh reading (20 minutes) lets go. One that is missing, old or of unknown age can only add aeration: a low one
 * holds until a better one comes, and starts within a day of being taken; a probe that fell silent turns ON by night and
 * keeps by day what it asked for. A pond measured by hand now and then is not silent: nobody expects its next reading.
 * OFF against a schedule is asked for only on the word of a probe; after a reading by hand the schedule decides.
 */
export function pondLoop(aeration: Aeration, facts: PondLoopFacts): PondLoop {
  const { levels, reading, held } = facts;
  const isHeldOn = held?.wish === 'ON' || held?.wish === 'EMERGENCY';
  const isFresh = isFreshReading(aeration, reading);
  const release = releaseLevelOf(aeration, levels);
  if (release === null) return { wish: null, reason: 'NO_OXYGEN_LEVELS' };

  // old readings of a former cycle start nothing; what runs goes on until somebody has looked
  const isBelieved = isFresh || isHeldOn || (reading !== null && isRecent(aeration, reading.ageMs));
  const oxygenMgL = reading !== null && isBelieved ? reading.oxygenMgL : null;

  const emergency = emergencyOf(aeration, facts, { oxygenMgL, isFresh });
  if (emergency !== null) return emergency;
  if (oxygenMgL !== null && levels.onMgL !== null && oxygenMgL <= levels.onMgL) {
    return { wish: 'ON', reason: isFresh ? 'BELOW_ON_LEVEL' : 'LAST_KNOWN_LOW' };
  }
  if (facts.isStreaming && !isFresh && facts.isNight) return { wish: 'ON', reason: 'SILENT_AT_NIGHT' };
  const isWell = isFresh && oxygenMgL !== null && oxygenMgL >= release;
  if (isHeldOn && !isWell) return { wish: 'ON', reason: isFresh ? 'BETWEEN_LEVELS' : 'NOT_SEEN' };
  if (isHeldOn && !hasRunEnough(aeration, facts)) return { wish: 'ON', reason: 'MINIMUM_RUN' };
  return wellOrUnknown(facts, { isFresh, isWell });
}

/** A reading that says how the water is now. */
export function isFreshReading(
  { silentAfterMinutes }: Pick<Aeration, 'silentAfterMinutes'>,
  reading: { ageMs: number | null } | null,
): boolean {
  if (reading === null || reading.ageMs === null) return false;
  return reading.ageMs <= silentAfterMinutes * MINUTE_MS;
}

/** The oxygen at which the loop lets go, mg/L; null: there is no level to watch. */
export function releaseLevelOf(
  { releaseAboveOnMgL, emergencyReleaseMgL }: Pick<Aeration, 'releaseAboveOnMgL' | 'emergencyReleaseMgL'>,
  { onMgL, offMgL, emergencyMgL }: PondLoopFacts['levels'],
): number | null {
  if (onMgL !== null) return offMgL ?? onMgL + releaseAboveOnMgL;
  return emergencyMgL === null ? null : emergencyMgL + emergencyReleaseMgL;
}

/**
 * Whether a probe sends here: some readings in a row, each soon after the other, the last of them a few hours ago at
 * most. `agesMs`: of the latest readings, newest first; unknown ages (null) end the row.
 */
export function isStreaming(
  { stream, silentAfterMinutes }: Pick<Aeration, 'stream' | 'silentAfterMinutes'>,
  agesMs: readonly (number | null)[],
): boolean {
  const [newest = null] = agesMs;
  if (newest === null || newest > stream.forgottenAfterHours * HOUR_MS) return false;
  let before = newest;
  for (let place = 1; place < stream.readings; place += 1) {
    const age = agesMs[place] ?? null;
    if (age === null || age - before >= silentAfterMinutes * MINUTE_MS) return false;
    before = age;
  }
  return true;
}

function emergencyOf(
  aeration: Aeration,
  facts: PondLoopFacts,
  { oxygenMgL, isFresh }: { oxygenMgL: number | null; isFresh: boolean },
): PondLoop | null {
  const { emergencyMgL } = facts.levels;
  if (emergencyMgL === null) return null;
  if (oxygenMgL !== null && oxygenMgL <= emergencyMgL)
    return { wish: 'EMERGENCY', reason: 'EMERGENCY_LEVEL' };
  if (facts.held?.wish !== 'EMERGENCY') return null;
  const isOver = isFresh && oxygenMgL !== null && oxygenMgL > emergencyMgL + aeration.emergencyReleaseMgL;
  return isOver && hasRunEnough(aeration, facts) ? null : { wish: 'EMERGENCY', reason: 'EMERGENCY_HELD' };
}

/** Nothing asks for ON: the word of a probe can ask for OFF, and silence ends that. */
function wellOrUnknown(
  { isStreaming: isProbe, levels, held }: PondLoopFacts,
  { isFresh, isWell }: { isFresh: boolean; isWell: boolean },
): PondLoop {
  if (!isFresh) return { wish: null, reason: 'SILENT' };
  const mayAskForOff = isProbe && levels.onMgL !== null && levels.offMgL !== null;
  if (isWell)
    return mayAskForOff ? { wish: 'OFF', reason: 'ABOVE_OFF_LEVEL' } : { wish: null, reason: 'RECOVERED' };
  return { wish: mayAskForOff && held?.wish === 'OFF' ? 'OFF' : null, reason: 'BETWEEN_LEVELS' };
}

function isRecent({ lastKnownHours }: Aeration, ageMs: number | null): boolean {
  return ageMs === null || ageMs <= lastKnownHours * HOUR_MS;
}

function hasRunEnough({ minimumRunMinutes }: Aeration, { nowMs, held }: PondLoopFacts): boolean {
  return held === null || nowMs - held.sinceMs >= minimumRunMinutes * MINUTE_MS;
}

/** What a control point is asked for by its ponds; an emergency only ever asks for ON. */
export type LoopWish = { target: 'ON' | 'OFF' | null; kind: 'EMERGENCY_OXYGEN' | 'SET_POINT' };

/** One pond in need is enough for ON; OFF takes all of them. */
export function wishOfPonds(wishes: readonly PondWish[]): LoopWish {
  if (wishes.includes('EMERGENCY')) return { target: 'ON', kind: 'EMERGENCY_OXYGEN' };
  if (wishes.includes('ON')) return { target: 'ON', kind: 'SET_POINT' };
  const areAllWell = wishes.length > 0 && wishes.every((wish) => wish === 'OFF');
  return { target: areAllWell ? 'OFF' : null, kind: 'SET_POINT' };
}
