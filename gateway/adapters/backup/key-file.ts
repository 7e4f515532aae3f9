import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { called } from '#contract/commands.ts';
import { asTrouble, BackupTrouble } from './backup-trouble.ts';
import { keyIdOf } from './recovery-key.ts';
import { writeWhole } from './safe-files.ts';

// The public half of the recovery key: enough to write backups, useless for reading one.

const keyFile = z.object({ public_key: z.string().length(43), key_id: z.string(), made_at: z.string() });
export type KeyFile = z.infer<typeof keyFile>;

const pathOf = (data: string) => join(data, 'backup-key.json');

export const hasKeyFile = (data: string): boolean => existsSync(pathOf(data));

export async function readKeyFile(data: string): Promise<KeyFile> {
  const text = await readFile(pathOf(data), 'utf8').catch((error: unknown) => {
    throw new BackupTrouble(
      `there is no recovery key yet; make one with ${called('backup --new-key')} and write it down`,
      error,
      'NO_KEY',
    );
  });
  try {
    return keyFile.parse(JSON.parse(text));
  } catch (error) {
    throw new BackupTrouble(
      `${pathOf(data)} is damaged; make a new recovery key with ${called('backup --new-key --replace')}`,
      error,
    );
  }
}

export async function writeKeyFile(data: string, publicKey: string, madeAt: string): Promise<void> {
  const content: KeyFile = { public_key: publicKey, key_id: keyIdOf(publicKey), made_at: madeAt };
  try {
    await writeWhole(pathOf(data), [Buffer.from(`${JSON.stringify(content)}\n`)]);
  } catch (error) {
    throw asTrouble(error, data);
  }
}
