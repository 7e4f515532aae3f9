import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type App, aControlPoint, body, type Reply, startApp } from '#test/app.ts';
import { aCarefulPerson, secondFactorNews } from '#test/careful-person.ts';
import { onBothEngines } from '#test/databases.ts';

const PASSWORD = 'camarao-123';
const HOME = '192.168.7.20';
const AFAR = '203.0.113.9';
const YEARS_MS = 56 * 365 * 86_400_000;

onBothEngines('a second factor at a box whose clock is wrong', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    // the test plays people at other addresses, through a proxy that is trusted
    app = await startApp(engine, ['--trusted-proxies', '127.0.0.1']);
  });
  afterAll(() => app.close());
  afterEach(() => app.stepWallClock(-YEARS_MS));

  const logIn = (email: string, source: string, fields: Record<string, unknown> = {}) =>
    app.call('POST', '/auth/login', {
      body: { email, password: PASSWORD, remember_me: true, ...fields },
      headers: { 'X-Forwarded-For': source },
    });
  const codeOf = (reply: Reply) => body(reply)['code'];
  const tokenOf = (reply: Reply) => String(body(reply)['access_token']);
  const loseTheTime = () => {
    app.stepWallClock(YEARS_MS);
    expect(app.kernel.clockQuality()).toBe('estimated');
  };

  test('on the farm the password alone switches motors, and is told', async () => {
    const owner = await aCarefulPerson(app);
    const farm = await app.call('POST', '/farms/', { token: owner.token, body: { name: 'Norte' } });
    const point = await aControlPoint(app, { token: owner.token, farmId: String(body(farm)['id']) });
    loseTheTime();
    const entered = await logIn(owner.email, HOME);
    expect(entered.status).toBe(200);
    expect(entered.body).toMatchObject({ warnings: [{ code: 'SECOND_FACTOR_SPARED' }] });
    const on = await app.call('POST', `/control-points/${point.id}/turn-on`, { token: tokenOf(entered) });
    expect(on.status).toBe(200);
    expect(await secondFactorNews(app, owner.user.id)).toEqual(['on', 'spared']);
  });

  test('a login without the second factor lasts an hour and gives nothing that lasts longer', async () => {
    const owner = await aCarefulPerson(app);
    loseTheTime();
    const entered = await logIn(owner.email, HOME);
    expect(body(entered)['expires_in']).toBe(3600);
    const token = tokenOf(entered);
    for (const [method, path, sent] of [
      ['POST', '/auth/renew', undefined],
      ['POST', '/access-tokens', { name: 'x', scopes: ['read'] }],
      ['PUT', '/users/me', { password: 'outra-senha', current_password: PASSWORD }],
      ['DELETE', '/users/me', { password: PASSWORD }],
      ['GET', '/users/me/export', undefined],
      ['DELETE', '/auth/second-factor', { current_password: PASSWORD, code: owner.papers[0] }],
    ] as const)
      expect([path, codeOf(await app.call(method, path, { token, body: sent }))]).toEqual([
        path,
        'SECOND_FACTOR_REQUIRED',
      ]);
    expect((await app.call('GET', '/users/me', { token })).status).toBe(200);
    expect((await app.call('POST', '/auth/logout', { token })).status).toBe(200);
    expect((await app.call('GET', '/users/me', { token })).status).toBe(401);
  });

  test('a login without the second factor is listed, and ended from elsewhere, as any other', async () => {
    const owner = await aCarefulPerson(app);
    loseTheTime();
    const spared = tokenOf(await logIn(owner.email, HOME));
    const proved = tokenOf(await logIn(owner.email, HOME, { second_factor: owner.papers[0] }));
    const list = async () => {
      const { body: rows } = await app.call('GET', '/auth/sessions', { token: proved });
      return rows as { id: string; is_current: boolean }[];
    };
    const sid = String(JSON.parse(Buffer.from(spared.split('.')[1] ?? '', 'base64url').toString())['sid']);
    expect(await list()).toContainEqual(expect.objectContaining({ id: sid, is_current: false }));
    expect(codeOf(await app.call('DELETE', '/auth/sessions', { token: spared }))).toBe(
      'SECOND_FACTOR_REQUIRED',
    );
    expect((await app.call('DELETE', `/auth/sessions/${sid}`, { token: proved })).status).toBe(204);
    expect((await list()).map(({ id }) => id)).not.toContain(sid);
    expect((await app.call('GET', '/users/me', { token: spared })).status).toBe(401);
  });

  test('from outside nobody is spared, an ADMIN neither', async () => {
    for (const role of ['OWNER', 'ADMIN'] as const) {
      const person = await aCarefulPerson(app, role);
      loseTheTime();
      const asked = await logIn(person.email, AFAR);
      expect([asked.status, codeOf(asked), body(asked)['takes']]).toEqual([
        401,
        'SECOND_FACTOR',
        ['recovery'],
      ]);
      // a code by a clock that nobody trusts says nothing
      const judged = await logIn(person.email, AFAR, { second_factor: person.shown() });
      expect(codeOf(judged)).toBe('SECOND_FACTOR_WRONG');
      app.stepWallClock(-YEARS_MS);
    }
    app.stepWallClock(YEARS_MS);
  });

  test('an administrator on the farm may run it, and administer nothing', async () => {
    const admin = await aCarefulPerson(app, 'ADMIN');
    loseTheTime();
    const token = tokenOf(await logIn(admin.email, HOME));
    expect(codeOf(await app.call('GET', '/users/all', { token }))).toBe('SECOND_FACTOR_REQUIRED');
  });

  test('a recovery code opens everything, from anywhere', async () => {
    const owner = await aCarefulPerson(app);
    loseTheTime();
    for (const [at, source] of [HOME, AFAR].entries()) {
      const entered = await logIn(owner.email, source, { second_factor: owner.papers[at] });
      expect(entered.status).toBe(200);
      expect(body(entered)['warnings']).toBeUndefined();
      expect((await app.call('POST', '/auth/renew', { token: tokenOf(entered) })).status).toBe(200);
    }
    const wrong = await logIn(owner.email, HOME, { second_factor: owner.papers[0] });
    expect(codeOf(wrong)).toBe('SECOND_FACTOR_WRONG');
  });

  test('the wrong password lets nobody in, there neither', async () => {
    const owner = await aCarefulPerson(app);
    loseTheTime();
    const refused = await logIn(owner.email, HOME, { password: 'errada-123' });
    expect([refused.status, codeOf(refused)]).toEqual([401, 'INCORRECT_CREDENTIALS']);
    expect(await secondFactorNews(app, owner.user.id)).toEqual(['on']);
  });

  test('it cannot be set up by such a clock: the first code would prove nothing', async () => {
    const { token } = await app.signUp();
    loseTheTime();
    const sent = { body: { current_password: PASSWORD }, token };
    expect((await app.call('POST', '/auth/second-factor', sent)).status).toBe(201);
    const confirmed = await app.call('POST', '/auth/second-factor/confirm', {
      token,
      body: { code: '123456' },
    });
    expect([confirmed.status, codeOf(confirmed)]).toEqual([409, 'CLOCK_UNTRUSTED']);
  });

  test('when the clock is right again the code is asked for again', async () => {
    const owner = await aCarefulPerson(app);
    loseTheTime();
    app.stepWallClock(-YEARS_MS);
    expect(app.kernel.clockQuality()).toBe('trusted');
    expect(codeOf(await logIn(owner.email, HOME))).toBe('SECOND_FACTOR');
    expect((await logIn(owner.email, HOME, { second_factor: owner.shown() })).status).toBe(200);
    app.stepWallClock(YEARS_MS);
  });
});

onBothEngines('a second factor at a box whose clock a person set', (_open, engine) => {
  test('a time read off a watch runs schedules and judges no codes', async () => {
    const app = await startApp(engine, ['--trusted-proxies', '127.0.0.1']);
    const owner = await aCarefulPerson(app);
    const admin = await app.signUp({ role: 'ADMIN' });
    app.stepWallClock(YEARS_MS);
    const server_time = new Date(app.clock.now() + 4 * 60_000).toISOString();
    const set = await app.call('POST', '/system/clock', { token: admin.token, body: { server_time } });
    expect(set.status).toBe(200);
    expect(app.kernel.clockQuality()).toBe('trusted');
    const logIn = (source: string, second_factor?: string) =>
      app.call('POST', '/auth/login', {
        body: { email: owner.email, password: PASSWORD, second_factor },
        headers: { 'X-Forwarded-For': source },
      });
    // the watch was four minutes ahead: the code that is right would be refused for ever
    expect(body(await logIn(AFAR, owner.shown()))['takes']).toEqual(['recovery']);
    expect((await logIn(HOME)).status).toBe(200);
    await app.close();
  });
});

onBothEngines('a second factor on a hosted instance whose clock is wrong', (_open, engine) => {
  test('nobody is spared: only recovery codes count', async () => {
    if (engine === 'sqlite') return;
    const app = await startApp(engine, ['--role', 'hosted', '--trusted-proxies', '127.0.0.1']);
    const owner = await aCarefulPerson(app);
    app.stepWallClock(YEARS_MS);
    expect(app.kernel.clockQuality()).toBe('estimated');
    const logIn = (second_factor?: string) =>
      app.call('POST', '/auth/login', {
        body: { email: owner.email, password: PASSWORD, second_factor },
        headers: { 'X-Forwarded-For': HOME },
      });
    expect(body(await logIn())['takes']).toEqual(['recovery']);
    expect((await logIn(owner.papers[0])).status).toBe(200);
    await app.close();
  });
});
