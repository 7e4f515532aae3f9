import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { UsageError } from './options.ts';

/** The publisher's public key whose firmware a controller takes; none without a file. */
export async function readFirmwareKeys(file: string | undefined): Promise<KeyObject[]> {
  if (file === undefined) return [];
  try {
    return [createPublicKey(await readFile(file))];
  } catch (cause) {
    throw new UsageError(`--firmware-key ${file} is no file with a public key (PEM).`, { cause });
  }
}
