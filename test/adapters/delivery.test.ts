import type { lookup } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addressPolicy } from '#adapters/delivery/address-policy.ts';
import { channelSecrets } from '#adapters/delivery/channel-secrets.ts';
import { readRetryAfter, safePoster } from '#adapters/delivery/post-safely.ts';

/** Names as this table says, whatever the network says. */
function namesOf(addresses: Readonly<Record<string, string[]>>): typeof lookup {
  const resolve = (
    name: string,
    _options: unknown,
    answer: (error: Error | null, found: { address: string; family: number }[]) => void,
  ) => {
    const found = addresses[name];
    if (found === undefined) answer(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
    else
      answer(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
  // only the form with options and all addresses is used
  return resolve as unknown as typeof lookup;
}

describe('a hosted instance', () => {
  const policy = addressPolicy('hosted');

  test.each([
    'http://example.com/hook',
    'ftp://example.com',
    'https://127.0.0.1/hook',
    'https://127.1/hook',
    'https://2130706433/hook',
    'https://0x7f.0.0.1/hook',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:a00:1::]/',
    'https://user:word@example.com/',
    'nonsense',
    '',
  ])('does not take %s', (url) => {
    expect(policy.refusalOf(url)).toMatch(/\w/);
  });

  test.each([
    'https://example.com/hook',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://example.com:8443/x?y=z',
  ])('takes %s', (url) => {
    expect(policy.refusalOf(url)).toBeNull();
  });

  it.each([
    ['the box itself', ['127.0.0.1']],
    ['a private network', ['10.0.0.8']],
    ['the network of the cloud', ['169.254.169.254']],
    ['a private address behind a public one', ['93.184.216.34', '192.168.0.10']],
    ['a private address in other clothes', ['::ffff:192.168.0.10']],
  ])('calls no name that leads to %s', async (_what, addresses) => {
    const poster = safePoster({
      policy: addressPolicy('hosted', [], namesOf({ 'hook.test': addresses })),
    });
    const result = await poster.post({ url: 'https://hook.test/x', headers: {}, body: Buffer.from('{}') });
    expect(result).toEqual({
      failure: { is: 'refused', why: expect.stringMatching(/private or reserved network/) as unknown },
    });
    poster.close();
  });
});

const INSIDE = [
  { address: '192.168.1.20', bits: 32, family: 'ipv4' },
  { address: '10.0.0.0', bits: 8, family: 'ipv4' },
] as const;
/** Where the servers of these tests are. */
const THIS_MACHINE = [{ address: '127.0.0.1', bits: 32, family: 'ipv4' }] as const;

describe('a gateway whose owner named nothing inside the farm', () => {
  const policy = addressPolicy('gateway');

  test.each([
    'http://192.168.1.20:8123/api/webhook',
    'https://192.168.1.20/',
    'http://127.0.0.1:1880/x',
    'https://127.0.0.1:8443/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://100.64.0.1/',
    'https://[fd00::1]/',
  ])('does not take %s', (url) => {
    expect(policy.refusalOf(url)).toMatch(/--outbound-networks/);
  });
  test.each(['https://example.com/hook', 'https://8.8.8.8/'])('takes %s', (url) => {
    expect(policy.refusalOf(url)).toBeNull();
  });
});

describe('a gateway', () => {
  const policy = addressPolicy('gateway', INSIDE);

  test.each([
    'http://192.168.1.20:8123/api/webhook',
    'https://10.0.0.5/',
    'https://example.com/hook',
    'http://ha.local/x',
  ])('takes %s', (url) => {
    expect(policy.refusalOf(url)).toBeNull();
  });
  test.each([
    'http://8.8.8.8/',
    'http://192.168.1.21/',
    'https://127.0.0.1/',
    'file:///etc/passwd',
    'http://a:b@192.168.1.20/',
    'http://169.254.169.254/latest/meta-data',
    'https://169.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://2852039166/',
    'http://[fe80::1]/',
    'http://0.0.0.0:8080/',
    'https://[::]/',
  ])('does not take %s', (url) => {
    expect(policy.refusalOf(url)).toMatch(/\w/);
  });

  it.each([
    ['169.254.169.254'],
    ['127.0.0.1'],
    ['10.0.0.5', '192.168.1.21'],
    ['192.168.1.20', '::ffff:169.254.169.254'],
    ['0.0.0.0'],
    ['fe80::1'],
  ])('calls no name that leads to %s', async (...addresses) => {
    const poster = safePoster({
      policy: addressPolicy('gateway', INSIDE, namesOf({ 'turned.test': addresses })),
    });
    const result = await poster.post({ url: 'http://turned.test/', headers: {}, body: Buffer.from('') });
    expect(result).toMatchObject({ failure: { is: 'refused' } });
    poster.close();
  });

  it('speaks in the clear to no public address that a name leads to', async () => {
    const names = namesOf({ 'public.test': ['93.184.216.34'] });
    const poster = safePoster({ policy: addressPolicy('gateway', INSIDE, names) });
    const result = await poster.post({ url: 'http://public.test/', headers: {}, body: Buffer.from('') });
    expect(result).toMatchObject({ failure: { is: 'refused' } });
    poster.close();
  });
});

describe('posting', () => {
  const asked = new WeakMap<Socket, number>();
  const reset: string[] = [];
  const slowlyEnded: (() => void)[] = [];
  const server = createServer((request, response) => {
    const { socket, url = '' } = request;
    asked.set(socket, (asked.get(socket) ?? 0) + 1);
    if (url === '/endless' || url === '/dripping') {
      response.writeHead(200);
      const chunk = 'x'.repeat(url === '/endless' ? 60_000 : 1);
      const timer = setInterval(() => response.write(chunk), 5);
      response.on('close', () => clearInterval(timer));
      return;
    }
    if (url === '/slowly') {
      response.writeHead(200).write('x');
      slowlyEnded.push(() => response.end());
      return;
    }
    if (url === '/silent') return;
    if (url === '/other-protocol') {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      return;
    }
    if (url.startsWith('/once') || url === '/never') {
      reset.push(url);
      if (url === '/never' || (asked.get(socket) ?? 0) > 1) return void socket.destroy();
    }
    if (url === '/later') return void response.writeHead(429, { 'Retry-After': '120' }).end();
    response.writeHead(204).end();
  });
  server.keepAliveTimeout = 60_000;
  const hosts = Array.from({ length: 70 }, (_, n) => `farm-${n}.test`);
  const names = Object.fromEntries(['farm.test', ...hosts].map((name) => [name, ['127.0.0.1']]));
  const policy = addressPolicy('gateway', THIS_MACHINE, namesOf(names));
  const poster = safePoster({ policy });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    poster.close();
    server.closeAllConnections();
    server.close();
  });
  const post = (path: string, host = 'farm.test', by = poster) =>
    by.post({ url: `http://${host}:${port}${path}`, headers: {}, body: Buffer.from('{}') });
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

  it('answers the status, and what the other side asks for', async () => {
    expect(await post('/')).toEqual({ answer: { status: 204, retryAfter: undefined } });
    expect(await post('/later')).toEqual({ answer: { status: 429, retryAfter: '120' } });
  });

  it('does not read an answer without end', async () => {
    expect(await post('/endless')).toMatchObject({ answer: { status: 200 } });
    await expect.poll(connections).toBeLessThanOrEqual(1);
  });

  it('gives up a place that takes the message and never answers', async () => {
    const hurried = safePoster({ policy, withinMs: 100 });
    const silent = { url: `http://farm.test:${port}/silent`, headers: {}, body: Buffer.from('{}') };
    expect(await hurried.post(silent)).toEqual({
      failure: { is: 'retry', why: 'no answer within 0.1 seconds' },
    });
    hurried.close();
  });

  it('tells a place that wants to speak another language from one that answers', async () => {
    expect(await post('/other-protocol')).toEqual({
      failure: { is: 'retry', why: 'the connection ended without an answer' },
    });
  });

  it('counts an answer when its connection is free for the next message, not with its first line', async () => {
    const patient = safePoster({ policy, restWithinMs: 60_000 });
    const state = { isDone: false };
    const slow = post('/slowly', 'farm.test', patient).then((result) => {
      state.isDone = true;
      return result;
    });
    await expect.poll(() => slowlyEnded).toHaveLength(1);
    for (let n = 0; n < 5; n += 1) await post('/', 'farm.test', patient);
    expect(state.isDone).toBe(false);
    slowlyEnded[0]?.();
    expect(await slow).toMatchObject({ answer: { status: 200 } });
    patient.close();
  });

  it('closes on an answer that drips for ever', async () => {
    const hurried = safePoster({ policy, restWithinMs: 50 });
    expect(await post('/dripping', 'farm.test', hurried)).toMatchObject({ answer: { status: 200 } });
    hurried.close();
    await expect.poll(connections).toBeLessThanOrEqual(1);
  });

  it('makes no host wait for connections that others have done with, and keeps a bounded number of them', async () => {
    const one = safePoster({ policy });
    const answered = { answer: { status: 204, retryAfter: undefined } };
    for (const host of hosts) expect(await post('/', host, one)).toEqual(answered);
    await expect.poll(connections).toBeLessThanOrEqual(65);
    const silent = hosts.map((host) => post('/silent', host, one));
    expect(await post('/', 'farm.test', one)).toEqual(answered);
    one.close();
    expect(new Set((await Promise.all(silent)).map((result) => Object.keys(result)[0]))).toEqual(
      new Set(['failure']),
    );
    await expect.poll(connections).toBeLessThanOrEqual(1);
  });

  it('posts once more when a connection that was kept turns out to be closed, and no more than once', async () => {
    expect(await post('/once/1')).toMatchObject({ answer: { status: 204 } });
    expect(await post('/once/2')).toMatchObject({ answer: { status: 204 } });
    expect(reset).toEqual(['/once/1', '/once/2', '/once/2']);
    expect(await post('/')).toMatchObject({ answer: { status: 204 } });
    expect(await post('/never')).toEqual({
      failure: { is: 'retry', why: 'no connection (ECONNRESET)' },
    });
    expect(reset.filter((url) => url === '/never')).toHaveLength(2);
  });

  it('tells a name that is not known from a connection that is refused', async () => {
    expect(await post('/', 'unknown.test')).toEqual({
      failure: { is: 'retry', why: 'no connection (ENOTFOUND)' },
    });
    const closed = await poster.post({ url: 'http://127.0.0.1:1/', headers: {}, body: Buffer.from('') });
    expect(closed).toEqual({ failure: { is: 'retry', why: 'no connection (ECONNREFUSED)' } });
  });
});

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
    ['0', undefined],
    ['-5', undefined],
    ['', undefined],
    ['soon', undefined],
  ])('%s', (header, ms) => {
    expect(readRetryAfter(header, 0)).toBe(ms);
  });
});

describe('secrets of channels', () => {
  const secrets = channelSecrets('instance');

  it('are the same each time, and differ by channel, generation and instance', () => {
    const all = [
      secrets.webhookSecret('a', '1'),
      secrets.webhookSecret('a', '2'),
      secrets.webhookSecret('b', '1'),
      channelSecrets('other').webhookSecret('a', '1'),
    ];
    expect(new Set(all).size).toBe(4);
    expect(secrets.webhookSecret('a', '1')).toBe(all[0]);
  });

  it('a code holds for one mail to one address', () => {
    const code = secrets.code('d', 'a@farm.test');
    expect(code).toMatch(/^\d{8}$/);
    expect(secrets.isCode('d', 'a@farm.test', code)).toBe(true);
    expect(secrets.isCode('e', 'a@farm.test', code)).toBe(false);
    expect(secrets.isCode('d', 'b@farm.test', code)).toBe(false);
    expect(secrets.isCode('d', 'a@farm.test', '')).toBe(false);
  });
});
