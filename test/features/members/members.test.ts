import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

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

  test('a member is added by id or by email in any case, and listed with name and email', async () => {
    const farm = await aFarm(owner);
    const byEmail = await add({ email: worker.user.email.toUpperCase(), role: 'technician' }, { farm });
    expect(byEmail).toMatchObject({ status: 201 });
    expect(byEmail.body).toEqual({
      id: expect.any(String),
      farm_id: farm,
      user_id: worker.user.id,
      role: 'TECHNICIAN',
      name: worker.user.name,
      email: worker.user.email,
      created_at: expect.any(String),
      updated_at: null,
    });
    app.clock.advance(1_000);
    const another = await app.signUp();
    const byId = await add({ user_id: another.user.id, role: 'VIEWER' }, { farm });
    expect(await list(farm)).toEqual([byEmail.body, byId.body]);
  });

  test('adding a member again changes the role', async () => {
    const farm = await aFarm(owner);
    const first = await add({ user_id: worker.user.id, role: 'VIEWER' }, { farm });
    const again = await add({ user_id: worker.user.id, role: 'MANAGER' }, { farm });
    expect(again).toMatchObject({
      status: 201,
      body: { ...(first.body as object), role: 'MANAGER', updated_at: expect.any(String) },
    });
    expect(await list(farm)).toEqual([again.body]);
    expect(await add({ user_id: worker.user.id, role: 'MANAGER' }, { farm })).toMatchObject({
      status: 201,
      body: again.body as object,
    });
  });

  test('who was removed can come back, again and again', async () => {
    const farm = await aFarm(owner);
    const read = () => app.call('GET', `/farms/${farm}`, { token: worker.token });
    const ids = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const added = await add({ user_id: worker.user.id, role: 'VIEWER' }, { farm });
      expect(added.status).toBe(201);
      ids.add((added.body as { id: string }).id);
      expect((await read()).status).toBe(200);
      expect(await end(worker.user.id, { farm })).toMatchObject({ status: 204 });
      expect((await read()).status).toBe(404);
      expect((await end(worker.user.id, { farm })).status).toBe(404);
    }
    expect(ids.size).toBe(3);
  });

  test('the same person added twice at the same moment is one member', async () => {
    const farm = await aFarm(owner);
    const body = { user_id: worker.user.id, role: 'VIEWER' };
    const both = await Promise.all([add(body, { farm }), add(body, { farm })]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
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
    [
      'an account that does not exist',
      { user_id: '019c0000-0000-7000-8000-000000000001', role: 'VIEWER' },
      'user_id',
    ],
    ['an email without an account', { email: 'nobody@farm.test', role: 'VIEWER' }, 'email'],
    ['no role', { email: 'nobody@farm.test' }, 'role'],
    ['the role of an owner', { email: 'nobody@farm.test', role: 'OWNER' }, 'role'],
    ['the role of an administrator', { email: 'nobody@farm.test', role: 'ADMIN' }, 'role'],
  ])('%s is refused with its field, and nothing is stored', async (_what, body, path) => {
    expect(await add(body)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
    expect(await list()).toEqual([]);
  });

  describe('what each may do', () => {
    let farm: string;
    let members: Record<'MANAGER' | 'TECHNICIAN' | 'VIEWER', SignedUp>;
    beforeAll(async () => {
      farm = await aFarm(owner);
      members = { MANAGER: await app.signUp(), TECHNICIAN: await app.signUp(), VIEWER: await app.signUp() };
      for (const [role, { user }] of Object.entries(members)) await add({ user_id: user.id, role }, { farm });
    });

    test.each([
      ['MANAGER', 200],
      ['TECHNICIAN', 403],
      ['VIEWER', 403],
    ] as const)('a %s reads the farm, and changing it is answered %i', async (role, changing) => {
      const { token } = members[role];
      expect((await app.call('GET', `/farms/${farm}`, { token })).status).toBe(200);
      expect((await app.call('PUT', `/farms/${farm}`, { token, body: { name: role } })).status).toBe(
        changing,
      );
    });

    test.each(['MANAGER', 'TECHNICIAN', 'VIEWER'] as const)(
      'a %s neither deletes the farm nor sees or changes its members',
      async (role) => {
        const { token, user } = members[role];
        const refused = [
          await app.call('DELETE', `/farms/${farm}`, { token }),
          await app.call('GET', `/farms/${farm}/members`, { token }),
          await add({ user_id: user.id, role: 'MANAGER' }, { as: members[role], farm }),
          await end(members.VIEWER.user.id, { as: members[role], farm }),
        ];
        expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
        expect(await list(farm)).toHaveLength(3);
      },
    );

    test('to who is nobody there the farm is missing', async () => {
      const stranger = await app.signUp();
      const refused = [
        await app.call('GET', `/farms/${farm}`, { token: stranger.token }),
        await app.call('GET', `/farms/${farm}/members`, { token: stranger.token }),
        await add({ user_id: stranger.user.id, role: 'MANAGER' }, { as: stranger, farm }),
        await end(members.VIEWER.user.id, { as: stranger, farm }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      expect(await list(farm)).toHaveLength(3);
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
