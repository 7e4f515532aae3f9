import { randomFillSync } from 'node:crypto';
import { parse, v5, v7 } from 'uuid';
import type { PasswordCost } from '#adapters/passwords/argon2-passwords.ts';
import { createClock, type DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import type { startTicks } from '#adapters/timers/ticks.ts';
import type { ClockEvidence, ProcessPauses } from '#core/clock-trust.ts';
import { isoOf, type Log } from '#core/kernel.ts';
import type { Network } from '#features/system/trust/ports.ts';
import type { Config } from './config.ts';

/** What the world gives the program; tests give their own. */
export type World = {
  /** Wall clock of the machine, ms since 1970. */
  wallClock: () => number;
  /** Whose wall time the stamps of a hosted instance are made of; see Stamping. */
  stampsBy?: 'database';
  /** Milliseconds that only grow while this process lives. */
  monotonic: () => number;
  random: () => number;
  /** Times in which this process stood still; absent: it never does. */
  pauses?: ProcessPauses;
  pause: (ms: number) => Promise<void>;
  log: Log;
  /** The last lines of the log, as they were written; absent: nobody keeps them. */
  recentLines?: () => string[];
  /** What speaks for the wall clock, as last asked. */
  clockEvidence: () => ClockEvidence;
  /** Asks the machine again, in the background; absent: evidence is always of now. */
  askClockAgain?: () => Promise<void>;
  /** Ends this process in order so that it is started anew, maybe in another version; absent: nobody would start it. */
  restart?: () => void;
  /** Whether whatever started this process starts it again when it ends; absent: nobody would. */
  isSupervised?: boolean;
  /** Before the schema is brought forward, which nothing interrupts, and afterwards. */
  onMigrating?: (isMigrating: boolean) => void;
  /** Another pulse than the machine's, for a world that lives faster. */
  startTicks?: typeof startTicks;
  /** Another name and other addresses than the machine's. */
  network?: () => Network;
  /** Another work than that of real passwords, for tests that make hundreds of accounts. */
  passwordCost?: PasswordCost;
  /** Another disk than the machine's, for tests that fill it with pictures: what is free where a folder lies. */
  freeBytes?: (folder: string) => Promise<number>;
};

/** Name space of ids that are derived from a cause (UUID v5). */
const CAUSES = parse('6f1f5c0e-8e0b-5d6e-9a7e-0b8a5a2b7d11');

/** UUID v5 of a cause; of bytes, which the library takes many times faster than text. */
export const idOfCause = (cause: string): string => v5(Buffer.from(cause), CAUSES);

/** UUID v7 that grow within this process, also inside one millisecond: rows made together keep their order. */
export function growingIds(now: () => number): () => string {
  let last = { ms: 0, seq: 0 };
  const rng = randomSixteens();
  return () => {
    const ms = now();
    last = ms > last.ms ? { ms, seq: 0 } : { ms: last.ms, seq: last.seq + 1 };
    return v7({ msecs: last.ms, seq: last.seq, rng });
  };
}

const POOL_BYTES = 4_096;

/** 16 random bytes at a time, asked of the system for many ids at once; none is handed out twice. */
function randomSixteens(): () => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return () => {
    if (used === POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += 16;
    return pool.subarray(used - 16, used);
  };
}

/** No clock before this program was written is right. */
const WRITTEN = Date.UTC(2026, 0, 1);

/** The clock of this run, judged by what an earlier run left behind. */
export function startClock(
  { config, world, log }: { config: Config; world: World; log: Log },
  leastTime: number | null,
  changed: (steppedBy: number, wasTrusted: boolean) => void,
): DisciplinedClock {
  const logStep = stepLog(world, log);
  const clock = createClock(
    {
      wall() {
        // a machine that just woke: its sleep is counted before its clock is read, or it would look like a step
        world.pauses?.all();
        return world.wallClock();
      },
      monotonic: world.monotonic,
      evidence: world.clockEvidence,
      askAgain: world.askClockAgain,
      changed: (state, before, steppedBy) => {
        changed(steppedBy, before.trust === 'trusted');
        const { trust, reason } = state;
        const steppedByS = Math.round(steppedBy / 1000);
        logStep({ trust, reason, before: before.trust, steppedByS });
      },
    },
    { mode: config.trustClock, notBefore: WRITTEN },
    leastTime,
  );
  const { trust, reason } = clock.state();
  if (trust === 'untrusted') {
    log.warn(
      { reason, shown: isoOf(clock.now()) },
      'the clock is not to be trusted; fail-safes decide until it is',
    );
  }
  return clock;
}

const STEP_LINES = 5;
const STEP_LINE_EVERY_MS = 60_000;

/** A clock that steps again and again is told with the first steps, and then once a minute with how many were left out. */
function stepLog(
  { monotonic }: Pick<World, 'monotonic'>,
  log: Log,
): (fields: { trust: string; reason: string; before: string; steppedByS: number }) => void {
  let lines = STEP_LINES;
  let refilledAt = monotonic();
  let unsaid = 0;
  return (fields) => {
    const refill = Math.floor((monotonic() - refilledAt) / STEP_LINE_EVERY_MS);
    if (refill > 0) {
      lines = Math.min(STEP_LINES, lines + refill);
      refilledAt += refill * STEP_LINE_EVERY_MS;
    }
    if (lines <= 0) {
      unsaid += 1;
      return;
    }
    lines -= 1;
    log.warn({ ...fields, ...(unsaid === 0 ? {} : { unsaid }) }, 'the clock stepped or its trust changed');
    unsaid = 0;
  };
}
