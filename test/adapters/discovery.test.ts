import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { announce, announceService, answerTo } from '#adapters/discovery/name-service.ts';
import { isPrivateAddress } from '#adapters/http/client-address.ts';
import { type Beacon, beacon, DISCOVERY_PORT, DISCOVERY_QUESTION, SERVICE } from '#contract/discovery.ts';
import { startApp } from '#test/app.ts';
import { findGateways } from '../../desktop/main/find-gateways.ts';

const silent = () => undefined;
/** Waits until the network has carried it. */
const soon = (check: () => void) => vi.waitFor(check, { interval: 5, timeout: 60_000 });
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

/** What comes back for a datagram; null: nothing within that time. */
function ask(port: number, question: string, withinMs = 30_000): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const end = (answer: string | null) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => end(null), withinMs);
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
    // a machine that is busy elsewhere may hear nothing in the time a person waits, who then looks again
    await expect
      .poll(() => findGateways(port), { timeout: 60_000 })
      .toContainEqual({
        id: 'g-1',
        name: 'Norte',
        software: '0.1.0',
        pin: 'cGlu',
        url: expect.stringMatching(/^https:\/\/[\d.]+:8443\/$/) as string,
      });
  });

  it('answers the question alone, whatever else is sent', async () => {
    expect(await ask(port, DISCOVERY_QUESTION)).toContain('Norte');
    expect(await ask(port, `${DISCOVERY_QUESTION} and more`, 500)).toBeNull();
    expect(await ask(port, 'x'.repeat(2_000), 500)).toBeNull();
  });

  it('answers fifty times a second and no more', async () => {
    const world = { ms: 0, asked: 0, name: 'Norte' };
    const busy = await announce({
      log,
      beacon: () => ({ ...norte, name: world.name }),
      port: 0,
      isPrivateAddress: (address) => (world.asked += 1) > 0 && isPrivateAddress(address),
      networks: () => [],
      monotonic: () => world.ms,
    });
    onTestFinished(async () => busy?.close());
    const socket = createSocket('udp4');
    onTestFinished(() => void socket.close());
    const names: string[] = [];
    socket.on('message', (message) => names.push(beacon.parse(JSON.parse(message.toString())).name));
    const say = () => socket.send(DISCOVERY_QUESTION, busy?.port ?? 0, '127.0.0.1');
    for (let n = 0; n < 120; n += 1) say();
    await soon(() => expect(world.asked).toBe(120));
    // the answer of the next second comes behind all of the one before
    Object.assign(world, { ms: 1_000, name: 'Sul' });
    say();
    await soon(() => expect(names).toContain('Sul'));
    expect(names).toEqual([...Array(50).fill('Norte'), 'Sul']);
  });
});

describe('who only listens', () => {
  it('hears the gateway by itself, again and again', async () => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    const heard: Beacon[] = [];
    const twice = new Promise<void>((resolve) => {
      socket.on('message', (message) => {
        // what others on this machine ask and say comes here, too
        if (!message.toString().startsWith('{')) return;
        const told = beacon.safeParse(JSON.parse(message.toString()));
        if (told.success && told.data.id === norte.id) heard.push(told.data);
        if (heard.length === 2) resolve();
      });
    });
    await new Promise<void>((resolve) => socket.bind(DISCOVERY_PORT, () => resolve()));
    const networks = () => [{ address: '127.0.0.1', netmask: '255.0.0.0', broadcast: '127.255.255.255' }];
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

describe('the name service in the networks of the box', () => {
  // the whole of 127/8 is this machine: two addresses of it stand for two networks
  const FARM = { address: '127.1.0.1', netmask: '255.255.0.0', broadcast: '127.1.255.255' };
  const OFFICE = { address: '127.2.0.1', netmask: '255.255.0.0', broadcast: '127.2.255.255' };

  /** A neighbour that hears what is said to all, and asks from its own address, with bytes of its own making. */
  async function aNeighbour(port: number) {
    const heard: { from: string; addresses: string[]; ttl: number }[] = [];
    const ears = createSocket({ type: 'udp4', reuseAddr: true });
    onTestFinished(() => void ears.close());
    ears.on('message', (message, { address }) => {
      const told = addressesIn(message, 'camarao.local');
      if (told.addresses.length > 0) heard.push({ from: address, ...told });
    });
    await new Promise<void>((resolve) => ears.bind(port, '0.0.0.0', resolve));
    ears.addMembership('224.0.0.251', '127.0.0.1');
    return {
      heard,
      async ask(from: string): Promise<void> {
        const mouth = createSocket('udp4');
        onTestFinished(() => void mouth.close());
        await new Promise<void>((resolve) => mouth.bind(0, from, resolve));
        mouth.setMulticastInterface(from);
        mouth.send(QUESTION, port, '224.0.0.251');
      },
    };
  }

  async function aPort(): Promise<number> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, resolve));
    const { port } = socket.address();
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    return port;
  }

  const heardOf = (address: string, ttl = 120) => ({ from: address, addresses: [address], ttl });

  it('is found in each by the address it has there, asked from there', async () => {
    const port = await aPort();
    const { heard, ask } = await aNeighbour(port);
    const names = announceService({ log, beacon: () => norte, networks: () => [FARM, OFFICE], port });
    onTestFinished(() => names.close());
    // at once and unasked
    await soon(() => expect(heard).toHaveLength(2));
    expect(heard).toEqual(expect.arrayContaining([heardOf(FARM.address), heardOf(OFFICE.address)]));
    heard.length = 0;
    // a question from neither is not answered
    await ask('127.3.0.9');
    await ask('127.2.0.9');
    await soon(() => expect(heard).toHaveLength(1));
    await ask('127.1.0.9');
    await soon(() => expect(heard).toHaveLength(2));
    expect(heard).toEqual([heardOf(OFFICE.address), heardOf(FARM.address)]);
  });

  it('is heard in a network that comes later, and takes its name back at its end', async () => {
    const port = await aPort();
    const { heard, ask } = await aNeighbour(port);
    let networks = [FARM];
    const names = announceService({
      log,
      beacon: () => norte,
      networks: () => networks,
      port,
      looksEveryMs: 5,
    });
    await soon(() => expect(heard).toEqual([heardOf(FARM.address)]));
    networks = [OFFICE];
    await soon(() => expect(heard).toHaveLength(3));
    expect(heard.slice(1)).toEqual(
      expect.arrayContaining([heardOf(FARM.address, 0), heardOf(OFFICE.address)]),
    );
    heard.length = 0;
    await ask('127.1.0.9');
    await ask('127.2.0.9');
    await soon(() => expect(heard).toEqual([heardOf(OFFICE.address)]));
    await names.close();
    await soon(() => expect(heard.at(-1)).toEqual(heardOf(OFFICE.address, 0)));
  });
});

/** `camarao.local`, type A, class IN (RFC 1035, 4.1), written down byte by byte. */
const QUESTION = Buffer.concat([
  Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  Buffer.from([7, ...Buffer.from('camarao'), 5, ...Buffer.from('local'), 0]),
  Buffer.from([0, 1, 0, 1]),
]);

/** The addresses of a name in a response, read by the book; none for a question. */
function addressesIn(message: Buffer, wanted: string): { addresses: string[]; ttl: number } {
  const isResponse = ((message[2] ?? 0) & 0x80) !== 0;
  let at = 12;
  const count = (offset: number) => message.readUInt16BE(offset);
  const nameAt = (offset: number): { name: string; end: number } => {
    const length = message[offset] ?? 0;
    if (length === 0) return { name: '', end: offset + 1 };
    if (length >= 0xc0) return { name: nameAt(count(offset) & 0x3fff).name, end: offset + 2 };
    const rest = nameAt(offset + 1 + length);
    const label = message.toString('utf8', offset + 1, offset + 1 + length);
    return { name: rest.name === '' ? label : `${label}.${rest.name}`, end: rest.end };
  };
  for (let questions = count(4); questions > 0; questions -= 1) at = nameAt(at).end + 4;
  const addresses: string[] = [];
  let ttl = -1;
  for (let records = count(6) + count(8) + count(10); isResponse && records > 0; records -= 1) {
    const { name, end } = nameAt(at);
    const length = count(end + 8);
    if (name === wanted && count(end) === 1) {
      addresses.push([...message.subarray(end + 10, end + 10 + length)].join('.'));
      ttl = message.readUInt32BE(end + 4);
    }
    at = end + 10 + length;
  }
  return { addresses, ttl };
}

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
