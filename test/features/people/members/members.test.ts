import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MEMBER_ROLES, type MemberRole } from '#contract/words.ts';
import { body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const PASSWORD = 'camarao-123';

onBothEngines('members of a farm', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let owner: SignedUp;
  let worker: SignedUp;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    [owner, worker] = [await app.signUp(), await app.signUp({ role: 'TECHNICIAN' })];
    farmId = await aFarm(owner);
  });
  afterAll(() => app.close());

  async function aFarm(who: SignedUp): Promise<string> {
    const made = await app.call('POST', '/farms/', { token: who.token, body: { name: 'Norte' } });
    return (made.body as { id: string }).id;
  }
  const add = (body: unknown, { as = owner, farm = farmId } = {}) =>
    app.call('POST', `/farms/${farm}/members`, { token: as.token, body });
  const end = (userId: string, { as = owner, farm = farmId } = {}) =>
    app.call('DELETE', `/farms/${farm}/members/${userId}`, { token: as.token });
  const list = async (farm = farmId) =>
    (await app.call('GET', `/farms/${farm}/members`, { token: owner.token })).body;

  const answer = (id: unknown, who: SignedUp, how: 'accept' | 'decline' = 'accept') =>
    app.call('POST', `/invitations/${how}`, { token: who.token, body: { invitation_id: id } });
  const joins = (who: SignedUp, role: string, farm: string) =>
    joinFarm(app, { token: owner.token, farmId: farm }, who, role);
  const offersOf = async (who: SignedUp) =>
    (await app.call('GET', '/invitations', { token: who.token })).body as { farm_id: string }[];

  test('who is asked by id or by email in any case becomes a member by accepting, and not before', async () => {
    const farm = await aFarm(owner);
    const email = worker.user.email.toUpperCase();
    const asked = await add({ email, role: 'technician' }, { farm });
    expect(asked).toMatchObject({ status: 201 });
    expect(asked.body).toEqual({
      id: expect.any(String),
      farm_id: farm,
      user_id: null,
      role: 'TECHNICIAN',
      status: 'INVITED',
      name: null,
      email,
      created_at: expect.any(String),
      updated_at: null,
    });
    expect(await list(farm)).toEqual([]);
    expect((await app.call('GET', `/farms/${farm}`, { token: worker.token })).status).toBe(404);
    const [offer] = (await offersOf(worker)).filter(({ farm_id }) => farm_id === farm);
    expect(offer).toMatchObject({ id: body(asked)['id'], role: 'TECHNICIAN', needs_code: false });
    expect(await answer(body(asked)['id'], worker)).toMatchObject({ status: 200, body: { farm_id: farm } });
    app.clock.advance(1_000);
    const another = await app.signUp();
    await joins(another, 'VIEWER', farm);
    expect(await list(farm)).toMatchObject([
      { user_id: worker.user.id, role: 'TECHNICIAN', status: 'MEMBER', name: worker.user.name },
      { user_id: another.user.id, role: 'VIEWER', email: another.user.email },
    ]);
  });

  test('who is asked by what is no address is told so, in place of an invitation that nobody can accept', async () => {
    for (const email of ['ana', 'ana@', 'ana fazenda.com.br', ''])
      expect(await add({ email, role: 'VIEWER' })).toMatchObject({
        status: 422,
        body: { detail: expect.stringMatching(/^email: must be an email address/) },
      });
    expect(await list()).toEqual([]);
  });

  test('nobody learns from an invitation whether there is an account', async () => {
    const farm = await aFarm(owner);
    const shape = (reply: Parameters<typeof body>[0]) => ({
      status: reply.status,
      body: { ...body(reply), id: '', created_at: '', user_id: '', email: '' },
    });
    const nobody = { email: 'nobody@farm.test', role: 'VIEWER' };
    const known = shape(await add({ email: worker.user.email, role: 'VIEWER' }, { farm }));
    expect(shape(await add(nobody, { farm }))).toEqual(known);
    expect(shape(await add({ user_id: worker.user.id, role: 'VIEWER' }, { farm }))).toEqual(known);
    const noId = '019c0000-0000-7000-8000-000000000001';
    expect(shape(await add({ user_id: noId, role: 'VIEWER' }, { farm }))).toEqual(known);
  });

  test('who is asked by an id is not known by an address for that, nor whether the id is anybody’s', async () => {
    const farm = await aFarm(owner);
    const person = await app.signUp();
    const noId = '019c0000-0000-7000-8000-000000000002';
    for (const user_id of [person.user.id, noId])
      expect(await add({ user_id, role: 'VIEWER' }, { farm })).toMatchObject({ status: 201 });
    const sent = await app.call('GET', `/farms/${farm}/invitations`, { token: owner.token });
    expect(sent.body).toMatchObject([{ email: null }, { email: null }]);
    expect(JSON.stringify(sent.body)).not.toContain(person.user.email);
    // the invitation goes with the person, whatever the address is by then
    const moved = { email: `new-${person.user.email}`, current_password: PASSWORD };
    expect((await app.call('PUT', '/users/me', { token: person.token, body: moved })).status).toBe(200);
    const [offer] = await offersOf(person);
    expect(offer).toMatchObject({ farm_id: farm });
    expect(await answer((offer as unknown as { id: string }).id, person)).toMatchObject({ status: 200 });
    const taken = { email: `${noId}@local.invalid`, current_password: PASSWORD };
    expect((await app.call('PUT', '/users/me', { token: worker.token, body: taken })).status).toBe(400);
  });

  test('nobody rings another’s phone by asking in one role and the other', async () => {
    const [boss, person] = [await app.signUp(), await app.signUp()];
    const farm = await aFarm(boss);
    const ask = (n: number) =>
      add({ email: person.user.email, role: n % 2 ? 'VIEWER' : 'OPERATOR' }, { as: boss, farm });
    for (let n = 0; n < 30; n += 1) expect((await ask(n)).status).toBe(201);
    expect(await ask(30)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } });
    // what stands already is no new one
    expect((await ask(29)).status).toBe(201);
    const path = `/farms/${farm}/invitations`;
    const by = { email: person.user.email, role: 'VIEWER' };
    expect((await app.call('POST', path, { token: boss.token, body: by })).status).toBe(429);
  });

  test('another person’s invitation is none, one that needs a code is not taken by its id, and a declined one is over', async () => {
    const farm = await aFarm(owner);
    const another = await app.signUp();
    const { id } = body(await add({ user_id: worker.user.id, role: 'MANAGER' }, { farm }));
    expect((await answer(id, another)).status).toBe(404);
    const coded = await app.call('POST', `/farms/${farm}/invitations`, {
      token: owner.token,
      body: { role: 'MANAGER', email: another.user.email },
    });
    expect((await answer(body(coded)['id'], another)).status).toBe(404);
    expect((await answer(id, worker, 'decline')).status).toBe(204);
    expect((await answer(id, worker)).status).toBe(409);
    expect(await list(farm)).toEqual([]);
  });

  test('asked again it is one invitation, in another role another that takes its place', async () => {
    const farm = await aFarm(owner);
    const ask = async (role: string) => body(await add({ user_id: worker.user.id, role }, { farm }))['id'];
    const first = await ask('VIEWER');
    expect(await ask('VIEWER')).toBe(first);
    const second = await ask('MANAGER');
    expect((await answer(first, worker)).status).toBe(409);
    expect((await answer(second, worker)).status).toBe(200);
    expect(await list(farm)).toMatchObject([{ user_id: worker.user.id, role: 'MANAGER' }]);
  });

  test('a member gets another role at once', async () => {
    const farm = await aFarm(owner);
    await joins(worker, 'VIEWER', farm);
    const [first] = (await list(farm)) as object[];
    const again = await add({ user_id: worker.user.id, role: 'MANAGER' }, { farm });
    expect(again).toMatchObject({
      status: 201,
      body: { ...first, role: 'MANAGER', updated_at: expect.any(String) },
    });
    expect(await list(farm)).toEqual([again.body]);
    expect(await add({ user_id: worker.user.id, role: 'MANAGER' }, { farm })).toMatchObject({
      status: 201,
      body: again.body as object,
    });
  });

  test('each may leave by himself, and sends nobody else away', async () => {
    const farm = await aFarm(owner);
    const another = await app.signUp();
    await joins(worker, 'VIEWER', farm);
    await joins(another, 'MANAGER', farm);
    expect((await end(worker.user.id, { as: another, farm })).status).toBe(403);
    expect((await end(worker.user.id, { as: worker, farm })).status).toBe(204);
    expect((await app.call('GET', `/farms/${farm}`, { token: worker.token })).status).toBe(404);
    expect(await list(farm)).toMatchObject([{ user_id: another.user.id }]);
  });

  test('who was removed can come back, again and again', async () => {
    const farm = await aFarm(owner);
    const read = () => app.call('GET', `/farms/${farm}`, { token: worker.token });
    const ids = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      await joins(worker, 'VIEWER', farm);
      for (const { id } of (await list(farm)) as { id: string }[]) ids.add(id);
      expect((await read()).status).toBe(200);
      expect(await end(worker.user.id, { farm })).toMatchObject({ status: 204 });
      expect((await read()).status).toBe(404);
      expect((await end(worker.user.id, { farm })).status).toBe(404);
    }
    expect(ids.size).toBe(3);
  });

  test('the same person asked twice at the same moment is one member in the end', async () => {
    const farm = await aFarm(owner);
    const wish = { user_id: worker.user.id, role: 'VIEWER' };
    const both = await Promise.all([add(wish, { farm }), add(wish, { farm })]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    await Promise.all(both.map((made) => answer(body(made)['id'], worker)));
    expect(await list(farm)).toHaveLength(1);
  });

  test('a farm keeps its owner', async () => {
    const kept = { status: 409, body: { detail: expect.stringContaining('a farm always keeps an owner') } };
    expect(await add({ user_id: owner.user.id, role: 'VIEWER' })).toMatchObject(kept);
    expect(await end(owner.user.id)).toMatchObject(kept);
    expect(await list()).toEqual([]);
  });

  test.each([
    ['nobody', { role: 'VIEWER' }, 'user_id'],
    [
      'two ways to say who',
      { user_id: '019c0000-0000-7000-8000-000000000001', email: 'a@b.cc', role: 'VIEWER' },
      'user_id',
    ],
    ['an id that is none', { user_id: '7', role: 'VIEWER' }, 'user_id'],
    ['no role', { email: 'nobody@farm.test' }, 'role'],
    ['the role of an owner', { email: 'nobody@farm.test', role: 'OWNER' }, 'role'],
    ['the role of an administrator', { email: 'nobody@farm.test', role: 'ADMIN' }, 'role'],
  ])('%s is refused with its field, and nothing is stored', async (_what, sent, path) => {
    expect(await add(sent)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
    expect(await list()).toEqual([]);
  });

  describe('what each may do', () => {
    let farm: string;
    let members: Record<MemberRole, SignedUp>;
    beforeAll(async () => {
      farm = await aFarm(owner);
      members = {
        MANAGER: await app.signUp(),
        TECHNICIAN: await app.signUp(),
        OPERATOR: await app.signUp(),
        VIEWER: await app.signUp(),
      };
      for (const [role, who] of Object.entries(members)) await joins(who, role, farm);
    });

    test.each([
      ['MANAGER', 200],
      ['TECHNICIAN', 403],
      ['OPERATOR', 403],
      ['VIEWER', 403],
    ] as const)('a %s reads the farm, and changing it is answered %i', async (role, changing) => {
      const { token } = members[role];
      expect((await app.call('GET', `/farms/${farm}`, { token })).status).toBe(200);
      expect((await app.call('PUT', `/farms/${farm}`, { token, body: { name: role } })).status).toBe(
        changing,
      );
    });

    test.each(MEMBER_ROLES)('a %s neither deletes the farm nor sees or changes its members', async (role) => {
      const { token, user } = members[role];
      const refused = [
        await app.call('DELETE', `/farms/${farm}`, { token }),
        await app.call('GET', `/farms/${farm}/members`, { token }),
        await add({ user_id: user.id, role: 'MANAGER' }, { as: members[role], farm }),
        await end(owner.user.id, { as: members[role], farm }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect(await list(farm)).toHaveLength(4);
    });

    test('to who is nobody there the farm is missing', async () => {
      const stranger = await app.signUp();
      const refused = [
        await app.call('GET', `/farms/${farm}`, { token: stranger.token }),
        await app.call('GET', `/farms/${farm}/members`, { token: stranger.token }),
        await add({ user_id: stranger.user.id, role: 'MANAGER' }, { as: stranger, farm }),
        await end(members.VIEWER.user.id, { as: stranger, farm }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      expect(await list(farm)).toHaveLength(4);
    });

    test('an account that is not an owner’s joins farms but makes none', async () => {
      const body = { name: 'Own' };
      expect((await app.call('POST', '/farms/', { token: worker.token, body })).status).toBe(403);
    });

    test('the members of a deleted farm are gone with it', async () => {
      const short = await aFarm(owner);
      await add({ user_id: worker.user.id, role: 'VIEWER' }, { farm: short });
      await app.call('DELETE', `/farms/${short}`, { token: owner.token });
      expect((await app.call('GET', `/farms/${short}`, { token: worker.token })).status).toBe(404);
      expect((await app.call('GET', `/farms/${short}/members`, { token: owner.token })).status).toBe(404);
    });
  });
});
