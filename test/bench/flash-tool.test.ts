import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listPorts } from '#adapters/serial/list-ports.ts';
import { openPort } from '#adapters/serial/open-port.ts';
import { openPty } from '#sim/board/open-pty.ts';
import { runInProcess } from '../../gateway/bench/bench-process.ts';
import { runBenchTool } from '../../gateway/bench/bench-tool.ts';
import type { Progress } from '../../gateway/bench/job.ts';
import { createLineReader, printable } from '../../gateway/bench/monitor-board.ts';
import { EXIT_CODES } from '../../gateway/bench/trouble.ts';
import { aBoard, aFolder, run } from './flash-fixtures.ts';

const tool = (...args: string[]) => toolIn({}, ...args);

async function toolIn(environment: Readonly<Record<string, string>>, ...args: string[]) {
  const printed: string[] = [];
  const warned: string[] = [];
  const code = await runBenchTool(args, {
    environment,
    print: (line) => printed.push(line),
    warn: (line) => warned.push(line),
    signal: new AbortController().signal,
    now: () => 0,
  });
  return { code, printed, warned };
}

describe('the command line of the bench', () => {
  test('says what it can, and each command its options', async () => {
    const { code, printed } = await tool('--help');
    expect(code).toBe(0);
    for (const name of ['ports', 'detect', 'flash', 'verify', 'erase', 'backup', 'monitor']) {
      expect(printed[0]).toContain(`  ${name} `);
      expect((await tool(name, '--help')).code).toBe(0);
    }
  });

  test.each([
    [['dance']],
    [['detect']],
    [['detect', '--port', 'P', '--baud', '12345']],
    [['flash', '--port', 'P']],
    [['flash', '--port', 'P', '--file', 'app.bin']],
    [['erase', '--port', 'P', '--what', 'everything']],
    [['detect', '--prot', 'P']],
  ])('%j is called wrongly', async (args) => {
    const { code, printed, warned } = await tool(...args);
    expect({ code, printed }).toEqual({ code: EXIT_CODES.BAD_INPUT, printed: [] });
    expect(warned[0]).toMatch(/^BAD_INPUT: .+\nNext: .+/);
  });

  test('answers scripts in one line of JSON, with progress beside it', async () => {
    const board = await aBoard();
    const { code, printed, warned } = await tool('detect', '--port', board.path(), '--json');
    expect(code).toBe(0);
    expect(printed.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ chip: 'ESP32' })]);
    for (const line of warned) expect(JSON.parse(line)).toHaveProperty('progress.step');
    const missing = await tool('detect', '--port', '/dev/none', '--json');
    expect(missing.code).toBe(10);
    expect(JSON.parse(missing.printed[0] ?? '')).toMatchObject({ error: { code: 'PORT_NOT_FOUND' } });
  });

  test('speaks the language that was asked for, else that of the terminal', async () => {
    const missing = ['detect', '--port', '/dev/none'];
    const [asked, ofTerminal, english] = [
      await tool(...missing, '--language', 'pt-BR'),
      await toolIn({ LANG: 'pt_BR.UTF-8' }, ...missing),
      await toolIn({ LANG: 'pt_BR.UTF-8' }, ...missing, '--language', 'en'),
    ];
    const said = /^PORT_NOT_FOUND: \/dev\/none não está lá\nA fazer: ligue a placa/;
    expect(asked.warned.at(-1)).toMatch(said);
    expect(asked.warned[0]).toBe('conectando à placa em /dev/none');
    expect(ofTerminal.warned.at(-1)).toMatch(said);
    expect(english.warned.at(-1)).toMatch(
      /^PORT_NOT_FOUND: \/dev\/none is not there\nNext: plug the board in/,
    );
    const json = await tool(...missing, '--json', '--language=pt-BR');
    expect(JSON.parse(json.printed[0] ?? '')).toMatchObject({ error: { message: '/dev/none não está lá' } });
    expect((await tool(...missing, '--language', 'fr')).code).toBe(EXIT_CODES.BAD_INPUT);
    const unknown = await tool('detect', '--prot', 'P', '--language', 'pt-BR');
    expect(unknown.warned[0]).toMatch(/^BAD_INPUT: opção desconhecida: --prot; veja /);
  });
});

test('the ports of a box are listed by the name that stays, with their makers and who holds them', async () => {
  const root = await aFolder();
  const [dev, sys, proc] = ['dev', 'sys', 'proc'].map((name) => path.join(root, name));
  if (dev === undefined || sys === undefined || proc === undefined) throw new Error('no folders');
  const usb = path.join(sys, 'devices/usb1/1-1');
  await mkdir(path.join(dev, 'serial/by-id'), { recursive: true });
  await mkdir(path.join(usb, '1-1:1.0/ttyUSB0'), { recursive: true });
  await mkdir(path.join(sys, 'class/tty/ttyUSB0'), { recursive: true });
  await mkdir(path.join(proc, '4242/fd'), { recursive: true });
  await Promise.all([
    ...['ttyUSB10', 'ttyUSB0', 'ttyS0'].map((name) => writeFile(path.join(dev, name), '')),
    writeFile(path.join(usb, 'idVendor'), '10c4\n'),
    writeFile(path.join(usb, 'idProduct'), 'ea60\n'),
    writeFile(path.join(usb, 'product'), 'CP2102\n'),
    writeFile(path.join(proc, '4242/cmdline'), '/usr/bin/picocom\0-b115200\0'),
    symlink(path.join(dev, 'ttyUSB0'), path.join(dev, 'serial/by-id/usb-cp2102')),
    symlink(path.join(usb, '1-1:1.0/ttyUSB0'), path.join(sys, 'class/tty/ttyUSB0/device')),
    symlink(path.join(dev, 'ttyUSB0'), path.join(proc, '4242/fd/3')),
  ]);
  const nothing = {
    vendor_id: null,
    product_id: null,
    serial_number: null,
    manufacturer: null,
    product: null,
  };
  expect(await listPorts({ dev, sys, proc })).toEqual([
    {
      path: path.join(dev, 'serial/by-id/usb-cp2102'),
      device: path.join(dev, 'ttyUSB0'),
      ...nothing,
      vendor_id: '10c4',
      product_id: 'ea60',
      product: 'CP2102',
      in_use_by: [{ pid: 4242, name: 'picocom' }],
    },
    { path: path.join(dev, 'ttyUSB10'), device: path.join(dev, 'ttyUSB10'), ...nothing, in_use_by: [] },
  ]);
  expect(await listPorts({ dev: path.join(root, 'none'), sys, proc })).toEqual([]);
});

describe('a monitor', () => {
  test('tells lines with their time, points out crashes, and keeps all of it in a file', async () => {
    const pty = await openPty();
    onTestFinished(() => pty.close());
    const save = path.join(await aFolder(), 'board.log');
    const told: Progress[] = [];
    const stop = new AbortController();
    const monitor = run({ kind: 'monitor', port: pty.path, save }, stop.signal, told);
    await expect.poll(() => told.length).toBeGreaterThan(0);
    pty.write(
      Buffer.from(
        "\x1b[0;32mI (31) boot: ok\x1b[0m\r\nGuru Meditation Error: Core  0 panic'ed (IllegalInstruction)\r\n",
      ),
    );
    await expect.poll(() => told.filter(({ level }) => level === 'alarm').length).toBe(2);
    stop.abort();
    expect((await monitor).result).toEqual({ lines: 2, alarms: 1, saved: save });
    expect(told.map(({ message }) => message.en)).toEqual([
      expect.stringContaining('listening'),
      expect.stringMatching(/^\d{4}-.*Z I \(31\) boot: ok$/),
      expect.stringMatching(/^\d{4}-.*Z Guru Meditation/),
      expect.stringContaining('the firmware crashed (IllegalInstruction)'),
    ]);
  });

  test('ends with the cable', async () => {
    const pty = await openPty();
    const told: Progress[] = [];
    const ended = run({ kind: 'monitor', port: pty.path }, undefined, told).catch((error: unknown) => error);
    await expect.poll(() => told.length).toBeGreaterThan(0);
    await pty.close();
    expect(await ended).toMatchObject({ code: 'UNPLUGGED' });
  });

  test('ends with the cable also where the driver does not hear of it, because it is just about to read', async () => {
    const pty = await openPty();
    const link = await openPort(pty.path, 115_200);
    onTestFinished(link.close);
    await pty.close();
    // from here on the system answers each read with nothing, and the driver reads again
    link.onData(() => undefined);
    await expect.poll(() => link.lost.reason).toMatchObject({ fault: 'unplugged' });
  });

  test('cuts a line that never ends, and shows nothing that moves a cursor', () => {
    const lines: string[] = [];
    const reader = createLineReader((line) => lines.push(line));
    reader.feed(Buffer.alloc(2_500, 'a'));
    reader.end();
    expect(lines.map((line) => line.length)).toEqual([1_024, 1_024, 452]);
    expect(printable('\x1b[2Jhi\x07')).toBe('hi·');
  });
});

describe('a job of the gateway', () => {
  test('runs in a process of its own and tells how far it is', async () => {
    const board = await aBoard();
    const told: Progress[] = [];
    const job = { kind: 'detect', port: board.path() };
    const signal = new AbortController().signal;
    const result = await runInProcess(job, { tell: (progress) => told.push(progress), signal });
    expect(result).toMatchObject({ chip: 'ESP32', mac: '24:6f:28:5a:00:01' });
    expect(told.length).toBeGreaterThan(0);
  });

  test('fails with its word, and ends when it is taken back', async () => {
    const stop = new AbortController();
    const context = { tell: () => stop.abort(), signal: stop.signal };
    await expect(runInProcess({ kind: 'dance' }, context)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    const board = await aBoard();
    const monitor = { kind: 'backup', port: board.path(), file: path.join(await aFolder(), 'b.bin') };
    await expect(runInProcess(monitor, context)).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
