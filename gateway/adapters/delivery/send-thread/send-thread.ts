import { Worker } from 'node:worker_threads';
import type { Outcome, Send } from '#features/alarms/delivery/ports.ts';
import type { PostedKind, SendReplies, SendReply, SendRequest, SendThreadData } from './messages.ts';

export type SendThreadDeps = {
  /** Called once for each thread that ended by itself, answered nobody any more, or could not be made. */
  died: (error: unknown) => void;
  startWorker?: (data: SendThreadData) => Worker;
  answerWithinMs?: number;
  restMs?: number;
  monotonic?: () => number;
};

type UnderWay = {
  messageId: string;
  sinceMs: number;
  stop: AbortSignal;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

export type SendThread = {
  sendOf: (kind: PostedKind) => Send;
  close: () => Promise<void>;
};

/** A thread that nobody asked for so long gives its memory back. */
const IDLE_MS = 60_000;
/** Messages are small, and no more than some dozens are under way. */
const HEAP = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };
/** The thread itself gives a message up long before, twice over. */
const ANSWER_WITHIN_MS = 30_000;
/** After a thread died nothing is sent for this long: one that cannot live is not made again and again. */
const REST_MS = 30_000;
/** A message that was under way each time may well be the reason; then it counts as an attempt of that one. */
const SUSPECT_AFTER = 3;
const MOST_SUSPECTS = 1_000;

const WHY = 'an error of this instance; it is tried again';

/**
 * Posts messages from a thread of its own, made when there is something to send: encryption, signatures and connections
 * for thousands of people cost control nothing. What a thread that dies had under way comes again after a rest and
 * counts as no attempt; what it had posted already bears the same id.
 */
export function createSendThread(data: SendThreadData, deps: SendThreadDeps): SendThread {
  const { answerWithinMs = ANSWER_WITHIN_MS, restMs = REST_MS } = deps;
  const monotonic = deps.monotonic ?? (() => performance.now());
  const underWay = new Map<number, UnderWay>();
  const fallsByMessage = new Map<string, number>();
  const heard = new WeakSet<AbortSignal>();
  const state = {
    worker: null as Worker | null,
    idle: null as NodeJS.Timeout | null,
    watch: null as NodeJS.Timeout | null,
    restingUntilMs: 0,
    lastId: 0,
    isClosed: false,
  };

  function start(): Worker {
    const worker = (deps.startWorker ?? startOwn)(data);
    worker.on('message', (replies: SendReplies) => {
      for (const reply of replies) take(reply);
      if (underWay.size === 0 && state.worker === worker) rest(worker);
    });
    worker.on('error', (error) => fell(worker, error));
    worker.on('exit', (code) => fell(worker, new Error(`the sending thread ended with ${code}`)));
    state.watch = setInterval(() => watch(worker), answerWithinMs / 6).unref();
    return worker;
  }

  function take(reply: SendReply): void {
    const asked = underWay.get(reply.id);
    if (asked === undefined) return;
    underWay.delete(reply.id);
    fallsByMessage.delete(asked.messageId);
    if ('outcome' in reply) asked.resolve(reply.outcome);
    else asked.reject(new Error(reply.fault));
  }

  /** They are asked in turn, so the first is the oldest. */
  function watch(worker: Worker): void {
    const isLate = () => {
      const [oldest] = underWay.values();
      return oldest !== undefined && monotonic() - oldest.sinceMs > answerWithinMs;
    };
    if (!isLate()) return;
    // this thread may have stood still itself: then the answers are here, and heard before this
    setImmediate(() => {
      if (isLate()) fell(worker, new Error('the sending thread answers no more'));
    });
  }

  function rest(worker: Worker): void {
    worker.unref();
    clearTimeout(state.idle ?? undefined);
    state.idle = setTimeout(() => void retire(worker), IDLE_MS).unref();
  }

  async function retire(worker: Worker): Promise<void> {
    clearTimeout(state.idle ?? undefined);
    clearInterval(state.watch ?? undefined);
    if (state.worker === worker) state.worker = null;
    worker.removeAllListeners('exit');
    await worker.terminate();
  }

  function fell(worker: Worker | null, error: unknown): void {
    if (state.worker !== worker) return;
    if (worker !== null) void retire(worker);
    state.restingUntilMs = monotonic() + restMs;
    if (!state.isClosed) deps.died(error);
    for (const asked of underWay.values()) asked.resolve(outcomeOfFall(asked));
    underWay.clear();
  }

  function outcomeOfFall({ messageId }: UnderWay): Outcome {
    const falls = (fallsByMessage.get(messageId) ?? 0) + 1;
    if (falls >= SUSPECT_AFTER) {
      fallsByMessage.delete(messageId);
      return { is: 'retry', why: WHY };
    }
    if (fallsByMessage.size >= MOST_SUSPECTS) fallsByMessage.clear();
    fallsByMessage.set(messageId, falls);
    return { is: 'later', of: 'all', why: WHY, afterMs: restMs };
  }

  function giveUp(stop: AbortSignal): void {
    for (const [id, asked] of underWay) {
      if (asked.stop !== stop) continue;
      underWay.delete(id);
      asked.reject(stop.reason);
    }
  }

  function hear(stop: AbortSignal): void {
    if (heard.has(stop)) return;
    heard.add(stop);
    stop.addEventListener('abort', () => giveUp(stop), { once: true });
  }

  function post(kind: PostedKind, message: SendRequest['message'], stop: AbortSignal): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    state.lastId += 1;
    const request: SendRequest = { id: state.lastId, kind, message };
    underWay.set(request.id, {
      messageId: message.id,
      sinceMs: monotonic(),
      stop,
      resolve,
      reject,
    });
    clearTimeout(state.idle ?? undefined);
    try {
      state.worker ??= start();
      state.worker.ref();
      state.worker.postMessage(request);
    } catch (error) {
      fell(state.worker, error);
    }
    return promise;
  }

  return {
    sendOf(kind) {
      return (message, stop) => {
        if (stop.aborted) return Promise.reject(stop.reason);
        hear(stop);
        const restsForMs = state.restingUntilMs - monotonic();
        if (restsForMs > 0 || state.isClosed)
          return Promise.resolve({ is: 'later', of: 'all', why: WHY, afterMs: Math.max(1_000, restsForMs) });
        return post(kind, message, stop);
      };
    },
    async close() {
      state.isClosed = true;
      const { worker } = state;
      if (worker !== null) await retire(worker);
      for (const { reject } of underWay.values()) reject(new Error('the program stops'));
      underWay.clear();
    },
  };
}

function startOwn(data: SendThreadData): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { workerData: data, resourceLimits: HEAP });
}
