// On a hosted instance the farm speaks through its gateway. How old its last word is, and what that means for the page.

export type FarmWord = {
  /** Since when nothing is heard of the gateway; null: it was connected when that was asked. */
  silentSince: number | null;
  /** When this page last knew. */
  knownAt: number;
};

export type WordAge = 'fresh' | 'late' | 'old';

export const LATE_AFTER_MS = 2 * 60_000;
export const OLD_AFTER_MS = 10 * 60_000;

/** When the farm last spoke: while its gateway is connected that is when this page last looked. */
export const lastWordAt = ({ silentSince, knownAt }: FarmWord): number => silentSince ?? knownAt;

export function wordAgeOf(word: FarmWord, now: number): WordAge {
  const age = now - lastWordAt(word);
  return age > OLD_AFTER_MS ? 'old' : age > LATE_AFTER_MS ? 'late' : 'fresh';
}
