import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnPostgres, freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { type StartedGateway, startGateway } from './started-gateway.ts';

// Who asks to go on in another protocol has proved nothing, and any page that a farm's browser opens may ask so. The motors of the
// farm depend on this process: whatever is asked, and however the line ends, it goes on.

const ADDRESSES = [
  '//',
  '/',
  '/mqtt',
  '/sync/v1/live',
  '/nothing',
  '*',
  '//[',
  '/\\',
  'http://[',
  '//a:b@:1/%zz',
];

const asks = (address: string) =>
  [
    `GET ${address} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n');

/** Resolves when the line is closed, which who reads and keeps its own side open waits for. */
function asked(port: number, address: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let heard = '';
  socket.write(asks(address));
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1');
  });
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('end', () => resolve(heard));
    socket.once('close', () => resolve(heard));
  });
}

/** Cuts the line as soon as it has asked, with bytes behind it that nobody reads. */
async function cut(port: number, address: string, afterMs: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(asks(address) + 'x'.repeat(20_000), () => resolve());
  });
  if (afterMs > 0) await pause(afterMs);
  socket.resetAndDestroy();
}

function facts(start: () => Promise<StartedGateway>): void {
  let program: StartedGateway;
  beforeAll(async () => {
    program = await start();
  });
  afterAll(() => program?.close());
  const isServed = async () => (await fetch(`${program.http}/healthz`).catch(() => null))?.status ?? null;
  const port = () => Number(new URL(program.http).port);

  it.each(ADDRESSES)('is refused at %j, and the next request is served', async (address) => {
    const heard = await asked(port(), address);
    expect([heard.slice(0, 10), await isServed()]).toEqual([expect.stringMatching(/^HTTP\/1\.1 [45]/), 200]);
  });

  it.each(ADDRESSES)('breaks the line at %j, and the next request is served', async (address) => {
    for (const afterMs of [0, 0, 0, 1, 5, 20]) await cut(port(), address, afterMs);
    await pause(50);
    expect(await isServed()).toBe(200);
  });
}

describe('a stranger who asks a gateway for another protocol', () => {
  facts(() => startGateway());
});

describeOnPostgres('a stranger who asks a hosted instance for another protocol', () => {
  let database: TestDatabase;
  afterAll(() => database?.drop());
  facts(async () => {
    database = await freshDatabase();
    return startGateway({ args: ['--role', 'hosted', '--database-url', database.url] });
  });
});
