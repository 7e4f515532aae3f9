import { outgoingLetter } from '#contract/resources/local-tables.ts';
import { type Change, purge } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import {
  type LetterKind,
  type LetterOutcome,
  type LetterSeal,
  type LetterTask,
  languageOf,
  type OutgoingLetter,
  type SendLetter,
} from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';

export type LetterQueries = {
  due: (now: number, limit: number) => Promise<OutgoingLetter[]>;
  /** Takes it until then; false: another process did. */
  claim: (letter: Pick<OutgoingLetter, 'id' | 'next_at'>, until: string) => Promise<boolean>;
  putOff: (id: string, until: string, attempts: number) => Promise<void>;
};

export type SendLettersDeps = Pick<
  Kernel,
  'now' | 'elapsedSince' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'log'
> & {
  queries: LetterQueries;
  kinds: Readonly<Record<OutgoingLetter['kind'], LetterKind>>;
  seal: Pick<LetterSeal, 'open'>;
  /** null: this instance sends no mail any more. */
  send: SendLetter | null;
};

const MINUTE = 60_000;
const MOST_AT_ONCE = 20;
/** So long one process of several has it for itself. */
const LEASE_MS = 2 * MINUTE;
const LONGEST_WAIT_MS = 60 * MINUTE;

/** Sends the letters that are due. What cannot be sent now is tried again; each is erased when it is gone. */
export async function sendLetters(deps: SendLettersDeps): Promise<void> {
  for (const letter of await deps.queries.due(deps.now(), MOST_AT_ONCE)) {
    try {
      if (await deps.queries.claim(letter, isoOf(deps.now() + LEASE_MS))) await sendOne(deps, letter);
    } catch (error) {
      deps.log.warn(
        { err: error, letterId: letter.id, kind: letter.kind },
        'a letter waits to be sent by e-mail',
      );
    }
  }
}

async function sendOne(deps: SendLettersDeps, letter: OutgoingLetter): Promise<void> {
  const { id, kind } = letter;
  const { task: taskOf, triedForMs } = deps.kinds[kind];
  const task = await taskOf(letter);
  if (task === null) return erase(deps, id, []);
  const what = deps.seal.open(id, letter.sealed);
  const outcome = what === null ? UNREADABLE : await sent(deps, letter, { ...what, task });
  if (outcome.is === 'sent') return erase(deps, id, []);
  const age = deps.clockQuality() === 'trusted' ? deps.now() - Date.parse(letter.created_at) : 0;
  if (outcome.is === 'retry' && age < triedForMs) {
    const waitMs = Math.min(LONGEST_WAIT_MS, MINUTE * 2 ** Math.min(letter.attempts, 10));
    await deps.queries.putOff(id, isoOf(deps.now() + waitMs), letter.attempts + 1);
    return;
  }
  const sentence =
    kind === 'INVITATION' ? 'an invitation was not sent by e-mail' : 'a letter was not sent by e-mail';
  deps.log.warn({ letterId: id, kind, why: outcome.why }, sentence);
  await erase(deps, id, await task.onGivenUp(what?.to ?? null));
}

const UNREADABLE: LetterOutcome = { is: 'refused', why: 'it was sealed with a secret that is gone' };

async function sent(
  { send }: SendLettersDeps,
  letter: OutgoingLetter,
  { to, code, task }: { to: string; code: string; task: LetterTask },
): Promise<LetterOutcome> {
  if (send === null) return { is: 'refused', why: 'this instance sends no mail' };
  const written = await task.write({ to, code }, languageOf(letter.language));
  return written === null ? { is: 'sent' } : send({ id: letter.id, ...written });
}

async function erase(deps: SendLettersDeps, id: string, told: readonly Change[]): Promise<void> {
  await perform(deps, null, () =>
    Promise.resolve({ answer: undefined, changes: [purge(outgoingLetter, id), ...told] }),
  );
}
