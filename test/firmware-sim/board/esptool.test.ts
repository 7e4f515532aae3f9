import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startBoard } from '#sim/board/start-board.ts';

const CLIENT = ['esptool', 'esptool.py'].find((name) => spawnSync(name, ['version']).status === 0);

// The chip maker's own client. Where it is not installed, this is skipped and shown so.
describe.skipIf(CLIENT === undefined)(`esptool${CLIENT === undefined ? ' (is not installed)' : ''}`, () => {
  test.each([
    ['rfc2217', []],
    ['tcp', ['--before', 'no_reset', '--after', 'no_reset']],
  ] as const)('recognises, writes, verifies and reads the board over %s', async (kind, resets) => {
    const board = await startBoard({ port: { kind, port: 0 } });
    const folder = await mkdtemp(join(tmpdir(), 'esptool-'));
    onTestFinished(async () => {
      await board.close();
      await rm(folder, { recursive: true, force: true });
    });
    const [image, copy] = [join(folder, 'image.bin'), join(folder, 'copy.bin')];
    const bytes = Uint8Array.from({ length: 20_000 }, (_each, index) => (index * index) & 0xff);
    await writeFile(image, bytes);
    const ask = async (...words: string[]) => {
      const all = ['--port', board.path(), '--chip', 'esp32', ...resets, '--no-stub', ...words];
      return (await promisify(execFile)(CLIENT ?? '', all)).stdout;
    };

    expect(await ask('flash_id')).toMatch(/24:6f:28:5a:00:01[^]*4016[^]*4MB/i);
    await ask('write_flash', '0x110000', image);
    expect(await ask('verify_flash', '0x110000', image)).toMatch(/verif[^]*(match|success)/i);
    await ask('read_flash', '0x110000', '4096', copy);
    expect(await readFile(copy)).toEqual(Buffer.from(bytes.subarray(0, 4_096)));
  });
});
