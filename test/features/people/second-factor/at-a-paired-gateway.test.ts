import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, aFarmWith, body, type Reply } from '#test/app.ts';
import { codeAt } from '#test/authenticator.ts';
import { aCarefulPerson } from '#test/careful-person.ts';
import { onBothEngines } from '#test/databases.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

const STEP_MS = 30_000;
const PASSWORD = 'camarao-123';
const PATH = '/auth/second-factor';

onBothEngines('a second factor on the hosted instance of a gateway', (_open, engine) => {
  let apps: SyncedApps;
  let owner: Awaited<ReturnType<typeof aCarefulPerson>>;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    owner = await aCarefulPerson(apps.hosted);
    apps.gateway.clock.set(apps.hosted.clock.now());
    // who is known at a box is known by a farm there
    await aFarmWith(apps.gateway);
    await apps.pairWith(owner);
  });
  afterAll(() => apps.close());

  const logIn = (app: App, fields: Record<string, unknown> = {}) =>
    app.call('POST', '/auth/login', { body: { email: owner.email, password: PASSWORD, ...fields } });
  const codeOf = (reply: Reply) => body(reply)['code'];
  const factorsAt = async (app: App) =>
    (await app.database.read.selectFrom('second_factors').select('id').execute()).map(({ id }) => id);

  test('the first sign-in at the box, which the hosted instance vouches for, asks for its code', async () => {
    const asked = await logIn(apps.gateway);
    expect([asked.status, codeOf(asked)]).toEqual([401, 'SECOND_FACTOR']);
    const wrong = await logIn(apps.gateway, { second_factor: '000000' });
    expect([wrong.status, codeOf(wrong)]).toEqual([401, 'SECOND_FACTOR_WRONG']);
    const guessed = await logIn(apps.gateway, { password: 'errada-123', second_factor: owner.shown() });
    expect(codeOf(guessed)).toBe('INCORRECT_CREDENTIALS');
    const code = owner.shown();
    expect((await logIn(apps.gateway, { second_factor: code })).status).toBe(200);
    // used up there
    expect(codeOf(await logIn(apps.hosted, { second_factor: code }))).toBe('SECOND_FACTOR_WRONG');
  });

  test('second factors never leave their instance: the box has none of its own, and asks for none', async () => {
    await apps.settled();
    expect(await factorsAt(apps.hosted)).toEqual([owner.user.id]);
    expect(await factorsAt(apps.gateway)).toEqual([]);
    expect((await logIn(apps.gateway)).status).toBe(200);
    expect(codeOf(await logIn(apps.hosted))).toBe('SECOND_FACTOR');
  });

  test('a box with one of its own asks for that, also when the hosted instance vouches for a new password', async () => {
    const { gateway, hosted } = apps;
    const token = String(body(await logIn(gateway))['access_token']);
    const begun = await gateway.call('POST', PATH, { token, body: { current_password: PASSWORD } });
    const secret = String(body(begun)['secret']);
    const shown = () => codeAt(secret, gateway.clock.now());
    expect((await gateway.call('POST', `${PATH}/confirm`, { token, body: { code: shown() } })).status).toBe(
      200,
    );
    const password = 'outra-senha-123';
    const body_ = { password, current_password: PASSWORD };
    expect((await hosted.call('PUT', '/users/me', { token: owner.token, body: body_ })).status).toBe(200);
    await apps.settled();
    apps.advance(2 * STEP_MS);
    expect(codeOf(await logIn(gateway, { password }))).toBe('SECOND_FACTOR');
    expect(codeOf(await logIn(gateway, { password, second_factor: owner.shown() }))).toBe(
      'SECOND_FACTOR_WRONG',
    );
    expect((await logIn(gateway, { password, second_factor: shown() })).status).toBe(200);
  });
});
