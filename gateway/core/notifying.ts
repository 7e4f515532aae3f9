import type { NotificationType, Severity } from '#contract/words.ts';
import type { Change } from './changes.ts';

export type Language = 'pt-BR' | 'en';

/** What is told, in the language of its reader. */
export type Words = (language: Language) => string;

/**
 * `owner`: of the farm. `operators`: the owner and the members who look after its devices (managers, technicians).
 * `attendants`: these and whoever answers alarms at the pond. A user who is made in the same commit is told, too, in
 * `language`.
 */
export type Recipients =
  | { userIds: readonly string[]; language?: string | null }
  | { farmId: string; who: 'owner' | 'operators' | 'attendants' };

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

/** Farms of this product speak Portuguese unless a person chose English. */
export function languageOf(chosen: string | null): Language {
  return chosen?.toLowerCase().startsWith('en') ? 'en' : 'pt-BR';
}
