import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readlink, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESPLoader, Transport } from 'esptool-js';
import { SerialPort } from 'serialport';
import { build } from 'vite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPty } from '#sim/board/open-pty.ts';
import { type StartBoardOptions, type StartedBoardEvent, startBoard } from '#sim/board/start-board.ts';
import { openNetPort } from '#test/net-port.ts';
import { framesIn, request, SYNC, sfprov, sfprovAnswers } from './a-board.ts';
import { webSerialLink, webSerialPort } from './web-serial.ts';

// The board at real ports, asked by programs that others wrote.

type Seen = {
  events: StartedBoardEvent[];
  until(kind: StartedBoardEvent['kind'], nth?: number): Promise<void>;
};

async function aBoardAt(options: StartBoardOptions) {
  const events: StartedBoardEvent[] = [];
  const waiting = new Set<() => void>();
  const started = await startBoard({
    ...options,
    tell: (event) => {
      events.push(event);
      for (const look of waiting) look();
    },
  });
  onTestFinished(started.close);
  const seen: Seen = {
    events,
    until: (kind, nth = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (events.filter((event) => event.kind === kind).length < nth) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
  return { ...started, ...seen };
}

/** A loader of esptool-js without its chatter. */
function aLoader(path: string): { loader: ESPLoader; leave: () => Promise<void> } {
  const port = path.startsWith('/') ? webSerialPort(path) : webSerialLink((baud) => openNetPort(path, baud));
  // The shim has what the library touches of the browser's type, which is larger.
  const transport = new Transport(port as unknown as ConstructorParameters<typeof Transport>[0]);
  transport.trace = () => undefined;
  const quiet = { clean: () => undefined, writeLine: () => undefined, write: () => undefined };
  const loader = new ESPLoader({ transport, baudrate: 921_600, romBaudrate: 115_200, terminal: quiet });
  return { loader, leave: () => transport.disconnect() };
}

const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
const BLANK = new Uint8Array(65_536).fill(0xff);
const AS_THEY_ARE = { flashSize: 'keep', flashMode: 'keep', flashFreq: 'keep' } as const;

describe('a board at a serial port', () => {
  test('that nobody reads goes on, and can be unplugged', async () => {
    const pty = await openPty();
    // as a broken one that starts again and again, and says so each time
    for (let boot = 0; boot < 200; boot += 1) pty.write(Buffer.from(`boot ${boot}\r\n`.padEnd(400)));
    const reader = createReadStream(pty.path);
    // the pulled cable hangs up on it
    reader.on('error', () => undefined);
    let read = '';
    reader.on('data', (bytes) => (read += String(bytes)));
    // late, but all of it and in its order
    await expect.poll(() => read).toMatch(/^boot 0\r\n +boot 1\r\n[^]*boot 199\r\n +$/);
    expect(read).toHaveLength(80_000);
    await pty.close();
  });

  test('is recognised, written, verified and read back by esptool-js', async () => {
    const { path, board } = await aBoardAt({ port: { kind: 'pty' } });
    const { loader, leave } = aLoader(path());
    expect(await loader.main('no_reset')).toBe('ESP32-D0WD-V3 (revision 3)');
    expect(await loader.chip.readMac(loader)).toBe('24:6f:28:5a:00:01');
    expect([board.mode(), board.baud()]).toEqual(['stub', 921_600]);
    const data = Uint8Array.from({ length: 40_000 }, (_each, index) => (index * index) & 0xff);
    const fileArray = [{ data, address: 0x20000 }];
    const common = { fileArray, ...AS_THEY_ARE, eraseAll: false, calculateMD5Hash: md5Of };
    await loader.writeFlash({ ...common, compress: true });
    await loader.writeFlash({ ...common, compress: false });
    expect(md5Of(await loader.readFlash(0x20000, data.length))).toBe(md5Of(data));
    await loader.eraseFlash();
    expect(await loader.flashMd5sum(0, BLANK.length)).toBe(md5Of(BLANK));
    await leave();
  });

  test.each([
    ['tcp', 'no_reset'],
    ['rfc2217', 'default_reset'],
  ] as const)('over %s is written and verified by the loader of the chip itself', async (kind, reset) => {
    const { path, board, until } = await aBoardAt({ port: { kind, port: 0 } });
    await until('mode');
    const { loader, leave } = aLoader(path());
    await loader.detectChip(reset);
    expect([loader.chip.CHIP_NAME, await loader.chip.readMac(loader), board.mode()]).toEqual([
      'ESP32',
      '24:6f:28:5a:00:01',
      'rom',
    ]);
    await loader.flashId();
    const data = Uint8Array.from({ length: 20_000 }, (_each, index) => (index * 7) & 0xff);
    const fileArray = [{ data, address: 0x20000 }];
    for (const compress of [true, false]) {
      await loader.writeFlash({ fileArray, ...AS_THEY_ARE, eraseAll: false, compress });
      // the chip answers in text, which the library takes for bytes
      const digest = await loader.flashMd5sum(0x20000, data.length);
      expect(Buffer.from(digest, 'hex').toString('latin1')).toBe(md5Of(data));
    }
    await expect(loader.eraseFlash()).rejects.toThrow('status 1,5');
    await leave();
  });

  test('is given Wi-Fi by the SDK of Improv, and shows a wrong password as that', async () => {
    const { path, until } = await aBoardAt({ port: { kind: 'pty' }, joinTakesMs: 20 });
    await until('mode');
    const port = webSerialPort(path());
    await port.open({ baudRate: 115_200 });
    const client = await anImprovClient(oneAfterAnother(port));
    expect(await client.initialize(60_000)).toMatchObject({ name: 'Aerator 0001', chipFamily: 'ESP32' });
    expect((await client.scan()).map(({ name }) => name)).toEqual(['Fazenda', 'Visitantes', 'Vizinho']);
    await expect(client.provision('Fazenda', 'wrong')).rejects.toBe('UNABLE_TO_CONNECT');
    await client.provision('Fazenda', 'camarao2026');
    expect(client.state).toBe(4);
    await client.close();
    await port.close();
  });

  test('comes back under its link after the cable was pulled', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'board-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const link = join(folder, 'ttyBOARD');
    const flashFile = join(folder, 'flash.bin');
    const { path, until, events } = await aBoardAt({
      port: { kind: 'pty', link },
      faults: { unplug: 600 },
      flashFile,
      replugAfterMs: 20,
    });
    await until('mode');
    await askAt(link, { ...IDENTITY, device_id: 'aer-07' });
    expect((await stat(flashFile)).mode & 0o077).toBe(0);
    const port = await openSerial(link);
    port.write(new Uint8Array(600));
    await until('unplugged');
    await until('port', 2);
    // A pulled cable shows when something is to be sent.
    await new Promise<void>((resolve) => {
      port.on('error', () => resolve());
      port.on('close', () => resolve());
      port.write('x', (error) => error && resolve());
    });
    port.destroy();
    await until('mode', 2);
    expect(await readlink(link)).toBe(path());
    expect(await askAt(link, { op: 'info' })).toMatchObject({ ok: true, device_id: 'aer-07' });
    expect(events.map(({ kind }) => kind)).toContain('unplugged');
  });

  test('a line at 115200 takes its time', async () => {
    const { path, until } = await aBoardAt({ port: { kind: 'tcp', port: 0 }, lineRate: 115_200 });
    await until('mode');
    const socket = await dial(path());
    const from = performance.now();
    const frames = collect(socket, (bytes) => framesIn(bytes).length >= 8);
    socket.write(new Uint8Array(1_152));
    socket.write(request(0x08, SYNC));
    await frames;
    // 1152 + 46 bytes there, 8 x 14 back, ten bits each
    expect(performance.now() - from).toBeGreaterThan(108);
    socket.destroy();
  });

  test('noise on the line damages frames, and the loader says so or stays silent', async () => {
    const { path, board, until } = await aBoardAt({
      port: { kind: 'tcp', port: 0 },
      faults: { noise: 0.05 },
    });
    await until('mode');
    const socket = await dial(path());
    const damaged = collect(socket, (bytes) => bytes.length > 2_000);
    for (let i = 0; i < 100; i += 1) socket.write(request(0x08, SYNC));
    const whole = framesIn(await damaged).filter((frame) => frame.length === 12 && frame[1] === 0x08);
    expect(board.mode()).toBe('rom');
    expect(whole.length).toBeGreaterThan(0);
    socket.destroy();
  });
});

describe('a board behind RFC 2217', () => {
  test('is reset by DTR and RTS like one at a USB adapter', async () => {
    const { path, board, until } = await aBoardAt({ port: { kind: 'rfc2217', port: 0 } });
    await until('mode');
    const socket = await dial(path());
    const control = (value: number) => socket.write(Uint8Array.of(255, 250, 44, 5, value, 255, 240));
    const agreed = collect(
      socket,
      (bytes) => includes(bytes, [255, 253, 44]) && includes(bytes, [255, 251, 0]),
    );
    // WILL COM-PORT, DO BINARY
    socket.write(Uint8Array.of(255, 251, 44, 255, 253, 0));
    await agreed;
    const download = collect(socket, (bytes) => Buffer.from(bytes).includes('waiting for download'));
    for (const value of [9, 11, 8, 12, 9]) control(value);
    expect(Buffer.from(await download).toString('latin1')).toContain('DOWNLOAD_BOOT');
    const synced = collect(socket, (bytes) => framesIn(bytes).length >= 8);
    socket.write(request(0x08, SYNC));
    await synced;
    expect(board.mode()).toBe('rom');
    // 0xFF of the flash goes over doubled
    const read = collect(socket, (bytes) => bytes.length > 140);
    socket.write(request(0x0e, Uint8Array.of(0, 0, 0x30, 0, 64, 0, 0, 0)));
    expect(Buffer.from(await read).toString('hex')).toContain('ffff'.repeat(64));
    control(11);
    control(12);
    expect(
      await collect(socket, (bytes) => Buffer.from(bytes).includes('SPI_FAST_FLASH_BOOT')),
    ).toBeDefined();
    socket.destroy();
  });
});

const IDENTITY = {
  op: 'identity',
  mqtt_id: 'm_7Qx',
  key: 'c2VjcmV0LWtleQ',
  gw_host: '127.0.0.1',
  gw_http: 0,
  gw_mqtt: 0,
  gw_mqtts: 0,
  gw_pin: null,
  cp: null,
  fail_safe: null,
};

async function openSerial(path: string): Promise<SerialPort> {
  const port = new SerialPort({ path, baudRate: 115_200, autoOpen: false });
  await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
  return port;
}

/** One SFPROV command over a port of its own. */
async function askAt(path: string, command: object): Promise<unknown> {
  const port = await openSerial(path);
  const heard: Buffer[] = [];
  const answer = new Promise((resolve) => {
    port.on('data', (bytes: Buffer) => {
      heard.push(bytes);
      const [found] = sfprovAnswers(Buffer.concat(heard));
      if (found !== undefined) resolve(found);
    });
  });
  port.write(sfprov(command));
  const found = await answer;
  await new Promise<void>((resolve) => port.close(() => resolve()));
  return found;
}

function dial(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address.replace(/^\w+:/, 'http:'));
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Bytes of a socket from now on until there are enough. */
function collect(socket: Socket, isEnough: (bytes: Uint8Array) => boolean): Promise<Uint8Array> {
  return new Promise((resolve) => {
    let held = Buffer.alloc(0);
    const take = (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      if (!isEnough(held)) return;
      socket.off('data', take);
      resolve(held);
    };
    socket.on('data', take);
  });
}

function includes(bytes: Uint8Array, wanted: number[]): boolean {
  return Buffer.from(bytes).includes(Buffer.from(wanted));
}

type ImprovClient = {
  state: number;
  initialize(timeoutMs: number): Promise<object>;
  scan(): Promise<{ name: string }[]>;
  provision(ssid: string, password: string): Promise<void>;
  close(): Promise<void>;
};

type Written = { writable: WritableStream<Uint8Array> | null };

/**
 * The SDK asks again each second until it is answered, and takes the stream for each question: while an earlier one is being
 * written, as on a busy machine, that throws where nobody catches it, and the question is lost.
 */
function oneAfterAnother<Port extends Written>(port: Port): Port {
  let last = Promise.resolve();
  const write = (bytes: Uint8Array) => {
    last = last.then(async () => {
      const writer = port.writable?.getWriter();
      await writer?.write(bytes);
      writer?.releaseLock();
    });
    return last;
  };
  const writable = { getWriter: () => ({ write, releaseLock: () => undefined }) };
  return new Proxy(port, {
    get: (_port, name) => {
      if (name === 'writable') return writable;
      const value: unknown = Reflect.get(port, name, port);
      return typeof value === 'function' ? value.bind(port) : value;
    },
  });
}

/** The SDK names its own files as only a bundler understands. */
async function anImprovClient(port: object): Promise<ImprovClient> {
  const entry = fileURLToPath(
    new URL('../../../node_modules/improv-wifi-serial-sdk/dist/serial.js', import.meta.url),
  );
  const lib = { entry, formats: ['es' as const] };
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib },
  });
  const [first] = Array.isArray(built) ? built : [];
  const code = first?.output[0].code ?? '';
  const sdk = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    ImprovSerial: new (port: object, logger: object) => ImprovClient;
  };
  const quiet = { log: () => undefined, error: () => undefined, debug: () => undefined };
  return new sdk.ImprovSerial(port, quiet);
}
