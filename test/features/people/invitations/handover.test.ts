import { afterAll, beforeAll, expect, test } from 'vitest';
import { controlPoint } from '#contract/resources/control-points.ts';
import { update } from '#core/changes.ts';
import { aBatch } from '#test/a-batch.ts';
import { type App, aControlPoint, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { changePlan } from '#test/programs.ts';

type Farm = { owner: SignedUp; farmId: string; pondId: string; cod: string };

onBothEngines('a farm that is handed over', (_open, engine) => {
  let app: App;
  let heir: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine);
    heir = await app.signUp();
  });
  afterAll(() => app.close());

  async function aFarmToGive(owner?: SignedUp, fields: Record<string, unknown> = {}): Promise<Farm> {
    const giver = owner ?? (await app.signUp());
    const { token } = giver;
    const made = await app.call('POST', `/farms/${giver.user.id}`, {
      token,
      body: {
        name: 'Fazenda Norte',
        address: { street: 'Estrada', number: 1, city: 'Aracati', state: 'CE', zip_code: '62800000' },
        ...fields,
      },
    });
    const farmId = String(body(made)['id']);
    const pond = await app.call('POST', '/ponds/', {
      token,
      body: { farm_id: farmId, cod: 'V-1', size_m2: 3000 },
    });
    const { cod } = await aControlPoint(app, { token, farmId });
    return { owner: giver, farmId, pondId: String(body(pond)['id']), cod };
  }

  async function offer(farm: Farm, fields: Record<string, unknown> = {}): Promise<string> {
    const made = await app.call('POST', `/farms/${farm.farmId}/invitations`, {
      token: farm.owner.token,
      body: { kind: 'HANDOVER', ...fields },
    });
    expect(made.status).toBe(201);
    return String(body(made)['code']);
  }
  const accept = (who: SignedUp, code: string) =>
    app.call('POST', '/invitations/accept', { token: who.token, body: { code } });
  const ownerIds = async (table: 'control_points' | 'batches', farmId: string) => {
    const rows = await app.database.read
      .selectFrom(table)
      .select('owner_id')
      .where('farm_id', '=', farmId)
      .execute();
    return [...new Set(rows.map(({ owner_id }) => owner_id))];
  };

  test('is given away by nobody who merely found the phone of its owner', async () => {
    const farm = await aFarmToGive();
    app.clock.advance(11 * 60_000);
    const give = (more: object) =>
      app.call('POST', `/farms/${farm.farmId}/invitations`, {
        token: farm.owner.token,
        body: { kind: 'HANDOVER', ...more },
      });
    expect(await give({})).toMatchObject({ status: 403, body: { code: 'RECENT_LOGIN_REQUIRED' } });
    expect(await give({ current_password: 'errada-123' })).toMatchObject({ status: 422 });
    expect((await give({ current_password: 'camarao-123' })).status).toBe(201);
    // to ask somebody in is not to give it away
    expect((await give({ kind: 'MEMBER', role: 'VIEWER' })).status).toBe(201);
  });

  test('changes hands with all that stands on it, and its former owner stays as its manager', async () => {
    const farm = await aFarmToGive();
    await aBatch(app, { token: farm.owner.token, pondId: farm.pondId });
    const other = await offer(farm);
    const code = await offer(farm);
    expect(await accept(heir, code)).toMatchObject({
      status: 200,
      body: { farm_id: farm.farmId, role: 'OWNER' },
    });
    const seen = await app.call('GET', `/farms/${farm.farmId}`, { token: heir.token });
    expect(seen).toMatchObject({ status: 200, body: { owner_id: heir.user.id } });
    expect(await ownerIds('control_points', farm.farmId)).toEqual([heir.user.id]);
    expect(await ownerIds('batches', farm.farmId)).toEqual([heir.user.id]);
    const address = await app.call('GET', `/addresses/${body(seen)['address_id']}`, { token: heir.token });
    expect(address).toMatchObject({ status: 200, body: { city: 'Aracati', is_primary: false } });
    const members = await app.call('GET', `/farms/${farm.farmId}/members`, { token: heir.token });
    expect(members.body).toMatchObject([{ user_id: farm.owner.user.id, role: 'MANAGER' }]);
    expect((await app.call('DELETE', `/farms/${farm.farmId}`, { token: farm.owner.token })).status).toBe(403);
    expect(await accept(await app.signUp(), other)).toMatchObject({ body: { code: 'INVITATION_REVOKED' } });
    const audit = await app.database.read
      .selectFrom('logs')
      .selectAll()
      .where('entity_id', '=', farm.farmId)
      .where('action', '=', 'handover')
      .execute();
    expect(audit).toHaveLength(1);
    expect(JSON.parse(audit[0]?.details ?? '{}')).toMatchObject({
      from: farm.owner.user.id,
      to: heir.user.id,
      former_owner_is: 'MANAGER',
    });
  });

  test('a member who takes it over is no member beside, and who leaves it leaves it', async () => {
    const farm = await aFarmToGive();
    const member = await app.signUp();
    await joinFarm(app, { token: farm.owner.token, farmId: farm.farmId }, member, 'TECHNICIAN');
    expect((await accept(member, await offer(farm, { former_owner: 'NONE' }))).status).toBe(200);
    const members = await app.call('GET', `/farms/${farm.farmId}/members`, { token: member.token });
    expect(members.body).toEqual([]);
    expect((await app.call('GET', `/farms/${farm.farmId}`, { token: farm.owner.token })).status).toBe(404);
    // news of a farm reach its people alone, by push and mail too: this one goes past it
    const news = await app.database.read
      .selectFrom('notifications')
      .select(['user_id', 'farm_id'])
      .where('title', '=', 'A fazenda tem novo dono')
      .where('user_id', 'in', [farm.owner.user.id, member.user.id])
      .execute();
    expect(new Map(news.map(({ user_id, farm_id }) => [user_id, farm_id]))).toEqual(
      new Map([
        [farm.owner.user.id, null],
        [member.user.id, farm.farmId],
      ]),
    );
  });

  test('codes that both owners use are named, and nothing changes', async () => {
    const own = await aFarmToGive(heir);
    const farm = await aFarmToGive();
    const clashing = await aControlPoint(app, {
      token: farm.owner.token,
      farmId: farm.farmId,
      cod: own.cod,
    });
    await aBatch(app, { token: heir.token, pondId: own.pondId }, { batch_code: 'LOTE-7' });
    await aBatch(app, { token: farm.owner.token, pondId: farm.pondId }, { batch_code: 'LOTE-7' });
    const code = await offer(farm);
    expect(await accept(heir, code)).toMatchObject({
      status: 409,
      body: {
        code: 'CODES_CLASH',
        detail: `Both owners use the same codes: control point ${clashing.cod}, batch LOTE-7. Change them on one side, then accept again`,
      },
    });
    expect(await ownerIds('control_points', farm.farmId)).toEqual([farm.owner.user.id]);
    await app.call('PUT', `/control-points/${clashing.id}`, {
      token: farm.owner.token,
      body: { cod: 'CP-OTHER' },
    });
    expect(await accept(heir, code)).toMatchObject({ status: 409, body: { code: 'CODES_CLASH' } });
  });

  test('names of controllers that both use are named, where a cloud hears them for both', async () => {
    const hosted = await startApp(engine, ['--role', 'hosted']);
    try {
      const [taker, giver] = [await hosted.signUp(), await hosted.signUp()];
      const farmOf = async ({ token, user }: SignedUp, cod: string) => {
        const made = await hosted.call('POST', `/farms/${user.id}`, { token, body: { name: 'Norte' } });
        const farmId = String(body(made)['id']);
        const point = { farm_id: farmId, cod, device_id: 'aer-0001', target_status: 'OFF' };
        const pointId = body(await hosted.call('POST', '/control-points/', { token, body: point }))['id'];
        return { farmId, pointId: String(pointId) };
      };
      await farmOf(taker, 'CP-A');
      const { farmId, pointId } = await farmOf(giver, 'CP-B');
      const { token } = giver;
      const offered = await hosted.call('POST', `/farms/${farmId}/invitations`, {
        token,
        body: { kind: 'HANDOVER' },
      });
      const take = () =>
        hosted.call('POST', '/invitations/accept', {
          token: taker.token,
          body: { code: body(offered)['code'] },
        });
      expect(await take()).toMatchObject({
        status: 409,
        body: { code: 'NAMES_CLASH', errors: [{ path: 'control_point.device_id', code: 'ALREADY_EXISTS' }] },
      });
      await hosted.call('PUT', `/control-points/${pointId}`, { token, body: { device_id: 'aer-0002' } });
      expect((await take()).status).toBe(200);
    } finally {
      await hosted.close();
    }
  });

  test('a batch that lives on two farms of its owner must be moved first', async () => {
    const farm = await aFarmToGive();
    const second = await aFarmToGive(farm.owner);
    const { token } = farm.owner;
    const batchId = await aBatch(app, { token, pondId: farm.pondId });
    const moved = await app.call('POST', '/transfers/', {
      token,
      body: {
        source_pond_id: farm.pondId,
        destination_pond_id: second.pondId,
        batch_id: batchId,
        quantity: 1_000,
      },
    });
    expect(moved.status).toBe(201);
    for (const which of [farm, second]) {
      expect(await accept(heir, await offer(which))).toMatchObject({
        status: 409,
        body: { code: 'BATCH_ON_TWO_FARMS' },
      });
    }
  });

  test('the plan of the new owner must have room', async () => {
    const small = await app.signUp();
    await changePlan(app, small.user.id, 'FREE');
    const farm = await aFarmToGive();
    for (const cod of ['V-2', 'V-3', 'V-4'])
      await app.call('POST', '/ponds/', { token: farm.owner.token, body: { farm_id: farm.farmId, cod } });
    const code = await offer(farm);
    expect(await accept(small, code)).toMatchObject({
      status: 403,
      body: { code: 'SUBSCRIPTION_LIMIT_REACHED', resource: 'ponds', current: 4, max: 3 },
    });
    await changePlan(app, small.user.id, 'BASIC');
    expect((await accept(small, code)).status).toBe(200);
    await changePlan(app, small.user.id, 'FREE');
    const second = await aFarmToGive();
    expect(await accept(small, await offer(second))).toMatchObject({
      status: 403,
      body: { code: 'SUBSCRIPTION_LIMIT_REACHED', resource: 'farms', current: 1, max: 1 },
    });
  });

  test('an account that owns no farms takes none', async () => {
    const worker = await app.signUp({ role: 'TECHNICIAN' });
    const farm = await aFarmToGive();
    expect(await accept(worker, await offer(farm))).toMatchObject({ status: 403 });
    expect(await accept(farm.owner, await offer(farm))).toMatchObject({ body: { code: 'OWNER_STAYS' } });
  });

  test('of two who take it over at the same moment one is the owner', async () => {
    const farm = await aFarmToGive();
    const codes = [await offer(farm), await offer(farm)];
    const people = [await app.signUp(), await app.signUp()];
    const answers = await Promise.all(people.map((who, at) => accept(who, codes[at] ?? '')));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const winner = people[answers.findIndex(({ status }) => status === 200)];
    const { owner_id } = await app.database.read
      .selectFrom('farms')
      .select('owner_id')
      .where('id', '=', farm.farmId)
      .executeTakeFirstOrThrow();
    expect(owner_id).toBe(winner?.user.id);
  });

  test('creates at the same moment belong to the new owner, too', async () => {
    const farm = await aFarmToGive();
    const code = await offer(farm);
    const taker = await app.signUp();
    const [, ...made] = await Promise.all([
      accept(taker, code),
      ...[1, 2, 3].map((n) =>
        app.call('POST', '/control-points/', {
          token: farm.owner.token,
          body: {
            farm_id: farm.farmId,
            cod: `N-${n}`,
            device_id: `given-${farm.farmId.slice(-6)}-${n}`,
            target_status: 'OFF',
          },
        }),
      ),
    ]);
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    await app.people.followOwner();
    expect(await ownerIds('control_points', farm.farmId)).toEqual([taker.user.id]);
  });

  test('what the other instance made for the former owner follows the farm within the hour', async () => {
    const farm = await aFarmToGive();
    const taker = await app.signUp();
    await accept(taker, await offer(farm));
    const { id } = await aControlPoint(app, { token: taker.token, farmId: farm.farmId });
    const set = { owner_id: farm.owner.user.id };
    await app.kernel.commit({ changes: [update(controlPoint, id, set)], actor: null });
    await app.people.followOwner();
    expect(await ownerIds('control_points', farm.farmId)).toEqual([taker.user.id]);
  });
});
