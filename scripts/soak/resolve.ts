import { type ChangeRow, ENTITY, type Write } from './history.ts';

// Which writes took effect, and when: those acknowledged, and of those nobody heard of, the ones the change log has.

/** A write that holds. `at` is the gateway's time. */
export type Effect = { write: Write; at: number; version: number | null };

export type Found = {
  /** By tag: when, and the version an order made. */
  byTag: Map<string, { at: number; version: number | null }>;
  /** By id of the thing that was deleted. */
  deletedAt: Map<string, number>;
};

export function emptyFound(): Found {
  return { byTag: new Map(), deletedAt: new Map() };
}

/** Adds what these rows of the change log say. */
export function find(found: Found, changes: readonly ChangeRow[]): void {
  // what held when a schedule was deleted is stored beside it, with the time of the decision
  let base: { tx: number; at: number | null } = { tx: -1, at: null };
  for (const change of changes) {
    const at = Number.parseInt(change.hlc.slice(0, 12), 16);
    if (change.op === 2) {
      found.deletedAt.set(change.id, (base.tx === change.tx ? base.at : null) ?? at);
      continue;
    }
    if (change.entity === ENTITY.controlPoint) base = { tx: change.tx, at: baseTimeIn(change) };
    // the change log holds JSON objects
    const body = JSON.parse(change.body_json ?? '{}') as Record<string, unknown>;
    const tag = tagIn(body);
    if (tag === null) continue;
    const since = timeIn(body) ?? at;
    const version = change.entity === ENTITY.order ? Number(body['version']) : null;
    found.byTag.set(tag, { at: since, version });
  }
}

/** Effects in the order in which they hold. */
export function effectsOf(writes: readonly Write[], found: Found): Effect[] {
  return writes.flatMap((write) => {
    const effect = effectOf(write, found);
    return effect === null ? [] : [effect];
  });
}

function effectOf(write: Write, found: Found): Effect | null {
  if (write.outcome === 'refused') return null;
  const isDelete = write.kind === 'schedule_delete' || write.kind === 'pond_delete';
  if (isDelete) {
    const stamped = found.deletedAt.get(write.id);
    if (stamped === undefined) return null;
    return { write, at: stamped, version: null };
  }
  const known = found.byTag.get(write.tag);
  // an acknowledged write is believed whether or not the disk has it: that it has is asked elsewhere
  if (write.outcome === 'acked' && write.at !== null) return { write, at: write.at, version: write.version };
  return known === undefined ? null : { write, ...known };
}

/** Groups of an update hold their fields; a new row holds them plainly. */
function tagIn(body: Record<string, unknown>): string | null {
  for (const field of ['reason', 'description', 'cod']) {
    const value = body[field];
    if (typeof value === 'string') return value;
    const inner = (value as Record<string, unknown> | null | undefined)?.[field];
    if (typeof inner === 'string') return inner;
  }
  return null;
}

function baseTimeIn({ body_json }: ChangeRow): number | null {
  // the change log holds JSON objects
  const { shadow } = JSON.parse(body_json ?? '{}') as { shadow?: { base_at?: string } };
  return shadow?.base_at === undefined ? null : Date.parse(shadow.base_at);
}

function timeIn(body: Record<string, unknown>): number | null {
  const text = body['issued_at'] ?? body['updated_at'] ?? body['created_at'];
  return typeof text === 'string' ? Date.parse(text) : null;
}
