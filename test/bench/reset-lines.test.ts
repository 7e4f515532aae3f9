import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFaults } from '#sim/board/faults.ts';
import { openNetPort } from '#test/net-port.ts';
import {
  type BenchJobInput,
  type JobContext,
  type Progress,
  readJob,
  runJob,
} from '../../gateway/bench/job.ts';
import type { BenchTrouble } from '../../gateway/bench/trouble.ts';
import { aBoard, aBundle, aFolder, trusted } from './flash-fixtures.ts';

// A board whose port has DTR and RTS, as at every USB cable: it is reset into its loader, and must be reset out of it.

async function aBoardWithLines(
  faults = '',
  options: Parameters<typeof aBoard>[0] = {},
  { deafAbove = Number.POSITIVE_INFINITY } = {},
) {
  const board = await aBoard({ port: { kind: 'rfc2217', port: 0 }, faults: readFaults(faults), ...options });
  const moved: string[] = [];
  const openPort: JobContext['openPort'] = async (named, baud) => {
    const link = await openNetPort(named, baud);
    let now = baud;
    return {
      ...link,
      async setBaud(wanted) {
        now = wanted;
        await link.setBaud(wanted);
      },
      write: async (bytes) => (now > deafAbove ? undefined : link.write(bytes)),
      async setLines(lines) {
        const isMoved = await link.setLines(lines);
        moved.push(link.moved.at(-1) ?? '');
        return isMoved;
      },
    };
  };
  /** What became of a job: `done`, or the code of the trouble. */
  const run = async (
    job: BenchJobInput,
    stopAt: (progress: Progress) => boolean | 'at once' = () => false,
  ) => {
    const stop = new AbortController();
    const told: Progress[] = [];
    const context: JobContext = {
      tell(progress) {
        told.push(progress);
        const stopping = stopAt(progress);
        if (stopping === 'at once') stop.abort();
        else if (stopping) setTimeout(() => stop.abort(), 20);
      },
      signal: stop.signal,
      openPort,
    };
    const end = await runJob(readJob(trusted(job)), context).then(
      () => ({ code: 'done', message: '' }),
      ({ code, message }: BenchTrouble) => ({ code: String(code), message }),
    );
    return { ...end, told };
  };
  /** What the board does once the last byte of the port has reached it. */
  const mode = async () => {
    await expect.poll(() => board.board.mode(), { interval: 10 }).toBe('program');
    return board.board.mode();
  };
  return { port: board.path(), run, mode, moved };
}

describe('a board that is reset by the lines of its port', () => {
  test('is brought into its loader, written, proved and started', async () => {
    const { port, run, mode, moved } = await aBoardWithLines('crash=0.3');
    const flashed = await run({ kind: 'flash', port, firmware: { bundle: await aBundle() } });
    expect([flashed.code, await mode()]).toEqual(['done', 'program']);
    // reset held, download chosen at its release, let go; at the end a reset with nothing chosen
    expect(moved).toEqual(['dR', 'Dr', 'dr', 'dR', 'dr']);
  });

  test('runs its program when a backup, a verification, a flash or a detection is taken back', async () => {
    const bundle = await aBundle({ bytes: 200_000 });
    const file = path.join(await aFolder(), 'backup.bin');
    const firmware = { bundle };
    const jobs = {
      backup: { kind: 'backup', file },
      // what the chip itself says of it is read over the cable as well
      read: { kind: 'verify', firmware, verify: 'read_back' },
      write: { kind: 'flash', firmware },
      connect: { kind: 'detect' },
    } as const;
    const ends = Object.entries(jobs).map(async ([at, job]) => {
      const { port, run, mode, moved } = await aBoardWithLines('', { lineRate: 'own' });
      const opening = `connecting to the board at ${port}`;
      const { code, told } = await run(
        { ...job, port },
        ({ step, message }) => step === at && message.en !== opening,
      );
      const last = told.at(-1)?.step;
      return [at, code, last === 'done', await mode(), ...moved.slice(-2)];
    });
    expect(await Promise.all(ends)).toEqual(
      Object.keys(jobs).map((at) => [at, 'CANCELLED', false, 'program', 'dR', 'dr']),
    );
  });

  test('whose BOOT button must be held is told so by its boot log, and goes on', async () => {
    const { port, run, mode } = await aBoardWithLines('no-download');
    const { code, message } = await run({ kind: 'detect', port });
    expect([code, message, await mode()]).toEqual([
      'NO_ANSWER',
      'the board started its program (boot mode 0x13) instead of its loader',
      'program',
    ]);
  });

  test('taken back where the cable does not carry the speed, before it is asked anew, runs its program', async () => {
    const { port, run, mode } = await aBoardWithLines('', { lineRate: 'own' }, { deafAbove: 115_200 });
    const { code, told } = await run({ kind: 'detect', port, baud: 460_800 }, ({ message }) =>
      message.en.includes('does not carry') ? 'at once' : false,
    );
    expect(told.at(-1)?.message.en).toContain('does not carry 460800 baud');
    expect([code, await mode()]).toEqual(['CANCELLED', 'program']);
  });

  test('that cannot be worked on, because its maker locked it, goes back to its program', async () => {
    const { port, run, mode, moved } = await aBoardWithLines('locked');
    const { code } = await run({ kind: 'flash', port, firmware: { bundle: await aBundle() } });
    expect([code, await mode(), moved.slice(-2)]).toEqual(['WRONG_CHIP', 'program', ['dR', 'dr']]);
  });
});
