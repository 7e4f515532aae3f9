import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Log } from '#core/kernel.ts';
import type { Bus, BusMessage } from '../../sync/ports.ts';
import { gathered, payloadsOf, readPayload } from './bus-payloads.ts';
import { busListeners } from './memory-bus.ts';

const CHANNEL = 'farm_bus';
/** Sentences of a moment go together: a commit that notifies takes a lock of the whole cluster. */
const GATHER_MS = 25;
const MOST_WAITING = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

export type PostgresBus = Bus & {
  /** The first connection stands, or failed once; it goes on trying by itself. */
  ready: Promise<void>;
};

/**
 * Says through LISTEN and NOTIFY, on a connection of its own and in transactions of its own: never inside one that holds
 * rows. While the connection is gone nothing is heard or said; afterwards everybody here is told of the gap.
 */
export function createPostgresBus(deps: {
  url: string;
  log: Log;
  random: () => number;
  onError: (error: unknown) => void;
}): PostgresBus {
  const own = randomBytes(8).toString('hex');
  const { hear, pass } = busListeners(deps.onError);
  const state = {
    client: null as pg.Client | null,
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
    state.failures = 0;
    if (hadGap) pass({ is: 'gap' }, 'elsewhere');
    schedule();
  }

  function again(error: unknown): void {
    if (state.isClosed) return;
    state.failures += 1;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** state.failures);
    if (state.failures === 1)
      deps.log.warn({ err: error }, 'processes of this instance do not hear each other; trying again');
    state.retry = setTimeout(() => void connect(), FIRST_PAUSE_MS + deps.random() * longest);
    state.retry.unref();
  }

  function schedule(): void {
    if (state.timer !== null || state.waiting.length === 0) return;
    state.timer = setTimeout(() => {
      state.timer = null;
      state.sending = state.sending.then(send);
    }, GATHER_MS);
    state.timer.unref();
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

  const ready = connect();
  return {
    ready,
    hear,
    tell(message) {
      pass(message, 'here');
      if (state.isClosed) return;
      state.waiting.push(message);
      if (state.waiting.length > MOST_WAITING) state.waiting = [{ is: 'gap' }];
      schedule();
    },
    async close() {
      state.isClosed = true;
      if (state.retry !== null) clearTimeout(state.retry);
      if (state.timer !== null) clearTimeout(state.timer);
      await ready;
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
