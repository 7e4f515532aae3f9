import type { Answer } from './route.ts';

/** Where a journal list without `limit` ends. */
export const JOURNAL_ROWS = 10_000;

type Journal = {
  /** Rows of the whole list; asked only when the caller gave no limit. */
  count: () => Promise<number>;
  rows: (page: { skip: number; limit: number }) => AsyncIterable<unknown>;
};

/**
 * A page of a journal (logs, measurements, …), streamed. Without `limit` it ends at 10,000 rows, says how many there
 * are (X-Total-Count), and names the next page (Link), which keeps the caller's other query parameters.
 */
export async function journalAnswer(
  query: { skip: number; limit?: number | undefined } & Readonly<Record<string, unknown>>,
  journal: Journal,
): Promise<Answer> {
  const { skip, limit } = query;
  if (limit !== undefined) return { status: 200, rows: journal.rows({ skip, limit }) };
  const total = await journal.count();
  const next = skip + JOURNAL_ROWS;
  return {
    status: 200,
    rows: journal.rows({ skip, limit: JOURNAL_ROWS }),
    total,
    ...(next < total ? { headers: { Link: nextPage(query, next) } } : {}),
  };
}

function nextPage(query: Readonly<Record<string, unknown>>, skip: number): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, skip })) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  // relative to the address of this very request
  return `<?${parameters.toString()}>; rel="next"`;
}
