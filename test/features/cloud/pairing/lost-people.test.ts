import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { user } from '#contract/resources/users.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { formatHlc } from '#store/hlc.ts';
import { type App, aFarmWith, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { bindFarm } from '../../control/commands/a-bound-farm.ts';

// What gateways say of people after the database of their hosted instance was restored, as administrators are asked.

const HOSTED_NODE = 'c0000009';

onBothEngines('what gateways know of lost people', (_open, engine) => {
  let app: App;
  let admin: SignedUp;
  let known: SignedUp;
  let streams: number[];
  let counter = 0;

  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted']);
    admin = await app.signUp({ email: 'chefe@casa.test', role: 'ADMIN' });
    known = await app.signUp({ email: 'rita@casa.test' });
    streams = [];
    for (const _n of [1, 2]) {
      const { token, farmId } = await aFarmWith(app);
      const owner = body(await app.call('GET', '/users/me', { token }));
      await joinFarm(app, { token, farmId }, known, 'VIEWER');
      streams.push((await bindFarm(app, farmId, String(owner['id']))).streamId);
    }
    await app.database.read
      .updateTable('sync_stream')
      .set({ timeline: `life-2 ${app.clock.now()}` })
      .where('stream_id', '=', streams[0] ?? 0)
      .execute();
  });
  afterAll(() => app.close());

  /** A gateway tells an account as it has it, each group later than here and by a stamp of the hosted instance. */
  async function tells(streamId: number, id: string, fields: Record<string, unknown>): Promise<void> {
    counter += 1;
    const hlc = formatHlc(app.clock.now() + 1_000 + counter, 0, HOSTED_NODE);
    const at = new Date(app.clock.now()).toISOString();
    const row = {
      id,
      numeric_id: 9_000 + counter,
      name: 'Rita',
      phone_number: null,
      role: 'OWNER',
      is_active: true,
      password_hash: '',
      password_version: 1,
      language: null,
      created_at: at,
      updated_at: null,
      ...fields,
      email_key: fields['email'],
    };
    await app.database.commit({
      actor: null,
      changes: [],
      incoming: {
        from: 'gateway',
        streamId,
        lane: 'core',
        changes: [
          {
            entity: user.entity,
            id,
            op: 1,
            cl: 1,
            hlc,
            over: {},
            base: null,
            body: row,
            actor: null,
            seq: counter,
            tx: counter,
            sv: SYNC_SCHEMA,
            chain: 'a'.repeat(32),
          },
        ],
      },
    });
  }
  const [first, second] = [0, 1].map((at) => () => streams[at] ?? 0) as [() => number, () => number];
  const offers = async () =>
    (await app.call('GET', '/sync/lost-people', { token: admin.token })).body as Record<string, string>[];
  const answer = (method: 'POST' | 'DELETE', id: unknown, token = admin.token) =>
    app.call(method, `/sync/lost-people/${String(id)}${method === 'POST' ? '/take-back' : ''}`, { token });
  const accountOf = (id: string) =>
    app.database.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  test('a later name, address and role of an account that stands here are three questions, and nothing changes by itself', async () => {
    const before = await accountOf(known.user.id);
    await tells(first(), known.user.id, { email: 'rita.nova@casa.test', name: 'Rita Nova', role: 'VIEWER' });
    const asked = await offers();
    expect(asked.length).toBe(3);
    expect(Object.fromEntries(asked.map(({ kind, stands }) => [kind, stands]))).toEqual({
      email: 'rita@casa.test',
      name: before.name,
      role: before.role,
    });
    expect(await accountOf(known.user.id)).toMatchObject({
      email: before.email,
      name: before.name,
      role: before.role,
    });
    const idOf = (kind: string) => asked.find((one) => one['kind'] === kind)?.['id'];
    expect(await answer('POST', idOf('role'))).toMatchObject({ status: 200 });
    expect((await answer('DELETE', idOf('name'))).status).toBe(204);
    expect(await accountOf(known.user.id)).toMatchObject({ role: 'VIEWER', name: before.name });
    // what was decided stays decided, and is not asked again
    for (const method of ['POST', 'DELETE'] as const)
      expect(await answer(method, idOf('name'))).toMatchObject({
        status: 409,
        body: { code: 'ALREADY_DECIDED' },
      });
    await tells(first(), known.user.id, { email: 'rita.nova@casa.test', name: 'Rita Nova', role: 'VIEWER' });
    expect((await offers()).map(({ kind }) => kind)).toEqual(['email']);
    // somebody else has registered with that address meanwhile
    await app.signUp({ email: 'rita.nova@casa.test' });
    expect(await offers()).toMatchObject([{ email_taken: true }]);
    expect(await answer('POST', idOf('email'))).toMatchObject({
      status: 400,
      body: { code: 'ALREADY_EXISTS' },
    });
    expect((await answer('DELETE', idOf('email'))).status).toBe(204);
    expect(await offers()).toEqual([]);
  });

  test('of no loss nothing of an account that stands here is asked', async () => {
    await tells(second(), known.user.id, { email: 'outra@casa.test', name: 'Outra', role: 'MANAGER' });
    expect(await offers()).toEqual([]);
  });

  test('an account that two gateways tell of is one question, and one answer settles both', async () => {
    const [taken, left] = [randomUUID(), randomUUID()];
    for (const stream of [first(), second()]) {
      await tells(stream, taken, { email: 'carla@casa.test', name: 'Carla' });
      await tells(stream, left, { email: 'davi@casa.test', name: 'Davi' });
    }
    const asked = await offers();
    expect(asked.map(({ kind, email }) => [kind, email])).toEqual([
      ['account', 'carla@casa.test'],
      ['account', 'davi@casa.test'],
    ]);
    expect((await answer('POST', asked[0]?.['id'])).status).toBe(200);
    expect((await answer('DELETE', asked[1]?.['id'])).status).toBe(204);
    expect(await offers()).toEqual([]);
    const rows = await app.database.read
      .selectFrom('lost_people')
      .select(['user_id', 'state'])
      .where('user_id', 'in', [taken, left])
      .execute();
    const states = (id: string) => rows.filter(({ user_id }) => user_id === id).map(({ state }) => state);
    expect([states(taken), states(left)]).toEqual([
      ['taken_back', 'taken_back'],
      ['dismissed', 'dismissed'],
    ]);
  });

  test('of nobody there is nothing to decide, and nobody but an administrator decides', async () => {
    for (const method of ['POST', 'DELETE'] as const) {
      expect((await answer(method, randomUUID())).status).toBe(404);
      expect((await answer(method, 'x')).status).toBe(404);
      expect((await answer(method, randomUUID(), known.token)).status).toBe(403);
    }
  });
});
