import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { NO_PASSWORD, standInEmail } from '#contract/resources/users.ts';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { localOf, pair, startBoth } from '#test/paired-apps.ts';

const SOON = { timeout: 60_000, interval: 50 };

onBothEngines('a farm that lived alone joins an account', (_open, engine) => {
  let apps: Awaited<ReturnType<typeof startBoth>>;
  let owner: SignedUp;
  let local: SignedUp;
  beforeAll(async () => {
    apps = await startBoth(engine);
    const { hosted, gateway } = apps;
    owner = await hosted.signUp({ email: 'dona@fazenda.test', password: 'senha-da-dona' });
    // the same address on both sides, and yet two people until somebody says otherwise
    local = await gateway.signUp({ email: 'dona@fazenda.test', password: 'senha-local' });
    await gateway.call('POST', '/farms/', { token: local.token, body: { name: 'Fazenda Norte' } });
    await gateway.gatewaySync?.start();
    await pair(apps, { token: owner.token });
  });
  afterAll(async () => {
    await apps.gateway.gatewaySync?.stop();
    await apps.close();
  });

  /** The sync goes by its own clock, which is a test's to move. */
  const soon = (look: () => Promise<void>) =>
    vi.waitFor(async () => {
      apps.gateway.clock.advance(250);
      apps.hosted.clock.advance(250);
      await look();
    }, SOON);
  const hashIn = async (app: App) =>
    (
      await app.database.read
        .selectFrom('users')
        .select('password_hash')
        .where('id', '=', owner.user.id)
        .executeTakeFirst()
    )?.password_hash;
  const logIn = (app: App, email: string, password: string) =>
    app.call('POST', '/auth/login', { body: { email, password } });
  const farmsOf = async (app: App, token: string) => (await app.call('GET', '/farms/', { token })).body;

  test('its farms belong to whoever claimed it, and who owned them goes on as manager', async () => {
    const { hosted, gateway } = apps;
    await soon(async () =>
      expect(await farmsOf(hosted, owner.token)).toMatchObject([
        { name: 'Fazenda Norte', owner_id: owner.user.id },
      ]),
    );
    await soon(async () =>
      expect(await farmsOf(gateway, local.token)).toMatchObject([{ owner_id: owner.user.id }]),
    );
    const [farm] = (await farmsOf(hosted, owner.token)) as { id: string }[];
    // a farm comes before what belongs to it
    await soon(async () => {
      const members = await hosted.call('GET', `/farms/${farm?.id}/members`, { token: owner.token });
      expect(members.body).toMatchObject([
        { user_id: local.user.id, role: 'MANAGER', email: standInEmail(local.user.id) },
      ]);
    });
    const gateways = await hosted.call('GET', '/sync/gateways', { token: owner.token });
    expect(gateways.body).toMatchObject([{ status: 'active', farms: [{ name: 'Fazenda Norte' }] }]);
  });

  test('the owner signs in on the farm once with the internet, and from then on without it', async () => {
    const { hosted, gateway } = apps;
    await soon(async () => expect(await hashIn(gateway)).toBe(NO_PASSWORD));
    const back = hosted.goAway();
    expect((await logIn(gateway, 'dona@fazenda.test', 'senha-da-dona')).status).toBe(401);
    back();
    for (const wrong of ['senha-local', 'senha-de-outra'])
      expect((await logIn(gateway, 'dona@fazenda.test', wrong)).status).toBe(401);
    expect((await logIn(gateway, 'dona@fazenda.test', 'senha-da-dona')).status).toBe(200);
    // made on the box, of what was typed there: who takes its card has nothing that opens the other account
    expect(await hashIn(gateway)).not.toBe(await hashIn(hosted));
    const again = hosted.goAway();
    expect((await logIn(gateway, 'dona@fazenda.test', 'senha-da-dona')).status).toBe(200);
    again();
    // the account of the gateway keeps working with the token it has
    expect((await gateway.call('GET', '/users/me', { token: local.token })).status).toBe(200);
    await hosted.call('PUT', '/users/me', { token: owner.token, body: { password: 'senha-nova-1' } });
    // a moment before the farm hears of it
    expect((await logIn(gateway, 'dona@fazenda.test', 'senha-nova-1')).status).toBe(200);
    await soon(async () =>
      expect((await logIn(gateway, 'dona@fazenda.test', 'senha-da-dona')).status).toBe(401),
    );
    expect((await logIn(gateway, 'dona@fazenda.test', 'senha-nova-1')).status).toBe(200);
  });

  test('nobody logs in on the hosted instance as somebody of the gateway', async () => {
    const { hosted } = apps;
    for (const email of [standInEmail(local.user.id), 'dona@fazenda.test'])
      expect((await logIn(hosted, email, 'senha-local')).status).toBe(401);
    const relogin = await logIn(hosted, 'dona@fazenda.test', 'senha-nova-1');
    const { access_token: token } = relogin.body as { access_token: string };
    const people = await hosted.call('GET', '/sync/local-users', { token });
    expect(people.body).toMatchObject([{ id: local.user.id, state: 'local', email_taken: true }]);
  });

  test('paired again after it was given up, people log in on the farm as before', async () => {
    const { hosted, gateway } = apps;
    const relogin = await logIn(hosted, 'dona@fazenda.test', 'senha-nova-1');
    const { access_token: token } = relogin.body as { access_token: string };
    await hosted.call('DELETE', `/sync/gateways/${localOf(gateway).gatewayId}`, { token });
    localOf(gateway).forgetToken();
    await expect(localOf(gateway).sessionToken()).rejects.toThrow('unpaired');
    expect((await logIn(gateway, 'dona@fazenda.test', 'senha-nova-1')).status).toBe(401);
    expect(body(await gateway.call('GET', '/sync/pairing', { token: local.token }))['state']).toBe('revoked');
    await pair(apps, { token });
    expect((await logIn(gateway, 'dona@fazenda.test', 'senha-nova-1')).status).toBe(200);
  });
});
