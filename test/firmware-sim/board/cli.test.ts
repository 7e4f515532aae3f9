import { mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faultNames, readFaults } from '#sim/board/faults.ts';
import { startBoard } from '#sim/board/start-board.ts';
import { readOptions } from '#sim/cli/options.ts';
import { runBoard } from '#sim/cli/run-board.ts';
import { runModem } from '#sim/modem/modem.ts';
import { runProbe } from '#sim/probe/run-probe.ts';
import { aBoard, request, SYNC, sfprov, sfprovAnswers } from './a-board.ts';

async function run(args: string[], stopAfter?: string): Promise<{ code: number; lines: unknown[] }> {
  const lines: unknown[] = [];
  const interrupt = new AbortController();
  const print = (line: string) => {
    lines.push(JSON.parse(line));
    if (stopAfter !== undefined && line.includes(stopAfter)) interrupt.abort();
  };
  const terminal = { print, complain: print, interrupted: interrupt.signal };
  return { code: await runBoard(terminal, readOptions(['--board', ...args], {})), lines };
}

describe('a board from the command line', () => {
  test('says in JSON where it can be reached and what it does', async () => {
    const mac = '24:6f:28:0a:0b:0c';
    const { code, lines } = await run(['--tcp', '0', '--mac', mac], '"program"');
    expect({ code, lines }).toEqual({
      code: 0,
      lines: [
        { event: 'port', path: expect.stringMatching(/^socket:\/\/127\.0\.0\.1:\d+$/), mac },
        { event: 'mode', mode: 'program' },
      ],
    });
  });

  test.each([
    [[], 'needs one of --pty'],
    [['--pty', '--tcp', '0'], 'needs one of --pty'],
    [['--tcp', '0', '--fault', 'rust'], 'none of the faults noise, lost'],
    [['--tcp', '0', '--fault', 'noise=2'], 'cannot have the value "2"'],
    [['--tcp', '0', '--mac', 'aa:bb'], 'no MAC'],
    [['--tcp', '0', '--wifi', ':word'], 'SSID:PASSWORD'],
    [['--tcp', '0', '--line-rate', 'fast'], 'line-rate must be'],
  ])('%j is refused in one sentence', async (args, sentence) => {
    await expect(run(args)).rejects.toThrow(sentence);
  });

  test('a file that is no flash, and a place that is no link, are left alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'board-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'letter.txt');
    await writeFile(file, 'dear farmer');
    await expect(startBoard({ port: { kind: 'tcp', port: 0 }, flashFile: file })).rejects.toThrow(
      'is no flash',
    );
    await expect(startBoard({ port: { kind: 'pty', link: file } })).rejects.toThrow('is no link');
    const silent = () => undefined;
    const terminal = { print: silent, complain: silent, interrupted: AbortSignal.abort() };
    for (const start of [runModem, runProbe]) {
      await expect(start(terminal, ['--pty', '--link', file])).rejects.toThrow('is no link');
    }
    const link = join(folder, 'port');
    await symlink('/dev/pts/none', link);
    expect(await runModem(terminal, ['--pty', '--link', link])).toBe(0);
    await expect(readlink(link)).rejects.toThrow('ENOENT');
    expect(await readFile(file, 'utf8')).toBe('dear farmer');
  });
});

describe('faults', () => {
  test('every fault can be asked for by its name alone', () => {
    expect(Object.keys(readFaults(faultNames().join(',')))).toEqual(faultNames());
    expect(readFaults('bad-block=0x12000, unplug=70000')).toEqual({ 'bad-block': 0x12000, unplug: 70_000 });
  });

  test('a board that cannot be brought into download mode goes on with its program', () => {
    const { board, clock, heard } = aBoard({ faults: { 'no-download': 1 } });
    board.feed(request(0x08, SYNC));
    expect(board.mode()).toBe('program');
    board.feed(sfprov({ op: 'info' }));
    expect(sfprovAnswers(heard())).toHaveLength(1);
    board.setLines({ dtr: true, rts: true });
    board.setLines({ dtr: true, rts: false });
    clock.advance(500);
    expect(board.mode()).toBe('program');
  });

  test('a program that dies says so, and starts again', () => {
    const { clock, text } = aBoard({ faults: { crash: 5 } });
    clock.advance(5_500);
    const log = text();
    expect(log).toContain('Guru Meditation Error');
    expect(log.slice(log.indexOf('Guru'))).toContain('Loaded app from partition');
  });
});
