import type { Bus, BusMessage } from '../../sync/ports.ts';

// What is said between processes within a moment, put together and cut to what one sentence carries.

/** PostgreSQL takes less than 8000 bytes; the rest is for the frame around the messages. */
const MAX_BYTES = 7_500;
/** More rows than that in one moment are too many to look at one by one. */
const MAX_ROWS = 2_000;
/** Rows that nobody controls by: they go first when there are too many. */
const PASSING = new Set([
  'logs',
  'measurements',
  'feeding_records',
  'biometries',
  'farm_records',
  'feed_stock',
  'harvest_lots',
  'tasks',
  'task_marks',
  'photos',
  'expenses',
  'notifications',
]);

type RowName = Extract<BusMessage, { is: 'rows' }>['rows'][number];

/** The newest of each, once. */
export function gathered(messages: readonly BusMessage[]): BusMessage[] {
  const rows = new Map<string, RowName>();
  const heads = new Map<number, number>();
  const commands = new Set<number>();
  const others: BusMessage[] = [];
  for (const message of messages) {
    if (message.is === 'rows') for (const row of message.rows) rows.set(`${row.table} ${row.id}`, row);
    else if (message.is === 'stream')
      heads.set(message.streamId, Math.max(message.head, heads.get(message.streamId) ?? 0));
    else if (message.is === 'command') commands.add(message.streamId);
    else others.push(message);
  }
  return [
    ...others,
    ...[...commands].map((streamId): BusMessage => ({ is: 'command', streamId })),
    ...[...heads].map(([streamId, head]): BusMessage => ({ is: 'stream', streamId, head })),
    ...rowMessages([...rows.values()]),
  ];
}

function rowMessages(rows: readonly RowName[]): BusMessage[] {
  if (rows.length === 0) return [];
  if (rows.length <= MAX_ROWS) return [{ is: 'rows', rows }];
  const lasting = rows.filter(({ table }) => !PASSING.has(table));
  return lasting.length <= MAX_ROWS ? [{ is: 'rows', rows: lasting }] : [{ is: 'gap' }];
}

/** Texts of lists of messages, each small enough for one NOTIFY. */
export function payloadsOf(from: string, messages: readonly BusMessage[]): string[] {
  const payloads: string[] = [];
  let pieces: string[] = [];
  let bytes = 0;
  const end = () => {
    if (pieces.length > 0) payloads.push(`{"from":${JSON.stringify(from)},"messages":[${pieces.join(',')}]}`);
    pieces = [];
    bytes = 0;
  };
  for (const piece of messages.flatMap(smallTexts)) {
    const size = Buffer.byteLength(piece) + 1;
    if (bytes + size > MAX_BYTES) end();
    pieces.push(piece);
    bytes += size;
  }
  end();
  return payloads;
}

function smallTexts(message: BusMessage): string[] {
  const text = JSON.stringify(message);
  if (Buffer.byteLength(text) < MAX_BYTES) return [text];
  if (message.is === 'rows' && message.rows.length > 1)
    return halves(message.rows).flatMap((rows) => smallTexts({ ...message, rows }));
  if (message.is === 'presence' && message.points.length > 1)
    return halves(message.points).flatMap((points) => smallTexts({ ...message, points }));
  // a single row or point is far smaller; whatever it is, it must not stop the rest
  return [];
}

function halves<Item>(items: readonly Item[]): Item[][] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** What another process said; null: it was this one, or nothing that is understood. */
export function readPayload(own: string, payload: string): BusMessage[] | null {
  try {
    const said: unknown = JSON.parse(payload);
    if (typeof said !== 'object' || said === null || !('from' in said) || said.from === own) return null;
    // processes of one version write it, and a newer one only adds words that nobody listens for
    return 'messages' in said && Array.isArray(said.messages) ? (said.messages as BusMessage[]) : null;
  } catch {
    return null;
  }
}

type BusListener = Parameters<Bus['hear']>[0];

/** Who listens in this process; one that throws is reported and harms nobody. */
export function busListeners(onError: (error: unknown) => void) {
  const listeners = new Set<BusListener>();
  return {
    hear(listener: BusListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pass(message: BusMessage, from: 'here' | 'elsewhere'): void {
      for (const listener of listeners) {
        try {
          listener(message, from);
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}

/** The bus of an instance that is one process; what the command line does beside it is a gap. */
export function createMemoryBus(onError: (error: unknown) => void): Bus {
  const { hear, pass } = busListeners(onError);
  return {
    hear,
    tell: (message) => pass(message, 'here'),
    follow: async () => undefined,
    unfollow: () => undefined,
    isHeard: () => true,
    close: async () => undefined,
  };
}
