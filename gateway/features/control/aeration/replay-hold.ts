import { heldAfter, isStreaming, type PondHeld, type PondLoopFacts, pondLoop } from '#science/closed-loop.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { READINGS_KEPT } from './pond-readings.ts';

type Aeration = ScienceConstants['aeration'];

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A stored reading with the times of its row, ms since 1970. */
export type PastReading = {
  /** Grows with the order of arrival. */
  id: string;
  takenAt: number;
  storedAt: number;
  oxygenMgL: number;
  isTimeTrusted: boolean;
  /** It may have started a motor, but until when it may have let one go nobody knows. */
  isTakenBack: boolean;
};

/**
 * What a pond asked for when an earlier run ended, worked out from its stored readings: the loop is run through them, as
 * it ran when they came, and through the silences between. So a restart within the band goes on with what held.
 */
export function replayedHold(
  aeration: Aeration,
  facts: Pick<PondLoopFacts, 'levels'> & {
    readings: readonly PastReading[];
    /** Whether the control point follows a probe; one that only joins in emergencies does not. */
    followsProbe: boolean;
    isNightAt: (atMs: number) => boolean;
    nowMs: number;
    /** Nobody looked after that: a run whose end fell later did not end. */
    watchedUntil: number;
  },
): PondHeld | null {
  const silentAfterMs = aeration.silentAfterMinutes * MINUTE_MS;
  /** All that came, and those of them that still stand; newest first. */
  let came: readonly PastReading[] = [];
  let standing: readonly PastReading[] = [];
  let held: PondHeld | null = null;

  function step(atMs: number): void {
    // even a wrong clock tells how close together readings came
    const agesMs = came.map(({ takenAt }) => Math.max(0, atMs - takenAt));
    // until nobody knows when, one that was taken back was the newest: an older one that came after it let nothing go
    const isNewestSure = came[0]?.isTakenBack !== true;
    const { wish } = pondLoop(aeration, {
      nowMs: atMs,
      isNight: facts.isNightAt(atMs),
      levels: facts.levels,
      reading: readingAt(standing[0], atMs, isNewestSure),
      isStreaming: facts.followsProbe && isStreaming(aeration, agesMs),
      held,
    });
    held = heldAfter(held, wish, atMs);
  }

  /** Between two readings a run may end, and a probe be missed: by night, whenever that falls. */
  function pause(from: number, to: number): void {
    const missedUntil = Math.min(to, from + aeration.stream.forgottenAfterHours * HOUR_MS);
    const runEnd = held === null ? to : held.sinceMs + aeration.minimumRunMinutes * MINUTE_MS;
    const times = runEnd <= facts.watchedUntil ? [runEnd] : [];
    const silentFrom = (standing[0]?.takenAt ?? from) + silentAfterMs + 1;
    for (let at = silentFrom; at < missedUntil; at += HOUR_MS) times.push(at);
    times.push(to - 1);
    for (const at of times.sort((a, b) => a - b)) if (at > from && at < to) step(at);
  }

  const inOrder = [...facts.readings].sort((a, b) => a.storedAt - b.storedAt || (a.id < b.id ? -1 : 1));
  for (const [place, reading] of inOrder.entries()) {
    const last = inOrder[place - 1];
    if (last !== undefined) pause(last.storedAt, reading.storedAt);
    came = withNewest(came, reading);
    const before = standing;
    standing = withNewest(before, reading);
    step(reading.storedAt);
    if (!reading.isTakenBack) continue;
    // when it was taken back nobody noted: those before it may start a motor again, not let one go
    standing = before.map((one) => ({ ...one, isTimeTrusted: false }));
    step(reading.storedAt);
  }
  const last = inOrder.at(-1);
  if (last !== undefined) pause(last.storedAt, facts.nowMs);
  return held;
}

function readingAt(
  newest: PastReading | undefined,
  atMs: number,
  isNewestSure: boolean,
): PondLoopFacts['reading'] {
  if (newest === undefined) return null;
  const { oxygenMgL, takenAt, isTimeTrusted } = newest;
  return { oxygenMgL, ageMs: isTimeTrusted && isNewestSure ? Math.max(0, atMs - takenAt) : null };
}

/** Enough of them to know a probe by. */
function withNewest(readings: readonly PastReading[], reading: PastReading): PastReading[] {
  return [reading, ...readings].sort((a, b) => b.takenAt - a.takenAt).slice(0, READINGS_KEPT);
}
