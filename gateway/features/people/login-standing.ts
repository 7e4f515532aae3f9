/** What is stored of a person's logins as a whole. */
export type LoginsStanding = { generation: number; kept_session: string | null };

/** What a login is known by: its id, and the generation it began in. */
export type LoginMarks = { id: string; generation: number };

/** Whether a login outlived the last "end all others" of its person. */
export function isOfLiveGeneration(
  { id, generation }: LoginMarks,
  { generation: current, kept_session }: LoginsStanding,
): boolean {
  return generation >= current || id === kept_session;
}

/** An SD card is not written for every use of a login. */
export const NOTED_EVERY_MS = 3_600_000;

/** When the last token of a login ends that was used at an instant: it may have been renewed until the use is noted again. */
export const lastEndOf = (usedAt: number, lifetimeS: number): number =>
  usedAt + NOTED_EVERY_MS + lifetimeS * 1000;
