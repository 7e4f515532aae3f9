import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { address } from '#contract/resources/addresses.ts';
import { insert } from '#core/changes.ts';
import { COPIES, ROW_BYTES, WITHOUT_FARM_BYTES } from '#core/write-budget.ts';
import { databaseFile } from '#runtime/config.ts';
import { type App, aFarmWith, body, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

// One account cannot fill the disk that all farms of an instance live on, whatever it asks for.

const LONG = 'ç'.repeat(200);
const DAY_MS = 24 * 3_600_000;

onBothEngines('what an account may have stored in a day', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const keyed = { n: 0 };
  const post = (who: SignedUp, path: string, sent: unknown, method = 'POST') => {
    keyed.n += 1;
    const headers = { 'Idempotency-Key': `${keyed.n}`.padEnd(255, '-') };
    return app.call(method, path, { token: who.token, headers, body: sent });
  };
  const anAddress = {
    street: LONG,
    number: 7,
    complement: LONG,
    city: LONG,
    state: 'CE' as const,
    zip_code: '62800-000',
  };

  async function storedBytes(): Promise<number> {
    if (engine === 'sqlite') {
      await app.database.forgetOverwritten();
      return statSync(databaseFile(app.config)).size;
    }
    const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(
      app.database.read,
    );
    return Number(rows[0]?.size);
  }

  /** Nine tenths of what they may, as their requests would store it. */
  async function fill(who: SignedUp): Promise<void> {
    const row = {
      user_id: who.user.id,
      ...anAddress,
      country: 'Brasil',
      is_primary: false,
      lat: null,
      lng: null,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: null,
    };
    const of = () => insert(address, { id: app.kernel.newId(), ...row });
    const bytes = ROW_BYTES + COPIES * Buffer.byteLength(JSON.stringify(row));
    for (let sum = 0; sum < WITHOUT_FARM_BYTES * 0.9; sum += bytes * 50)
      await app.kernel.commit({ actor: who.user.id, changes: Array.from({ length: 50 }, of) });
  }

  /** Asks until refused; answers the refusal. */
  async function untilRefused(who: SignedUp, path: string, sent: unknown, method = 'POST') {
    for (let n = 0; n < 10_000; n += 1) {
      const reply = await post(who, path, sent, method);
      if (reply.status === 429) return reply;
      expect([path, reply.status < 300, reply.body]).toEqual([path, true, reply.body]);
    }
    throw new Error(`${path} was never refused`);
  }

  test('somebody without a farm writes a few MB, and then nothing by any way until the day is over', async () => {
    const stranger = await app.signUp();
    const before = await storedBytes();
    await fill(stranger);
    const refused = await untilRefused(stranger, '/addresses/', anAddress);
    expect(refused).toMatchObject({
      body: { code: 'WRITE_LIMIT_EXCEEDED', detail: expect.stringContaining('without a farm') },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_600);
    const grown = (await storedBytes()) - before;
    expect(grown).toBeLessThan(2 * WITHOUT_FARM_BYTES);
    for (const [path, sent, method] of [
      ['/users/me', { name: 'Outro' }, 'PUT'],
      ['/farms/', { name: 'Norte' }, 'POST'],
      [
        '/access-tokens/',
        { name: 'x', scopes: ['read'], password: 'camarao-123', expires_in_days: 1 },
        'POST',
      ],
      [
        '/notification-channels/',
        { kind: 'WEBHOOK', address: 'https://a.example/', types: ['ALERT'] },
        'POST',
      ],
    ] as const)
      expect([path, (await post(stranger, path, sent, method)).status]).toEqual([path, 429]);
    // reading, and going, are always free; so is everybody else
    expect((await app.call('GET', '/addresses/', { token: stranger.token })).status).toBe(200);
    const other = await app.signUp();
    expect((await post(other, '/addresses/', anAddress)).status).toBe(201);
    app.clock.advance(DAY_MS);
    expect((await post(stranger, '/addresses/', anAddress)).status).toBe(201);
  });

  test('somebody who comes to a farm after that goes on at once', async () => {
    const worker = await app.signUp();
    await fill(worker);
    expect((await untilRefused(worker, '/addresses/', anAddress)).status).toBe(429);
    const farm = await aFarmWith(app);
    const asked = await app.call('POST', `/farms/${farm.farmId}/members`, {
      token: farm.token,
      body: { user_id: worker.user.id, role: 'TECHNICIAN' },
    });
    expect(asked.status).toBe(201);
    const accept = () => post(worker, '/invitations/accept', { invitation_id: body(asked)['id'] });
    expect((await accept()).status).toBe(200);
    expect((await post(worker, '/addresses/', anAddress)).status).toBe(201);
    const end = { token: worker.token, body: { password: 'camarao-123' } };
    expect((await app.call('DELETE', '/users/me', end)).status).toBe(204);
  });
});
