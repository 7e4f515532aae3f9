import { isoOf, type Kernel } from './kernel.ts';

// Letters by e-mail outside the outbox of channels: to addresses of nobody, or of nobody any more.

export type Letter = { to: string; subject: string; text: string };

/** refused: it will never be taken. */
export type LetterOutcome = { is: 'sent' } | { is: 'retry' | 'refused'; why: string };
/** Sends a letter; one that comes twice bears the same id. */
export type SendLetter = (letter: Letter & { id: string }) => Promise<LetterOutcome>;

export type WaitingLetter = { id: string; attempts: number; next_at: string; created_at: string };

export type LetterQueue<Row extends WaitingLetter> = {
  due: (now: number, limit: number) => Promise<Row[]>;
  /** Takes it until then; false: another process did. */
  claim: (letter: Pick<Row, 'id' | 'next_at'>, until: string) => Promise<boolean>;
  putOff: (id: string, until: string, attempts: number) => Promise<void>;
};

const MINUTE = 60_000;
const MOST_AT_ONCE = 20;
/** So long one process of several has it for itself. */
const LEASE_MS = 2 * MINUTE;
const LONGEST_WAIT_MS = 60 * MINUTE;
const GIVEN_UP_AFTER_MS = 24 * 60 * MINUTE;

/** Goes through the letters that are due. What cannot be sent now is tried again for a day; each is erased when it is gone. */
export async function sendDueLetters<Row extends WaitingLetter>(
  deps: Pick<Kernel, 'now' | 'clockQuality' | 'log'>,
  queue: LetterQueue<Row>,
  letters: {
    /** null: nobody needs it any more. */
    send: (row: Row) => Promise<LetterOutcome | null>;
    erase: (row: Row) => Promise<void>;
    /** Erases it, too. */
    giveUp: (row: Row, why: string) => Promise<void>;
  },
): Promise<void> {
  for (const row of await queue.due(deps.now(), MOST_AT_ONCE)) {
    try {
      if (!(await queue.claim(row, isoOf(deps.now() + LEASE_MS)))) continue;
      const outcome = await letters.send(row);
      if (outcome === null || outcome.is === 'sent') await letters.erase(row);
      else if (outcome.is === 'retry' && ageOf(deps, row) < GIVEN_UP_AFTER_MS) await putOff(deps, queue, row);
      else await letters.giveUp(row, outcome.why);
    } catch (error) {
      deps.log.warn({ err: error, letterId: row.id }, 'a letter waits to be sent by e-mail');
    }
  }
}

function ageOf({ now, clockQuality }: Pick<Kernel, 'now' | 'clockQuality'>, row: WaitingLetter): number {
  return clockQuality() === 'trusted' ? now() - Date.parse(row.created_at) : 0;
}

async function putOff<Row extends WaitingLetter>(
  { now }: Pick<Kernel, 'now'>,
  queue: LetterQueue<Row>,
  { id, attempts }: Row,
): Promise<void> {
  const waitMs = Math.min(LONGEST_WAIT_MS, MINUTE * 2 ** Math.min(attempts, 10));
  await queue.putOff(id, isoOf(now() + waitMs), attempts + 1);
}
