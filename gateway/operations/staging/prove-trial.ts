import type { TellSupervisor } from '#adapters/system/tell-supervisor.ts';
import type { Vital } from '#operations/update/health-gate.ts';
import { judge, OPEN_GATE } from '#operations/update/health-gate.ts';
import type { Word } from '#operations/update/trial-time.ts';
import type { Before } from '#operations/update/update-state.ts';

const EVERY_MS = 1_000;
/** A third of what the unit allows between two. */
const PING_EVERY_MS = 10_000;
/** Control looks every second; while it does not, the supervisor is to start us anew. */
const PATIENCE_MS = 15_000;

/** Tells whoever tries this version what is still missing, and that it is healthy once it is. */
export function proveTrial(
  running: { vital: (before: Before | null) => Promise<Vital> },
  before: Before | null,
  monotonic: () => number,
  send: (word: Word) => void,
): void {
  let gate: Parameters<typeof judge>[0] = OPEN_GATE;
  const timer = setInterval(() => {
    running.vital(before).then(
      (vital) => {
        const judged = judge(gate, vital, monotonic());
        gate = judged.gate;
        const isHealthy = judged.missing === null;
        send({ isHealthy, missing: judged.missing, isWell: judged.isWell });
        if (isHealthy) clearInterval(timer);
      },
      (error: unknown) => send({ isHealthy: false, missing: `it cannot be looked at: ${String(error)}` }),
    );
  }, EVERY_MS);
  timer.unref();
}

/** The supervisor hears that we are ready, and then again and again, as long as control looks at the schedules. */
export function reportAlive(
  running: { pulse: () => { at: number } },
  tell: TellSupervisor,
  monotonic: () => number,
): void {
  void tell(['--ready']);
  setInterval(() => {
    if (monotonic() - running.pulse().at < PATIENCE_MS) void tell(['WATCHDOG=1']);
  }, PING_EVERY_MS).unref();
}
