import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runAdmin } from '#cli/admin/admin.ts';
import type { Identity } from '#features/system/trust/identity.ts';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { pinsInPem } from '#sim/transport/gateway-trust.ts';
import { aSecuredGateway, getSecured, type SecuredGateway, shakeHands } from '#test/a-secured-gateway.ts';
import { until } from '#test/gateway-process.ts';
import { heldUpFromNow } from '#test/held-up.ts';

type Json = Record<string, unknown>;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** An owner, or an administrator, with a token. */
async function signIn(gateway: SecuredGateway, role: 'OWNER' | 'ADMIN' = 'OWNER'): Promise<string> {
  const login = { email: `${role.toLowerCase()}@fazenda.example`, password: 'camarao-do-norte' };
  if (role === 'ADMIN') {
    const args = [
      'create-admin',
      '--data',
      gateway.data,
      '--email',
      login.email,
      '--password',
      login.password,
    ];
    const cheap = { memoryCost: 8, timeCost: 2 };
    expect(await runAdmin(args, {}, () => undefined, { passwordCost: cheap })).toBe(0);
  } else {
    const body = JSON.stringify({ ...login, name: 'Ana' });
    await gateway.plain('/api/v1/auth/register', { method: 'POST', headers: JSON_TYPE, body });
  }
  const body = JSON.stringify(login);
  const session = await gateway.plain('/api/v1/auth/login', { method: 'POST', headers: JSON_TYPE, body });
  return (session.body as { access_token: string }).access_token;
}

function callAs(gateway: SecuredGateway, token: string) {
  return async (method: string, path: string, body?: object) => {
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${token}` };
    const said = body === undefined ? {} : { body: JSON.stringify(body) };
    return gateway.plain(`/api/v1${path}`, { method, headers, ...said });
  };
}

const identity = async (gateway: SecuredGateway) =>
  (await gateway.plain('/api/v1/system/identity')).body as Identity;
const pinOf = async (gateway: SecuredGateway) => (await identity(gateway)).authority?.spki_sha256 ?? '';
const tlsCheck = async (gateway: SecuredGateway) =>
  ((await gateway.plain('/readyz')).body as { checks: Json }).checks['tls'] as {
    ok: boolean;
    detail: string;
  };

describe('a farm whose controllers speak TLS', () => {
  let gateway: SecuredGateway;
  let call: ReturnType<typeof callAs>;
  let fleet: Fleet;
  const points: string[] = [];
  const controllers: { device_id: string; mqtt_id: string; key: string; transport: 'mqtt' | 'http' }[] = [];

  const fleetFor = (pins: readonly string[]) =>
    startFleet({
      controllers,
      httpBase: gateway.running.https ?? '',
      mqttUrl: gateway.running.mqtts ?? '',
      trust: { pins },
      seed: 7,
      speed: 10,
    });
  const connected = (of: Fleet) => of.states().filter(({ is_connected }) => is_connected).length;

  beforeAll(async () => {
    gateway = await aSecuredGateway();
    call = callAs(gateway, await signIn(gateway));
    const farm = (await call('POST', '/farms/', { name: 'Fazenda Norte' })).body as { id: string };
    for (const n of [1, 2, 3]) {
      const made = (
        await call('POST', '/control-points/', {
          farm_id: farm.id,
          cod: `CP-${n}`,
          device_id: `aer-${n}00`,
          target_status: 'OFF',
        })
      ).body as { id: string; device_id: string; mqtt_id: string };
      points.push(made.id);
      const { key } = (await call('POST', `/control-points/${made.id}/device-key`)).body as { key: string };
      controllers.push({ ...made, key, transport: n === 3 ? 'http' : 'mqtt' });
    }
    fleet = fleetFor([await pinOf(gateway)]);
    await until(
      () => connected(fleet),
      (count) => count === 3,
    );
  });
  afterAll(async () => {
    await fleet.stop();
    await gateway.close();
  });

  it('reaches them with its orders, over MQTT and over HTTP', async () => {
    for (const id of points) await call('POST', `/control-points/${id}/turn-on`);
    await until(
      () => fleet.states().filter(({ is_motor_running }) => is_motor_running).length,
      (running) => running === 3,
    );
  });

  it('is refused by a controller that pinned another gateway, before it says its key', async () => {
    await fleet.stop();
    const lost = fleetFor([Buffer.alloc(32, 7).toString('base64')]);
    const reasons: string[] = [];
    lost.listen((event) => {
      if (event.kind === 'heard' && event.message.kind === 'disconnected') reasons.push(event.message.reason);
    });
    await until(
      () => reasons.length,
      (count) => count >= 2,
    );
    expect([connected(lost), new Set(reasons)]).toEqual([
      0,
      new Set(['the certificate of the gateway is not signed by the pinned authority']),
    ]);
    await lost.stop();
    fleet = fleetFor([await pinOf(gateway)]);
    await until(
      () => connected(fleet),
      (count) => count === 3,
    );
    const metrics = String((await gateway.plain('/metrics')).body);
    expect(metrics).toMatch(/mqtt_refused_total\{reason="refused_wrong_key"\} 0/);
  });

  it('tells a controller of another farm why it stays outside', async () => {
    const port = Number(new URL(gateway.running.mqtts ?? '').port);
    const socket = await shakeHands(port, { ca: await gateway.ca() });
    const ended = once(socket, 'close');
    const heard: Buffer[] = [];
    socket.on('data', (bytes) => void heard.push(bytes));
    const login = { clientId: 'aer-900', username: 'aer-900', password: Buffer.from('k'.repeat(43)) };
    socket.write(generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, ...login }));
    await ended;
    expect(Buffer.concat(heard)).toEqual(Buffer.from([0x20, 2, 0, 5]));
  });

  it('keeps them through the renewals of three years, without a clock of their own', async () => {
    const before = await identity(gateway);
    for (let quarter = 0; quarter < 12; quarter += 1) await gateway.pass(91);
    const after = await identity(gateway);
    expect(after.authority).toEqual(before.authority);
    expect(after.certificate?.fingerprint_sha256).not.toBe(before.certificate?.fingerprint_sha256);
    await fleet.stop();
    fleet = fleetFor([before.authority?.spki_sha256 ?? '']);
    await until(
      () => connected(fleet),
      (count) => count === 3,
    );
  });
});

describe('a gateway on the farm network', () => {
  let gateway: SecuredGateway;
  beforeAll(async () => {
    gateway = await aSecuredGateway();
  });
  afterAll(() => gateway.close());

  it('says who it is, for consoles and labels', async () => {
    const told = await identity(gateway);
    const ca = await gateway.ca();
    const [pin = ''] = pinsInPem(ca);
    expect(told).toMatchObject({
      name: 'gateway-1',
      role: 'gateway',
      authority: { spki_sha256: pin, fingerprint_sha256: new X509Certificate(ca).fingerprint256 },
      next_authority: null,
      addresses: ['127.0.0.1'],
      ports: { https: gateway.https, mqtts: gateway.mqtts },
    });
    const qr = new URL(told.qr ?? '');
    expect(qr.protocol).toBe('camarao:');
    expect(Object.fromEntries(qr.searchParams)).toEqual({
      id: told.gateway_id,
      pin: Buffer.from(pin, 'base64').toString('base64url'),
      at: '127.0.0.1',
      https: String(gateway.https),
      mqtts: String(gateway.mqtts),
      http: new URL(gateway.running.http).port,
    });
  });

  it('gives its authority to phones as they take it', async () => {
    const answer = await fetch(`${gateway.running.http}/ca.crt`);
    expect(answer.headers.get('content-type')).toContain('application/x-x509-ca-cert');
    const certificate = new X509Certificate(Buffer.from(await answer.arrayBuffer()));
    expect(certificate.fingerprint256).toBe(new X509Certificate(await gateway.ca()).fingerprint256);
  });

  it('serves the whole interface within TLS, by name and by address, to who trusts its authority', async () => {
    const ca = await gateway.ca();
    const byAddress = await getSecured(gateway.https, '/healthz', { ca });
    expect(byAddress.status).toBe(200);
    const own = `camarao-${(await identity(gateway)).gateway_id.slice(-8)}.local`;
    for (const servername of ['gateway-1.local', 'camarao.local', own])
      expect((await getSecured(gateway.https, '/healthz', { ca, servername })).status).toBe(200);
    await expect(getSecured(gateway.https, '/healthz', {})).rejects.toThrow(/self.signed|unable to verify/);
    await expect(getSecured(gateway.https, '/healthz', { ca, servername: 'other.example' })).rejects.toThrow(
      /altnames/,
    );
  });

  it.each([
    ['1.2', { maxVersion: 'TLSv1.2' as const }],
    ['1.3', { minVersion: 'TLSv1.3' as const }],
  ])('lets clients of TLS %s resume, also after it was stopped and started', async (_version, versions) => {
    const box = await aSecuredGateway();
    const ca = await box.ca();
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    const first = await shakeHands(box.mqtts, { ca, ...versions }, resolve);
    const session = await promise;
    first.destroy();
    await box.close({ keepData: true });
    const again = await aSecuredGateway({ data: box.data });
    onTestFinished(() => again.close());
    const second = await shakeHands(again.mqtts, { ca, session, ...versions });
    expect(second.isSessionReused()).toBe(true);
    second.destroy();
  });

  it.each([
    [
      'a version without forward secrecy',
      { maxVersion: 'TLSv1.2' as const, ciphers: 'AES128-SHA:AES256-SHA' },
    ],
    [
      'an old version',
      { minVersion: 'TLSv1' as const, maxVersion: 'TLSv1.1' as const, ciphers: 'ALL@SECLEVEL=0' },
    ],
  ])('refuses %s', async (_what, options) => {
    await expect(shakeHands(gateway.https, { ca: await gateway.ca(), ...options })).rejects.toThrow();
  });

  it('has another certificate for a new address from the next connection on', async () => {
    const ca = await gateway.ca();
    const stays = await shakeHands(gateway.https, { ca });
    gateway.world.addresses = ['127.0.0.1', '10.99.0.1'];
    await gateway.look();
    for (const port of [gateway.https, gateway.mqtts]) {
      const next = await shakeHands(port, { ca, host: '127.0.0.1', servername: '' });
      expect(new X509Certificate(next.getPeerCertificate().raw).checkIP('10.99.0.1')).toBe('10.99.0.1');
      next.destroy();
    }
    expect(stays.destroyed).toBe(false);
    stays.destroy();
  });

  it('serves the plain ports and others while strangers flood it with handshakes', async () => {
    const ca = await gateway.ca();
    const strangers = Array.from({ length: 700 }, (_each, n) => {
      const socket = connectPlain({ port: gateway.https, host: '127.0.0.1', localAddress: '127.0.0.9' });
      socket.on('error', () => undefined);
      // a third says nothing, a third begins and stops, a third talks nonsense
      if (n % 3 === 1) socket.write(Buffer.from('1603010100010000fc0303', 'hex'));
      if (n % 3 === 2) socket.write('GET / HTTP/1.0\r\n\r\n');
      return socket;
    });
    onTestFinished(() => {
      for (const socket of strangers) socket.destroy();
    });
    const [startedAt, heldUp] = [performance.now(), heldUpFromNow()];
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => getSecured(gateway.https, '/healthz', { ca })),
      ...Array.from({ length: 20 }, () => gateway.plain('/healthz')),
    ]);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(performance.now() - startedAt - heldUp()).toBeLessThan(5_000);
    const metrics = String((await gateway.plain('/metrics')).body);
    expect(metrics).toMatch(/http_refused_total\{status="tls_/);
  });

  it('tells its certificate in what watches over it', async () => {
    expect(await tlsCheck(gateway)).toMatchObject({ ok: true });
    expect(String((await gateway.plain('/metrics')).body)).toMatch(/tls_certificate_days_left 39\d/);
  });
});

describe('an administrator who rotates the authority', () => {
  it('has both served in the bundle, then both let through, then the new one alone', async () => {
    const gateway = await aSecuredGateway();
    onTestFinished(() => gateway.close());
    const call = callAs(gateway, await signIn(gateway, 'ADMIN'));
    const old = await gateway.ca();
    expect(await call('PUT', '/system/authority/rotation', {})).toMatchObject({
      status: 200,
      body: { phase: 'announced', trouble: null },
    });
    const both = await gateway.ca();
    expect(both.startsWith(old)).toBe(true);
    const next = both.slice(old.length);
    const isServed = (ca: string) =>
      getSecured(gateway.https, '/healthz', { ca }).then(
        () => true,
        () => false,
      );
    expect([await isServed(old), await isServed(next)]).toEqual([true, false]);
    expect((await identity(gateway)).next_authority).toMatchObject({ spki_sha256: pinsInPem(next)[0] });

    const today = new Date().toISOString();
    const body = { cross_over_at: today, retire_at: new Date(Date.now() + 86_400_000).toISOString() };
    expect(await call('PUT', '/system/authority/rotation', body)).toMatchObject({
      status: 200,
      body: { phase: 'overlap' },
    });
    expect([await isServed(old), await isServed(next)]).toEqual([true, true]);
    expect(await call('DELETE', '/system/authority/rotation')).toMatchObject({
      status: 409,
      body: { code: 'NO_ROTATION' },
    });
    expect(await call('PUT', '/system/authority/rotation', {})).toMatchObject({
      status: 409,
      body: { code: 'AUTHORITY_OVERLAP' },
    });
    await gateway.pass(2);
    expect([await isServed(old), await isServed(next), await gateway.ca()]).toEqual([false, true, next]);
  });

  it('does the same from the command line, and the running gateway follows', async () => {
    const gateway = await aSecuredGateway();
    onTestFinished(() => gateway.close());
    const lines: string[] = [];
    const admin = (...args: string[]) =>
      runAdmin([...args, '--data', gateway.data], {}, (line) => void lines.push(line));
    const now = new Date().toISOString();
    expect(await admin('rotate-authority', '--cross-over-at', now)).toBe(0);
    await gateway.look();
    const told = await identity(gateway);
    expect(lines.join('\n')).toContain(told.authority?.fingerprint_sha256 ?? 'none');
    expect(told.former_authority).not.toBeNull();
    expect(await admin('rotate-authority', '--retire-at', 'soon')).toBe(2);
    expect(await admin('new-authority')).toBe(2);
    expect(await admin('new-authority', '--force')).toBe(0);
    await gateway.look();
    const renewed = await identity(gateway);
    expect(renewed.authority).not.toEqual(told.authority);
    expect((await getSecured(gateway.https, '/healthz', { ca: await gateway.ca() })).status).toBe(200);
  });
});

describe('plain control comes first', () => {
  it('when a secured port is taken: it is told, and opened as soon as it is free', async () => {
    const taker = createServer().listen(0, '127.0.0.1');
    await once(taker, 'listening');
    const { port } = taker.address() as AddressInfo;
    const gateway = await aSecuredGateway({ args: ['--https-port', String(port)] });
    onTestFinished(() => gateway.close());
    expect([gateway.running.https, (await gateway.plain('/readyz')).status]).toEqual([null, 200]);
    expect(await tlsCheck(gateway)).toMatchObject({ ok: false, detail: expect.stringContaining('https') });
    taker.close();
    await once(taker, 'close');
    await gateway.look();
    expect((await getSecured(port, '/healthz', { ca: await gateway.ca() })).status).toBe(200);
    expect(await tlsCheck(gateway)).toMatchObject({ ok: true });
  });

  it('when the authority is damaged: it serves on, says so and makes no other', async () => {
    const before = await aSecuredGateway();
    const ca = await before.ca();
    await before.close({ keepData: true });
    for (const name of ['authority.json', 'authority.spare.json'])
      writeFileSync(join(before.data, 'tls', name), 'not what it was');
    const gateway = await aSecuredGateway({ data: before.data });
    onTestFinished(() => gateway.close());
    expect((await gateway.plain('/readyz')).status).toBe(200);
    expect(await tlsCheck(gateway)).toMatchObject({ ok: false, detail: expect.stringContaining('damaged') });
    expect((await getSecured(gateway.https, '/healthz', { ca })).status).toBe(200);
    expect(await gateway.ca()).toBe(ca);
    const call = callAs(gateway, await signIn(gateway));
    await call('POST', '/farms/', { name: 'Norte' });
    await gateway.look();
    const events = async () =>
      (
        (await call('GET', '/notifications/')).body as { notifications: { data: { event: string } }[] }
      ).notifications.map(({ data }) => data.event);
    const told = await until(events, (found) => found.includes('authority_damaged'));
    await gateway.look();
    expect((await events()).toSorted()).toEqual(told.toSorted());
  });

  it('when nothing of it can be stored', async () => {
    const data = mkdtempSync(join(tmpdir(), 'secured-'));
    writeFileSync(join(data, 'tls'), 'a file where the folder should be');
    const gateway = await aSecuredGateway({ data });
    onTestFinished(() => gateway.close());
    expect([(await gateway.plain('/readyz')).status, gateway.running.https]).toEqual([200, null]);
    expect((await gateway.plain('/ca.pem')).status).toBe(404);
    rmSync(join(data, 'tls'));
    await gateway.look();
    expect((await gateway.plain('/ca.pem')).status).toBe(200);
  });

  it('and with the secured ports off there is no authority', async () => {
    const gateway = await aSecuredGateway({ args: ['--https-port', 'off', '--mqtts-port', 'off'] });
    onTestFinished(() => gateway.close());
    expect(await identity(gateway)).toMatchObject({
      authority: null,
      qr: null,
      ports: { https: null, mqtts: null },
    });
  });

  it('a stop does not wait for those who never finish their handshake', async () => {
    const gateway = await aSecuredGateway();
    const silent = [gateway.https, gateway.mqtts].map((port) => connectPlain({ port, host: '127.0.0.1' }));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    for (const socket of silent) socket.on('error', () => undefined);
    const [startedAt, heldUp] = [performance.now(), heldUpFromNow()];
    await gateway.close();
    expect(performance.now() - startedAt - heldUp()).toBeLessThan(3_000);
  });
});
