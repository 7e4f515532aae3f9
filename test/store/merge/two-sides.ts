import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#adapters/sql/database.ts';
import type { RowOf } from '#contract/resource.ts';
import type { sharedResources } from '#contract/resources/all.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import type { SyncLane, WireChange } from '#contract/sync/wire.ts';
import { type Committed, insert, insertIfAbsent, tell } from '#core/changes.ts';
import { ana, at, aUser } from './rows.ts';

// A gateway and a hosted instance, and the shortest way a change goes from one to the other.

export const STREAM = 2;

/** Everything logged by a side behind `after`, in order. */
export async function logged(
  { read }: Database,
  streamId: number,
  lane: SyncLane = 'core',
  after = 0,
): Promise<WireChange[]> {
  const rows = await read
    .selectFrom('sync_change')
    .selectAll()
    .where('stream_id', '=', streamId)
    .where('lane', '=', lane)
    .where('seq', '>', after)
    .orderBy('seq')
    .execute();
  return rows.map((row) => ({
    seq: row.seq,
    tx: row.tx,
    entity: row.entity,
    id: row.id,
    // one of the log's own words
    op: row.op as WireChange['op'],
    cl: row.cl,
    hlc: row.hlc,
    over: parsed(row.over_json) as Record<string, string> | null,
    base: parsed(row.base_json) as Record<string, string> | null,
    body: parsed(row.body_json) as Record<string, unknown> | null,
    actor: row.actor,
    sv: row.schema_version,
    chain: row.chain,
  }));
}

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

/** Carries everything the gateway logged since the last time to the hosted instance. */
export async function push(gateway: Database, hosted: Database, size = 500): Promise<Committed[]> {
  const done: Committed[] = [];
  for (const lane of ['core', 'history'] as const) {
    const stream = await streamOf(hosted, STREAM);
    const at = lane === 'core' ? stream.in_core_seq : stream.in_history_seq;
    const changes = await logged(gateway, 1, lane, at);
    for (let from = 0; from < changes.length; from += size) {
      const some = changes.slice(from, from + size);
      const last = some.at(-1);
      if (last === undefined) break;
      done.push(
        await hosted.commit({
          actor: null,
          changes: [],
          incoming: { from: 'gateway', streamId: STREAM, lane, changes: some },
          stream: {
            id: STREAM,
            expect: lane === 'core' ? { in_core_seq: at + from } : { in_history_seq: at + from },
            set:
              lane === 'core'
                ? { in_core_seq: last.seq, in_core_chain: last.chain }
                : { in_history_seq: last.seq, in_history_chain: last.chain },
          },
        }),
      );
    }
  }
  return done;
}

/** Carries everything the hosted instance logged for the gateway since the last time to it, with stamps set anew. */
export async function pull(gateway: Database, hosted: Database): Promise<Committed> {
  const own = await streamOf(gateway, 1);
  const changes = await logged(hosted, STREAM, 'core', own.in_core_seq);
  const restamps = await hosted.read
    .selectFrom('sync_restamps')
    .selectAll()
    .where('stream_id', '=', STREAM)
    .execute();
  const last = changes.at(-1);
  return gateway.commit({
    actor: null,
    changes: [],
    restamps: restamps.map(({ epoch, lane, seq, chain, from_hlc, to_hlc }) => ({
      epoch,
      lane: lane as SyncLane,
      seq,
      chain,
      from: from_hlc,
      to: to_hlc,
    })),
    incoming: { from: 'hosted', streamId: 1, lane: 'core', changes },
    stream: {
      id: 1,
      expect: { in_core_seq: own.in_core_seq },
      set: last === undefined ? {} : { in_core_seq: last.seq, in_core_chain: last.chain },
    },
  });
}

export const streamOf = ({ read }: Database, streamId: number) =>
  read.selectFrom('sync_stream').selectAll().where('stream_id', '=', streamId).executeTakeFirstOrThrow();

/** A stream on the hosted instance, paired by its owner, whose account stands there; the gateway hears of it. */
export async function pair(hosted: Database, streamId = STREAM): Promise<void> {
  await sql`insert into sync_stream (stream_id, gateway_id, epoch, hlc, tx, core_seq, core_chain, history_seq, history_chain)
    values (${streamId}, ${randomUUID()}, 1, null, 0, 0, '', 0, '')`.execute(hosted.read);
  await hosted.commit({
    actor: null,
    changes: [
      insertIfAbsent(user, aUser()),
      insert(pairedGateway, aGateway(streamId)),
      tell(user, ana, streamId),
    ],
  });
}

const aGateway = (streamId: number): RowOf<typeof pairedGateway> => ({
  id: randomUUID(),
  stream_id: streamId,
  owner_id: ana,
  name: 'Barracão',
  public_key: 'x',
  next_public_key: null,
  key_retires_at: null,
  runs_json: '[]',
  status: 'active',
  software: '1',
  schema_version: 1,
  hardware: '',
  paired_at: at,
  revoked_at: null,
  last_seen_at: null,
  last_report_json: null,
  outage_until: null,
  outage_reason: null,
  silent_since: null,
});

/** Rows of every shared table as people see them, without what counts on one side only. */
export async function shown(database: Database, table: keyof typeof sharedResources): Promise<unknown[]> {
  const rows = await database.read
    .selectFrom(table)
    .selectAll()
    .where('hidden', '=', 0)
    .orderBy('id')
    .execute();
  return rows.map(({ rev: _rev, hidden: _hidden, ...row }) => row);
}

/** Registers by table and id. */
export async function registers(database: Database): Promise<Record<string, unknown>> {
  const rows = await database.read.selectFrom('sync_register').selectAll().execute();
  return Object.fromEntries(
    rows.map(({ entity, id, cl, hlc, over_json }) => [
      `${entity} ${id}`,
      { cl, hlc, over: JSON.parse(over_json) },
    ]),
  );
}
