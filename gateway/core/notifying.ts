import type { RowOf } from '#contract/resource.ts';
import { outgoingLetter } from '#contract/resources/local-tables.ts';
import { type Language, type NotificationType, type Severity, spokenIn } from '#contract/words.ts';
import { type Change, insert } from './changes.ts';
import { clockOf, DAY_MS, instantOfWall, timeOfDayOfWall, wallOf, type Zone } from './zone-clock.ts';

export type { Language };

/** What is told, in the language of its reader. */
export type Words = (language: Language) => string;

/**
 * `owner`: of the farm. `operators`: the owner and the members who look after its devices (managers, technicians).
 * `attendants`: these and whoever answers alarms at the pond. `recorders`: who writes down what was done. A user who is made in the same commit is told, too, in
 * `language`.
 */
export type Recipients =
  | { userIds: readonly string[]; language?: string | null }
  | { farmId: string; who: 'owner' | 'operators' | 'attendants' | 'recorders' };

export type News = {
  type: NotificationType;
  title: Words;
  message: Words;
  /** For ALERT: pond_id, pond_cod, parameter, value, threshold. For the others: what a program may want to know. */
  data: Record<string, unknown>;
  /** Names the event: the same cause tells each reader once, on every instance. */
  cause: string;
  /** HIGH comes through quiet hours. Without one only the type decides who gets it besides the list. */
  severity?: Severity;
  /** Farm it is about; by default the one whose people are told, else none. */
  farmId?: string | null;
  /** When it happened, ms, if not now. */
  at?: number;
  /**
   * News for many: a time, ms, that is the same whenever and wherever this cause is told. Its rows are stored side by
   * side then (see placed-id.ts).
   */
  placedAt?: number;
};

/**
 * Changes that tell people: a notification each, and a delivery for each of their channels that wants it. For the very
 * commit that makes the news true. Accounts that are switched off are not told.
 */
export type Notify = (to: Recipients, what: News) => Promise<Change[]>;

/** Farms of this product speak Portuguese unless a person chose another language. */
export const languageOf = (chosen: string | null): Language => spokenIn(chosen ?? '') ?? 'pt-BR';

// Letters go by e-mail to an address that need not have a channel, or an account. They are put in line in the commit that
// makes them due, sealed, and sent from there (features/letters).

export type Letter = { to: string; subject: string; text: string };

/** refused: it will never be taken. */
export type LetterOutcome = { is: 'sent' } | { is: 'retry' | 'refused'; why: string };
/** Sends a letter; one that comes twice bears the same id. */
export type SendLetter = (letter: Letter & { id: string }) => Promise<LetterOutcome>;

export type OutgoingLetter = RowOf<typeof outgoingLetter>;

/** What a letter keeps sealed: where it goes, and the code in it ('' for one without). */
type SealedWords = { to: string; code: string };

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

/** Wall times (`22:00`) of a zone between which only what is critical comes; null: none. */
type QuietHours = { from: string | null; to: string | null; zone: Zone };

/** When the quiet hours around an instant end, ms; null when it is not quiet then. They may run across midnight. */
export function quietUntil({ from, to, zone }: QuietHours, at: number): number | null {
  if (from === null || to === null) return null;
  const clock = clockOf(zone);
  const wall = wallOf(clock, at);
  const time = timeOfDayOfWall(wall);
  const begin = timeMsOf(from);
  const end = timeMsOf(to);
  const isQuiet = begin < end ? time >= begin && time < end : time >= begin || time < end;
  if (!isQuiet) return null;
  const midnight = wall - time;
  const endsTomorrow = begin > end && time >= begin;
  return instantOfWall(clock, midnight + (endsTomorrow ? DAY_MS : 0) + end);
}

function timeMsOf(text: string): number {
  return (Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))) * 60_000;
}
