import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionAnswer } from '#contract/resources/sessions.ts';
import { deviceName } from '#features/people/accounts/sessions.ts';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { type App, body as bodyOf, type Reply, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { freshDatabase } from '#test/postgres.ts';
import { aProgram } from '#test/programs.ts';
import { watch } from '../../../adapters/http/watch.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PASSWORD = 'camarao-123';
const PHONE =
  'Mozilla/5.0 (Linux; Android 14; SM-A546E) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36';

const bearerOf = ({ body }: Reply) => (body as { access_token: string }).access_token;

async function logIn(app: App, { user }: SignedUp, userAgent = PHONE, remember_me = true): Promise<string> {
  const body = { email: user.email, password: PASSWORD, remember_me };
  return bearerOf(await app.call('POST', '/auth/login', { body, headers: { 'User-Agent': userAgent } }));
}

async function listOf(app: App, token: string, query = ''): Promise<SessionAnswer[]> {
  return (await app.call('GET', `/auth/sessions${query}`, { token })).body as SessionAnswer[];
}

async function currentOf(app: App, token: string): Promise<string> {
  return (await listOf(app, token)).find(({ is_current }) => is_current)?.id ?? 'none';
}

const opens = async (app: App, token: string) => (await app.call('GET', '/users/me', { token })).status;

/** What counts of a login before logins were listed: the token alone. */
const forgetRow = (app: App, id: string) =>
  app.database.read.deleteFrom('sessions').where('id', '=', id).execute();

onBothEngines('the sessions of a person', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  test('each login is a row with what it was made with and from where, the own one first', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    app.clock.advance(60_000);
    const phone = await logIn(app, ana);
    expect(await listOf(app, phone)).toEqual([
      {
        id: expect.any(String),
        created_at: new Date(app.clock.now()).toISOString(),
        last_used_at: new Date(app.clock.now()).toISOString(),
        browser: 'Chrome',
        system: 'Android',
        network: 'farm',
        address: '127.0.0.1',
        is_current: true,
      },
      expect.objectContaining({ is_current: false }),
    ]);
  });

  test('a renewed login stays one row; the list is cut into pages', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const phone = await logIn(app, ana);
    const renewed = bearerOf(await app.call('POST', '/auth/renew', { token: phone }));
    expect(await listOf(app, renewed)).toHaveLength(2);
    expect(await currentOf(app, renewed)).toBe(await currentOf(app, phone));
    const page = await app.call('GET', '/auth/sessions?skip=1&limit=1', { token: phone });
    expect(page.headers.get('x-total-count')).toBe('2');
    expect(page.body).toMatchObject([{ is_current: false }]);
  });

  test('one that is ended from elsewhere opens nothing: no token, no renewal, no event stream', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const lost = await logIn(app, ana);
    const renewed = bearerOf(await app.call('POST', '/auth/renew', { token: lost }));
    const stream = await watch(`${app.base}/api/v1/events`, renewed);
    await stream.next('snapshot');
    const id = await currentOf(app, lost);
    expect((await app.call('DELETE', `/auth/sessions/${id}`, { token: ana.token })).status).toBe(204);
    expect([await opens(app, lost), await opens(app, renewed), await opens(app, ana.token)]).toEqual([
      401, 401, 200,
    ]);
    expect(await app.call('POST', '/auth/renew', { token: renewed })).toMatchObject({ status: 401 });
    expect((await stream.next('closed')).data).toEqual({ reason: 'signed_out' });
    expect((await listOf(app, ana.token)).map((row) => row.id)).not.toContain(id);
  });

  test('nobody ends or sees the session of another', async () => {
    const [ana, eva] = [await app.signUp({ password: PASSWORD }), await app.signUp({ password: PASSWORD })];
    const id = await currentOf(app, ana.token);
    for (const other of [id, app.kernel.newId()])
      expect((await app.call('DELETE', `/auth/sessions/${other}`, { token: eva.token })).status).toBe(404);
    expect(await listOf(app, eva.token)).toHaveLength(1);
    expect(await opens(app, ana.token)).toBe(200);
  });

  test('all others end at once, also those that no row tells of; the own one and new ones go on', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const [old, phone] = [await logIn(app, ana), await logIn(app, ana)];
    await forgetRow(app, await currentOf(app, old));
    const streams = await Promise.all([old, phone].map((token) => watch(`${app.base}/api/v1/events`, token)));
    for (const stream of streams) await stream.next('snapshot');
    expect((await listOf(app, ana.token)).length).toBe(2);
    const ended = await app.call('DELETE', '/auth/sessions', { token: ana.token });
    expect(ended).toMatchObject({ status: 200, body: { ended: 1 } });
    expect([await opens(app, old), await opens(app, phone), await opens(app, ana.token)]).toEqual([
      401, 401, 200,
    ]);
    for (const stream of streams)
      expect((await stream.next('closed')).data).toEqual({ reason: 'signed_out' });
    const again = await logIn(app, ana);
    expect([await opens(app, again), (await listOf(app, again)).length]).toEqual([200, 2]);
    const renewed = bearerOf(await app.call('POST', '/auth/renew', { token: ana.token }));
    expect(await opens(app, renewed)).toBe(200);
    // the one that was kept ends, too, when another one ends all others
    await app.call('DELETE', '/auth/sessions', { token: again });
    expect([await opens(app, renewed), await opens(app, again)]).toEqual([401, 200]);
  });

  test('a browser that is signed out, here or from elsewhere, is sent nothing more', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const [phone, tablet, office, lost] = [
      await logIn(app, ana),
      await logIn(app, ana),
      await logIn(app, ana),
      await logIn(app, ana),
    ];
    const keys = { p256dh: 'B'.padEnd(87, 'A'), auth: 'A'.repeat(22) };
    const push = async (token: string, name: string) => {
      const subscription = { endpoint: `https://push.example.com/${name}`, keys };
      const made = await app.call('POST', '/notification-channels/', {
        token,
        body: { kind: 'WEB_PUSH', subscription },
      });
      expect(made.status).toBe(201);
      return { id: String(bodyOf(made)['id']), subscription };
    };
    const pushes = async (token: string) =>
      ((await app.call('GET', '/notification-channels/', { token })).body as { address: string }[])
        .map(({ address }) => address.slice(address.lastIndexOf('/') + 1))
        .toSorted();
    for (const [token, name] of [
      [phone, 'phone'],
      [tablet, 'tablet'],
      [lost, 'lost'],
    ] as const)
      await push(token, name);
    const moved = await push(office, 'office');
    await app.call('POST', '/auth/logout', { token: tablet });
    expect(await pushes(ana.token)).toEqual(['lost', 'office', 'phone']);
    await app.call('DELETE', `/auth/sessions/${await currentOf(app, lost)}`, { token: ana.token });
    expect(await pushes(ana.token)).toEqual(['office', 'phone']);
    // a browser that is signed in anew says so, and goes with its new login
    const path = `/notification-channels/${moved.id}`;
    const said = { token: ana.token, body: { subscription: moved.subscription } };
    expect([
      (await app.call('PATCH', path, said)).status,
      (await app.call('PATCH', path, said)).status,
    ]).toEqual([200, 200]);
    await app.call('DELETE', '/auth/sessions', { token: ana.token });
    expect(await pushes(ana.token)).toEqual(['office']);
  });

  test('a new password leaves what alarms go to as it is, and the person is told to look at it', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const keys = { p256dh: 'B'.padEnd(87, 'A'), auth: 'A'.repeat(22) };
    const body = { kind: 'WEB_PUSH', subscription: { endpoint: 'https://push.example.com/a', keys } };
    await app.call('POST', '/notification-channels/', { token: ana.token, body });
    app.clock.advance(1000);
    const set = { password: 'camarao-456-novo', current_password: PASSWORD };
    expect((await app.call('PUT', '/users/me', { token: ana.token, body: set })).status).toBe(200);
    const token = bearerOf(
      await app.call('POST', '/auth/login', { body: { email: ana.user.email, password: set.password } }),
    );
    expect((await app.call('GET', '/notification-channels/', { token })).body).toHaveLength(1);
    const told = (await app.call('GET', '/notifications/', { token })).body;
    expect(told).toMatchObject({
      notifications: [
        { message: expect.stringContaining('canais de aviso') },
        { title: 'Novo canal de aviso' },
      ],
    });
  });

  test('a login without a row works, ends by itself, and gets its row when it is renewed', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const id = await currentOf(app, ana.token);
    await forgetRow(app, id);
    expect(await listOf(app, ana.token)).toEqual([]);
    const renewed = bearerOf(await app.call('POST', '/auth/renew', { token: ana.token }));
    expect(await listOf(app, renewed)).toMatchObject([{ id, is_current: true }]);
    // what is ended stays out of the list, also where its row comes back late
    await app.call('POST', '/auth/logout', { token: renewed });
    expect(await opens(app, ana.token)).toBe(401);
  });

  test('long after the login the password is asked for before another one is ended', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const [mine, other] = [await logIn(app, ana), await logIn(app, ana)];
    const id = await currentOf(app, other);
    app.clock.advance(11 * 60_000);
    for (const path of ['/auth/sessions', `/auth/sessions/${id}`]) {
      expect(await app.call('DELETE', path, { token: mine })).toMatchObject({
        status: 403,
        body: { code: 'RECENT_LOGIN_REQUIRED' },
      });
      expect(
        await app.call('DELETE', path, { token: mine, body: { current_password: 'tilapia-000' } }),
      ).toMatchObject({ status: 422 });
    }
    expect(await opens(app, other)).toBe(200);
    const body = { current_password: PASSWORD };
    expect((await app.call('DELETE', `/auth/sessions/${id}`, { token: mine, body })).status).toBe(204);
    // leaving needs none
    const own = await currentOf(app, mine);
    expect((await app.call('DELETE', `/auth/sessions/${own}`, { token: mine })).status).toBe(204);
    expect([await opens(app, other), await opens(app, mine)]).toEqual([401, 401]);
  });

  test('an access token of any scope neither sees nor ends sessions', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const { token } = await aProgram(app, ana, ['read', 'record', 'control']);
    const id = await currentOf(app, ana.token);
    for (const [method, path] of [
      ['GET', '/auth/sessions'],
      ['DELETE', '/auth/sessions'],
      ['DELETE', `/auth/sessions/${id}`],
    ] as const)
      expect(await app.call(method, path, { token })).toMatchObject({
        status: 403,
        body: { code: 'LOGIN_REQUIRED' },
      });
    await app.call('DELETE', '/auth/sessions', { token: ana.token });
    expect(await opens(app, token)).toBe(200);
  });

  test('a use is told from memory, and written at most once an hour', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const id = await currentOf(app, ana.token);
    const written = async () =>
      (
        await app.database.read
          .selectFrom('sessions')
          .select('last_used_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).last_used_at;
    const first = await written();
    app.clock.advance(59 * 60_000);
    const [told] = await listOf(app, ana.token);
    expect([told?.last_used_at, await written()]).toEqual([new Date(app.clock.now()).toISOString(), first]);
    app.clock.advance(60_000);
    await opens(app, ana.token);
    await expect.poll(written).toBe(new Date(app.clock.now()).toISOString());
  });

  test('a hundred are listed; the one that would end first makes room and opens nothing any more', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const short = await logIn(app, ana, PHONE, false);
    for (let n = 0; n < 98; n += 1) await logIn(app, ana);
    expect([await opens(app, short), (await listOf(app, ana.token)).length]).toEqual([200, 100]);
    await logIn(app, ana);
    expect([await opens(app, short), (await listOf(app, ana.token)).length]).toEqual([401, 100]);
  });

  test('what has run out is not listed, and its row is swept', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    const short = await logIn(app, ana, PHONE, false);
    const id = await currentOf(app, short);
    const wall = await logIn(app, ana);
    app.clock.advance(2 * HOUR + 1);
    expect((await listOf(app, wall)).map((row) => row.id)).not.toContain(id);
    const rows = async () =>
      (await app.database.read.selectFrom('sessions').select('id').execute()).map((row) => row.id);
    expect(await rows()).toContain(id);
    await sweep(app);
    expect(await rows()).not.toContain(id);
    expect(await rows()).toContain(await currentOf(app, wall));
    app.clock.advance(29 * DAY);
    expect(await opens(app, wall)).toBe(200);
  });

  test('a new password leaves the new login alone in the list', async () => {
    const ana = await app.signUp({ password: PASSWORD });
    await app.call('PUT', '/users/me', { token: ana.token, body: { password: 'tilapia-456' } });
    const body = { email: ana.user.email, password: 'tilapia-456' };
    const token = bearerOf(await app.call('POST', '/auth/login', { body }));
    expect(await listOf(app, token)).toMatchObject([{ is_current: true }]);
  });
});

onBothEngines('sessions in several processes and over restarts', (_open, engine) => {
  test('what is ended here is ended there, streams too, and stays so after a start', async () => {
    const fresh = engine === 'postgres' ? await freshDatabase() : null;
    const data = mkdtempSync(join(tmpdir(), 'sessions-'));
    const args = fresh === null ? ['--data', data] : ['--database-url', fresh.url];
    const start = () => startApp('sqlite', args);
    const [here, there] = [await start(), await start()];
    const ana = await here.signUp({ password: PASSWORD });
    const [one, two] = [await logIn(here, ana), await logIn(here, ana)];
    expect([await opens(there, one), await opens(there, two)]).toEqual([200, 200]);
    const watched = engine === 'postgres' ? await watch(`${there.base}/api/v1/events`, two) : null;
    await watched?.next('snapshot');
    // only the new generation tells of it
    await forgetRow(here, await currentOf(here, two));
    await here.call('DELETE', `/auth/sessions/${await currentOf(here, one)}`, { token: ana.token });
    await here.call('DELETE', '/auth/sessions', { token: ana.token });
    if (watched !== null) expect((await watched.next('closed')).data).toEqual({ reason: 'signed_out' });
    there.clock.advance(5_000);
    expect([await opens(there, one), await opens(there, two), await opens(there, ana.token)]).toEqual([
      401, 401, 200,
    ]);
    await Promise.all([here.close(), there.close()]);
    const after = await start();
    expect([await opens(after, one), await opens(after, two), await opens(after, ana.token)]).toEqual([
      401, 401, 200,
    ]);
    await after.close();
    await fresh?.drop();
    rmSync(data, { recursive: true, force: true });
  });
});

describe('what a login was made with', () => {
  test('is a short name of browser and system', () => {
    const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0';
    const names: [string | null, string | null, string | null][] = [
      [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/131.0`, 'Edge', 'Windows'],
      ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox', 'Linux'],
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
        'Safari',
        'iPhone',
      ],
      [PHONE, 'Chrome', 'Android'],
      ['curl/8.5.0', 'curl', null],
      ['<script>alert(1)</script>', null, null],
      [`${'x'.repeat(200)}/1`, null, null],
      ['', null, null],
      [null, null, null],
    ];
    for (const [said, browser, system] of names) expect(deviceName(said)).toEqual({ browser, system });
  });
});

test('on a hosted instance nobody is said to be at the farm', async () => {
  const app = await startApp('sqlite', ['--role', 'hosted']);
  const ana = await app.signUp({ password: PASSWORD });
  expect(await listOf(app, ana.token)).toMatchObject([{ network: null, address: '127.0.0.1' }]);
  await app.close();
});

test('a full disk keeps nobody out; what it did not take is listed once the login is renewed', async () => {
  const app = await startApp('sqlite');
  const ana = await app.signUp({ password: PASSWORD });
  const { read } = app.database;
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(read);
  await sql.raw(`pragma max_page_count = ${rows[0]?.page_count ?? 1}`).execute(read);
  const tokens: string[] = [];
  for (let n = 0; n < 60; n += 1) tokens.push(await logIn(app, ana));
  const last = tokens.at(-1) ?? '';
  const listed = await listOf(app, last);
  expect(listed.length).toBeLessThan(60);
  expect(await Promise.all(tokens.map((token) => opens(app, token)))).toEqual(tokens.map(() => 200));
  expect(listed.some(({ is_current }) => is_current)).toBe(false);
  await sql.raw('pragma max_page_count = 1000000').execute(read);
  const renewed = bearerOf(await app.call('POST', '/auth/renew', { token: last }));
  expect((await listOf(app, renewed))[0]).toMatchObject({ is_current: true });
  await app.close();
});
