import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Resource } from '#contract/resource.ts';
import type { Unit } from './changes.ts';
import { nextHlc } from './hlc.ts';
import type { Steps, UnitContext } from './statements.ts';

const OPERATION = { put: 1, delete: 2, fact: 4 } as const;
const SCHEMA_VERSION = 1;
const CHAIN_DIGITS = 32;

// The change log: what sync ships, hash-chained per lane, numbered without gaps under the stream's row lock.

type LogEntry = {
  resource: Resource;
  id: string;
  op: keyof typeof OPERATION;
  cl: number;
  hlc: string;
  base: Record<string, string> | null;
  body: Record<string, unknown> | null;
};

type LaneHead = { seq: number; chain: string };

export type ChangeLog = {
  stamp(after: string | null): string;
  write(entry: LogEntry): Steps<void>;
  state: { hlc: string | null; tx: number; core: LaneHead; history: LaneHead; streamId: number | null };
};

/** Locks the stream and reads where the log stands; a unit of local rows alone needs none. */
export function* openLog(unit: Unit, context: UnitContext): Steps<ChangeLog> {
  const isLogged = unit.changes.some((change) => change.resource.sync !== 'local');
  const streamId = isLogged ? context.streamId : null;
  const state: ChangeLog['state'] = {
    hlc: null,
    tx: 0,
    core: { seq: 0, chain: '' },
    history: { seq: 0, chain: '' },
    streamId,
  };
  if (streamId !== null) {
    const [stream] = yield {
      sql: `select hlc, tx, core_seq, core_chain, history_seq, history_chain from sync_stream where stream_id = ?${
        context.dialect === 'postgres' ? ' for no key update' : ''
      }`,
      params: [streamId],
    };
    if (stream === undefined) throw new Error(`sync stream ${streamId} is missing`);
    state.hlc = typeof stream['hlc'] === 'string' ? stream['hlc'] : null;
    state.tx = Number(stream['tx']) + 1;
    state.core = { seq: Number(stream['core_seq']), chain: String(stream['core_chain']) };
    state.history = { seq: Number(stream['history_seq']), chain: String(stream['history_chain']) };
  }
  return {
    state,
    stamp(after) {
      const last = after !== null && (state.hlc === null || after > state.hlc) ? after : state.hlc;
      state.hlc = nextHlc(last === '' ? null : last, context.nowMs, context.node);
      return state.hlc;
    },
    *write(entry) {
      if (state.streamId !== null)
        yield* writeLogRow(entry, state, { unit, context, streamId: state.streamId });
    },
  };
}

function* writeLogRow(
  entry: LogEntry,
  state: ChangeLog['state'],
  { unit, context, streamId }: { unit: Unit; context: UnitContext; streamId: number },
): Steps<void> {
  const { resource, id, op, cl, hlc, base, body } = entry;
  const head = state[resource.lane];
  const baseJson = base === null ? null : (canonicalize(base) ?? null);
  const bodyJson = body === null ? null : (canonicalize(body) ?? null);
  // the canonical form of the whole entry, its names in order (RFC 8785), around what is stored anyway
  const canonical = `{"base":${baseJson},"body":${bodyJson},"cl":${cl},"entity":${resource.entity},"hlc":"${hlc}","id":${JSON.stringify(
    id,
  )},"op":${OPERATION[op]},"sv":${SCHEMA_VERSION}}`;
  head.seq += 1;
  head.chain = chained(head.chain, canonical);
  yield {
    sql: `insert into sync_change (stream_id, lane, seq, tx, entity, id, op, cl, hlc, base_json, body_json, boot_id,
      monotonic_ms, actor, schema_version, chain) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [
      streamId,
      resource.lane,
      head.seq,
      state.tx,
      resource.entity,
      id,
      OPERATION[op],
      cl,
      hlc,
      baseJson,
      bodyJson,
      context.bootId,
      Math.round(context.monotonicMs),
      unit.actor,
      SCHEMA_VERSION,
      head.chain,
    ],
  };
}

function chained(chain: string, canonical: string): string {
  return hash('sha256', Buffer.concat([Buffer.from(chain, 'hex'), Buffer.from(canonical)])).slice(
    0,
    CHAIN_DIGITS,
  );
}

export function* closeLog(log: ChangeLog): Steps<void> {
  const { streamId, hlc, tx, core, history } = log.state;
  if (streamId === null) return;
  yield {
    sql: `update sync_stream set hlc = ?, tx = ?, core_seq = ?, core_chain = ?, history_seq = ?, history_chain = ?
      where stream_id = ?`,
    params: [hlc, tx, core.seq, core.chain, history.seq, history.chain, streamId],
  };
}
