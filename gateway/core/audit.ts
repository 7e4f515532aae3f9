import { logEntry } from '#contract/resources/logs.ts';
import type { LogEntityType, Origin } from '#contract/words.ts';
import { type Change, insert, insertIfAbsent } from './changes.ts';
import { isoOf, type Kernel } from './kernel.ts';
import type { Answer } from './route.ts';

export type AuditFacts = {
  farm_id: string | null;
  entity_type: LogEntityType;
  entity_id: string;
  entity_name: string;
  /** turn_on, turn_off, create, update, delete, schedule_trigger, alert_created, alert_resolved, … */
  action: string;
  /** null: the system acted. */
  user_id: string | null;
  origin?: Origin;
  /** What changed and why; no secrets. */
  details?: Record<string, unknown>;
  /** When it happened, if not now. */
  at?: number;
  /** Names the cause of an entry that must be written once, however often it is decided. */
  cause?: string;
  /**
   * The gateway and the hosted instance may both come to it, each with words of its own. Those are part of the id then, so
   * that one id never has two texts: an entry of the log is never merged.
   */
  isOfBoth?: true;
};

/** The audit entry of an action, for the commit that does it. */
export function audit(
  deps: Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>,
  facts: AuditFacts,
): Change {
  const said = {
    farm_id: facts.farm_id,
    entity_type: facts.entity_type,
    entity_id: facts.entity_id,
    entity_name: facts.entity_name,
    action: facts.action,
    user_id: facts.user_id,
    origin: facts.origin ?? null,
    details: facts.details ?? null,
    timestamp: isoOf(facts.at ?? deps.now()),
    clock_quality: deps.clockQuality(),
  };
  if (facts.cause === undefined) return insert(logEntry, { id: deps.newId(), ...said });
  const text = facts.isOfBoth === true ? `:${JSON.stringify(said)}` : '';
  return insertIfAbsent(logEntry, { id: deps.idOf(`log:${facts.cause}${text}`), ...said });
}

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

/** A page of a register that stands in memory: without `limit` the whole of it. */
export function registerAnswer(
  { skip, limit }: { skip: number; limit?: number | undefined },
  rows: readonly unknown[],
): Answer {
  const end = limit === undefined ? rows.length : skip + limit;
  return { status: 200, rows: rows.slice(skip, end), total: rows.length };
}

function nextPage(query: Readonly<Record<string, unknown>>, skip: number): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, skip })) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  // relative to the address of this very request
  return `<?${parameters.toString()}>; rel="next"`;
}
