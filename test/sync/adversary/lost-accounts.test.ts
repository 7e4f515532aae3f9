import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { farmMember } from '#contract/resources/farms.ts';
import { standInEmail, user } from '#contract/resources/users.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { formatHlc } from '#store/hlc.ts';
import { body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { bindFarm } from '../../features/control/commands/a-bound-farm.ts';
import { aSpysGateway, GATEWAY_NODE, type SpysGateway } from './a-spys-gateway.ts';

// An account was lost with a restore. Two gateways know its id: one was its own, the other is in the spy's hands.

const HOSTED_NODE = 'c0000009';

onBothEngines('a gateway that knows the id of a lost account', (_open, engine) => {
  let its: SpysGateway;
  let honest: { streamId: number; farm: string };
  let admin: SignedUp;
  beforeAll(async () => {
    its = await aSpysGateway(engine);
    const { streamId } = await bindFarm(its.app, its.victimsFarm, its.victim.user.id);
    honest = { streamId, farm: its.victimsFarm };
    admin = its.admin;
  });
  afterAll(() => its.app.close());

  let counter = 0;
  function said(
    streamId: number,
    told: {
      entity: number;
      id: string;
      body: Record<string, unknown>;
      node?: string;
      group?: string;
      cl?: number;
    },
  ) {
    counter += 1;
    const hlc = formatHlc(its.app.clock.now() + counter, 0, told.node ?? HOSTED_NODE);
    const { entity, id, body: sent } = told;
    const shape =
      told.group === undefined
        ? { base: null, body: sent, over: {} }
        : { base: { [told.group]: '' }, body: { [told.group]: sent }, over: null };
    return its.app.database.commit({
      actor: null,
      changes: [],
      incoming: {
        from: 'gateway',
        streamId,
        lane: 'core',
        changes: [
          {
            entity,
            id,
            op: 1,
            cl: told.cl ?? 1,
            hlc,
            actor: null,
            seq: counter,
            tx: counter,
            sv: SYNC_SCHEMA,
            chain: 'a'.repeat(32),
            ...shape,
          },
        ],
      },
    });
  }
  const spys = () => ({ streamId: its.stream.streamId, farm: its.spysFarm });
  const at = () => new Date(its.app.clock.now()).toISOString();
  const anAccount = (id: string) => ({
    id,
    numeric_id: 50_000 + counter,
    name: `Nome ${id}`,
    email: `${id}@perdida.test`,
    email_key: `${id}@perdida.test`,
    phone_number: null,
    role: 'OWNER',
    is_active: true,
    password_hash: '',
    password_version: 1,
    language: null,
    created_at: at(),
    updated_at: null,
  });
  const tells = ({ streamId }: { streamId: number }, id: string) =>
    said(streamId, { entity: user.entity, id, body: anAccount(id) });
  /** As a gateway keeps who left its farms: the hosted instance had blanked all but the name. */
  const tellsName = ({ streamId }: { streamId: number }, id: string) => {
    const email = standInEmail(id);
    const row = { ...anAccount(id), email, email_key: email, role: 'VIEWER', is_active: false };
    return said(streamId, { entity: user.entity, id, body: row });
  };
  const makesMember = ({ streamId, farm }: { streamId: number; farm: string }, id: string, node: string) => {
    const row = {
      id: randomUUID(),
      farm_id: farm,
      user_id: id,
      role: 'VIEWER',
      created_at: at(),
      updated_at: null,
    };
    return said(streamId, { entity: farmMember.entity, id: row.id, body: row, node });
  };
  const offers = async () =>
    (await its.call(admin, 'GET', '/sync/lost-people')).body as {
      id: string;
      kind: string;
      user_id: string;
      email: string;
      farm_id: string | null;
    }[];
  const offerOf = async (kind: string, userId: string) =>
    (await offers()).find((one) => one.kind === kind && one.user_id === userId);
  const answers = async (answer: 'taken back' | 'left', id: string | undefined) => {
    const path = `/sync/lost-people/${String(id)}`;
    const reply =
      answer === 'left'
        ? await its.call(admin, 'DELETE', path)
        : await its.call(admin, 'POST', `${path}/take-back`);
    expect(reply.status).toBeLessThan(300);
    return reply;
  };
  const farmsOf = async (id: string): Promise<string[]> => {
    const rows = await its.app.database.read
      .selectFrom('farm_members')
      .select('farm_id')
      .where('user_id', '=', id)
      .where('hidden', '=', 0)
      .execute();
    return rows.map(({ farm_id }) => farm_id);
  };
  const accountOf = (id: string) =>
    its.app.database.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  it.each(['taken back', 'left'] as const)(
    'has nothing more to say of whom it offered itself, once that was %s',
    async (answer) => {
      const id = randomUUID();
      await tells(spys(), id);
      await answers(answer, (await offerOf('account', id))?.id);
      const before = { account: await accountOf(id), feed: await its.feed() };
      for (const node of [HOSTED_NODE, GATEWAY_NODE]) await makesMember(spys(), id, node);
      const named = await said(spys().streamId, {
        entity: user.entity,
        id,
        body: { name: 'owned' },
        group: 'name',
        node: GATEWAY_NODE,
      });
      const again = await tells(spys(), id);
      expect(await farmsOf(id)).toEqual([]);
      expect({ account: await accountOf(id), feed: await its.feed() }).toEqual(before);
      // its own old word is no news, and does not pile up
      for (const { merged } of [named, again]) expect(merged?.parked).toEqual([]);
    },
  );

  it('that had ended is a row of that gateway’s own: nobody is asked of it, and it opens nothing', async () => {
    const id = randomUUID();
    const { streamId } = spys();
    await said(streamId, { entity: user.entity, id, body: anAccount(id), cl: 2 });
    const { read } = its.app.database;
    const row = await read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ hidden: 1, is_active: 0, email_key: `${id}@local.invalid`, role: 'VIEWER' });
    const own = await read.selectFrom('local_users').select('stream_id').where('id', '=', id).execute();
    expect(own.map(({ stream_id }) => Number(stream_id))).toEqual([streamId]);
    expect((await offers()).filter(({ user_id }) => user_id === id)).toEqual([]);
  });

  it('brings a lost account to the farm of whose gateway told of it first, and to another only when that is answered', async () => {
    const id = randomUUID();
    await tells(honest, id);
    await makesMember(honest, id, HOSTED_NODE);
    await tells(spys(), id);
    await makesMember(spys(), id, HOSTED_NODE);
    // told once more, in a batch of its own
    await tells(spys(), id);
    await makesMember(spys(), id, GATEWAY_NODE);
    expect(await farmsOf(id)).toEqual([honest.farm]);
    // who decides sees of which farm and of whom
    const asked = await offerOf('membership', id);
    expect(asked).toMatchObject({ farm_id: its.spysFarm, email: `${id}@perdida.test` });
    const opened = await answers('taken back', (await offerOf('account', id))?.id);
    expect(body(opened)).toMatchObject({ email: `${id}@perdida.test` });
    expect(await farmsOf(id)).toEqual([honest.farm]);
    expect(await its.feed()).not.toContain(`${id}@perdida.test`);
    await answers('left', asked?.id);
    expect(await farmsOf(id)).toEqual([honest.farm]);
  });

  it('gets the second farm, too, when that is taken back', async () => {
    const id = randomUUID();
    for (const gateway of [honest, spys()]) {
      await tells(gateway, id);
      await makesMember(gateway, id, HOSTED_NODE);
    }
    await answers('taken back', (await offerOf('account', id))?.id);
    await answers('taken back', (await offerOf('membership', id))?.id);
    expect((await farmsOf(id)).toSorted()).toEqual([honest.farm, its.spysFarm].toSorted());
  });

  const localsOf = async (id: string) => {
    const known = its.app.database.read.selectFrom('local_users').select('stream_id').where('id', '=', id);
    return await known.execute();
  };

  it('by its name alone leaves the question to the gateway that knows all of it, and gains no say', async () => {
    const id = randomUUID();
    expect((await tellsName(spys(), id)).merged?.parked).toEqual([]);
    expect((await offers()).filter(({ user_id }) => user_id === id)).toEqual([]);
    const told = await tells(honest, id);
    const worked = await makesMember(honest, id, HOSTED_NODE);
    expect([told, worked].map(({ merged }) => merged?.parked)).toEqual([[], []]);
    // as it knew them, and again
    for (const again of [tellsName(spys(), id), tells(honest, id)])
      expect((await again).merged?.parked).toEqual([]);
    expect(await localsOf(id)).toEqual([]);
    const asked = (await offers()).filter(({ user_id }) => user_id === id);
    expect(asked).toEqual([expect.objectContaining({ kind: 'account', email: `${id}@perdida.test` })]);
    expect(await farmsOf(id)).toEqual([honest.farm]);
    // the gateway of the farm knows the account better than what stands here until that is answered
    const { read } = its.app.database;
    const register = await read
      .selectFrom('sync_register')
      .select('over_json')
      .where('id', '=', id)
      .execute();
    expect(register.map(({ over_json }) => JSON.parse(over_json) as unknown)).toEqual([
      expect.objectContaining({ email: '', role: '', is_active: '', password: '' }),
    ]);
    await answers('taken back', asked[0]?.id);
    expect(await accountOf(id)).toMatchObject({ email: `${id}@perdida.test`, role: 'OWNER', is_active: 1 });
    expect(await its.feed()).not.toContain(`${id}@perdida.test`);
  });

  it('by its name alone adds nothing to what another gateway told in full', async () => {
    const id = randomUUID();
    await tells(honest, id);
    expect((await tellsName(spys(), id)).merged?.parked).toEqual([]);
    expect((await offers()).filter(({ user_id }) => user_id === id)).toHaveLength(1);
    expect(await localsOf(id)).toEqual([]);
    await answers('taken back', (await offerOf('account', id))?.id);
    await tellsName(spys(), id);
    expect(await accountOf(id)).toMatchObject({ email: `${id}@perdida.test`, is_active: 1 });
  });

  it('is not asked about again once it was left lost, whoever knew the name', async () => {
    const id = randomUUID();
    await tellsName(spys(), id);
    await tells(honest, id);
    await answers('left', (await offerOf('account', id))?.id);
    await tellsName(spys(), id);
    await tells(honest, id);
    await tells(spys(), id);
    expect((await offers()).filter(({ user_id }) => user_id === id)).toEqual([]);
    expect(await accountOf(id)).toMatchObject({ email: standInEmail(id), is_active: 0 });
  });

  it('hears once that its person is on none of its farms, and again when it tells of them again', async () => {
    const id = randomUUID();
    const heard = async () => (await its.feed()).split(standInEmail(id)).length;
    const elsewhere = { streamId: spys().streamId, farm: its.victimsFarm };
    await tells(spys(), id);
    await makesMember(elsewhere, id, HOSTED_NODE);
    const once = await heard();
    expect(once).toBeGreaterThan(1);
    for (let n = 0; n < 2; n += 1) await makesMember(elsewhere, id, HOSTED_NODE);
    expect(await heard()).toBe(once);
    await tells(spys(), id);
    await makesMember(elsewhere, id, HOSTED_NODE);
    expect(await heard()).toBeGreaterThan(once);
  });
});
