import { inBoth } from '#core/both-languages.ts';
import type { ControlViews } from '#features/control/control-view.ts';
import { JobFault } from './ports.ts';

export type HeartbeatWatch = {
  /** Something was heard of a control point, or a key of it changed: whoever waits looks again. */
  heard: (controlPointId: string) => void;
  /**
   * Waits for the first report under a key: the key was used, and there was a report since `sinceMs` of the monotonic
   * clock. Null when none comes in time. Rejects with JobFault CANCELLED when the signal is set off.
   */
  first: (
    awaited: { controlPointId: string; keyId: string; sinceMs: number; waitMs: number },
    signal: AbortSignal,
  ) => Promise<{ atMs: number } | null>;
};

export function createHeartbeatWatch(deps: {
  views: Pick<ControlViews, 'byId'>;
  later: (ms: number, run: () => void) => () => void;
}): HeartbeatWatch {
  const waitingByPoint = new Map<string, Set<() => void>>();

  function proofOf(controlPointId: string, keyId: string, sinceMs: number): { atMs: number } | null {
    const view = deps.views.byId(controlPointId);
    if (view === null) return null;
    const { lastReportAt, lastReportMonotonic } = view.presence;
    // whoever used this key can only be the board it was written to
    const isUsed = view.keys.some(({ id, state }) => id === keyId && state === 'active');
    if (!isUsed || lastReportAt === null || lastReportMonotonic === null) return null;
    return lastReportMonotonic >= sinceMs ? { atMs: lastReportAt } : null;
  }

  return {
    heard(controlPointId) {
      for (const look of waitingByPoint.get(controlPointId) ?? []) look();
    },
    async first({ controlPointId, keyId, sinceMs, waitMs }, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<{ atMs: number } | null>();
      const look = () => {
        const proof = proofOf(controlPointId, keyId, sinceMs);
        if (proof !== null) resolve(proof);
      };
      const stop = () => reject(stopped());
      const waiting = waitingByPoint.get(controlPointId) ?? new Set();
      waitingByPoint.set(controlPointId, waiting.add(look));
      signal.addEventListener('abort', stop, { once: true });
      const cancel = deps.later(waitMs, () => resolve(null));
      if (signal.aborted) stop();
      look();
      try {
        return await promise;
      } finally {
        cancel();
        signal.removeEventListener('abort', stop);
        waiting.delete(look);
        if (waiting.size === 0) waitingByPoint.delete(controlPointId);
      }
    },
  };
}

function stopped(): JobFault {
  return new JobFault({
    code: 'CANCELLED',
    message: inBoth(
      'o trabalho foi parado antes de a placa relatar',
      'the job was stopped before the board reported',
    ),
    next: inBoth(
      'a placa tem a identidade: deixe-a ligada, ou provisione-a de novo',
      'the board has its identity: leave it on, or provision it again',
    ),
  });
}
