import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type BoardFaults, readFaults } from '#sim/board/faults.ts';
import type { Progress } from '../../gateway/bench/job.ts';
import {
  AN_IDENTITY,
  aBoard,
  aBundle,
  aFolder,
  anImage,
  aTable,
  codeOf,
  run,
  WITH_UPDATES,
} from './flash-fixtures.ts';

describe('a board at the bench', () => {
  test('is told apart by chip, MAC and flash, and starts its program again afterwards', async () => {
    const board = await aBoard();
    const { result } = await run({ kind: 'detect', port: board.path() });
    expect(result).toEqual({
      chip: 'ESP32',
      description: 'ESP32-D0WD-V3 (revision 3)',
      revision: 3,
      mac: '24:6f:28:5a:00:01',
      crystal_mhz: 40,
      flash_id: 'ef4016',
      flash_bytes: 4_194_304,
      baud: 460_800,
      firmware: { project: 'aerator-controller', version: 'sim-1.0.0' },
      identity: null,
      content: 'other',
    });
    await expect.poll(() => board.board.mode()).toBe('program');
  });

  test('gets a firmware, proves it and starts it; the second time nothing is written', async () => {
    const board = await aBoard({ isBlank: true });
    const bundle = await aBundle();
    const job = { kind: 'flash', port: board.path(), firmware: { bundle }, verify: 'read_back' } as const;
    const { result, told } = await run(job);
    expect(result).toMatchObject({ version: '2.1.0', firmware: { version: '2.1.0' }, bytes_skipped: 0 });
    expect(told.findLast(({ step }) => step === 'write')).toMatchObject({
      eta_s: 0,
      total: result['bytes_written'],
    });
    expect((await run(job)).result).toMatchObject({
      bytes_written: 0,
      bytes_skipped: result['bytes_written'],
    });
    expect(await codeOf({ kind: 'verify', port: board.path(), firmware: { bundle } })).toBe('done');
    expect(
      await codeOf({ ...job, kind: 'verify', firmware: { bundle: await aBundle({ bytes: 9_000 }) } }),
    ).toBe('VERIFY_FAILED');
  });

  test('keeps its identity and Wi-Fi under an image of the whole flash, and under an erase', async () => {
    const folder = await aFolder();
    const board = await aBoard();
    const port = board.path();
    await run({ kind: 'flash', port, firmware: { bundle: await aBundle() }, identity: AN_IDENTITY });
    const whole = Buffer.alloc(0x1_8000, 0xff);
    whole.set(anImage(), 0x1000);
    whole.fill(0, 0x9000, 0xf000);
    whole.set(anImage({ version: '3.0.0', bytes: 20_000 }), 0x1_0000);
    const file = path.join(folder, 'whole.bin');
    await writeFile(file, whole);
    const files = [{ file, offset: 0 }];
    const { result } = await run({ kind: 'flash', port, firmware: { files }, erase: true });
    expect(result).toMatchObject({
      content: 'ours',
      firmware: { version: '3.0.0' },
      identity: { device_id: 'dev-17', mqtt_id: 'm-17', gw_host: '192.168.0.10', wifi: false },
    });
    await run({ kind: 'erase', port, what: 'firmware' });
    expect((await run({ kind: 'detect', port })).result).toMatchObject({ content: 'ours', firmware: null });
    await run({ kind: 'erase', port, what: 'identity' });
    expect((await run({ kind: 'detect', port })).result).toMatchObject({ content: 'blank', identity: null });
  });

  test('that took an update over the air starts what the cable brought, and says so', async () => {
    const folder = await aFolder();
    const flashFile = path.join(folder, 'flash.bin');
    const bundle = await aBundle({ bytes: 9_000, table: aTable(...WITH_UPDATES) });
    const firmware = { bundle };
    const first = await aBoard({ flashFile });
    await run({ kind: 'flash', port: first.path(), firmware });
    await first.close();
    // as the board itself does after a download into its second slot
    const updated = await readFile(flashFile);
    updated.set(anImage({ version: '2.2.0', bytes: 9_000 }), 0x12_0000);
    updated.set(Buffer.from('02000000', 'hex'), 0xf000);
    updated.writeUInt32LE(crc32(updated.subarray(0xf000, 0xf004), 0xffff_ffff), 0xf01c);
    await writeFile(flashFile, updated);
    const board = await aBoard({ flashFile });
    const port = board.path();
    const seen = async () => (await run({ kind: 'detect', port })).result['firmware'];
    expect(await seen()).toMatchObject({ version: '2.2.0' });
    expect(await codeOf({ kind: 'verify', port, firmware })).toBe('VERIFY_FAILED');
    const { result, told } = await run({ kind: 'flash', port, firmware });
    expect(result).toMatchObject({ firmware: { version: '2.1.0' }, bytes_written: 0 });
    expect(told.map(({ message }) => message.en)).toContain(
      'the board would start the update in app_11; now it starts what was written',
    );
    expect(await codeOf({ kind: 'verify', port, firmware })).toBe('done');
    await board.close();
    expect((await readFile(flashFile)).subarray(0xf000, 0x1_1000).every((byte) => byte === 0xff)).toBe(true);
  });

  test('is saved whole before it is changed, in a file only its owner reads', async () => {
    const folder = await aFolder();
    const flashFile = path.join(folder, 'flash.bin');
    const board = await aBoard({ flashFile });
    const file = path.join(folder, 'backup.bin');
    const { result } = await run({ kind: 'backup', port: board.path(), file });
    await board.close();
    const saved = await readFile(file);
    expect(saved.equals(await readFile(flashFile))).toBe(true);
    expect(result).toMatchObject({
      bytes: 4_194_304,
      sha256: createHash('sha256').update(saved).digest('hex'),
    });
  });

  test('whose cable was pulled goes on where it stopped', async () => {
    const board = await aBoard({ faults: readFaults('unplug=200000') });
    const bundle = await aBundle({ bytes: 300_000 });
    const pulled = board.path();
    expect(await codeOf({ kind: 'flash', port: pulled, firmware: { bundle } })).toBe('UNPLUGGED');
    await expect.poll(() => board.path()).not.toBe('');
    const { result } = await run({ kind: 'flash', port: board.path(), firmware: { bundle } });
    expect(result).toMatchObject({ firmware: { version: '2.1.0' } });
    expect(result['bytes_skipped']).toBeGreaterThan(60_000);
  });

  test('starts its program again when the job is taken back, and its port is free', async () => {
    const board = await aBoard({ lineRate: 'own' });
    const bundle = await aBundle({ bytes: 300_000 });
    const stop = new AbortController();
    const told: Progress[] = [];
    const job = run({ kind: 'flash', port: board.path(), firmware: { bundle } }, stop.signal, told);
    await expect.poll(() => told.some(({ step }) => step === 'write'), { interval: 20 }).toBe(true);
    stop.abort();
    await expect(job).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect.poll(() => board.board.mode()).toBe('program');
    expect(await codeOf({ kind: 'detect', port: board.path() })).toBe('done');
  });
});

describe('what is wrong has a name', () => {
  test.each([
    ['noise', 'CHECKSUM_REFUSED'],
    ['lost', 'CHECKSUM_REFUSED'],
    ['wrong-chip', 'WRONG_CHIP'],
    ['bad-block=0x12000', 'VERIFY_FAILED'],
    ['dead-block=0x12000', 'FLASH_FAULT'],
    ['unplug=60000', 'UNPLUGGED'],
    ['silent', 'NO_ANSWER'],
  ])('%s is %s', async (fault, code) => {
    const faults: BoardFaults = readFaults(fault);
    const board = await aBoard({ faults, loaderIdleMs: 10_000 });
    const bundle = await aBundle({ bytes: 90_000 });
    expect(await codeOf({ kind: 'flash', port: board.path(), firmware: { bundle }, baud: 115_200 })).toBe(
      code,
    );
  });

  test('a light disturbance is overcome', async () => {
    const board = await aBoard({ faults: { noise: 0.000_02 }, seed: 3 });
    const bundle = await aBundle({ bytes: 150_000 });
    expect(await codeOf({ kind: 'flash', port: board.path(), firmware: { bundle } })).toBe('done');
  });

  test('a port that is not there, and one that another job holds', async () => {
    expect(await codeOf({ kind: 'detect', port: '/dev/ttyUSB-none' })).toBe('PORT_NOT_FOUND');
    const board = await aBoard();
    const stop = new AbortController();
    const told: Progress[] = [];
    const monitor = run({ kind: 'monitor', port: board.path() }, stop.signal, told);
    await expect.poll(() => told.length).toBeGreaterThan(0);
    expect(await codeOf({ kind: 'detect', port: board.path() })).toBe('PORT_BUSY');
    stop.abort();
    await monitor;
  });
});

describe('a firmware that does not fit is refused before a byte is written', () => {
  const cases: [string, string, (folder: string) => Promise<unknown>][] = [
    [
      'made for another chip',
      'WRONG_CHIP',
      async (folder) => writeFile(path.join(folder, 'app.bin'), anImage({ chipId: 5 })),
    ],
    [
      'no image',
      'WRONG_IMAGE',
      async (folder) => writeFile(path.join(folder, 'app.bin'), Buffer.alloc(5_000, 7)),
    ],
    [
      'cut short',
      'WRONG_IMAGE',
      async (folder) => writeFile(path.join(folder, 'app.bin'), anImage().subarray(0, 3_000)),
    ],
    [
      'damaged',
      'CHECKSUM_REFUSED',
      async (folder) => writeFile(path.join(folder, 'app.bin'), damaged(anImage())),
    ],
  ];
  test.each(cases)('%s', async (_, code, spoil) => {
    const folder = await aFolder();
    const flashFile = path.join(folder, 'flash.bin');
    const board = await aBoard({ flashFile });
    await spoil(folder);
    const files = [{ file: path.join(folder, 'app.bin'), offset: 0x1_0000 }];
    const before = await readFile(flashFile);
    expect(await codeOf({ kind: 'flash', port: board.path(), firmware: { files } })).toBe(code);
    await board.close();
    expect((await readFile(flashFile)).equals(before)).toBe(true);
  });

  test('a bundle whose file is not what the manifest says never opens the port', async () => {
    const bundle = await aBundle();
    await writeFile(path.join(bundle, 'app.bin'), anImage({ version: '6.6.6' }));
    expect(await codeOf({ kind: 'flash', port: '/dev/none', firmware: { bundle } })).toBe('CHECKSUM_REFUSED');
  });
});

function damaged(image: Buffer): Buffer {
  const copy = Buffer.from(image);
  copy.writeUInt8(copy.readUInt8(2_000) ^ 1, 2_000);
  return copy;
}
