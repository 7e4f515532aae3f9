import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHandshakeGate, type GateBounds } from '#adapters/tls/handshake-gate.ts';
import { certificateMaker as maker } from '#adapters/tls/make-certificate.ts';
import { createTlsServer, secureContextOf } from '#adapters/tls/tls-server.ts';
import { until } from '#test/gateway-process.ts';

const DAY = 24 * 3_600_000;
const authority = maker.authority(['localhost'], { notBefore: 0, notAfter: Date.now() + 365 * DAY });
const leaf = maker.server({ names: ['localhost'], commonName: 'localhost' }, authority, {
  notBefore: Date.now() - DAY,
  notAfter: Date.now() + DAY,
});
const ticket_key = randomBytes(48).toString('base64');
const context = secureContextOf({ ...leaf, chain: [authority.certificate], names: [], ticket_key });
/** A ClientHello that is announced and never comes. */
const HALF_A_HELLO = Buffer.from('1603010200010001fc0303', 'hex');

/** A secured port whose time limits end when the test says so. */
async function aPort(bounds: Partial<GateBounds> = {}, mayOpen = (_source: string) => true) {
  const timers = new Set<{ ms: number; run: () => void }>();
  const gate = createHandshakeGate({
    monotonic: () => performance.now(),
    bounds,
    later: (ms, run) => {
      // rests between turns of the loop are short and real
      if (ms < 1_000) {
        const rest = setTimeout(run, ms);
        return () => clearTimeout(rest);
      }
      const timer = { ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  const refused: string[] = [];
  const server = createTlsServer(
    { gate, context: () => context },
    {
      mayOpen,
      accept: (stream) => void stream.resume().end('hello'),
      refused: (why) => void refused.push(why),
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const opened: Socket[] = [];
  onTestFinished(() => {
    for (const socket of opened) socket.destroy();
  });
  return {
    gate,
    refused,
    timeIsUp: () => {
      for (const timer of timers) timer.run();
    },
    stranger: (localAddress: string, bytes: Buffer | null) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      opened.push(socket);
      socket.on('error', () => undefined);
      if (bytes !== null) socket.write(bytes);
      return socket;
    },
    /** What the port says to a controller; rejects when it says nothing. */
    controller: (localAddress = '127.0.0.1', ca: string = authority.certificate) =>
      new Promise<string>((resolve, reject) => {
        const line = connect({ port, host: '127.0.0.1', localAddress });
        const socket = connectTls({ socket: line, ca, servername: 'localhost' });
        line.on('error', reject);
        opened.push(socket);
        socket.on('data', (said: Buffer) => resolve(said.toString()));
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('closed')));
      }),
  };
}

describe('handshakes at a secured port', () => {
  it('of 200 controllers that come at once are all served', async () => {
    const port = await aPort();
    const served = await Promise.all(Array.from({ length: 200 }, () => port.controller()));
    expect(new Set(served)).toEqual(new Set(['hello']));
    await until(port.gate.open, (open) => open === 0);
  });

  it('that fail leave no place taken', async () => {
    const port = await aPort({ maxUnderWay: 2, maxOpenPerSource: 4 });
    const other = maker.authority(['localhost'], { notBefore: 0, notAfter: Date.now() + DAY });
    for (let n = 0; n < 12; n += 1) {
      await expect(port.controller('127.0.0.1', other.certificate)).rejects.toThrow();
      await until(port.gate.open, (open) => open === 0);
      expect(await port.controller()).toBe('hello');
    }
    expect(port.refused).toEqual(Array(12).fill('tls_errors'));
  });

  it('of one address that never finishes them do not keep another out', async () => {
    const port = await aPort({ maxUnderWay: 3, maxUnderWayPerSource: 2 });
    for (let n = 0; n < 10; n += 1) port.stranger('127.0.0.9', HALF_A_HELLO);
    await until(port.gate.begun, (begun) => begun === 2);
    expect(await port.controller()).toBe('hello');
    port.timeIsUp();
    await until(
      () => port.refused.length,
      (refused) => refused >= 2,
    );
    expect(port.refused).toContain('tls_timeout');
  });

  it('wait for the first word: who says nothing costs no handshake and is cut off', async () => {
    const port = await aPort();
    const silent = Array.from({ length: 20 }, () => port.stranger('127.0.0.9', null));
    await until(port.gate.open, (open) => open === 20);
    expect(await port.controller()).toBe('hello');
    expect(port.gate.begun()).toBe(1);
    port.timeIsUp();
    await until(port.gate.open, (open) => open === 0);
    expect(port.refused).toEqual(Array(20).fill('tls_silent'));
    await until(
      () => silent.filter((socket) => !socket.destroyed).length,
      (left) => left === 0,
    );
  });

  it('of one address are bounded in number', async () => {
    const port = await aPort({ maxOpenPerSource: 3 });
    for (let n = 0; n < 5; n += 1) port.stranger('127.0.0.9', null);
    await until(
      () => port.refused.length,
      (refused) => refused === 2,
    );
    expect(port.refused).toEqual(['tls_full', 'tls_full']);
    expect(await port.controller()).toBe('hello');
  });

  it('of very many addresses that never finish them do not keep another out', async () => {
    const port = await aPort({ maxOpen: 60, maxUnderWay: 20, patienceMs: 300 });
    const flood = Array.from({ length: 120 }, (_, n) => port.stranger(`127.0.1.${n % 60}`, HALF_A_HELLO));
    await until(port.gate.begun, (begun) => begun >= 20);
    expect(await port.controller()).toBe('hello');
    expect(port.gate.open()).toBeLessThanOrEqual(60);
    expect(flood.filter((socket) => !socket.destroyed).length).toBeLessThanOrEqual(60);
    expect(port.refused).toEqual(expect.arrayContaining(['tls_full', 'tls_timeout']));
  });

  it('that talk another language are refused, and nothing else happens', async () => {
    const port = await aPort();
    port.stranger('127.0.0.1', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    port.stranger('127.0.0.1', randomBytes(500));
    await until(
      () => port.refused.length,
      (refused) => refused === 2,
    );
    expect([new Set(port.refused), await port.controller()]).toEqual([new Set(['tls_errors']), 'hello']);
  });

  it('of an address that may not connect are not begun', async () => {
    const port = await aPort({}, (source) => source !== '127.0.0.9');
    await expect(port.controller('127.0.0.9')).rejects.toThrow();
    expect([port.gate.begun(), await port.controller()]).toEqual([0, 'hello']);
  });
});
