import { setTimeout as pause } from 'node:timers/promises';
import { isCode } from '#adapters/backup/safe-files.ts';

/** What a card or a loaded machine says now and may not say in a moment; a file that is not there stays away. */
const PASSING = ['EIO', 'EAGAIN', 'EBUSY', 'EINTR', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETIMEDOUT'];
const TRIES = 3;
const BETWEEN_MS = 300;

/** Reads again after trouble that may pass. Throws what the last try threw. */
export async function afterTrouble<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      return await read();
    } catch (error) {
      if (left === 0 || !PASSING.some((code) => isCode(error, code))) throw error;
      await pause(BETWEEN_MS);
    }
  }
}
