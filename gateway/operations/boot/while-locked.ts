import { isLocked } from '#adapters/sql/check-database.ts';
import type { Kernel } from '#core/kernel.ts';

const EVERY_MS = 1_000;
const FIVE_MINUTES = 300;

/**
 * Opens the database as soon as whoever holds it (a backup by hand, a technician's tool left open) lets go. Gives up
 * after five minutes with a sentence for people: a supervisor then starts us anew.
 */
export async function whileLocked<Opened>(
  deps: Pick<Kernel, 'pause' | 'log'>,
  open: () => Promise<Opened>,
  most = FIVE_MINUTES,
): Promise<Opened> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (tries === most) throw new DatabaseHeld(error);
      if (tries % 30 === 1) {
        deps.log.warn({ tries }, 'another program holds the database; the start waits until it lets go');
      }
      await deps.pause(EVERY_MS);
    }
  }
}

export class DatabaseHeld extends Error {
  constructor(cause: unknown) {
    super('another program holds the database; end it and start again', { cause });
    this.name = 'DatabaseHeld';
  }
}
