import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 2_000_000_000;

/**
 * Where the data of a test goes that no power cut ends: in memory where there is much of it, because each commit of
 * SQLite waits for the disk. Tests of the disk itself, and of programs that are killed, keep their data on one.
 */
export function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > ROOM_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
