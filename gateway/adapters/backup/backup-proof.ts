import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeWhole } from './safe-files.ts';

// When a person last showed that the recovery key opens a backup. It is no secret, and says nothing of the key.

const proof = z.object({ proved_at: z.iso.datetime(), file: z.string() });
const pathOf = (data: string) => join(data, 'backup-proof.json');

export async function noteProof(data: string, file: string, provedAt: string): Promise<void> {
  await writeWhole(pathOf(data), [Buffer.from(`${JSON.stringify({ proved_at: provedAt, file })}\n`)]);
}

/** Milliseconds since 1970; null: never, or it cannot be read. */
export async function lastProof(data: string): Promise<number | null> {
  try {
    return Date.parse(proof.parse(JSON.parse(await readFile(pathOf(data), 'utf8'))).proved_at);
  } catch {
    // without it the proof is asked for again, which harms nobody
    return null;
  }
}
