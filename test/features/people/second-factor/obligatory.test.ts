import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#runtime/config.ts';
import { type App, aControlPoint, body, type Reply, type SignedUp, startApp } from '#test/app.ts';
import { codeAt } from '#test/authenticator.ts';
import { onBothEngines } from '#test/databases.ts';
import { aSoftPasskey } from '#test/soft-passkey.ts';
import { watch } from '../../../adapters/http/watch.ts';
import { bindFarm } from '../../control/commands/a-bound-farm.ts';

// A hosted instance may ask its people for a second factor: until they have one, a sign-in reaches what sets one up.

const PASSWORD = 'camarao-123';
const ORIGIN = 'https://fazenda.example';
const PATH = '/auth/second-factor';
const SET_UP = [403, 'SECOND_FACTOR_SET_UP'];

const told = ({ status, body: said }: Reply) => [status, (said as { code?: string } | null)?.code];

/** Sets up an app, with a sign-in that reaches nothing else; answers its recovery codes. */
async function setUp(app: App, token: string): Promise<string[]> {
  const begun = await app.call('POST', PATH, { token, body: { current_password: PASSWORD } });
  expect(begun.status).toBe(201);
  const code = codeAt(String(body(begun)['secret']), app.clock.now());
  const confirmed = await app.call('POST', `${PATH}/confirm`, { token, body: { code } });
  expect(confirmed.status).toBe(200);
  return body(confirmed)['recovery_codes'] as string[];
}

onBothEngines('a hosted instance that asks OWNERs and ADMINs for a second factor', (_open, engine) => {
  let app: App;
  let owner: SignedUp;
  beforeAll(async () => {
    const asks = ['--require-second-factor', 'owners', '--public-url', ORIGIN];
    app = await startApp(engine, ['--role', 'hosted', ...asks]);
    owner = await app.signUp();
  });
  afterAll(() => app.close());

  test('no route but what sets one up is open to a sign-in before that', async () => {
    const id = '019cb0a5-0000-7000-8000-000000000000';
    const open: string[] = [];
    for (const { method, path, access } of app.routes) {
      if (access.who === 'anyone' || access.who === 'device') continue;
      const asked = await app.call(method, path.replaceAll(/\{\w+\}/g, id), {
        token: owner.token,
        ...(method === 'GET' ? {} : { body: {} }),
      });
      const [status, code] = told(asked);
      // who signed out here is nobody from then on
      if (path === '/auth/logout') owner = await signedInAgain(owner);
      if (status !== 403 || code !== 'SECOND_FACTOR_SET_UP') open.push(`${method} ${path}`);
    }
    expect(open.sort()).toEqual([
      'DELETE /auth/second-factor',
      'GET /auth/passkeys',
      'GET /auth/second-factor',
      'GET /users/me',
      'POST /auth/logout',
      'POST /auth/passkeys',
      'POST /auth/passkeys/begin',
      'POST /auth/second-factor',
      'POST /auth/second-factor/confirm',
    ]);
  });

  const signedInAgain = async (person: SignedUp): Promise<SignedUp> => {
    const sent = { email: person.user.email, password: PASSWORD };
    const entered = await app.call('POST', '/auth/login', { body: sent });
    expect(entered.status).toBe(200);
    return { ...person, token: String(body(entered)['access_token']) };
  };

  /** A farm with a motor, made by who turned the second factor off again afterwards. */
  async function aFarmOfTheCareless() {
    const person = await app.signUp();
    const { token } = person;
    const [paper] = await setUp(app, token);
    const farm = await app.call('POST', '/farms/', { token, body: { name: 'Sul' } });
    const farmId = String(body(farm)['id']);
    const point = await aControlPoint(app, { token, farmId });
    const sent = { name: 'planilha', scopes: ['read'] };
    const made = await app.call('POST', '/access-tokens', { token, body: sent });
    const off = await app.call('DELETE', PATH, { token, body: { current_password: PASSWORD, code: paper } });
    expect([made.status, off.status]).toEqual([201, 204]);
    return { person, token, farmId, point, program: String(body(made)['token']) };
  }

  test('neither the event stream nor the routes of controllers know a way around it', async () => {
    const { token, point } = await aFarmOfTheCareless();
    expect(told(await app.call('GET', '/events', { token }))).toEqual(SET_UP);
    const sent = { device_id: point.device_id, current_status: 'ON' };
    expect(told(await app.call('POST', '/devices/heartbeat', { token, body: sent }))).toEqual(SET_UP);
    const invited = { email: 'nova@casa.test', name: 'Nova', password: PASSWORD, phone_number: '+55 88 9' };
    const made = await app.call('POST', '/auth/register', { token, body: { ...invited, role: 'ADMIN' } });
    expect(made.status).toBeGreaterThanOrEqual(400);
  });

  test('a stream that was open ends with the last second factor, not with one of two, nor that of a program', async () => {
    const { token } = await app.signUp();
    const [paper] = await setUp(app, token);
    const made = await app.call('POST', '/access-tokens', {
      token,
      body: { name: 'tela', scopes: ['read'] },
    });
    const address = `${app.base}/api/v1/events`;
    const [person, program] = await Promise.all([
      watch(address, token),
      watch(address, String(body(made)['token'])),
    ]);
    await Promise.all([person.next('snapshot'), program.next('snapshot')]);
    const begun = await app.call('POST', '/auth/passkeys/begin', {
      token,
      body: { current_password: PASSWORD },
    });
    const device = aSoftPasskey(ORIGIN);
    const credential = device.create(begun.body as { challenge: string; user: { id: string } });
    const added = await app.call('POST', '/auth/passkeys', { token, body: { name: 'Celular', credential } });
    const proof = { current_password: PASSWORD, code: paper };
    expect((await app.call('DELETE', PATH, { token, body: proof })).status).toBe(204);
    expect((await app.call('POST', '/farms/', { token, body: { name: 'Leste' } })).status).toBe(201);
    await person.next('snapshot', 1);
    const asked = await app.call('POST', '/auth/passkeys/challenge', { token });
    const passkey = device.get(asked.body as { challenge: string });
    const last = await app.call('DELETE', `/auth/passkeys/${body(added)['id']}`, {
      token,
      body: { current_password: PASSWORD, passkey },
    });
    expect(last.status).toBe(204);
    expect((await person.next('closed')).data).toEqual({ reason: 'signed_out' });
    await person.end();
    expect(program.state.ended).toBe(false);
    program.close();
  });

  test('the gateway of the farm goes on, and so does a motor there', async () => {
    const { person, farmId } = await aFarmOfTheCareless();
    const stream = await bindFarm(app, farmId, person.user.id);
    const asked = { resync: null, epoch: 1, after: null, limit: 500, history_from: null };
    const told = await app.sync?.server.ask(stream, 'snapshot', asked);
    expect(told?.ok).toBe(true);
    expect(JSON.stringify(told)).toContain(farmId);
  });

  test('who sets one up goes on with the same sign-in, and the next one asks for a code', async () => {
    const person = await app.signUp();
    const { token } = person;
    expect(told(await app.call('GET', '/farms/', { token }))).toEqual(SET_UP);
    const [paper] = await setUp(app, token);
    expect((await app.call('GET', '/farms/', { token })).status).toBe(200);
    const sent = { email: person.user.email, password: PASSWORD };
    expect(told(await app.call('POST', '/auth/login', { body: sent }))).toEqual([401, 'SECOND_FACTOR']);
    const entered = await app.call('POST', '/auth/login', { body: { ...sent, second_factor: paper } });
    const again = String(body(entered)['access_token']);
    expect((await app.call('POST', '/farms/', { token: again, body: { name: 'Norte' } })).status).toBe(201);
  });

  test('a passkey is one, too', async () => {
    const { token } = await app.signUp();
    const begun = await app.call('POST', '/auth/passkeys/begin', {
      token,
      body: { current_password: PASSWORD },
    });
    const credential = aSoftPasskey(ORIGIN).create(begun.body as { challenge: string; user: { id: string } });
    const made = await app.call('POST', '/auth/passkeys', { token, body: { name: 'Celular', credential } });
    expect(made.status).toBe(201);
    expect((await app.call('GET', '/farms/', { token })).status).toBe(200);
  });

  test('one that is only begun is none', async () => {
    const { token } = await app.signUp();
    await app.call('POST', PATH, { token, body: { current_password: PASSWORD } });
    expect(told(await app.call('GET', '/farms/', { token }))).toEqual(SET_UP);
  });

  test('who turns it off again is where they began', async () => {
    const { token } = await app.signUp();
    const [paper] = await setUp(app, token);
    const off = await app.call('DELETE', PATH, { token, body: { current_password: PASSWORD, code: paper } });
    expect(off.status).toBe(204);
    expect(told(await app.call('GET', '/farms/', { token }))).toEqual(SET_UP);
  });

  test('technicians and the like are not asked', async () => {
    const { token } = await app.signUp({ role: 'TECHNICIAN' });
    expect((await app.call('GET', '/farms/', { token })).status).toBe(200);
  });

  test('a program goes on with its access token, and reaches no more than its scopes', async () => {
    const { token, farmId, program } = await aFarmOfTheCareless();
    const at = `/farms/${farmId}`;
    expect(told(await app.call('GET', at, { token }))).toEqual(SET_UP);
    expect((await app.call('GET', at, { token: program })).status).toBe(200);
    const renamed = await app.call('PUT', at, { token: program, body: { name: 'x' } });
    expect(told(renamed)).toEqual([403, 'SCOPE_MISSING']);
    const begun = await app.call('POST', PATH, { token: program, body: { current_password: PASSWORD } });
    expect(told(begun)).toEqual([403, 'LOGIN_REQUIRED']);
  });
});

describe('the setting', () => {
  test('asks nobody where nothing is said, and ADMINs alone where that is said', async () => {
    for (const [said, farms, all] of [
      [[], 200, 200],
      [['--require-second-factor', 'admins'], 200, 403],
    ] as const) {
      const app = await startApp('sqlite', ['--role', 'hosted', ...said]);
      const owner = await app.signUp();
      const admin = await app.signUp({ role: 'ADMIN' });
      expect((await app.call('GET', '/farms/', { token: owner.token })).status).toBe(farms);
      expect((await app.call('GET', '/users/all', { token: admin.token })).status).toBe(all);
      await app.close();
    }
  });

  test('is refused at a gateway, whose clock may be wrong', () => {
    const read = () => readConfig(['--require-second-factor', 'admins'], {});
    expect(read).toThrow('REQUIRE_SECOND_FACTOR is for a hosted instance');
    expect(() => readConfig(['--require-second-factor', 'yes'], {})).toThrow('must be off, admins or owners');
  });
});
