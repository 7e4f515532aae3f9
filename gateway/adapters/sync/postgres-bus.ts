import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '#core/kernel.ts';
import type { Bus, BusMessage } from '../../sync/ports.ts';
import { busListeners, gathered, payloadsOf, readPayload } from './bus-payloads.ts';

const CHANNEL = 'farm_bus';
/** Said no more often than this, what came meanwhile together: a commit that notifies takes a lock of the whole cluster. */
const GATHER_MS = 25;
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

const DEAF =
  'what this process says to the others of this instance does not come back: nothing that they change is heard at once. ' +
  'A connection pooler in transaction mode does that: give --bus-database-url an address without it';

export type PostgresBus = Bus & {
  /** The first sentence of its own came back, or did not in time; it goes on trying by itself. */
  ready: Promise<void>;
};

/**
 * Says through LISTEN and NOTIFY, on a connection of its own and in transactions of its own: never inside one that holds
 * rows. While the connection is gone nothing is heard or said; afterwards everybody here is told of the gap. A connection
 * can stand and carry nothing (half open, or a pooler in transaction mode, which listens for nobody), so a sentence of
 * its own must come back; while none does, everybody looks again each minute.
 */
export function createPostgresBus(deps: {
  url: string;
  log: Log;
  random: () => number;
  /**
   * Runs a statement on another connection than this one. What a session says to itself comes back with the answer, through
   * a pooler too, and shows nothing.
   */
  elsewhere: (sql: string, params: readonly unknown[]) => Promise<unknown>;
  onError: (error: unknown) => void;
}): PostgresBus {
  const own = randomBytes(8).toString('hex');
  const { hear, pass } = busListeners(deps.onError);
  const probe = JSON.stringify({ from: own, probe: true });
  const firstHeard = Promise.withResolvers<void>();
  const state = {
    /** Sentences of its own said since one came back. */
    unheard: DEAF_AFTER,
    isDeaf: false,
    client: null as pg.Client | null,
    /** Gives up the connection that stands, and makes a new one. */
    lost: (_error: unknown) => undefined as void,
    waiting: [] as BusMessage[],
    timer: null as NodeJS.Timeout | null,
    isClosed: false,
    failures: 0,
    retry: null as NodeJS.Timeout | null,
    sending: Promise.resolve(),
  };

  async function connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: deps.url,
      // whoever looks at the connections of the server sees what this one is for
      application_name: 'farm bus',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    const lost = once((error: unknown) => {
      if (state.client === client) state.client = null;
      client.end().catch(() => undefined);
      again(error);
    });
    client.on('error', lost);
    client.on('end', () => lost(new Error('the connection ended')));
    client.on('notification', ({ payload = '' }) => {
      if (payload === probe) return heardOwn();
      for (const message of readPayload(own, payload) ?? []) pass(message, 'elsewhere');
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      return lost(error);
    }
    if (state.isClosed) return void client.end().catch(() => undefined);
    const hadGap = state.failures > 0;
    state.client = client;
    state.lost = lost;
    state.failures = 0;
    if (hadGap) pass({ is: 'gap' }, 'elsewhere');
    sayProbe();
    schedule();
  }

  function sayProbe(): void {
    // a database that does not answer shows by itself
    deps.elsewhere('select pg_notify($1, $2)', [CHANNEL, probe]).catch(() => undefined);
  }

  function heardOwn(): void {
    state.unheard = 0;
    firstHeard.resolve();
    if (!state.isDeaf) return;
    state.isDeaf = false;
    deps.log.info({}, 'processes of this instance hear each other again');
    pass({ is: 'gap' }, 'elsewhere');
  }

  const isHeard = () => state.unheard < DEAF_AFTER;

  const probing = setInterval(() => {
    if (!isHeard()) deaf();
    state.unheard += 1;
    if (state.client !== null) sayProbe();
  }, PROBED_EVERY_MS);
  probing.unref();

  function again(error: unknown): void {
    if (state.isClosed) return;
    state.failures += 1;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** state.failures);
    if (state.failures === 1)
      deps.log.warn({ err: error }, 'processes of this instance do not hear each other; trying again');
    state.retry = setTimeout(() => void connect(), FIRST_PAUSE_MS + deps.random() * longest);
    state.retry.unref();
  }

  /** The first sentence after a rest goes at once, with those of the same moment: an order waits for it. */
  function schedule(): void {
    if (state.timer !== null || state.waiting.length === 0) return;
    state.timer = setTimeout(() => {
      state.timer = null;
      schedule();
    }, GATHER_MS);
    state.timer.unref();
    setImmediate(() => {
      state.sending = state.sending.then(send);
    });
  }

  async function send(): Promise<void> {
    const { client } = state;
    // what is said into a gap is lost; everybody looks again when it ends
    const messages = gathered(state.waiting.splice(0));
    if (client === null || messages.length === 0) return;
    try {
      await client.query('select pg_notify($1, said) from unnest($2::text[]) as said', [
        CHANNEL,
        payloadsOf(own, messages),
      ]);
    } catch (error) {
      deps.log.warn({ err: error }, 'other processes did not hear what changed here');
    }
  }

  const begun = connect();
  function deaf(): void {
    if (!state.isDeaf) deps.log.error({}, DEAF);
    else if ((state.unheard - DEAF_AFTER) % LOOKED_AGAIN_EVERY !== 0) return;
    state.isDeaf = true;
    pass({ is: 'gap' }, 'elsewhere');
    // half open, it would not even end: a new one may carry
    if (state.client !== null) state.lost(new Error('nothing that was said came back'));
  }

  const ready = begun.then(() =>
    state.client === null
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
    async close() {
      state.isClosed = true;
      clearInterval(probing);
      if (state.retry !== null) clearTimeout(state.retry);
      if (state.timer !== null) clearTimeout(state.timer);
      await begun;
      await state.sending;
      await send();
      await state.client?.end().catch(() => undefined);
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
