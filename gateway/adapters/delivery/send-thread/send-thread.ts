import { Worker } from 'node:worker_threads';
import type { Outcome, Send } from '#features/delivery/ports.ts';
import type { PostedKind, SendReplies, SendReply, SendRequest, SendThreadData } from './messages.ts';

type UnderWay = { stop: AbortSignal; resolve: (outcome: Outcome) => void; reject: (error: unknown) => void };

export type SendThread = {
  sendOf: (kind: PostedKind) => Send;
  close: () => Promise<void>;
};

/** A thread that nobody asked for so long gives its memory back. */
const IDLE_MS = 60_000;
/** Messages are small, and no more than some dozens are under way. */
const HEAP = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };

/**
 * Posts messages from a thread of its own, made when there is something to send: encryption, signatures and connections
 * for thousands of people cost control nothing. A thread that ends by itself fails what it had, and the next message
 * begins another.
 */
export function createSendThread(
  data: SendThreadData,
  startWorker: (data: SendThreadData) => Worker = startOwn,
): SendThread {
  const underWay = new Map<number, UnderWay>();
  const heard = new WeakSet<AbortSignal>();
  const state = { worker: null as Worker | null, idle: null as NodeJS.Timeout | null, lastId: 0 };

  function start(): Worker {
    const worker = startWorker(data);
    worker.on('message', (replies: SendReplies) => {
      for (const reply of replies) take(reply);
      if (underWay.size === 0) rest(worker);
    });
    worker.on('error', (error) => fell(worker, error));
    worker.on('exit', (code) => fell(worker, new Error(`the sending thread ended with ${code}`)));
    return worker;
  }

  function take(reply: SendReply): void {
    const asked = underWay.get(reply.id);
    underWay.delete(reply.id);
    if ('outcome' in reply) asked?.resolve(reply.outcome);
    else asked?.reject(new Error(reply.fault));
  }

  function rest(worker: Worker): void {
    worker.unref();
    state.idle = setTimeout(() => void retire(worker), IDLE_MS).unref();
  }

  async function retire(worker: Worker): Promise<void> {
    clearTimeout(state.idle ?? undefined);
    if (state.worker === worker) state.worker = null;
    worker.removeAllListeners('exit');
    await worker.terminate();
  }

  function fell(worker: Worker, error: unknown): void {
    if (state.worker !== worker) return;
    void retire(worker);
    for (const { reject } of underWay.values()) reject(error);
    underWay.clear();
  }

  function giveUp(stop: AbortSignal): void {
    for (const [id, asked] of underWay) {
      if (asked.stop !== stop) continue;
      underWay.delete(id);
      asked.reject(stop.reason);
    }
  }

  return {
    sendOf(kind) {
      return (message, stop) => {
        if (stop.aborted) return Promise.reject(stop.reason);
        if (!heard.has(stop)) {
          heard.add(stop);
          stop.addEventListener('abort', () => giveUp(stop), { once: true });
        }
        const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
        state.lastId += 1;
        const request: SendRequest = { id: state.lastId, kind, message };
        underWay.set(request.id, { stop, resolve, reject });
        clearTimeout(state.idle ?? undefined);
        state.worker ??= start();
        state.worker.ref();
        state.worker.postMessage(request);
        return promise;
      };
    },
    async close() {
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
