import type { RowOf } from '#contract/resource.ts';
import { outgoingLetter } from '#contract/resources/local-tables.ts';
import { type Change, insert } from './changes.ts';
import type { Language } from './notifying.ts';

// Letters go by e-mail to an address that need not have a channel, or an account. They are put in line in the commit that
// makes them due, sealed, and sent from there (features/letters).

export type Letter = { to: string; subject: string; text: string };

/** refused: it will never be taken. */
export type LetterOutcome = { is: 'sent' } | { is: 'retry' | 'refused'; why: string };
/** Sends a letter; one that comes twice bears the same id. */
export type SendLetter = (letter: Letter & { id: string }) => Promise<LetterOutcome>;

export type OutgoingLetter = RowOf<typeof outgoingLetter>;

/** What a letter keeps sealed: where it goes, and the code in it ('' for one without). */
export type SealedWords = { to: string; code: string };

/** Hides what a letter says until it is sent; `open` answers null for what was sealed with another secret. */
export type LetterSeal = {
  seal: (letterId: string, what: SealedWords) => string;
  open: (letterId: string, sealed: string) => SealedWords | null;
};

/** How letters of one kind are written, and what comes of one that cannot be sent. */
export type LetterKind = {
  triedForMs: number;
  /** null: nobody needs it any more. */
  task: (letter: OutgoingLetter) => Promise<LetterTask | null>;
};
export type LetterTask = {
  /** null: there is nobody to write to. */
  write: (what: SealedWords, language: Language) => Promise<Letter | null>;
  /** Changes that tell who sent it; `to` null: what it said cannot be read any more. */
  onGivenUp: (to: string | null) => Promise<Change[]>;
};

/** In the commit of what the letter is about: a kill between the two would leave somebody waiting for it. */
export function letterChange(
  seal: Pick<LetterSeal, 'seal'>,
  letter: Pick<OutgoingLetter, 'id' | 'kind' | 'language'> & SealedWords & { at: string },
): Change {
  const { id, kind, language, to, code, at } = letter;
  const sealed = seal.seal(id, { to, code });
  return insert(outgoingLetter, { id, kind, sealed, language, attempts: 0, next_at: at, created_at: at });
}
