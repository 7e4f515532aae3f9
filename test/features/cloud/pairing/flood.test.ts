import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newKeyPair, signText } from '#adapters/sync/ed25519.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { type App, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

// Whoever has a key may start a pairing, and anybody makes a key. Places of a flood are told by the proxy in front.

const HONEST = '198.51.100.7';
const FLOOD = '203.0.113.9';
const OPEN = 5_000;

onBothEngines('a flood of pairings', (_open, engine) => {
  let app: App;
  let owner: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted', '--trusted-proxies', '127.0.0.1']);
    owner = await app.signUp();
  });
  afterAll(() => app.close());

  async function starts(from: string): Promise<{ status: number; code: string; device: string }> {
    const [gateway_id, key] = [randomUUID(), newKeyPair()];
    const response = await fetch(`${app.base}/sync/v1/pair/start`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from },
      body: JSON.stringify({
        gateway_id,
        public_key: key.public_key,
        proof: signText(key, `pair:${gateway_id}`),
        name: from,
        software: 'x',
        schema: SYNC_SCHEMA,
        hardware: 'x',
      }),
    });
    const said = (await response.json()) as Record<string, unknown>;
    return { status: response.status, code: String(said['user_code']), device: String(said['device_code']) };
  }
  const canBeClaimed = async (code: string) =>
    (await app.call('GET', `/sync/claims?user_code=${code}`, { token: owner.token })).status === 200;
  const waiting = async () =>
    (await app.database.read.selectFrom('pairings').select('source').execute()).length;

  test('from one place displaces itself: a farm that began before it and one that comes after it are paired', async () => {
    const before = await starts(HONEST);
    const first = await starts(FLOOD);
    app.clock.advance(1_000);
    for (let n = 0; n < 120; n += 1) expect((await starts(FLOOD)).status).toBe(200);
    const after = await starts(HONEST);
    expect([before.status, after.status]).toEqual([200, 200]);
    expect([await canBeClaimed(before.code), await canBeClaimed(after.code)]).toEqual([true, true]);
    // the oldest of the flood went; its gateway is told as of one that nobody claimed in time
    expect(await canBeClaimed(first.code)).toBe(false);
    expect(await waiting()).toBe(102);
  });

  test('from many places that fills all there is displaces the place that has most', async () => {
    const at = (ms: number) => new Date(app.clock.now() + ms).toISOString();
    const rows = Array.from({ length: OPEN }, (_, n) => ({
      id: `flood ${n}`,
      user_code_hash: `flood ${n}`,
      gateway_id: randomUUID(),
      public_key: 'x',
      name: 'x',
      software: 'x',
      schema_version: SYNC_SCHEMA,
      hardware: 'x',
      state: 'waiting' as const,
      claimed_by: null,
      stream_id: null,
      created_at: at(0),
      expires_at: at(600_000 + n),
      source: `place ${n % 60}`,
    }));
    for (let from = 0; from < OPEN; from += 500)
      await app.database.read
        .insertInto('pairings')
        .values(rows.slice(from, from + 500))
        .execute();
    const full = await waiting();
    const farm = await starts(HONEST);
    expect(farm.status).toBe(200);
    for (let n = 0; n < 20; n += 1) expect((await starts(`203.0.113.${100 + n}`)).status).toBe(200);
    expect(await canBeClaimed(farm.code)).toBe(true);
    expect(await waiting()).toBeLessThanOrEqual(full);
    // those at the same moment do not see each other: whoever comes next ends what is too many
    const atOnce = Array.from({ length: 20 }, (_, n) => starts(`203.0.113.${130 + n}`));
    expect((await Promise.all(atOnce)).every(({ status }) => status === 200)).toBe(true);
    const last = await starts('203.0.113.160');
    expect(await canBeClaimed(last.code)).toBe(true);
    expect(await waiting()).toBeLessThanOrEqual(OPEN);
  });
});
