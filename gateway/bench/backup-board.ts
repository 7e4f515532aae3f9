import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { ChipFacts, EspBoard } from '#adapters/serial/esp-board.ts';
import { inEach, verbatim } from '#core/each-language.ts';
import { type JobContext, type JobOf, type JobResult, stepProgress } from './job.ts';
import { readSteadily, withBoard } from './open-board.ts';
import { BenchTrouble } from './trouble.ts';

const PIECE = 64 * 1_024;

/** Saves the whole flash to a file. Throws BenchTrouble. */
export async function backupBoard(job: JobOf<'backup'>, context: JobContext): Promise<JobResult> {
  return withBoard(job, context, async (board, facts) => ({
    chip: facts.chip,
    mac: facts.mac,
    ...(await saveFlash(board, facts, { file: job.file, context })),
  }));
}

/**
 * Reads the whole flash into a file, which appears under its name when it is complete and safe on the disk. Only its
 * owner may read it: it holds the board's key and Wi-Fi password.
 */
export async function saveFlash(
  board: EspBoard,
  { flash_bytes: total }: ChipFacts,
  { file, context }: { file: string; context: JobContext },
): Promise<{ file: string; bytes: number; sha256: string }> {
  const unfinished = `${file}.part`;
  const out = await open(unfinished, 'w', 0o600).catch((cause: unknown) => {
    throw notSaved(file, cause);
  });
  const digest = createHash('sha256');
  const progress = stepProgress(context, { name: 'backup', total, message: verbatim(file) });
  try {
    for (let at = 0; at < total; at += PIECE) {
      const length = Math.min(PIECE, total - at);
      const bytes = await readSteadily(board, context, { address: at, length });
      digest.update(bytes);
      await out.write(bytes).catch((cause: unknown) => {
        throw notSaved(file, cause);
      });
      progress.add(length);
    }
    await out.sync();
    await out.close();
    await rename(unfinished, file);
  } catch (error) {
    await out.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
  return { file, bytes: total, sha256: digest.digest('hex') };
}

function notSaved(file: string, cause: unknown): BenchTrouble {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new BenchTrouble(
    'BAD_INPUT',
    {
      message: inEach(
        `${file} não pode ser gravado: ${why}`,
        `${file} cannot be written: ${why}`,
        `${file} no se puede grabar: ${why}`,
      ),
      next: inEach(
        'diga um arquivo num disco com espaço e comece de novo; a placa não foi mudada',
        'name a file on a disk with space and start again; the board was not changed',
        'indique un archivo en un disco con espacio y comience de nuevo; la placa no se cambió',
      ),
    },
    cause,
  );
}
