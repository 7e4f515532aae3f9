import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessTokenText } from '#adapters/tokens/access-token-text.ts';
import { user } from '#contract/resources/users.ts';
import { update } from '#core/changes.ts';
import { type App, aControlPoint, aFarmWith, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aProgram, changePlan } from '#test/programs.ts';
import { watch } from '../../../adapters/http/watch.ts';

const MINUTE_MS = 60_000;

describe('the text of an access token', () => {
  test('has a prefix for scanners, 256 random bits and a checksum', () => {
    const made = Array.from({ length: 200 }, () => accessTokenText.make());
    expect(new Set(made).size).toBe(200);
    for (const token of made) {
      expect(token).toMatch(/^sfat_[0-9A-Za-z]{49}$/);
      expect(accessTokenText.isWhole(token)).toBe(true);
    }
  });

  test('one that was cut or mistyped is told without asking the database', () => {
    const token = accessTokenText.make();
    const other = token.at(-1) === 'a' ? 'b' : 'a';
    for (const wrong of [`${token.slice(0, -1)}${other}`, token.slice(0, -1), `${token}a`, 'sfat_', '']) {
      expect(accessTokenText.isWhole(wrong)).toBe(false);
    }
  });
});

onBothEngines('access tokens', (_open, engine) => {
  let app: App;
  let owner: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine);
    owner = await app.signUp();
  });
  afterAll(() => app.close());

  const me = (token: string) => app.call('GET', '/users/me', { token });

  test('a token is shown once and kept as its SHA-256', async () => {
    const made = await aProgram(app, owner, ['control', 'read', 'read'], { name: ' Alimentador ' });
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Alimentador',
      scopes: ['read', 'control'],
      hint: made.token.slice(-4),
      token: expect.stringMatching(/^sfat_/),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      last_used_from: null,
      created_at: expect.any(String),
      updated_at: null,
    });
    const listed = await app.call('GET', '/access-tokens', { token: owner.token });
    const { token: _, ...shown } = made;
    expect(listed.body).toContainEqual(shown);
    expect(JSON.stringify(listed.body)).not.toContain(made.token);
    const row = await app.database.read
      .selectFrom('access_tokens')
      .selectAll()
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow();
    expect(row.token_hash).toBe(accessTokenText.hashOf(made.token));
    expect(JSON.stringify(row)).not.toContain(made.token);
  });

  test('its owner is told that it was made', async () => {
    const someone = await app.signUp();
    const { id } = await aProgram(app, someone, ['read'], { name: 'Relatórios' });
    const told = await app.call('GET', '/notifications/', { token: someone.token });
    expect(body(told)['notifications']).toEqual([
      expect.objectContaining({
        type: 'SYSTEM',
        message: expect.stringContaining('“Relatórios”'),
        data: { access_token_id: id, scopes: ['read'] },
      }),
    ]);
  });

  test('a token is renamed, and one that is revoked ends at once and stays in the list', async () => {
    const made = await aProgram(app, owner, ['read']);
    const path = `/access-tokens/${made.id}`;
    const renamed = await app.call('PATCH', path, { token: owner.token, body: { name: 'Balança' } });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Balança', hint: made.hint } });
    expect((await me(made.token)).status).toBe(200);
    expect((await app.call('DELETE', path, { token: owner.token })).status).toBe(204);
    expect(await me(made.token)).toMatchObject({
      status: 401,
      body: { detail: 'Could not validate credentials' },
    });
    expect((await app.call('DELETE', path, { token: owner.token })).status).toBe(204);
    expect(await app.call('GET', path, { token: owner.token })).toMatchObject({
      status: 200,
      body: { revoked_at: expect.any(String) },
    });
  });

  test('a token ends when it says', async () => {
    const until = new Date(app.clock.now() + 10 * MINUTE_MS).toISOString();
    const { token } = await aProgram(app, owner, ['read'], { expires_at: until });
    app.clock.advance(10 * MINUTE_MS - 1);
    expect((await me(token)).status).toBe(200);
    app.clock.advance(1);
    expect((await me(token)).status).toBe(401);
    const past = { name: 'x', scopes: ['read'], expires_at: '2026-01-01T00:00:00Z' };
    expect(await app.call('POST', '/access-tokens', { token: owner.token, body: past })).toMatchObject({
      status: 422,
      body: { detail: 'expires_at: must lie ahead' },
    });
  });

  test.each([
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['admin'] }, 'scopes.0'],
    [{ scopes: ['read'] }, 'name'],
  ])('%o is refused', async (sent, path) => {
    const reply = await app.call('POST', '/access-tokens', { token: owner.token, body: sent });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });

  test('a phone left lying is not enough to make one, which would outlive the login and the password', async () => {
    const person = await app.signUp();
    app.clock.advance(11 * MINUTE_MS);
    const make = (more: object) =>
      app.call('POST', '/access-tokens', {
        token: person.token,
        body: { name: 'Feeder', scopes: ['read'], ...more },
      });
    expect(await make({})).toMatchObject({ status: 403, body: { code: 'RECENT_LOGIN_REQUIRED' } });
    expect(await make({ current_password: 'errada-123' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'current_password', code: 'WRONG_PASSWORD' }] },
    });
    expect((await app.call('GET', '/access-tokens', { token: person.token })).body).toEqual([]);
    expect((await make({ current_password: 'camarao-123' })).status).toBe(201);
  });

  test('nobody sees or ends the token of another', async () => {
    const { id } = await aProgram(app, owner, ['read']);
    const stranger = await app.signUp();
    const path = `/access-tokens/${id}`;
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const sent = method === 'PATCH' ? { body: { name: 'mine' } } : {};
      expect((await app.call(method, path, { token: stranger.token, ...sent })).status).toBe(404);
    }
  });

  test('the last use is noted at most every ten minutes', async () => {
    const made = await aProgram(app, owner, ['read']);
    const use = async () => {
      const reply = await app.call('GET', `/access-tokens/${made.id}`, { token: owner.token });
      return body(reply)['last_used_at'];
    };
    const first = new Date(app.clock.now()).toISOString();
    await me(made.token);
    await expect.poll(use).toBe(first);
    app.clock.advance(9 * MINUTE_MS);
    await me(made.token);
    await me(made.token);
    app.clock.advance(MINUTE_MS);
    const second = new Date(app.clock.now()).toISOString();
    expect(await use()).toBe(first);
    await me(made.token);
    await expect.poll(use).toBe(second);
  });

  test('a new password leaves tokens valid, and says so', async () => {
    const someone = await app.signUp({ password: 'camarao-123' });
    const { token } = await aProgram(app, someone, ['read']);
    const changed = await app.call('PUT', '/users/me', {
      token: someone.token,
      body: { password: 'tilapia-456' },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        warnings: [
          {
            code: 'ACCESS_TOKENS_STAY',
            message: '1 access token stays valid; revoke what you no longer trust under /access-tokens',
          },
        ],
      },
    });
    expect((await me(someone.token)).status).toBe(401);
    expect((await me(token)).status).toBe(200);
  });

  test('who leaves a farm takes the reach of the tokens along', async () => {
    const { token, farmId } = await aFarmWith(app);
    const worker = await app.signUp();
    await joinFarm(app, { token, farmId }, worker, 'MANAGER');
    const program = await aProgram(app, worker, ['read', 'record']);
    expect((await app.call('GET', `/farms/${farmId}`, { token: program.token })).status).toBe(200);
    await app.call('DELETE', `/farms/${farmId}/members/${worker.user.id}`, { token });
    expect((await app.call('GET', `/farms/${farmId}`, { token: program.token })).status).toBe(404);
  });

  test('a token switches and reports with the scope control alone', async () => {
    const { token, farmId } = await aFarmWith(app);
    const point = await aControlPoint(app, { token, farmId });
    const [reader, switcher] = [
      await aProgram(app, { token }, ['read']),
      await aProgram(app, { token }, ['control']),
    ];
    const turnOn = (as: string) => app.call('POST', `/control-points/${point.id}/turn-on`, { token: as });
    expect(await turnOn(reader.token)).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
    expect((await turnOn(switcher.token)).status).toBe(200);
    const beat = (as: string) =>
      app.call('POST', '/devices/heartbeat', {
        token: as,
        body: { device_id: point.device_id, current_status: 'ON' },
      });
    expect(await beat(reader.token)).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
    expect((await beat(switcher.token)).status).toBe(200);
  });

  test('a plan without api_access makes no tokens; those there are read and control, and record nothing', async () => {
    const free = await app.signUp({ plan: null });
    const refused = await app.call('POST', '/access-tokens', {
      token: free.token,
      body: { name: 'x', scopes: ['read'] },
    });
    expect(refused).toMatchObject({ status: 403, body: { code: 'FEATURE_NOT_AVAILABLE' } });
    await changePlan(app, free.user.id, 'BASIC');
    const farm = await app.call('POST', '/farms/', { token: free.token, body: { name: 'Sul' } });
    const farmId = String(body(farm)['id']);
    const point = await aControlPoint(app, { token: free.token, farmId });
    const { token } = await aProgram(app, free, ['read', 'record', 'control']);
    const rename = () => app.call('PUT', `/farms/${farmId}`, { token, body: { name: 'Norte' } });
    expect((await rename()).status).toBe(200);
    await changePlan(app, free.user.id, 'FREE');
    expect(await rename()).toMatchObject({ status: 403, body: { code: 'FEATURE_NOT_AVAILABLE' } });
    expect((await app.call('GET', `/farms/${farmId}`, { token })).status).toBe(200);
    expect((await app.call('POST', `/control-points/${point.id}/turn-on`, { token })).status).toBe(200);
  });

  test('more than fifty live tokens are refused, whoever makes them at the same moment', async () => {
    const many = await app.signUp();
    for (let n = 0; n < 49; n += 1) await aProgram(app, many, ['read']);
    const last = await Promise.all(
      [1, 2, 3].map(() =>
        app.call('POST', '/access-tokens', {
          token: many.token,
          body: { name: 'x', scopes: ['read'] },
        }),
      ),
    );
    expect(last.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
  });

  test('guessing changes nothing for anybody', async () => {
    const { token } = await aProgram(app, owner, ['read']);
    // so many at once as have a connection each: whoever waits for one is served late, which is another fact
    for (let round = 0; round < 60; round += 1) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => me(accessTokenText.make())));
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    }
    expect((await me(token)).status).toBe(200);
    expect(app.sentences.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('the event stream needs the scope read', async () => {
    const { token } = await aProgram(app, owner, ['control']);
    const reply = await app.call('GET', '/events', { token });
    expect(reply).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
  });

  test('its stream stays open when the password changes, and ends when it is revoked', async () => {
    const someone = await app.signUp();
    const made = await aProgram(app, someone, ['read']);
    const viewer = await watch(`${app.base}/api/v1/events`, made.token);
    await viewer.next('snapshot');
    await app.call('PUT', '/users/me', { token: someone.token, body: { password: 'outra-senha-9' } });
    const login = { email: someone.user.email, password: 'outra-senha-9' };
    const { access_token: token } = body(await app.call('POST', '/auth/login', { body: login })) as {
      access_token: string;
    };
    expect(viewer.names()).not.toContain('closed');
    await app.call('DELETE', `/access-tokens/${made.id}`, { token });
    expect((await viewer.next('closed')).data).toEqual({ reason: 'signed_out' });
    await viewer.end();
  });

  test('an account that is switched off has no tokens', async () => {
    const someone = await app.signUp();
    const { token } = await aProgram(app, someone, ['read']);
    expect((await me(token)).status).toBe(200);
    await app.kernel.commit({ actor: null, changes: [update(user, someone.user.id, { is_active: false })] });
    expect((await me(token)).status).toBe(401);
  });

  test('no token is ever in the log', async () => {
    expect(JSON.stringify(app.sentences)).not.toContain('sfat_');
  });
});
