import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announce } from '#adapters/discovery/announce.ts';
import { answerTo } from '#adapters/discovery/name-service.ts';
import { isPrivateAddress } from '#adapters/http/private-address.ts';
import { type Beacon, beacon, DISCOVERY_PORT, DISCOVERY_QUESTION, SERVICE } from '#contract/discovery.ts';
import { startApp } from '#test/app.ts';
import { findGateways } from '../../desktop/main/find-gateways.ts';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const norte: Beacon = {
  id: 'g-1',
  name: 'Norte',
  software: '0.1.0',
  http_port: 8080,
  https_port: 8443,
  pin: 'cGlu',
  mqtt_port: 1883,
  mqtts_port: 8883,
};

/** What comes back for a datagram, or null within half a second. */
function ask(port: number, question: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const end = (answer: string | null) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => end(null), 500);
    socket.on('message', (message) => end(message.toString()));
    socket.send(question, port, '127.0.0.1');
  });
}

describe('a gateway on the farm’s network', () => {
  let announcer: Awaited<ReturnType<typeof announce>>;
  let port = 0;
  beforeAll(async () => {
    announcer = await announce({ log, beacon: () => norte, port: 0, isPrivateAddress });
    port = announcer?.port ?? 0;
  });
  afterAll(() => announcer?.close());

  it('is found by the operator’s PC, with the address it was reached at and the key to pin', async () => {
    const found = await findGateways(port);
    expect(found).toContainEqual({
      id: 'g-1',
      name: 'Norte',
      software: '0.1.0',
      pin: 'cGlu',
      url: expect.stringMatching(/^https:\/\/[\d.]+:8443\/$/) as string,
    });
  });

  it('answers the question alone, whatever else is sent', async () => {
    expect(await ask(port, DISCOVERY_QUESTION)).toContain('Norte');
    expect(await ask(port, `${DISCOVERY_QUESTION} and more`)).toBeNull();
    expect(await ask(port, 'x'.repeat(2_000))).toBeNull();
  });

  it('answers at most fifty times a second', async () => {
    const answers = await Promise.all(Array.from({ length: 120 }, () => ask(port, DISCOVERY_QUESTION)));
    const answered = answers.filter((answer) => answer !== null).length;
    expect(answered).toBeGreaterThan(0);
    // the burst may fall into two seconds
    expect(answered).toBeLessThanOrEqual(100);
  });
});

describe('who only listens', () => {
  it('hears the gateway by itself, again and again', async () => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    const heard: Beacon[] = [];
    const twice = new Promise<void>((resolve) => {
      socket.on('message', (message) => {
        const told = beacon.safeParse(JSON.parse(message.toString()));
        if (told.success && told.data.id === norte.id) heard.push(told.data);
        if (heard.length === 2) resolve();
      });
    });
    await new Promise<void>((resolve) => socket.bind(DISCOVERY_PORT, () => resolve()));
    const networks = () => [{ address: '127.0.0.1', broadcast: '127.255.255.255' }];
    const announcer = await announce({
      log,
      beacon: () => norte,
      port: 0,
      isPrivateAddress,
      networks,
      saysEveryMs: 20,
    });
    await twice;
    expect(heard).toEqual([norte, norte]);
    await announcer?.close();
    socket.close();
  });
});

describe('the name service', () => {
  const facts = { beacon: { ...norte, id: '0197-ABCD-12345678' }, addresses: ['10.0.0.5'] };
  const host = 'camarao-12345678.local';

  it('leads from the service to host, port, pin and address', () => {
    const response = answerTo([SERVICE], facts);
    const told = [...(response?.answers ?? []), ...(response?.additionals ?? [])];
    expect(told.map(({ name, type }) => `${type} ${name}`)).toEqual([
      `PTR ${SERVICE}`,
      `SRV Norte.${SERVICE}`,
      `TXT Norte.${SERVICE}`,
      `A ${host}`,
      'A camarao.local',
    ]);
    expect(told[1]).toMatchObject({ data: { port: 8080, target: host } });
    expect(told[2]).toMatchObject({ data: ['id=0197-ABCD-12345678', 'https=8443', 'pin=cGlu'] });
  });
  it.each([
    ['camarao.local', 'A'],
    [host, 'A'],
    [`norte.${SERVICE}`, 'SRV'],
    ['_services._dns-sd._udp.local', 'PTR'],
  ])('answers to %s', (name, type) => {
    expect(answerTo([name], facts)?.answers?.[0]).toMatchObject({ type });
  });
  it('is silent about what is not its own', () => {
    expect(answerTo(['printer.local', '_ipp._tcp.local'], facts)).toBeNull();
  });
});

describe('the label of the box', () => {
  it('shows address and identity as a QR code', async () => {
    const app = await startApp();
    const { status, body, headers } = await app.call('GET', '/system/identity/qr');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(body).toMatch(/^<svg [^>]*viewBox/);
    await app.close();
    const hosted = await startApp('sqlite', ['--role', 'hosted']);
    expect((await hosted.call('GET', '/system/identity/qr')).status).toBe(404);
    await hosted.close();
  });
});
