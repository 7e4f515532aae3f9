import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import type { Database, Stamping } from '#adapters/sql/database.ts';
import { bearPostgres, bearSqlite } from '#adapters/sql/instance.ts';
import { migratePostgres, migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import { connectPostgres, openPostgres } from '#adapters/sql/open-postgres.ts';
import { connectSqlite, openSqlite } from '#adapters/sql/open-sqlite.ts';
import type { WireChange } from '#contract/sync/wire.ts';
import { isoOf } from '#core/kernel.ts';
import { hostedSyncServer } from '#operations/sync/hosted-sync.ts';
import { postgresForRun } from '#test/postgres-cluster.ts';
import { TUNING } from '../../gateway/sync/gateway/tuning.ts';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { newDataFolder } from './gateway.ts';
import { quantile } from './load/load-window.ts';
import {
  batchOf,
  foundation,
  KINDS,
  type Kind,
  laneOf,
  measurementRow,
  newToldFarm,
  TOLD_AT_MS,
  type ToldFarm,
} from './load/told-rows.ts';

const MUST = { hosted: 5_000, gateway: 3_000 };
const STREAMS = [2, 3, 4, 5];
const ROWS = 500;

type Rates = { perS: number; batchMs: number[] };
type Apply = (farm: ToldFarm, kind: Kind, rows: readonly WireChange[]) => Promise<void>;

/** How fast changes of the other instance are applied: at the hosted side as pushes of four gateways, at the farm as a feed. */
export async function syncApply({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const batches = isQuick ? 2 : 30;
  tell('hosted instance on PostgreSQL, 4 gateways at once');
  const hosted = await onPostgres(batches);
  tell('gateway on SQLite');
  return [...hosted, ...(await onSqlite(batches))];
}

async function onPostgres(batches: number): Promise<Finding[]> {
  const cluster = await postgresForRun({ durable: true });
  const pool = connectPostgres(cluster.url, STREAMS.length);
  try {
    await migratePostgres(pool, readMigrations('migrations/postgres'), isoOf(TOLD_AT_MS));
    await bearPostgres(pool);
    for (const stream of STREAMS)
      await pool.query(
        `insert into sync_stream (stream_id, gateway_id, epoch, hlc, tx, core_seq, core_chain, history_seq, history_chain)
         values ($1, $2, 1, null, 0, 0, '', 0, '')`,
        [stream, randomUUID()],
      );
    const database = openPostgres(pool, stamping('by scope'), fail);
    const { now, monotonic } = stamping('by scope');
    const { ask } = hostedSyncServer({ kernel: { now, commit: database.commit }, database, monotonic });
    const apply: Apply = async (farm, kind, rows) => {
      const first = rows[0];
      if (first === undefined) return;
      const point = pointBefore.get(first) ?? { seq: 0, chain: '' };
      const body = {
        epoch: 1,
        lane: laneOf(kind),
        after: point,
        cursor: { seq: 0, chain: '' },
        needs_core: 0,
        rows,
      };
      const asked = await ask({ gatewayId: '', streamId: farm.streamId }, 'push', body);
      if (!asked.ok) throw new Error(`a push was refused: ${JSON.stringify(asked.refused)}`);
    };
    const farms = STREAMS.map(newToldFarm);
    for (const farm of farms)
      await apply(
        farm,
        'new ponds',
        inPlace(farm, 'new ponds', () => foundation(farm)),
      );
    const bare = await barePostgres(pool, farms, batches);
    const findings: Finding[] = [];
    for (const kind of KINDS)
      findings.push(
        finding(`hosted apply, ${kind}`, {
          rates: await rateOf(farms, kind, batches, apply),
          bare,
          must: MUST.hosted,
        }),
      );
    await database.close();
    return findings;
  } finally {
    await pool.end().catch(() => undefined);
    await cluster.stop();
  }
}

async function onSqlite(batches: number): Promise<Finding[]> {
  const folder = await newDataFolder();
  const connection = connectSqlite(join(folder, 'farm.db'));
  migrateSqlite(connection, readMigrations('migrations/sqlite'), isoOf(TOLD_AT_MS));
  bearSqlite(connection);
  const database: Database = openSqlite(connection, stamping('own'), fail);
  try {
    const apply: Apply = async (_farm, kind, rows) => {
      // as the gateway takes them: never more than that in one unit
      for (let from = 0; from < rows.length; from += TUNING.rowsPerUnit) {
        const changes = rows.slice(from, from + TUNING.rowsPerUnit);
        const incoming = { from: 'hosted', streamId: 1, lane: laneOf(kind), changes } as const;
        const { merged } = await database.commit({ actor: null, changes: [], incoming });
        if (merged?.applied !== changes.length)
          throw new Error(`applied ${JSON.stringify(merged)?.slice(0, 300)}`);
      }
    };
    const farms = [newToldFarm(1)];
    for (const farm of farms) await apply(farm, 'new ponds', foundation(farm));
    const bare = bareSqlite(connection, farms, batches);
    const findings: Finding[] = [];
    for (const kind of KINDS)
      findings.push(
        finding(`gateway apply, ${kind}`, {
          rates: await rateOf(farms, kind, batches, apply),
          bare,
          must: MUST.gateway,
        }),
      );
    return findings;
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where the log stood before the first row of a batch. */
const pointBefore = new WeakMap<WireChange, { seq: number; chain: string }>();

function inPlace(farm: ToldFarm, kind: Kind, make: () => WireChange[]): WireChange[] {
  const before = { ...farm.lanes[laneOf(kind)] };
  const rows = make();
  if (rows[0] !== undefined) pointBefore.set(rows[0], before);
  return rows;
}

async function rateOf(farms: readonly ToldFarm[], kind: Kind, batches: number, apply: Apply): Promise<Rates> {
  const work = farms.map((farm) =>
    Array.from({ length: batches }, (_batch, nth) =>
      inPlace(farm, kind, () => batchOf(kind, farm, { nth, rows: ROWS })),
    ),
  );
  const batchMs: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    farms.map(async (farm, place) => {
      for (const rows of work[place] ?? []) {
        const began = performance.now();
        await apply(farm, kind, rows);
        batchMs.push(performance.now() - began);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return { perS: (farms.length * batches * ROWS) / seconds, batchMs };
}

const COLUMNS = Object.keys(measurementRow('', '', 0));

/** The same measurements as bare inserts, a batch a transaction, on as many connections. */
async function barePostgres(pool: pg.Pool, farms: readonly ToldFarm[], batches: number): Promise<Rates> {
  await pool.query(`create table bare (like measurements including indexes)`);
  await pool.query('alter table bare alter column rev drop not null, alter column hidden drop not null');
  const batchMs: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    farms.map(async (farm) => {
      for (let nth = 0; nth < batches; nth += 1) {
        const began = performance.now();
        const rows = Array.from({ length: ROWS }, (_row, n) => measurementRow(randomUUID(), farm.pond, n));
        await pool.query(
          `insert into bare (${COLUMNS.join(', ')}) select ${COLUMNS.join(', ')}
           from jsonb_populate_recordset(null::bare, $1::jsonb)`,
          [JSON.stringify(rows)],
        );
        batchMs.push(performance.now() - began);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.query('drop table bare');
  return { perS: (farms.length * batches * ROWS) / seconds, batchMs };
}

function bareSqlite(
  connection: ReturnType<typeof connectSqlite>,
  farms: readonly ToldFarm[],
  batches: number,
): Rates {
  connection.exec(`create table bare (${COLUMNS.join(', ')}, primary key (id)) without rowid`);
  const insert = connection.prepare(
    `insert into bare (${COLUMNS.join(', ')}) values (${COLUMNS.map((name) => `@${name}`).join(', ')})`,
  );
  const batchMs: number[] = [];
  const startedAt = performance.now();
  for (const farm of farms) {
    for (let row = 0; row < batches * ROWS; row += TUNING.rowsPerUnit) {
      const began = performance.now();
      connection.transaction(() => {
        for (let n = 0; n < TUNING.rowsPerUnit; n += 1)
          insert.run(measurementRow(randomUUID(), farm.pond, n));
      })();
      batchMs.push(performance.now() - began);
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  connection.exec('drop table bare');
  return { perS: (farms.length * batches * ROWS) / seconds, batchMs };
}

function finding(
  measure: string,
  { rates, bare, must }: { rates: Rates; bare: Rates; must: number },
): Finding {
  return {
    measure: `${measure}, batches of ${ROWS}`,
    subject: figures('with registers, chains and checks', rates),
    baseline: figures('bare inserts of measurements', bare),
    ratioOf: 'rate',
    ratio: rates.perS / bare.perS,
    cpuRatio: null,
    spread: null,
    must: `≥ ${must} changes/s`,
    isMet: rates.perS >= must,
    rounds: 1,
    notes: [`load average of the machine ${loadavg()[0]?.toFixed(1)}`],
  };
}

function figures(name: string, { perS, batchMs }: Rates): Figures {
  const sorted = batchMs.toSorted((a, b) => a - b);
  return { name, perS, cpuUs: null, p50Ms: median(batchMs), p99Ms: quantile(sorted, 0.99), rssMb: null };
}

function stamping(streams: Stamping['streams']): Stamping {
  const monotonic = () => performance.now();
  return { streams, now: () => TOLD_AT_MS + 3_600_000, monotonic, bootId: 'bench', node: '00010001' };
}

function fail(error: unknown): never {
  throw error;
}
