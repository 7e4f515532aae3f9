import { generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKeyPair, signText } from '#adapters/sync/ed25519.ts';
import { TOKEN_SCOPES } from '#contract/resources/access-tokens.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { update } from '#core/changes.ts';
import type { Route } from '#core/route.ts';
import { scopeFor } from '#core/token-scope.ts';
import { apiDocument } from '#test/api-document.ts';
import { type App, aControlPoint, body, type SignedUp, startApp } from '#test/app.ts';
import { type Engine, onBothEngines } from '#test/databases.ts';
import { aFarm, deviceIdOf } from '#test/farm-rows.ts';
import { aProgram } from '#test/programs.ts';
import { type ApiDocument, type Names, sampleRequest } from '#test/sample-request.ts';
import { aPartOf } from '#test/turn.ts';
import { bindFarm } from './features/control/commands/a-bound-farm.ts';

// Every route against what somebody may show who is not signed in as a person, or as less than one. Who is signed in:
// permissions.test.ts. Ids of others: permissions-ids.test.ts.

onBothEngines('what is no login of a person opens no route', (_open, engine) => opensNothing(engine));
describe('what is no login of a person opens no route of a hosted instance', () => {
  opensNothing('sqlite', ['--role', 'hosted', '--rate-limits', '0']);
});

function opensNothing(engine: Engine, args: readonly string[] = []): void {
  const isHosted = args.includes('hosted');
  let app: App;
  let document: ApiDocument;
  let owner: SignedUp;
  let names: Names;
  beforeAll(async () => {
    app = await startApp(engine, args);
    document = apiDocument(app.routes);
    owner = await app.signUp();
    const ids = await aFarm(app.kernel, owner.user.id);
    names = { ...ids, user: owner.user.id, device: deviceIdOf(ids.control_point) };
  });
  afterAll(() => app.close());

  const ofPeople = () =>
    app.routes.filter(({ access }) => access.who !== 'anyone' && access.who !== 'device');
  async function ask(route: Route, token: string) {
    const { path, body: sent } = sampleRequest(document, route, names);
    return app.call(route.method, path, { token, ...(sent === undefined ? {} : { body: sent }) });
  }
  async function closedTo(token: string) {
    const open: string[] = [];
    // of a gateway on SQLite each route every time, of the others in turn
    const isFirst = engine === 'sqlite' && !isHosted;
    for (const route of isFirst ? ofPeople() : aPartOf(ofPeople(), 3, isHosted ? 1 : 2)) {
      const { status } = await ask(route, token);
      if (status !== 401) open.push(`${route.method} ${route.path}: ${status}`);
    }
    expect(open).toEqual([]);
  }

  /** Signed in as a gateway, by its key. */
  async function aGatewaySession(): Promise<string> {
    const { gatewayId } = await bindFarm(app, names.farm, owner.user.id);
    const key = newKeyPair();
    await app.kernel.commit({
      actor: null,
      changes: [update(pairedGateway, gatewayId, { public_key: key.public_key })],
    });
    const say = async (path: string, sent: unknown) => {
      const reply = await fetch(`${app.base}/sync/v1/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(sent),
      });
      return (await reply.json()) as Record<string, unknown>;
    };
    const nonce = String((await say('session/nonce', { gateway_id: gatewayId }))['nonce']);
    const more = { run: 'run-of-the-test', software: '1', schema: 1, hardware: '' };
    const signature = signText(key, `session:${nonce}`);
    const { token } = await say('session', { gateway_id: gatewayId, nonce, signature, ...more });
    expect(token).toEqual(expect.any(String));
    return String(token);
  }

  test('nonsense, and tokens that somebody made up', async () => {
    const claims = { sub: owner.user.id, user_id: owner.user.id, role: 'ADMIN' };
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${owner.token.split('.')[1]}.`;
    const [head, , signature] = owner.token.split('.');
    const swapped = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
    const made = [
      jwt.sign(claims, 'secret'),
      jwt.sign(claims, rsa, { algorithm: 'RS256' }),
      unsigned,
      swapped,
    ];
    for (const token of ['x', `sfat_${'a'.repeat(49)}`, ...made]) await closedTo(token);
  });

  test('the key of a controller', async () => {
    const { id } = await aControlPoint(app, { token: owner.token, farmId: names.farm });
    const issued = await app.call('POST', `/control-points/${id}/device-key`, { token: owner.token });
    expect(issued.status).toBeLessThan(300);
    await closedTo(String(body(issued)['key']));
  });

  test('of a controller whose key is used: none, nonsense, a stranger’s login, another’s key', async () => {
    const at = { token: owner.token, farmId: names.farm };
    const [own, other] = [await aControlPoint(app, at), await aControlPoint(app, at)];
    const keyOf = async ({ id }: { id: string }) =>
      String(body(await app.call('POST', `/control-points/${id}/device-key`, { token: owner.token }))['key']);
    const [key, foreign] = [await keyOf(own), await keyOf(other)];
    const ofDevices = app.routes.filter(({ access }) => access.who === 'device');
    expect(ofDevices.length).toBeGreaterThan(4);
    const named = { ...names, control_point: own.id, device: own.device_id };
    const heartbeat = { device_id: own.device_id, current_status: 'OFF' };
    const say = (route: Route, token?: string) => {
      const { path, body: drawn } = sampleRequest(document, route, named);
      const sent = route.path.endsWith('/heartbeat') ? heartbeat : drawn;
      const given = token === undefined ? {} : { token };
      return app.call(route.method, path, { ...given, ...(sent === undefined ? {} : { body: sent }) });
    };
    // it counts from its first use on
    const used = await app.call('POST', '/devices/heartbeat', { token: key, body: heartbeat });
    expect(used.status).toBe(200);
    const stranger = await app.signUp();
    const callers = [undefined, 'x', stranger.token, foreign, ...(isHosted ? [await aGatewaySession()] : [])];
    const open: string[] = [];
    for (const route of ofDevices)
      for (const [n, token] of callers.entries()) {
        const { status } = await say(route, token);
        if (status !== 401 && status !== 403 && status !== 404)
          open.push(`${route.method} ${route.path} to ${n}: ${status}`);
      }
    expect(open).toEqual([]);
  });

  test.runIf(isHosted)('no login of a person, program or controller is a session of a gateway', async () => {
    const { id } = await aControlPoint(app, { token: owner.token, farmId: names.farm });
    const issued = await app.call('POST', `/control-points/${id}/device-key`, { token: owner.token });
    const admin = await app.signUp({ role: 'ADMIN' });
    const { token: program } = await aProgram(app, owner, TOKEN_SCOPES);
    const open: string[] = [];
    for (const path of OF_GATEWAYS)
      for (const token of ['x', owner.token, admin.token, program, String(body(issued)['key'])]) {
        const { status } = await fetch(`${app.base}/sync/v1/${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: '{}',
        });
        if (status !== 401) open.push(`${path}: ${status}`);
      }
    expect(open).toEqual([]);
  });

  test.runIf(isHosted)('the session of a gateway', async () => closedTo(await aGatewaySession()));

  test('a narrow access token, beyond its scope', async () => {
    const open: string[] = [];
    const refusals = { tried: 0, unsafe: 0 };
    for (const scope of TOKEN_SCOPES) {
      const { token } = await aProgram(app, owner, [scope]);
      for (const route of ofPeople()) {
        const needed = scopeFor(route);
        if (needed === scope) continue;
        const reply = await ask(route, token);
        refusals.tried += 1;
        if (route.method !== 'GET') refusals.unsafe += 1;
        const { code } = body(reply) as { code?: string };
        const isRefused = reply.status === 403 && (code === 'SCOPE_MISSING' || code === 'LOGIN_REQUIRED');
        if (!isRefused) open.push(`${scope}: ${route.method} ${route.path}: ${reply.status} ${code ?? ''}`);
      }
    }
    expect(open).toEqual([]);
    expect(refusals.unsafe).toBeGreaterThan(200);
    // a token that only reads changes nothing, whatever a route says of itself
    const changing = app.routes.filter((route) => route.method !== 'GET' && scopeFor(route) === 'read');
    expect(changing.map(({ method, path }) => `${method} ${path}`)).toEqual(READS_BY_POST);
  });

  test('a login that is over, and one that was ended', async () => {
    const again = { email: owner.user.email, password: 'camarao-123' };
    const login = async () =>
      String(body(await app.call('POST', '/auth/login', { body: again }))['access_token']);
    const ended = await login();
    expect((await app.call('POST', '/auth/logout', { token: ended })).status).toBeLessThan(300);
    await closedTo(ended);
    const old = await login();
    app.clock.advance(400 * 86_400_000);
    await closedTo(old);
    // and that which is remembered for long
    await closedTo(owner.token);
  });
}

/** Questions that need a body. */
const READS_BY_POST: readonly string[] = ['POST /events/ticket'];

/** What a gateway asks once it is signed in. */
const OF_GATEWAYS: readonly string[] = ['hello', 'push', 'pull', 'snapshot', 'digest', 'repair'];
