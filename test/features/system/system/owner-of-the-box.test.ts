import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isOwnHost, isOwnUpgrade } from '#adapters/http/client-address.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { isSetUpCode, shownSetUpCode } from '#adapters/tokens/set-up-code.ts';
import {
  type App,
  AS_SHIPPED,
  aControlPoint,
  aFarmWith,
  body,
  joinFarm,
  type SignedUp,
  startApp,
} from '#test/app.ts';

let app: App;
afterEach(() => app.close());

/** As the program is started without a word about registration. */
const aNewBox = async (...args: string[]) => {
  app = await startApp('sqlite', [AS_SHIPPED, ...args]);
};
const BEHIND_PROXY = ['--trusted-proxies', '127.0.0.1'];
const farAway = { 'X-Forwarded-For': '192.168.7.20' };
const register = (email: string, more: object = {}, headers: Record<string, string> = {}) =>
  app.call('POST', '/auth/register', {
    headers,
    body: { email, name: email, password: 'camarao-123', role: 'OWNER', ...more },
  });
const login = async (email: string) =>
  String(
    body(await app.call('POST', '/auth/login', { body: { email, password: 'camarao-123' } }))['access_token'],
  );

describe('a fresh box', () => {
  it('is given to whoever reads the code on its label, and to nobody on the Wi-Fi who does not', async () => {
    await aNewBox(...BEHIND_PROXY);
    const code = shownSetUpCode(await instanceValue(app.database.read, 'jwt_secret'));
    const without = await register('vizinho@wifi.test', {}, farAway);
    expect(without).toMatchObject({ status: 403, body: { code: 'SETUP_CODE_REQUIRED' } });
    const wrong = await register('vizinho@wifi.test', { setup_code: 'abcd-efgh' }, farAway);
    expect(wrong).toMatchObject({ status: 403, body: { code: 'SETUP_CODE_WRONG' } });
    for (let tries = 0; tries < 10; tries += 1)
      await register('vizinho@wifi.test', { setup_code: 'abcd-efgh' }, farAway);
    const other = { 'X-Forwarded-For': '192.168.7.21' };
    expect((await register('vizinho@wifi.test', { setup_code: code }, farAway)).status).toBe(429);
    // somebody else is not locked out by that, and types it as people do
    const owner = await register(
      'dona@farm.test',
      { setup_code: code.toUpperCase().replace('-', ' ') },
      other,
    );
    expect(owner.status).toBe(201);
    const rights = await app.call('GET', '/system/rights', { token: await login('dona@farm.test') });
    expect(rights.body).toMatchObject([{ email: 'dona@farm.test', right: 'owner' }]);
  });

  it('asks for no code at the box itself', async () => {
    await aNewBox();
    expect((await register('dona@farm.test')).status).toBe(201);
  });

  it('takes nobody in any more once it has an owner, but whom that one invites', async () => {
    await aNewBox();
    expect((await register('dona@farm.test')).status).toBe(201);
    expect((await register('vizinho@wifi.test')).status).toBe(403);
    expect((await register('vizinho@wifi.test', { role: 'VIEWER' })).status).toBe(403);
    const token = await login('dona@farm.test');
    const invited = await app.call('POST', '/auth/register', {
      token,
      body: { email: 'peao@farm.test', name: 'Peão', password: 'camarao-123', role: 'TECHNICIAN' },
    });
    expect(invited.status).toBe(201);
  });

  it('is one person’s, whoever asks at the same moment', async () => {
    await aNewBox();
    const asked = await Promise.all(['a', 'b', 'c', 'd'].map((name) => register(`${name}@farm.test`)));
    expect(asked.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403, 403, 403]);
  });

  it('has a code that is not taken for another', () => {
    const code = shownSetUpCode('a'.repeat(64));
    expect(code).toMatch(/^[a-z2-9]{4}-[a-z2-9]{4}$/);
    expect(isSetUpCode('a'.repeat(64), code)).toBe(true);
    for (const typed of ['', code.slice(0, -1), `${code}x`, shownSetUpCode('b'.repeat(64))])
      expect(isSetUpCode('a'.repeat(64), typed)).toBe(false);
  });
});

describe('a box that somebody owns', () => {
  async function aBoxWithStranger() {
    app = await startApp('sqlite');
    const owner = await app.signUp();
    const farm = await app.call('POST', '/farms/', { token: owner.token, body: { name: 'Norte' } });
    const farmId = String(body(farm)['id']);
    await aControlPoint(app, { token: owner.token, farmId });
    const stranger = await aFarmWith(app);
    await aControlPoint(app, stranger);
    return { owner, farmId, stranger };
  }

  it('is its owner’s, whoever else made an account and a farm on it', async () => {
    const { owner, stranger } = await aBoxWithStranger();
    const now = new Date(app.clock.now()).toISOString();
    const boxes: [string, string, object?][] = [
      ['POST', '/system/clock', { server_time: now }],
      ['GET', '/system/backup'],
      ['GET', '/system/doctor'],
      ['GET', '/system/modem'],
      ['GET', '/system/rights'],
      ['GET', '/devices/seen'],
      ['GET', '/adoption/window'],
      ['POST', '/adoption/window', { minutes: 10 }],
      ['GET', '/firmware/'],
      ['GET', '/relays/discovered'],
      ['GET', '/bench/ports'],
    ];
    for (const [method, path, sent] of boxes) {
      const ask = (token: string) =>
        app.call(method, path, { token, ...(sent === undefined ? {} : { body: sent }) });
      expect([path, (await ask(stranger.token)).status]).toEqual([path, 403]);
      expect([path, (await ask(owner.token)).status]).not.toEqual([path, 403]);
    }
    const pair = (token: string) =>
      app.call('POST', '/sync/pairing', { token, body: { hosted_url: 'https://a.test' } });
    expect((await pair(stranger.token)).status).toBe(403);
    expect((await pair(owner.token)).status).not.toBe(403);
  });

  it('is worked on by those whom the owner made technicians of the farm, and kept by whom the owner names', async () => {
    const { owner, farmId } = await aBoxWithStranger();
    const [technician, helper] = [
      await app.signUp({ role: 'TECHNICIAN' }),
      await app.signUp({ role: 'VIEWER' }),
    ];
    await joinFarm(app, { token: owner.token, farmId }, technician, 'TECHNICIAN');
    const may = async ({ token }: SignedUp, path: string) =>
      (await app.call('GET', path, { token })).status !== 403;
    expect([await may(technician, '/devices/seen'), await may(technician, '/system/backup')]).toEqual([
      true,
      false,
    ]);
    expect(await may(helper, '/devices/seen')).toBe(false);
    const give = (token: string, sent: object) => app.call('POST', '/system/rights', { token, body: sent });
    expect((await give(technician.token, { user_id: helper.user.id })).status).toBe(403);
    expect((await give(owner.token, { email: helper.user.email.toUpperCase() })).status).toBe(201);
    expect([await may(helper, '/devices/seen'), await may(helper, '/system/backup')]).toEqual([true, true]);
    // a keeper gives nothing on
    expect((await give(helper.token, { user_id: technician.user.id })).status).toBe(403);
    const taken = await app.call('DELETE', `/system/rights/${helper.user.id}`, { token: owner.token });
    expect(taken.status).toBe(204);
    expect(await may(helper, '/system/backup')).toBe(false);
    const ownOne = await app.call('DELETE', `/system/rights/${owner.user.id}`, { token: owner.token });
    expect(ownOne).toMatchObject({ status: 409, body: { code: 'BOX_OWNER' } });
  });

  it('belongs, when the account of its owner ends, to whose farm is its oldest from the next start on', async () => {
    const data = mkdtempSync(join(tmpdir(), 'box-'));
    try {
      app = await startApp('sqlite', ['--data', data]);
      const owner = await app.signUp();
      const heir = await aFarmWith(app);
      const rightsTo = async (token: string) => (await app.call('GET', '/system/rights', { token })).status;
      expect([await rightsTo(owner.token), await rightsTo(heir.token)]).toEqual([200, 403]);
      const ended = await app.call('DELETE', '/users/me', {
        token: owner.token,
        body: { password: 'camarao-123' },
      });
      expect(ended.status).toBe(204);
      await app.close();
      app = await startApp('sqlite', ['--data', data]);
      expect(await rightsTo(heir.token)).toBe(200);
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('is passed on with the password alone', async () => {
    const { owner } = await aBoxWithStranger();
    const heir = await app.signUp();
    const pass = (more: object) =>
      app.call('POST', '/system/rights', {
        token: owner.token,
        body: { user_id: heir.user.id, right: 'owner', ...more },
      });
    expect((await pass({})).status).toBe(422);
    expect((await pass({ current_password: 'falsa-senha' })).status).toBe(422);
    expect((await pass({ current_password: 'camarao-123' })).status).toBe(201);
    const rights = await app.call('GET', '/system/rights', { token: heir.token });
    const shown = (rights.body as { user_id: string; right: string }[]).map(({ user_id, right }) => [
      user_id,
      right,
    ]);
    expect(shown).toEqual(
      expect.arrayContaining([
        [heir.user.id, 'owner'],
        [owner.user.id, 'keep'],
      ]),
    );
  });
});

describe('a box is asked for as itself', () => {
  it('by its addresses, and by names that nobody on the internet can give', () => {
    for (const own of [
      '192.168.1.10:8080',
      '[fd00::1]:8443',
      'localhost',
      'fazenda.local',
      'caixa',
      'caixa.lan:8080',
      'box.farm.example',
      'BOX.farm.example.:8443',
    ])
      expect([own, isOwnHost(own, ['box.farm.example'])]).toEqual([own, true]);
    for (const foreign of [
      'evil.example',
      'evil.example:8080',
      '192.168.1.10.nip.io',
      'a b',
      '',
      'local.evil.example',
    ])
      expect([foreign, isOwnHost(foreign, ['box.farm.example'])]).toEqual([foreign, false]);
  });

  it('over a WebSocket too, which a browser opens to any address for a page of anywhere', () => {
    const upgrade = (host: string | undefined, origin?: string) =>
      isOwnUpgrade({ url: '/mqtt', headers: { host, origin }, rawHeaders: [] }, ['box.farm.example']);
    const twice = {
      url: '/mqtt',
      headers: { host: 'fazenda.local' },
      rawHeaders: ['Host', 'fazenda.local', 'host', 'evil.example'],
    };
    expect(isOwnUpgrade(twice, [])).toBe(false);
    expect(isOwnUpgrade({ ...twice, rawHeaders: [], url: 'http://evil.example/mqtt' }, [])).toBe(false);
    expect(isOwnUpgrade({ ...twice, rawHeaders: [] }, [])).toBe(true);
    expect(upgrade('192.168.1.10:8080')).toBe(true);
    expect(upgrade(undefined)).toBe(true);
    expect(upgrade('fazenda.local:8080', 'http://fazenda.local:8080')).toBe(true);
    expect(upgrade('box.farm.example', 'https://box.farm.example')).toBe(true);
    for (const origin of ['http://evil.example', 'https://fazenda.local', 'http://192.168.1.10', 'null', ''])
      expect([origin, upgrade('192.168.1.10:8080', origin)]).toEqual([origin, false]);
    expect(upgrade('evil.example', 'http://evil.example')).toBe(false);
    expect(upgrade('evil.example')).toBe(false);
  });

  it('and refuses a page under a name of somebody else', async () => {
    app = await startApp('sqlite');
    const { hostname, port } = new URL(app.base);
    const { request } = await import('node:http');
    const asked = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request({ hostname, port, path: '/api/v1/system/identity', headers: { Host: host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect([await asked('evil.example'), await asked(`${hostname}:${port}`)]).toEqual([421, 200]);
  });
});
