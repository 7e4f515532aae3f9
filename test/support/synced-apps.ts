import { expect, vi } from 'vitest';
import { type App, body, type SignedUp } from './app.ts';
import type { Engine } from './databases.ts';
import { pair, startBoth } from './paired-apps.ts';

/** A machine that is busy elsewhere is late, not wrong. */
const SOON = { timeout: 60_000, interval: 50 };

const MOST_SECONDS = 20;

/** A hosted instance and a gateway that is about to be paired with it, their clocks in step. */
export async function syncedApps(engine: Engine, gatewayArgs: readonly string[] = []) {
  const apps = await startBoth(engine, gatewayArgs);
  const { hosted, gateway } = apps;
  const { gatewaySync } = gateway;
  if (gatewaySync === null) throw new Error('not a gateway');

  const advance = (ms: number): void => {
    for (const app of [gateway, hosted]) app.clock.advance(ms);
  };
  const stream = (app: App, id: number) =>
    app.database.read
      .selectFrom('sync_stream')
      .selectAll()
      .where('stream_id', '=', id)
      .executeTakeFirstOrThrow();

  /** Everything said on either side is on the other. Seconds of the farm pass, not minutes, however long that takes. */
  async function settled(): Promise<void> {
    let looks = 0;
    await vi.waitFor(async () => {
      looks += 1;
      advance(looks <= MOST_SECONDS ? 1_000 : SOON.interval);
      for (const timer of ['pull', 'core', 'history'] as const)
        gatewaySync?.client.hear({ is: 'due', timer });
      const here = await stream(gateway, 1);
      const there = await stream(hosted, 2);
      expect([there.in_core_seq, there.in_history_seq, here.in_core_seq, here.resync]).toEqual([
        here.core_seq,
        here.history_seq,
        there.core_seq,
        null,
      ]);
      expect([here.acked_core_seq, here.acked_history_seq]).toEqual([here.core_seq, here.history_seq]);
    }, SOON);
  }

  return {
    hosted,
    gateway,
    advance,
    settled,
    stream,
    async pairWith(owner: SignedUp): Promise<void> {
      await gatewaySync.start();
      await pair(apps, { token: owner.token });
      await settled();
    },
    /** The owner on the farm's network, with the password of the hosted instance. */
    async logInOnFarm(email: string, password = 'camarao-123'): Promise<string> {
      const reply = await gateway.call('POST', '/auth/login', { body: { email, password } });
      return String(body(reply)['access_token']);
    },
    /** The hosted side knows it, too: a connection that it still holds counts as the gateway heard at that moment. */
    async linkDown(): Promise<void> {
      await gatewaySync.stop();
      await vi.waitFor(() => expect(hosted.sync?.sockets.counts().open).toBe(0), SOON);
    },
    async linkUp(): Promise<void> {
      await gatewaySync.start();
      await settled();
    },
    async close(): Promise<void> {
      await gatewaySync.stop();
      await apps.close();
    },
  };
}

export type SyncedApps = Awaited<ReturnType<typeof syncedApps>>;
