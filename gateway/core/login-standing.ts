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
