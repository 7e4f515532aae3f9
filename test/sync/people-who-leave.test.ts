import { afterAll, beforeAll, expect, test } from 'vitest';
import { body, joinFarm, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// Who is taken off a farm in the cloud is off its box, too, as soon as the box hears of it.

const PASSWORD = 'camarao-123';

onBothEngines('who leaves the farms of a gateway', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farms: { token: string; farmId: string }[];
  let gatewayId: string;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    const { hosted } = apps;
    owner = await hosted.signUp({ email: 'owner@farm.test' });
    await apps.pairWith(owner);
    const { id } = await hosted.database.read.selectFrom('gateways').select('id').executeTakeFirstOrThrow();
    gatewayId = id;
    farms = [await aFarm('Norte'), await aFarm('Sul')];
    await apps.settled();
  });
  afterAll(() => apps.close());

  async function aFarm(name: string) {
    const { hosted } = apps;
    const made = await hosted.call('POST', '/farms/', { token: owner.token, body: { name } });
    const farmId = String(body(made)['id']);
    await hosted.call('POST', `/sync/gateways/${gatewayId}/farms`, {
      token: owner.token,
      body: { farm_id: farmId },
    });
    return { token: owner.token, farmId };
  }
  const farm = (at = 0) => {
    const found = farms[at];
    if (found === undefined) throw new Error('no such farm');
    return found;
  };

  /** A member of the first farm, or of others, who has logged in at the box. */
  async function aMember(word: string, role = 'TECHNICIAN', on = [farm()]) {
    const { hosted, gateway } = apps;
    const person = await hosted.signUp({ email: `${word}@farm.test` });
    for (const one of on) await joinFarm(hosted, one, person, role);
    await apps.settled();
    const logIn = async (password = PASSWORD) =>
      gateway.call('POST', '/auth/login', {
        body: { email: `${word}@farm.test`, password, remember_me: true },
      });
    const login = await logIn();
    expect(login.status).toBe(200);
    return { ...person, logIn, boxToken: String(body(login)['access_token']) };
  }
  type Member = Awaited<ReturnType<typeof aMember>>;

  const remove = async (person: SignedUp, { token, farmId } = farm()) =>
    expect(
      (await apps.hosted.call('DELETE', `/farms/${farmId}/members/${person.user.id}`, { token })).status,
    ).toBe(204);
  const atBox = (person: Member, method: string, path: string, given?: unknown) =>
    apps.gateway.call(method, path, {
      token: person.boxToken,
      ...(given === undefined ? {} : { body: given }),
    });
  const rowAtBox = (id: string) =>
    apps.gateway.database.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  /** The box hears nothing meanwhile, and then of all of it. */
  async function away(meanwhile: () => Promise<void>): Promise<void> {
    await apps.linkDown();
    try {
      await meanwhile();
    } finally {
      await apps.linkUp();
    }
  }

  /** Tells when the open stream of that person at the box is closed. */
  async function openStream(token: string): Promise<{ closed: Promise<void> }> {
    const response = await fetch(`${apps.gateway.base}/api/v1/events`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
    });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    const closed = (async () => {
      for (;;) if ((await reader?.read())?.done !== false) return;
    })();
    // one that a failing test leaves open ends with the app
    closed.catch(() => undefined);
    return { closed };
  }

  test('is refused at the box, which keeps no more of the person than the name', async () => {
    const person = await aMember('saiu');
    const { gateway } = apps;
    const { closed } = await openStream(person.boxToken);
    const channel = { kind: 'WEBHOOK', address: 'https://127.0.0.1/hook' };
    expect((await atBox(person, 'POST', '/notification-channels/', channel)).status).toBe(201);
    await remove(person);
    await apps.settled();
    expect((await person.logIn()).status).toBe(401);
    expect((await atBox(person, 'GET', '/users/me')).status).toBe(401);
    await closed;
    await gateway.people.eraseLeftovers();
    const row = await rowAtBox(person.user.id);
    expect(row).toMatchObject({ name: 'saiu@farm.test', is_active: 0 });
    expect(row.email).not.toContain('saiu');
    for (const table of ['sessions', 'notification_channels'] as const)
      expect(
        await gateway.database.read
          .selectFrom(table)
          .select('id')
          .where('user_id', '=', person.user.id)
          .execute(),
      ).toEqual([]);
    // and who comes back begins anew: what was open before stays closed
    await joinFarm(apps.hosted, farm(), person, 'VIEWER');
    await apps.settled();
    expect((await atBox(person, 'GET', '/users/me')).status).toBe(401);
    expect((await person.logIn()).status).toBe(200);
  });

  test('stays at the box while another of its farms has the person', async () => {
    const person = await aMember('fica', 'TECHNICIAN', [farm(0), farm(1)]);
    await remove(person, farm(1));
    await apps.settled();
    expect((await person.logIn()).status).toBe(200);
    expect((await atBox(person, 'GET', `/farms/${farm(1).farmId}`)).status).toBeGreaterThanOrEqual(403);
    expect((await atBox(person, 'GET', `/farms/${farm(0).farmId}`)).status).toBe(200);
  });

  test('makes nothing at the box, and a role that was given there in between is none in the cloud', async () => {
    const { hosted, gateway } = apps;
    const person = await aMember('socio', 'MANAGER');
    const boxOwner = await apps.logInOnFarm('owner@farm.test');
    await away(async () => {
      await remove(person);
      expect((await atBox(person, 'POST', '/farms/', { name: 'Fazenda do socio' })).status).toBe(402);
      const there = { token: person.boxToken, user: person.user };
      await joinFarm(gateway, { token: boxOwner, farmId: farm(1).farmId }, there, 'MANAGER');
      expect((await atBox(person, 'GET', `/farms/${farm(1).farmId}`)).status).toBe(200);
    });
    await apps.settled();
    expect((await person.logIn()).status).toBe(401);
    expect((await atBox(person, 'POST', '/farms/', { name: 'Mais uma' })).status).toBe(401);
    const mine = await hosted.call('GET', `/farms/${farm(1).farmId}`, { token: person.token });
    expect(mine.status).toBeGreaterThanOrEqual(403);
    // on neither side is the person a member of anything
    for (const app of [hosted, gateway])
      expect(
        await app.database.read
          .selectFrom('farm_members')
          .select('role')
          .where('user_id', '=', person.user.id)
          .where('hidden', '=', 0)
          .execute(),
      ).toEqual([]);
    const news = async () =>
      JSON.stringify((await hosted.call('GET', '/notifications/', { token: owner.token })).body);
    await expect.poll(news).toMatch(/não foi aceito|was not taken/);
    const aside = await hosted.database.read
      .selectFrom('sync_parked')
      .select(['reason', 'entity', 'change_json'])
      .execute();
    expect(aside).toEqual([]);
  });

  test('with an old password opens nothing at the box, however its clock and its hash stand', async () => {
    const { hosted } = apps;
    const person = await aMember('senha');
    let old = PASSWORD;
    await away(async () => {
      const changed = await hosted.call('PUT', '/users/me', {
        token: person.token,
        body: { password: 'outra-senha-9', current_password: PASSWORD },
      });
      expect(changed.status).toBe(200);
      // whoever knows the old one changes it at the box later, and again
      apps.advance(60_000);
      for (const password of ['senha-do-ladrao-1', 'senha-do-ladrao-2']) {
        const again = { password, current_password: old };
        expect((await atBox(person, 'PUT', '/users/me', again)).status).toBe(200);
        old = password;
        person.boxToken = String(body(await person.logIn(password))['access_token']);
      }
    });
    const before = await rowAtBox(person.user.id);
    expect(before.password_version).toBe(4);
    expect((await person.logIn(old)).status).toBe(401);
    expect((await person.logIn()).status).toBe(401);
    expect((await atBox(person, 'GET', '/users/me')).status).toBe(401);
    expect((await person.logIn('outra-senha-9')).status).toBe(200);
  });

  test('whose account ended while the box was away is gone there with the next contact', async () => {
    const { hosted } = apps;
    const person = await aMember('apagada');
    await away(async () => {
      const given = { token: person.token, body: { password: PASSWORD } };
      expect((await hosted.call('DELETE', '/users/me', given)).status).toBe(204);
      expect((await person.logIn()).status).toBe(200);
    });
    expect((await person.logIn()).status).toBe(401);
    expect((await atBox(person, 'GET', '/users/me')).status).toBe(401);
    expect((await rowAtBox(person.user.id)).email).not.toContain('apagada');
  });

  test('is told to a box that was away so long that it compares everything', async () => {
    const person = await aMember('longe');
    await away(async () => {
      await remove(person);
      expect((await person.logIn()).status).toBe(200);
      const stream = { id: 1, expect: {}, set: { resync: 'asked for' } };
      await apps.gateway.kernel.commit({ actor: null, changes: [], stream });
    });
    expect((await person.logIn()).status).toBe(401);
    expect((await rowAtBox(person.user.id)).email).not.toContain('longe');
  });

  test('but whose account was made at the box keeps it there', async () => {
    const { hosted, gateway } = apps;
    const local = await gateway.signUp({ email: 'so-aqui@farm.test', role: 'TECHNICIAN' });
    const boxOwner = await apps.logInOnFarm('owner@farm.test');
    for (const { farmId } of farms) await joinFarm(gateway, { token: boxOwner, farmId }, local, 'TECHNICIAN');
    await apps.settled();
    for (const { farmId } of farms) {
      await remove(local, { token: owner.token, farmId });
      await apps.settled();
      const logIn = await gateway.call('POST', '/auth/login', {
        body: { email: 'so-aqui@farm.test', password: PASSWORD },
      });
      expect(logIn.status).toBe(200);
      expect(
        (await gateway.call('GET', `/farms/${farmId}`, { token: local.token })).status,
      ).toBeGreaterThanOrEqual(403);
    }
    expect(
      await hosted.database.read
        .selectFrom('users')
        .select('email')
        .where('id', '=', local.user.id)
        .execute(),
    ).toEqual([{ email: `${local.user.id}@local.invalid` }]);
  });
});
