import { createHash } from 'node:crypto';
import type { Resource } from '#contract/resource.ts';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import type { CommittedRow } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Steps, UnitContext } from '../register.ts';
import { codecOf } from '../row-codec.ts';
import { textOf } from './canonical-change.ts';
import { stampOf } from './claims.ts';
import { inList, listOf } from './id-lists.ts';
import type { LostEdit, MergedBatch } from './merge.ts';
import { scopeOf } from './shared-tables.ts';
import { isOnFarm } from './tenancy.ts';
import { keyOf, standingOf } from './working-set.ts';
import { insertMany } from './write-rows.ts';

// What is kept beside the rows for one stream, most: whoever is at its other end fills no disk with it.

/** Texts of rows that are kept of a stream, and which of them are worth most, as SQL. */
export type Kept = {
  table: 'sync_parked' | 'sync_conflicts' | 'lost_people';
  texts: readonly string[];
  /** Words of an `order by`; the last go first. */
  bestFirst: string;
};

/**
 * The rows of a stream where all of them are looked at. SQLite then reads the table from its beginning to its end: 10,000
 * rows take 5 ms, by the index of the stream 300 ms, for each is looked up by its own id. PostgreSQL takes the index.
 */
export const scannedStream = (column: string): string => `cast(${column} as bigint)`;
export const ALL_OF_STREAM = `${scannedStream('stream_id')} = ?`;

const MOST_ROWS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Removes what is beyond the bounds, the least worth keeping first; answers how many rows went. */
export function* dropBeyond(kept: Kept, streamId: number): Steps<number> {
  const bytes = kept.texts.map((text) => `octet_length(${text})`).join(' + ');
  const sizeOf = function* (): Steps<{ rows: number; bytes: number }> {
    const [found] = yield {
      sql: `select count(*) as n, coalesce(sum(${bytes}), 0) as bytes from ${kept.table} where ${ALL_OF_STREAM}`,
      params: [streamId],
    };
    return { rows: Number(found?.['n']), bytes: Number(found?.['bytes']) };
  };
  const before = yield* sizeOf();
  if (before.rows <= MOST_ROWS && before.bytes <= MOST_BYTES) return 0;
  yield {
    sql: `delete from ${kept.table} where id in (select id from (
      select id, row_number() over best as place, sum(${bytes}) over best as bytes
      from ${kept.table} where ${ALL_OF_STREAM}
      window best as (order by ${kept.bestFirst} rows unbounded preceding)
    ) as kept where place > ? or bytes > ?)`,
    params: [streamId, MOST_ROWS, MOST_BYTES],
  };
  return before.rows - (yield* sizeOf()).rows;
}

/** An edit that lost, as it is noted. */
export type ConflictNote = {
  resource: Resource;
  id: string;
  group: string;
  rule: 'last_writer' | 'delete_wins' | 'renamed' | 'unassigned' | 'duplicate';
  kept: Readonly<Record<string, unknown>>;
  dropped: Readonly<Record<string, unknown>>;
  keptHlc: string;
  droppedHlc: string;
  keptBy?: string | null;
  droppedBy?: string | null;
};

// the codec takes any resource; that its rows are conflicts shows below
const CONFLICTS = syncConflict as unknown as Resource;

/** Of a stream: first those that somebody settled go, then the oldest. */
export const CONFLICTS_KEPT: Kept = {
  table: 'sync_conflicts',
  texts: ['kept_json', 'dropped_json'],
  bestFirst: `case when state = 'open' then 0 else 1 end, found_at desc, id`,
};

/** So many rows of the log are looked through beside those that are not confirmed yet. */
const JUST_CONFIRMED = 2_000;

/** Groups that programs write, or where the later word is all anybody wants: nobody's edit is lost in them. */
const UNDISPUTED: Readonly<Record<string, readonly string[]>> = {
  notifications: ['read'],
  alerts: ['value'],
  transfers: ['contested'],
};

/** The same on both instances, whichever of the stamps won there. */
export function conflictId(
  of: { entity: number; id: string; group: string },
  stamps: readonly [string, string],
): string {
  return uuidOfText(['conflict', of.entity, of.id, of.group, ...stamps.toSorted()].join(' '));
}

/** A UUID (version 8, RFC 9562) of SHA-256. */
export function uuidOfText(text: string): string {
  const bytes = createHash('sha256').update(text).digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Of what lost in the merge: what nobody took up again within the batch, by somebody who had seen it. */
export function disputes({ lost, setApart, refusedMembers, set, applied }: MergedBatch): ConflictNote[] {
  const baseOf = new Map<string, string>();
  for (const { heard, resource, edit } of applied) {
    if (edit.is !== 'groups') continue;
    for (const group of Object.keys(edit.groups))
      baseOf.set(`${resource.name} ${heard.change.id} ${group} ${edit.hlc}`, textOf(edit.base[group]));
  }
  const disputed = lost
    .filter(({ resource, group }) => UNDISPUTED[resource.name]?.includes(group) !== true)
    .filter((edit) => {
      const row = `${edit.resource.name} ${edit.id} ${edit.group}`;
      const register = set.works.get(keyOf(edit.resource.name, edit.id))?.register;
      const stands = register === null || register === undefined ? '' : stampOf(register, edit.group);
      return (
        edit.rule === 'delete_wins' ||
        !(
          isKnownTo(baseOf, row, edit.keptHlc, edit.droppedHlc) ||
          isKnownTo(baseOf, row, stands, edit.droppedHlc)
        )
      );
    });
  return [...disputed, ...setApart, ...refusedMembers].map(noteOf);
}

/**
 * Was the change with stamp `from` made, step by step, over the one with stamp `to`? Two that each say to be made over the other
 * end it: the other side may say anything.
 */
function isKnownTo(baseOf: ReadonlyMap<string, string>, row: string, from: string, to: string): boolean {
  const seen = new Set<string>();
  for (
    let stamp: string | undefined = from;
    stamp !== undefined && stamp !== '' && !seen.has(stamp);
    stamp = baseOf.get(`${row} ${stamp}`)
  ) {
    if (stamp === to) return true;
    seen.add(stamp);
  }
  return false;
}

function noteOf({
  resource,
  id,
  group,
  rule,
  kept,
  dropped,
  keptHlc,
  droppedHlc,
  change,
}: LostEdit): ConflictNote {
  const note = { resource, id, group, rule, kept, dropped, keptHlc, droppedHlc };
  // nobody's wish, but a rule's
  if (keptHlc.endsWith('!')) return note;
  if (change.hlc === keptHlc) return { ...note, keptBy: change.actor };
  return change.hlc === droppedHlc ? { ...note, droppedBy: change.actor } : note;
}

/** Writes notes that are new; answers them as rows. */
export function* writeConflicts(
  notes: readonly ConflictNote[],
  merged: MergedBatch,
  context: UnitContext,
): Steps<CommittedRow[]> {
  if (notes.length === 0) return [];
  const rows = yield* conflictRows(notes, merged, context);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const codec = codecOf(CONFLICTS);
  const written = yield* insertMany(
    {
      table: CONFLICTS.name,
      columns: codec.columns,
      rows: [...byId.values()].map((row) => codec.encode(row)),
      conflict: 'on conflict (id) do nothing returning id',
    },
    context,
  );
  return written.flatMap((stored) => {
    const row = byId.get(String(stored['id']));
    return row === undefined
      ? []
      : [{ table: CONFLICTS.name, id: row.id, before: null, after: row, rev: 0, hidden: false }];
  });
}

/** Notes as rows, with who made what where that is known. */
export function* conflictRows(
  notes: readonly ConflictNote[],
  merged: MergedBatch,
  context: UnitContext,
): Steps<ReturnType<typeof rowOf>[]> {
  const actors = yield* actorsOf(notes, merged.batch.streamId, context);
  return notes.map((note) => rowOf(note, merged, actors, context));
}

function rowOf(
  note: ConflictNote,
  merged: MergedBatch,
  actors: ReadonlyMap<string, string | null>,
  context: UnitContext,
) {
  const { resource, id, group, rule, keptHlc, droppedHlc } = note;
  const farmId = farmOf(note, merged);
  const by = (told: string | null | undefined, hlc: string) => {
    const logged = actors.get(editKey(resource.entity, id, hlc)) ?? null;
    const heard = believed(told ?? null, { note, farmId, merged });
    // of a person's own row the log has what other gateways said, too
    return heard ?? (farmId === null ? believed(logged, { note, farmId, merged }) : logged);
  };
  return {
    id: conflictId({ entity: resource.entity, id, group }, [keptHlc, droppedHlc]),
    stream_id: merged.batch.streamId,
    farm_id: farmId,
    entity: resource.entity,
    row_id: id,
    field_group: group,
    rule,
    kept_json: JSON.stringify(note.kept),
    dropped_json: JSON.stringify(note.dropped),
    kept_hlc: keptHlc,
    dropped_hlc: droppedHlc,
    kept_by: by(note.keptBy, keptHlc),
    dropped_by: by(note.droppedBy, droppedHlc),
    state: 'open',
    found_at: isoOf(context.nowMs),
    settled_at: null,
    settled_by: null,
  };
}

/** Of rows of farms alone: an account and what is a person's own are of no farm, whichever name them. */
function farmOf({ resource, id }: ConflictNote, { set }: MergedBatch): string | null {
  const row = set.works.get(keyOf(resource.name, id))?.row;
  const scope = scopeOf(resource);
  if (!row || (scope.by !== 'farm' && scope.by !== 'parent')) return null;
  const farm =
    scope.by === 'parent'
      ? standingOf(set, scope.table, String(row[scope.column]))?.fields['farm_id']
      : row[scope.column];
  return typeof farm === 'string' ? farm : null;
}

/**
 * Whom the other side names as who did it. A gateway may name anybody: people hear of a conflict, and stand in it, where
 * they are on that farm, or where the row is their own.
 */
function believed(
  userId: string | null,
  {
    note: { resource, id },
    farmId,
    merged: { tenancy, set },
  }: { note: ConflictNote; farmId: string | null; merged: MergedBatch },
): string | null {
  if (userId === null || tenancy === null) return userId;
  if (farmId !== null) return isOnFarm(tenancy, farmId, userId) ? userId : null;
  const row = set.works.get(keyOf(resource.name, id))?.row;
  return userId === id || userId === row?.['user_id'] ? userId : null;
}

/** A stamp alone would do among honest ones: the other side may give its own word the stamp of somebody else's. */
const editKey = (entity: number, id: string, hlc: string): string => `${entity} ${id} ${hlc}`;

/**
 * Who made the edits of this side that the other had not heard of when it made its own: they are in the log still. What
 * it confirmed just before its own word came is among them.
 */
function* actorsOf(
  notes: readonly ConflictNote[],
  streamId: number,
  context: UnitContext,
): Steps<Map<string, string | null>> {
  const stamps = new Set(notes.flatMap(({ keptHlc, droppedHlc }) => [keptHlc, droppedHlc]));
  const logged = yield {
    sql: `select entity, id, hlc, actor from sync_change where stream_id = ? and ((lane = 'core' and seq >
        (select acked_core_seq - ${JUST_CONFIRMED} from sync_stream where stream_id = ?)) or (lane = 'history' and seq >
        (select acked_history_seq - ${JUST_CONFIRMED} from sync_stream where stream_id = ?))) and ${inList('hlc', context)}`,
    params: [streamId, streamId, streamId, listOf(stamps)],
  };
  return new Map(
    logged.map((row) => [
      editKey(Number(row['entity']), String(row['id']), String(row['hlc'])),
      typeof row['actor'] === 'string' ? row['actor'] : null,
    ]),
  );
}
