import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runInProcess } from '../../gateway/bench/bench-process.ts';
import type { Progress } from '../../gateway/bench/job.ts';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';

const BAUD = 921_600;
/** Start bit, eight bits, stop bit. */
const LINE_BYTES_PER_S = BAUD / 10;
const MUST = 0.8;
const SIMULATOR = fileURLToPath(new URL('../../firmware-sim/main.ts', import.meta.url));
/** Behind the program; bytes that no compression makes fewer. */
const OFFSET = 0x11_0000;

/** A firmware over the cable, written and proved, beside what the line carries at its rate. */
export async function flash({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick ? { bytes: 16_384, rounds: 1 } : { bytes: 2 ** 20, rounds: 3 };
  const folder = await mkdtemp(join(tmpdir(), 'farm-bench-flash-'));
  const board = await startBoard();
  try {
    const rates: number[] = [];
    for (let round = 1; round <= size.rounds; round += 1) {
      tell(`${size.bytes} bytes over the cable, ${round} of ${size.rounds}`);
      const file = join(folder, `${round}.bin`);
      // no image of a program: those begin with 0xe9
      await writeFile(file, Buffer.concat([Buffer.of(0), randomBytes(size.bytes - 1)]));
      rates.push(await written(board.port, file));
    }
    const ratios = rates.map((rate) => rate / LINE_BYTES_PER_S);
    return [
      {
        measure: `flashing ${size.bytes} bytes at ${BAUD} baud, proved`,
        subject: figures('bench-tool flash', median(rates)),
        baseline: figures('what the line carries', LINE_BYTES_PER_S),
        ratioOf: 'rate',
        ratio: median(ratios),
        cpuRatio: null,
        spread: [Math.min(...ratios), Math.max(...ratios)],
        must: `≥ ${MUST * 100} %`,
        isMet: median(ratios) >= MUST,
        rounds: size.rounds,
        notes: [`load average of the machine ${loadavg()[0]?.toFixed(1)}`],
      },
    ];
  } finally {
    await board.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Bytes per second of the step that writes, its proofs by the chip included. */
async function written(port: string, file: string): Promise<number> {
  let last: Progress | null = null;
  const job = {
    kind: 'flash',
    port,
    baud: BAUD,
    firmware: { files: [{ file, offset: OFFSET }] },
    allow_unsigned: true,
  };
  await runInProcess(job, {
    tell: (progress) => {
      if (progress.step === 'write') last = progress;
    },
    signal: new AbortController().signal,
  });
  const { bytes_per_s: rate } = (last ?? { bytes_per_s: null }) as Pick<Progress, 'bytes_per_s'>;
  if (rate === null) throw new Error('nothing was written');
  return rate;
}

/** A simulated board in a process of its own, its bytes as slow as those of a cable. */
async function startBoard(): Promise<{ port: string; stop: () => Promise<void> }> {
  const args = [SIMULATOR, '--board', '--pty', '--line-rate', 'own'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { event: string; path?: string };
    if (said.event !== 'port' || said.path === undefined) continue;
    child.stdout.resume();
    return {
      port: said.path,
      async stop() {
        process.off('exit', end);
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('the simulated board did not start');
}

const figures = (name: string, perS: number): Figures => ({
  name,
  perS,
  cpuUs: null,
  p50Ms: null,
  p99Ms: null,
  rssMb: null,
});
