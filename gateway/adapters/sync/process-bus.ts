import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '#core/kernel.ts';
import type { Bus, BusMessage } from '../../sync/ports.ts';
import { busListeners, gathered } from './bus-payloads.ts';

const MOST_WAITING = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A sentence of its own is said so often, ms. */
const PROBED_EVERY_MS = 5_000;
/** So many that did not come back. Counted, not timed: a process that stood still itself has said none meanwhile. */
const DEAF_AFTER = 3;
/** Meanwhile all that is followed is looked at once in so many, a minute: it is late by that, and not for ever. */
const LOOKED_AGAIN_EVERY = 12;
/** A start waits no longer for the first of them. */
const FIRST_PROBE_MS = 2_000;

/** A connection that carries sentences between processes. It is lost as a whole, and a new one is opened then. */
export type Line = {
  say(messages: readonly BusMessage[]): Promise<void>;
  /** Says a sentence that must come back as `heardOwn`. */
  probe(): void;
  /** Resolves when what is said of those streams is heard. */
  follow(streamIds: readonly number[]): Promise<void>;
  unfollow(streamId: number): void;
  close(): Promise<void>;
};

export type LineEvents = {
  /** What this process calls itself on the line. */
  own: string;
  heard: (messages: readonly BusMessage[]) => void;
  heardOwn: () => void;
  /** The line carries nothing any more; said once or more. */
  lost: (error: unknown) => void;
};

export type Carrier = {
  /** Throws when it cannot be opened now. */
  open: (events: LineEvents) => Promise<Line>;
  /** Said no more often than this, what came meanwhile together. */
  gatherMs: number;
  /** What an operator reads when nothing comes back. */
  deaf: string;
};

export type ProcessBus = Bus & {
  /** The first sentence of its own came back, or did not in time; it goes on trying by itself. */
  ready: Promise<void>;
};

/**
 * The bus of an instance of several processes. While its line is gone nothing is heard or said; afterwards everybody here
 * is told of the gap. A line can stand and carry nothing (half open, or a pooler in between), so a sentence of its own must
 * come back; while none does, everybody looks again each minute.
 */
export function createProcessBus(deps: {
  carrier: Carrier;
  log: Log;
  random: () => number;
  onError: (error: unknown) => void;
}): ProcessBus {
  const { carrier, log } = deps;
  const { hear, pass } = busListeners(deps.onError);
  const own = randomBytes(8).toString('hex');
  const firstHeard = Promise.withResolvers<void>();
  const followed = new Set<number>();
  const state = {
    /** Sentences of its own said since one came back. */
    unheard: DEAF_AFTER,
    isDeaf: false,
    line: null as Line | null,
    /** Gives up the line that stands, and opens a new one. */
    lost: (_error: unknown) => undefined as void,
    waiting: [] as BusMessage[],
    timer: null as NodeJS.Timeout | null,
    isClosed: false,
    failures: 0,
    retry: null as NodeJS.Timeout | null,
    sending: Promise.resolve(),
  };

  async function connect(): Promise<void> {
    const opened: { line: Line | null } = { line: null };
    const lost = once((error: unknown) => {
      if (state.line === opened.line) state.line = null;
      opened.line?.close().catch(() => undefined);
      again(error);
    });
    try {
      opened.line = await carrier.open({
        own,
        heard: (messages) => {
          for (const message of messages) pass(message, 'elsewhere');
        },
        heardOwn,
        lost,
      });
      await opened.line.follow([...followed]);
    } catch (error) {
      return lost(error);
    }
    if (state.isClosed) return void opened.line.close().catch(() => undefined);
    const hadGap = state.failures > 0;
    state.line = opened.line;
    state.lost = lost;
    state.failures = 0;
    if (hadGap) pass({ is: 'gap' }, 'elsewhere');
    state.line.probe();
    schedule();
  }

  function heardOwn(): void {
    state.unheard = 0;
    firstHeard.resolve();
    if (!state.isDeaf) return;
    state.isDeaf = false;
    log.info({}, 'processes of this instance hear each other again');
    pass({ is: 'gap' }, 'elsewhere');
  }

  const isHeard = () => state.unheard < DEAF_AFTER;

  const probing = setInterval(() => {
    if (!isHeard()) deaf();
    state.unheard += 1;
    state.line?.probe();
  }, PROBED_EVERY_MS);
  probing.unref();

  function again(error: unknown): void {
    if (state.isClosed) return;
    state.failures += 1;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** state.failures);
    if (state.failures === 1)
      log.warn({ err: error }, 'processes of this instance do not hear each other; trying again');
    state.retry = setTimeout(() => void connect(), FIRST_PAUSE_MS + deps.random() * longest);
    state.retry.unref();
  }

  /** The first sentence after a rest goes at once, with those of the same moment: an order waits for it. */
  function schedule(): void {
    if (state.timer !== null || state.waiting.length === 0) return;
    state.timer = setTimeout(() => {
      state.timer = null;
      schedule();
    }, carrier.gatherMs);
    state.timer.unref();
    setImmediate(() => {
      state.sending = state.sending.then(send);
    });
  }

  async function send(): Promise<void> {
    const { line } = state;
    // what is said into a gap is lost; everybody looks again when it ends
    const messages = gathered(state.waiting.splice(0));
    if (line === null || messages.length === 0) return;
    try {
      await line.say(messages);
    } catch (error) {
      log.warn({ err: error }, 'other processes did not hear what changed here');
    }
  }

  const begun = connect();
  function deaf(): void {
    if (!state.isDeaf) log.error({}, carrier.deaf);
    else if ((state.unheard - DEAF_AFTER) % LOOKED_AGAIN_EVERY !== 0) return;
    state.isDeaf = true;
    pass({ is: 'gap' }, 'elsewhere');
    // half open, it would not even end: a new one may carry
    if (state.line !== null) state.lost(new Error('nothing that was said came back'));
  }

  const ready = begun.then(() =>
    state.line === null
      ? undefined
      : Promise.race([firstHeard.promise, pause(FIRST_PROBE_MS, undefined, { ref: false })]),
  );
  return {
    ready,
    hear,
    isHeard,
    tell(message) {
      pass(message, 'here');
      if (state.isClosed) return;
      state.waiting.push(message);
      if (state.waiting.length > MOST_WAITING) state.waiting = [{ is: 'gap' }];
      schedule();
    },
    async follow(streamId) {
      followed.add(streamId);
      // a line that is lost meanwhile is followed by a gap, and its successor follows all of them
      await state.line?.follow([streamId]).catch(() => undefined);
    },
    unfollow(streamId) {
      if (followed.delete(streamId)) state.line?.unfollow(streamId);
    },
    async close() {
      state.isClosed = true;
      clearInterval(probing);
      if (state.retry !== null) clearTimeout(state.retry);
      if (state.timer !== null) clearTimeout(state.timer);
      await begun;
      await state.sending;
      await send();
      await state.line?.close().catch(() => undefined);
    },
  };
}

function once(run: (error: unknown) => void): (error: unknown) => void {
  let hasRun = false;
  return (error) => {
    if (hasRun) return;
    hasRun = true;
    run(error);
  };
}
