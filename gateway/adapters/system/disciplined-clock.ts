import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  type ClockEvidence,
  type ClockPolicy,
  type ClockState,
  confirmClock,
  elapsedSince,
  lookAtClock,
  needsHostedTime,
  STEP_MS,
  STRETCHES_KEPT,
  type Stretch,
  startClock,
  timeOf,
} from '#core/clock-trust.ts';

export type DisciplinedClock = {
  /** Milliseconds since 1970 to go by. */
  now: () => number;
  quality: () => 'trusted' | 'estimated';
  /** Milliseconds that have really passed since an instant noted in this run (core/elapsed.ts). */
  elapsedSince: (notedAt: number) => number;
  state: () => ClockState;
  /** How often time was set since the start. */
  steps: () => number;
  /** Looks at wall, monotonic clock and evidence again; called every second. Answers by how much time stepped. */
  look: () => number;
  /** True while the machine says that the network keeps its clock: then nobody else sets the time. */
  isSynchronised: () => boolean;
  /** A person says that this is the time, ms since 1970. */
  confirm: (time: number) => void;
  /** The hosted instance signed that this is the time. Answers whether it was evidence here. */
  confirmByHosted: (time: number) => boolean;
};

type ClockDeps = {
  wall: () => number;
  monotonic: () => number;
  /** Latest evidence; refreshed outside, because asking the machine takes time. */
  evidence: () => ClockEvidence;
  /** The machine is to be asked again now: its clock stepped since. Resolves when it has answered. */
  askAgain?: (() => Promise<void>) | undefined;
  /** `steppedBy`: ms that time jumped. */
  changed: (state: ClockState, before: ClockState, steppedBy: number) => void;
};

/** A machine that does not answer by then is taken to know nothing. */
const ASKED_WITHIN_MS = 5_000;

export function createClock(deps: ClockDeps, policy: ClockPolicy, floor: number | null): DisciplinedClock {
  const lookNow = () => ({ wall: deps.wall(), monotonic: deps.monotonic() });
  let state = startClock(policy, lookNow(), floor, deps.evidence());
  let last = { wall: state.wall, monotonic: state.monotonic };
  const stretches: Stretch[] = [stretchOf(state)];
  let steps = 0;
  /** The first and the last step that no evidence is newer than; null: there is none. */
  let unjudged: { since: number; at: number } | null = null;

  /**
   * What the machine said of its clock before a step tells nothing of the clock after it: until it has been asked again
   * time goes on by the monotonic clock. null: not asked yet.
   */
  function evidenceAfterSteps(at: { wall: number; monotonic: number }): ClockEvidence | null {
    const isStep = Math.abs(at.wall - last.wall - (at.monotonic - last.monotonic)) > STEP_MS;
    last = at;
    if (isStep) {
      unjudged = { since: unjudged?.since ?? at.monotonic, at: at.monotonic };
      void deps.askAgain?.().then(look);
    }
    const evidence = deps.evidence();
    if (unjudged === null || (evidence.askedAt ?? at.monotonic) >= unjudged.at) {
      unjudged = null;
      return evidence;
    }
    if (at.monotonic - unjudged.since < ASKED_WITHIN_MS) return null;
    return { ...evidence, isSynchronised: null };
  }

  function stepped(): void {
    steps += 1;
    stretches.push(stretchOf(state));
    if (stretches.length > STRETCHES_KEPT) stretches.shift();
  }

  /** Answers by how much time stepped, ms. */
  function look(): number {
    const before = state;
    const now = lookNow();
    const evidence = evidenceAfterSteps(now);
    if (evidence === null) return 0;
    const looked = lookAtClock(policy, state, now, evidence);
    state = looked.state;
    if (looked.steppedBy !== 0) stepped();
    if (state.trust !== before.trust || looked.steppedBy !== 0) deps.changed(state, before, looked.steppedBy);
    return looked.steppedBy;
  }

  function set(time: number, by: 'set_by_operator' | 'hosted_time'): void {
    const before = state;
    last = lookNow();
    unjudged = null;
    const confirmed = confirmClock(state, last, time, by);
    state = confirmed.state;
    stepped();
    deps.changed(state, before, confirmed.steppedBy);
  }
  return {
    now: () => Math.floor(timeOf(state, deps.monotonic())),
    quality: () => (state.trust === 'trusted' ? 'trusted' : 'estimated'),
    elapsedSince: (notedAt) => {
      const monotonic = deps.monotonic();
      return elapsedSince(stretches, notedAt, { now: timeOf(state, monotonic), monotonic });
    },
    state: () => state,
    steps: () => steps,
    look,
    isSynchronised: () => deps.evidence().isSynchronised === true,
    confirm: (time) => set(time, 'set_by_operator'),
    confirmByHosted(time) {
      if (!needsHostedTime(state) || time < policy.notBefore) return false;
      set(time, 'hosted_time');
      return true;
    },
  };
}

function stretchOf({ wall, correction, monotonic }: ClockState): Stretch {
  return { shown: wall + correction, monotonic };
}

const run = promisify(execFile);
const ASK_TIMEOUT_MS = 2_000;

/** Asks the machine what it knows of its clock. Answers null where it knows nothing; never throws. */
export async function clockEvidence(): Promise<ClockEvidence> {
  return { isSynchronised: await isSynchronised(), hasBatteryClock: hasBatteryClock() };
}

/**
 * To ask starts a program, and to start one takes a process of 300 MB 15 ms, in which no heartbeat is heard. A clock that is kept
 * loses that over hours, and is asked for after every step; a machine that knew nothing may have been too busy to answer.
 */
const ASK_AGAIN_AFTER_MS = { kept: 600_000, unknown: 60_000, notKept: 0 };

/** Is it time to ask the machine again? `at` as `askedAt`. */
export function isToBeAsked({ isSynchronised: told, askedAt }: ClockEvidence, at: number): boolean {
  const { kept, unknown, notKept } = ASK_AGAIN_AFTER_MS;
  return (
    at - (askedAt ?? Number.NEGATIVE_INFINITY) >= (told === true ? kept : told === null ? unknown : notKept)
  );
}

async function isSynchronised(): Promise<boolean | null> {
  if (existsSync('/run/systemd/timesync/synchronized')) return true;
  // whom the command below would ask; without it (a container, Windows, macOS) nothing is known
  if (!existsSync('/run/systemd/system')) return null;
  try {
    const { stdout } = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
      timeout: ASK_TIMEOUT_MS,
    });
    const word = stdout.trim();
    return word === 'yes' ? true : word === 'no' ? false : null;
  } catch {
    return null;
  }
}

/** Raspberry Pi boards up to the fourth have none; other machines have one unless Linux says otherwise. */
function hasBatteryClock(): boolean | null {
  if (existsSync('/sys/class/rtc/rtc0')) return true;
  try {
    return readFileSync('/proc/device-tree/model', 'utf8').includes('Raspberry Pi') ? false : null;
  } catch {
    // only boards described by a device tree have the file
    return null;
  }
}
