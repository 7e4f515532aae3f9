import pg from 'pg';
import { payloadsOf, readPayload } from './bus-payloads.ts';
import type { Carrier } from './process-bus.ts';

const CHANNEL = 'farm_bus';

/**
 * Sentences between processes through LISTEN and NOTIFY, on a connection of its own and in transactions of its own: never
 * inside one that holds rows. Every process hears all of them.
 */
export const postgresCarrier = (deps: {
  url: string;
  /**
   * Runs a statement on another connection than this one. What a session says to itself comes back with the answer, through
   * a pooler too, and shows nothing.
   */
  elsewhere: (sql: string, params: readonly unknown[]) => Promise<unknown>;
}): Carrier => ({
  // a commit that notifies takes a lock of the whole cluster
  gatherMs: 25,
  deaf:
    'what this process says to the others of this instance does not come back: nothing that they change is heard at once. ' +
    'A connection pooler in transaction mode does that: give --bus-database-url an address without it',
  async open({ own, heard, heardOwn, lost }) {
    const probe = JSON.stringify({ from: own, probe: true });
    const client = new pg.Client({
      connectionString: deps.url,
      // whoever looks at the connections of the server sees what this one is for
      application_name: 'farm bus',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', lost);
    client.on('end', () => lost(new Error('the connection ended')));
    client.on('notification', ({ payload = '' }) => {
      if (payload === probe) return heardOwn();
      heard(readPayload(own, payload) ?? []);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    return {
      async say(messages) {
        await client.query('select pg_notify($1, said) from unnest($2::text[]) as said', [
          CHANNEL,
          payloadsOf(own, messages),
        ]);
      },
      probe() {
        // a database that does not answer shows by itself
        deps.elsewhere('select pg_notify($1, $2)', [CHANNEL, probe]).catch(() => undefined);
      },
      follow: async () => undefined,
      unfollow: () => undefined,
      close: () => client.end(),
    };
  },
});
