import type { Resource } from '#contract/resource.ts';
import { OPS, type SyncLane } from '#contract/sync/wire.ts';
import type { Committed, ForgottenChanges, Unit } from '#core/changes.ts';
import { AppError, StaleError } from '#core/errors.ts';
import { formatHlc, nextHlc, readHlc } from './hlc.ts';
import { chainOfText, jsonOf, textOfParts } from './merge/canonical-change.ts';
import { keepMarks } from './merge/keep-marks.ts';
import { toldGroups, toldRow } from './merge/personal.ts';
import { type Routes, routesOf } from './merge/routes.ts';
import { schemaOfChange } from './merge/schemas.ts';
import { OWN_STREAM } from './own-stream.ts';
import type { Steps, UnitContext } from './register.ts';

// The change log: what sync ships, hash-chained per lane, numbered without gaps under the stream's row lock.

export type LogEntry = {
  resource: Resource;
  id: string;
  op: keyof typeof OPS;
  cl: number;
  hlc: string;
  base: Readonly<Record<string, string>> | null;
  body: Readonly<Record<string, unknown>> | null;
  /** Stamps per group of a whole row that is told as it stands. */
  over?: Readonly<Record<string, string>>;
  /** Of an edit: the row as it stood. */
  before?: Readonly<Record<string, unknown>>;
  /** Who did it, where that is not who acts in this unit. */
  actor?: string | null;
};

type LaneHead = { seq: number; chain: string };
export type StreamHead = {
  id: number;
  epoch: number;
  tx: number;
  core: LaneHead;
  history: LaneHead;
  wasFed: boolean;
};

export type ChangeLog = {
  /** The next stamp: greater than `after`, and than every one of this unit and of the streams it touches. */
  stamp(after: string | null): string;
  /** A stamp of the other side: later ones of this side are greater. */
  seen(hlc: string): void;
  /** Stamps beyond this one are not valid any more: the next one is greater than this. */
  comeBack(hlc: string): void;
  /** A new epoch counts both lanes of a stream anew. */
  restart(streamId: number): void;
  /** To the streams of the row, or to those named. */
  write(entry: LogEntry, streams?: readonly number[]): Steps<void>;
  state: { hlc: string | null; streams: ReadonlyMap<number, StreamHead>; routes: Routes };
};

/** Locks the streams, in one order for all units, and reads where their logs stand; local rows alone need none. */
export function* openLog(unit: Unit, context: UnitContext): Steps<ChangeLog> {
  const routes = yield* routesOf(unit, context);
  const stored = yield* lockStreams(routes.streams, unit, context);
  const streams = new Map(stored.map((row) => [Number(row['stream_id']), headOf(row)]));
  const state: ChangeLog['state'] = {
    hlc: stored.reduce<string | null>((newest, row) => later(newest, row['hlc']), null),
    streams,
    routes,
  };
  return {
    state,
    stamp(after) {
      const last = later(state.hlc, after);
      state.hlc = nextHlc(last === '' ? null : last, context.nowMs, context.node);
      return state.hlc;
    },
    seen(hlc) {
      state.hlc = later(state.hlc, hlc);
    },
    comeBack(hlc) {
      if (state.hlc !== null && hlc < state.hlc) state.hlc = hlc;
    },
    restart(id) {
      const stream = streams.get(id);
      if (stream === undefined) return;
      stream.core = { seq: 0, chain: '' };
      stream.history = { seq: 0, chain: '' };
    },
    *write(whole, named) {
      const entry = overTheLine(whole, routes, context);
      if (entry === null) return;
      for (const id of named ?? routes.of(entry.resource, entry.id)) {
        const stream = streams.get(id);
        // bound to a gateway since the streams were looked up: looked up again by the next run
        if (stream === undefined) throw new StaleError(`stream ${id}`);
        yield* writeLogRow(entry, stream, { unit, context });
      }
    },
  };
}

/** What of an entry leaves the instance; null: nothing. */
function overTheLine(entry: LogEntry, routes: Routes, { streams }: UnitContext): LogEntry | null {
  const { resource, id, base, body } = entry;
  if (body === null) return entry;
  // an ADMIN of a gateway is one of its own people
  const isAdmin = streams !== 'own' && resource.name === 'users' && routes.isAdmin(id, body);
  const standing = isAdmin ? 'admin' : 'present';
  if (base === null) return { ...entry, body: toldRow(resource, body, standing) };
  const told = toldGroups({ name: resource.name, id }, body, standing);
  return told === null ? null : { ...entry, body: told };
}

const later = (a: string | null, b: unknown): string | null =>
  typeof b === 'string' && (a === null || b > a) ? b : a;

const HEAD = ['stream_id', 'epoch', 'hlc', 'tx', 'core_seq', 'core_chain', 'history_seq', 'history_chain'];

function* lockStreams(
  ids: readonly number[],
  unit: Unit,
  context: UnitContext,
): Steps<readonly Record<string, unknown>[]> {
  if (ids.length === 0) return [];
  const expected = Object.entries(unit.stream?.expect ?? {});
  const more = expected.map(([column]) => column).filter((column) => !HEAD.includes(column));
  const stored = yield {
    sql: `select ${[...HEAD, ...more].join(', ')} from sync_stream where stream_id ${
      ids.length === 1 ? '= ?' : `in (${ids.map(() => '?').join(', ')}) order by stream_id`
    }${context.dialect === 'postgres' ? ' for no key update' : ''}`,
    params: ids,
  };
  const missing = ids.find((id) => !stored.some((row) => Number(row['stream_id']) === id));
  if (missing !== undefined) throw new Error(`sync stream ${missing} is missing`);
  const moved = stored.find((row) => Number(row['stream_id']) === unit.stream?.id);
  if (expected.some(([column, value]) => moved?.[column] !== value))
    throw new StaleError(`stream ${unit.stream?.id}`);
  return stored;
}

function headOf(row: Record<string, unknown>): StreamHead {
  return {
    id: Number(row['stream_id']),
    epoch: Number(row['epoch']),
    tx: Number(row['tx']) + 1,
    core: { seq: Number(row['core_seq']), chain: String(row['core_chain']) },
    history: { seq: Number(row['history_seq']), chain: String(row['history_chain']) },
    wasFed: false,
  };
}

function* writeLogRow(
  entry: LogEntry,
  stream: StreamHead,
  { unit, context }: { unit: Unit; context: UnitContext },
): Steps<void> {
  const { resource, id, cl, hlc } = entry;
  // the feed to a gateway has one lane: what a hosted instance tells is little
  const lane: SyncLane = context.streams === 'own' ? resource.lane : 'core';
  const head = stream[lane];
  const op = OPS[entry.op];
  const baseJson = jsonOf(entry.base);
  const bodyJson = jsonOf(entry.body);
  const overJson = jsonOf(entry.over ?? null);
  // what the other side was told already fits by its own rule
  if (unit.incoming === undefined && unit.difference === undefined) requireTellable(bodyJson);
  const sv = schemaOfChange(resource, entry);
  const parts = { entity: resource.entity, id, op, cl, hlc, sv };
  head.seq += 1;
  head.chain = chainOfText(head.chain, textOfParts({ ...parts, baseJson, bodyJson, overJson }));
  stream.wasFed = true;
  yield {
    sql: `insert into sync_change (stream_id, lane, seq, tx, entity, id, op, cl, hlc, base_json, body_json, over_json,
      boot_id, monotonic_ms, actor, schema_version, chain) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [
      stream.id,
      lane,
      head.seq,
      stream.tx,
      resource.entity,
      id,
      op,
      cl,
      hlc,
      baseJson,
      bodyJson,
      overJson,
      context.bootId,
      Math.round(context.monotonicMs),
      entry.actor === undefined ? unit.actor : entry.actor,
      sv,
      head.chain,
    ],
  };
}

/**
 * Hosted: rows that no gateway hears of are stamped under no stream's lock. The instance's own stream, of which no gateway
 * is the other end, tells how far they went: stamps from the future are looked for by the streams. Once in a while alone,
 * so that such units do not wait for each other.
 */
function* noteUnheard(hlc: string, { node }: UnitContext): Steps<void> {
  const before = formatHlc(Math.max(0, readHlc(hlc).ms - NOTED_EVERY_MS), 0, node);
  yield {
    sql: 'update sync_stream set hlc = ? where stream_id = ? and (hlc is null or hlc < ?)',
    params: [hlc, OWN_STREAM, before],
  };
}

/** Of MAX_MESSAGE_BYTES, with room for what stands around one change in a message. */
export const MOST_BODY_BYTES = 1_800_000;

/**
 * A change that no message carries would hold up everything behind it. The largest row that the interface takes has a
 * sixth of this (10,000 single weights), the entry of its correction a third; this is the tripwire behind it.
 */
function requireTellable(bodyJson: string | null): void {
  // a character has three bytes at most
  if (bodyJson === null || bodyJson.length <= MOST_BODY_BYTES / 3) return;
  if (Buffer.byteLength(bodyJson) > MOST_BODY_BYTES)
    throw new AppError(413, 'This is too much for one record; split it or shorten its texts', {
      code: 'RECORD_TOO_LARGE',
    });
}

/** In place of what a forgotten change said: an object, as whoever looks for its groups expects. */
export const FORGOTTEN_BODY = '{}';

export function* forgetChanges({ streamId, lane, seqs }: ForgottenChanges): Steps<void> {
  for (const seq of seqs)
    yield {
      sql: 'update sync_change set body_json = ? where stream_id = ? and lane = ? and seq = ?',
      params: [FORGOTTEN_BODY, streamId, lane, seq],
    };
}

/** Hosted: streams whose feed grew. */
export function fedBy(log: ChangeLog, { streams }: UnitContext): Pick<Committed, 'fed'> {
  const fed = [...log.state.streams.values()].filter(({ wasFed }) => wasFed);
  return streams === 'own' || fed.length === 0
    ? {}
    : { fed: fed.map(({ id, core }) => ({ streamId: id, head: core.seq })) };
}

/** How far what no stream hears of is stamped beyond what the instance's own stream says, most. */
const NOTED_EVERY_MS = 60_000;

/** Writes where the streams stand now, and the points that move with the unit. */
export function* closeLog(log: ChangeLog, unit: Unit, context: UnitContext): Steps<void> {
  if (log.state.streams.size === 0 && log.state.hlc !== null) yield* noteUnheard(log.state.hlc, context);
  for (const { id, tx, core, history } of log.state.streams.values()) {
    const columns: Readonly<Record<string, string | number | null>> = {
      hlc: log.state.hlc,
      tx,
      core_seq: core.seq,
      core_chain: core.chain,
      history_seq: history.seq,
      history_chain: history.chain,
      ...(unit.stream?.id === id ? unit.stream.set : {}),
    };
    yield {
      sql: `update sync_stream set ${Object.keys(columns)
        .map((column) => `${column} = ?`)
        .join(', ')} where stream_id = ?`,
      params: [...Object.values(columns), id],
    };
  }
  if (unit.stream !== undefined) yield* keepMarks(unit.stream, context);
}
