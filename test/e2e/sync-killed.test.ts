import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runAdmin } from '#cli/admin/admin.ts';
import { farmClock, startGatewayProcess, until } from '#test/gateway-process.ts';
import {
  type Account,
  anAccountAt,
  type Program,
  pairOver,
  portOf,
  startHostedProcess,
  textOf,
} from '#test/paired-processes.ts';
import { describeOnPostgres } from '#test/postgres.ts';
import { type Cluster, postgresForRun } from '#test/postgres-cluster.ts';

// Real programs on real disks: each of them loses its power while both sides write.

type Side = 'farm' | 'cloud';
/** Rows as both databases have them, by table and id. */
type Rows = Record<string, string[]>;

const LEVEL = `select id, cod, depth_m from ponds order by id`;
const READINGS = `select id, pond_id, notes from measurements order by id`;
const PARKED = 'select id from sync_parked';

describeOnPostgres('power cuts while both sides write', () => {
  const clock = farmClock(Date.now(), 1);
  let postgres: Cluster;
  let hosted: Program;
  let gateway: Program;
  let owner: Account;
  let local: Account;
  let farmId: string;
  let sharedPond: string;

  beforeAll(async () => {
    postgres = await postgresForRun({ durable: true });
    [hosted, gateway] = await Promise.all([
      startHostedProcess(clock, postgres.url),
      startGatewayProcess(clock, ['--local-plan', 'ENTERPRISE']),
    ]);
    local = await anAccountAt(gateway, 'ana@fazenda.example');
    farmId = textOf(
      (await gateway.call('POST', '/farms/', { token: local.token, body: { name: 'Norte' } })).body,
      'id',
    );
    const pond = { farm_id: farmId, cod: 'V-0' };
    sharedPond = textOf(
      (await gateway.call('POST', '/ponds/', { token: local.token, body: pond })).body,
      'id',
    );
    owner = await anAccountAt(hosted, 'dona@nuvem.example');
    // hundreds of ponds are not a free farm
    const plan = ['set-plan', '--email', 'dona@nuvem.example', '--plan', 'ENTERPRISE'];
    const code = await runAdmin([...plan, '--database-url', postgres.url], {}, () => undefined);
    if (code !== 0) throw new Error('the plan was not set');
    await pairOver(portOf(hosted), { gateway, hosted, owner });
    await until(
      () => hosted.call('GET', `/ponds/${sharedPond}`, { token: owner.token }),
      ({ status }) => status === 200,
    );
  });

  afterAll(async () => {
    await Promise.all([gateway?.close(), hosted?.close()]);
    await postgres?.stop();
  });

  it('lose nothing that was acknowledged, do nothing twice, and leave both sides with the same rows', async () => {
    const written = { ponds: new Set<string>(), notes: new Set<string>() };
    const state = { isOver: false, failures: 0 };

    async function write(side: Side, n: number): Promise<void> {
      const [at, { token }] = side === 'farm' ? [gateway, local] : [hosted, owner];
      const name = `${side}-${n}`;
      const post = (path: string, body: object) => at.call('POST', path, { token, body });
      const made = await post('/ponds/', { farm_id: farmId, cod: name });
      if (made.status === 201) written.ponds.add(name);
      const read = await post('/water-quality/', { pond_id: sharedPond, temperature: 28, notes: name });
      if (read.status === 201) written.notes.add(name);
      await at.call('PUT', `/ponds/${sharedPond}`, { token, body: { depth_m: 1 + n / 1_000 } });
      if (made.status >= 500 || read.status >= 500) state.failures += 1;
    }
    async function keepWriting(side: Side): Promise<void> {
      for (let n = 1; !state.isOver; n += 1) {
        await write(side, n).catch(() => {
          state.failures += 1;
          return pause(30);
        });
        await pause(10);
      }
    }
    /** For a while, and so long that something was written. */
    async function goOn(): Promise<void> {
      const { size } = written.ponds;
      await pause(600);
      await until(
        () => written.ponds.size,
        (ponds) => ponds > size + 4,
      );
    }
    const writers = (['farm', 'cloud'] as const).map(keepWriting);
    await goOn();
    await gateway.kill();
    await gateway.start();
    await goOn();
    await hosted.kill();
    await hosted.start();
    await goOn();
    await postgres.crash();
    await postgres.restart();
    await goOn();
    // the worst moment: the database and the farm at once
    await Promise.all([postgres.crash(), gateway.kill()]);
    await Promise.all([postgres.restart(), gateway.start()]);
    await goOn();
    state.isOver = true;
    await Promise.all(writers);
    // readings wait up to a minute for company; a start sends what there is
    await gateway.stop();
    await gateway.start();

    const both = await until(
      async () => ({ farm: onSqlite(), cloud: await rowsOfCloud() }),
      ({ farm, cloud }) => JSON.stringify(farm) === JSON.stringify(cloud),
      40_000,
    );
    const names = (rows: readonly string[] = [], place: number) =>
      rows.map((row) => row.split('|')[place] ?? '');
    const ponds = names(both.farm['ponds'], 1);
    const notes = names(both.farm['measurements'], 2);
    expect(written.ponds.size).toBeGreaterThan(20);
    expect(state.failures).toBeGreaterThan(0);
    expect([...written.ponds].filter((name) => !ponds.includes(name))).toEqual([]);
    expect([...written.notes].filter((name) => !notes.includes(name))).toEqual([]);
    expect(new Set(ponds).size).toBe(ponds.length);
    expect(new Set(notes).size).toBe(notes.length);
    expect(both.farm['sync_parked']).toEqual([]);
  });

  function onSqlite(): Rows {
    const connection = new BetterSqlite(join(gateway.data, 'farm.db'), { readonly: true });
    try {
      const all = (sql: string) => connection.prepare(sql).raw().all().map(lineOf);
      return { ponds: all(LEVEL), measurements: all(READINGS), sync_parked: all(PARKED) };
    } finally {
      connection.close();
    }
  }

  async function rowsOfCloud(): Promise<Rows> {
    const [ponds, measurements, sync_parked] = [
      await onPostgres(LEVEL),
      await onPostgres(READINGS),
      await onPostgres(PARKED),
    ];
    return { ponds, measurements, sync_parked };
  }

  async function onPostgres(text: string): Promise<string[]> {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    try {
      const { rows } = await client.query({ text, rowMode: 'array' });
      return rows.map(lineOf);
    } finally {
      await client.end();
    }
  }
});

const lineOf = (row: unknown): string => (Array.isArray(row) ? row.join('|') : String(row));
