import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Database, Stamping } from '#adapters/sql/database.ts';
import { bearPostgres, bearSqlite } from '#adapters/sql/instance.ts';
import { migratePostgres, migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import { connectPostgres, openPostgres } from '#adapters/sql/open-postgres.ts';
import { connectSqlite, openSqlite } from '#adapters/sql/open-sqlite.ts';
import { OPS, type SyncLane, type WireChange } from '#contract/sync/wire.ts';
import { formatHlc } from '#core/hlc.ts';
import { postgresForRun } from '#test/postgres-cluster.ts';

// How fast changes of the other instance are applied: `node scripts/sync-apply-rate.ts [batches] [rows per batch]`.
// Measurements as they are made, then edits of them, then ponds; on PostgreSQL by four gateways at once.

const [BATCHES = 20, ROWS = 500] = process.argv.slice(2).map(Number);
const AT = '2026-03-01T12:00:00.000Z';
const NOW = Date.UTC(2026, 2, 1, 12);

type Kind = { name: string; lane: SyncLane; rows: (farm: Farm, batch: number) => WireChange[] };
type Farm = {
  stream: number;
  id: string;
  pond: string;
  owner: string;
  ids: string[];
  stamp: () => string;
  seq: number;
};

const change = (
  farm: Farm,
  fields: Pick<WireChange, 'entity' | 'id' | 'body'> & Partial<WireChange>,
): WireChange => {
  farm.seq += 1;
  return {
    seq: farm.seq,
    tx: 1,
    op: OPS.put,
    cl: 1,
    hlc: farm.stamp(),
    over: null,
    base: null,
    actor: null,
    sv: 1,
    chain: '',
    ...fields,
  };
};

const KINDS: readonly Kind[] = [
  {
    name: 'new measurements',
    lane: 'history',
    rows: (farm) =>
      Array.from({ length: ROWS }, (_, n) => {
        const id = randomUUID();
        farm.ids.push(id);
        return change(farm, { entity: 19, id, body: measurement(id, farm.pond, n) });
      }),
  },
  {
    name: 'edited measurements',
    lane: 'history',
    rows: (farm, batch) =>
      farm.ids.slice(batch * ROWS, (batch + 1) * ROWS).map((id) =>
        change(farm, {
          entity: 19,
          id,
          base: { notes: '' },
          body: { notes: { notes: 'turva' }, updated_at: AT },
        }),
      ),
  },
  {
    name: 'new ponds',
    lane: 'core',
    rows: (farm) =>
      Array.from({ length: ROWS }, () => {
        const id = randomUUID();
        return change(farm, { entity: 5, id, body: pond(id, farm.id) });
      }),
  },
];

const measurement = (id: string, pond_id: string, n: number) => ({
  id,
  pond_id,
  measurement_date: AT,
  temperature: 28 + n / 100,
  dissolved_oxygen: 5.2,
  ph: 8.1,
  salinity: 12,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: 40,
  notes: null,
  source: 'probe',
  created_by: null,
  clock_quality: 'trusted',
  created_at: AT,
  updated_at: null,
});
const pond = (id: string, farm_id: string) => ({
  id,
  numeric_id: Number.parseInt(id.slice(0, 8), 16),
  farm_id,
  cod: `V-${id.slice(0, 4)}`,
  pond_type: null,
  size_m2: 2000,
  depth_m: 1.5,
  lat: null,
  lng: null,
  aerator_count: 0,
  control_point_id: null,
  created_at: AT,
  updated_at: null,
});

async function measure(
  title: string,
  database: Database,
  from: 'gateway' | 'hosted',
  streams: readonly number[],
) {
  const farms = await Promise.all(streams.map((stream) => aFarm(database, from, stream)));
  for (const kind of KINDS) {
    const work = farms.map((farm) => Array.from({ length: BATCHES }, (_, batch) => kind.rows(farm, batch)));
    const took: number[] = [];
    const start = performance.now();
    await Promise.all(
      farms.map(async (farm, place) => {
        for (const changes of work[place] ?? []) {
          const began = performance.now();
          const { merged } = await database.commit({
            actor: null,
            changes: [],
            incoming: { from, streamId: farm.stream, lane: kind.lane, changes },
          });
          took.push(performance.now() - began);
          if (merged?.applied !== changes.length)
            throw new Error(`applied ${JSON.stringify(merged)?.slice(0, 300)}`);
        }
      }),
    );
    const seconds = (performance.now() - start) / 1000;
    const rows = farms.length * BATCHES * ROWS;
    const p99 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0;
    process.stdout.write(
      `${title.padEnd(34)} ${kind.name.padEnd(20)} ${Math.round(rows / seconds)} rows/s, p99 ${Math.round(p99)} ms of ${ROWS}\n`,
    );
  }
}

async function aFarm(database: Database, from: 'gateway' | 'hosted', stream: number): Promise<Farm> {
  const owner = randomUUID();
  let counter = 0;
  const farm: Farm = {
    stream,
    id: randomUUID(),
    pond: randomUUID(),
    owner,
    ids: [],
    seq: 0,
    stamp: () => {
      counter += 1;
      return formatHlc(NOW + Math.floor(counter / 60_000), counter % 60_000, '0abc0001');
    },
  };
  const at = { created_at: AT, updated_at: null };
  const changes = [
    change(farm, {
      entity: 1,
      id: owner,
      body: {
        id: owner,
        numeric_id: stream,
        email: 'a',
        email_key: `${owner}@a`,
        name: 'Ana',
        phone_number: null,
        role: 'OWNER',
        is_active: true,
        password_hash: 'x',
        password_version: 1,
        language: null,
        ...at,
      },
    }),
    change(farm, {
      entity: 3,
      id: farm.id,
      body: {
        id: farm.id,
        name: 'Norte',
        description: null,
        owner_id: owner,
        address_id: null,
        lat: null,
        lng: null,
        timezone: 'America/Fortaleza',
        ...at,
      },
    }),
    change(farm, { entity: 5, id: farm.pond, body: pond(farm.pond, farm.id) }),
  ];
  const { merged } = await database.commit({
    actor: null,
    changes: [],
    incoming: { from, streamId: stream, lane: 'core', changes },
  });
  if (merged?.parked.length !== 0) throw new Error(JSON.stringify(merged));
  return farm;
}

const stamping = (streams: Stamping['streams']): Stamping => ({
  streams,
  now: () => NOW + 3_600_000,
  monotonic: () => 0,
  bootId: 'boot',
  node: '00010001',
});
const fail = (error: unknown) => {
  throw error;
};

const folder = mkdtempSync(path.join(tmpdir(), 'sync-apply-rate-'));
const connection = connectSqlite(path.join(folder, 'farm.db'));
migrateSqlite(connection, readMigrations('migrations/sqlite'), AT);
bearSqlite(connection);
const sqlite = openSqlite(connection, stamping('own'), fail);
await measure('SQLite, gateway, on disk', sqlite, 'hosted', [1]);
await sqlite.close();
rmSync(folder, { recursive: true });

const cluster = await postgresForRun({ durable: true });
const pool = connectPostgres(cluster.url, 4);
await migratePostgres(pool, readMigrations('migrations/postgres'), AT);
await bearPostgres(pool);
for (const stream of [2, 3, 4, 5])
  await pool.query(
    `insert into sync_stream (stream_id, gateway_id, epoch, hlc, tx, core_seq, core_chain, history_seq, history_chain)
     values ($1, $2, 1, null, 0, 0, '', 0, '')`,
    [stream, randomUUID()],
  );
const postgres = openPostgres(pool, stamping('by scope'), fail);
await measure('PostgreSQL, hosted, 4 connections', postgres, 'gateway', [2, 3, 4, 5]);
await postgres.close();
await cluster.stop();
