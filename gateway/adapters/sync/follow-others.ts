import type { Db } from '#adapters/sql/database.ts';
import type { Resource } from '#contract/resource.ts';
import { allResources } from '#contract/resources/all.ts';
import type { CommitListener, Committed, CommittedRow, RowListener } from '#core/changes.ts';
import { wakes } from '#core/changes.ts';
import { codecOf } from '#store/row-codec.ts';
import type { Bus, BusMessage } from '../../sync/ports.ts';

type RowName = Extract<BusMessage, { is: 'rows' }>['rows'][number];
/** `gone`: rows that are not there any more. */
type OthersListener = (committed: Committed, gone: readonly RowName[]) => void | Promise<void>;

/** Tables whose changes somebody in another process follows: registries, event streams, what is remembered of people. */
const FOLLOWED = new Set([
  'users',
  'farms',
  'farm_members',
  'ponds',
  'aerators',
  'control_points',
  'orders',
  'schedules',
  'device_keys',
  'first_key_uses',
  'alerts',
  'notifications',
  'measurements',
  'farm_science',
  'subscriptions',
  'access_tokens',
  'revoked_tokens',
  'session_generations',
  'gateways',
  'sync_farms',
  'deliveries',
  'commands',
]);
const AT_ONCE = 200;

/** What is written of a gateway each time it was heard, and nobody in another process acts by. */
const SIGHTINGS: ReadonlySet<string> = new Set([
  'last_seen_at',
  'last_report_json',
  'outage_until',
  'outage_reason',
]);

/** Of those that a gateway signed in with: the database alone says whether one was used. */
const NONCE = 'nonce:';

/** A fleet is heard each minute: telling every process of it would cost each of them more than all else that it hears. */
function isSighting({ table, id, before, after }: CommittedRow): boolean {
  if (table === 'revoked_tokens') return id.startsWith(NONCE);
  if (table !== 'gateways' || before === null) return false;
  return Object.keys(after).every((field) => SIGHTINGS.has(field) || after[field] === before[field]);
}

/** Says on the bus which rows a commit of this process changed, and how far feeds grew with it. */
export function tellOthers(deps: {
  bus: Pick<Bus, 'tell'>;
  onCommit: (listener: CommitListener) => () => void;
}): void {
  deps.onCommit(({ rows, fed = [] }) => {
    const names = rows
      .filter((row) => FOLLOWED.has(row.table) && !isSighting(row))
      .map(({ table, id }) => ({ table, id }));
    if (names.length > 0) deps.bus.tell({ is: 'rows', rows: names });
    for (const { streamId, head } of fed) deps.bus.tell({ is: 'stream', streamId, head });
  });
}

/**
 * Hears of what other processes committed: the rows as they stand now, without what they were before.
 */
export function followOthers(deps: { bus: Pick<Bus, 'hear'>; read: Db; onError: (error: unknown) => void }) {
  const listeners = new Set<OthersListener>();
  const gapListeners = new Set<() => void>();
  const state = { last: Promise.resolve() };

  function onCommit(listener: OthersListener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  async function tell(names: readonly RowName[]): Promise<void> {
    const rows = await rowsNow(deps.read, names);
    const found = new Set(rows.map(({ table, id }) => `${table} ${id}`));
    const gone = names.filter(({ table, id }) => !found.has(`${table} ${id}`));
    for (const listener of listeners) await listener({ rows }, gone);
  }

  deps.bus.hear((message, from) => {
    if (message.is === 'gap') for (const listener of gapListeners) listener();
    if (message.is !== 'rows' || from === 'here' || listeners.size === 0) return;
    // one after another, so that nobody is told of an older state behind a newer one
    state.last = state.last.then(() => tell(message.rows)).catch(deps.onError);
  });
  return {
    onCommit,
    /** The same, for rows of the listener's tables alone. */
    onRows(listener: RowListener): () => void {
      return onCommit((committed) => {
        if (wakes(listener, committed)) listener({ ...committed, readable: listener.reads });
      });
    },
    /** What others said may have been lost: what follows them looks at everything again. */
    onGap(listener: () => void): () => void {
      gapListeners.add(listener);
      return () => gapListeners.delete(listener);
    },
    /** What was heard so far has been told. */
    settled: () => state.last,
  };
}

async function rowsNow(read: Db, names: readonly RowName[]): Promise<CommittedRow[]> {
  const found: CommittedRow[] = [];
  for (const resource of allResources) {
    const ids = names.filter(({ table }) => table === resource.name).map(({ id }) => id);
    for (let from = 0; from < ids.length; from += AT_ONCE)
      found.push(...(await rowsOf(read, resource, ids.slice(from, from + AT_ONCE))));
  }
  return found;
}

async function rowsOf(read: Db, resource: Resource, ids: readonly string[]): Promise<CommittedRow[]> {
  const isShared = resource.sync !== 'local';
  const codec = codecOf(resource);
  const stored = await read
    .selectFrom(read.dynamic.table(resource.name as 'users').as('t'))
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return stored.map((row) => {
    const columns: Record<string, unknown> = row;
    return {
      table: resource.name,
      id: row.id,
      before: null,
      after: codec.decode(columns),
      rev: isShared ? Number(columns['rev']) : 0,
      hidden: isShared && columns['hidden'] === 1,
    };
  });
}
