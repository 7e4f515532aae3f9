import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepTaken } from '#adapters/sql/sweep-expired.ts';
import { setMark } from '#features/equipment/adoption/adoption-queue.ts';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { type App, aControlPoint, aFarmWith, startApp } from '#test/app.ts';
import { type Engine, onBothEngines } from '#test/databases.ts';
import { BOUNDS, type Bound, DAYS, ENDS } from './bounds-of-tables.ts';

const textOf = (file: string) => readFileSync(file, 'utf8');
const hasConstant = ([file, name]: readonly [string, string]) =>
  new RegExp(`\\b(const|type) ${name}\\b|\\b${name}:`).test(textOf(file));
const hasTest = ([file, title]: readonly [string, string]) => textOf(file).includes(title);

async function tablesOf(app: App, engine: Engine): Promise<string[]> {
  const { rows } =
    engine === 'sqlite'
      ? await sql<{
          name: string;
        }>`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`.execute(
          app.database.read,
        )
      : await sql<{
          name: string;
        }>`select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
          app.database.read,
        );
  return rows.map(({ name }) => name);
}

onBothEngines('every table has a bound', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, engine === 'postgres' ? ['--role', 'hosted'] : []);
  });
  afterAll(() => app.close());

  it('that is stated, and no bound is of a table that there is not', async () => {
    const tables = await tablesOf(app, engine);
    expect(tables.filter((name) => !(name in BOUNDS))).toEqual([]);
    const ofPostgres = new Set(['request_counts', 'open_requests', 'image_bytes']);
    const stated = Object.keys(BOUNDS).filter((name) => engine === 'postgres' || !ofPostgres.has(name));
    expect(stated.filter((name) => !tables.includes(name))).toEqual([]);
  });
});

describe('a stated bound', () => {
  it.each(Object.entries(BOUNDS))(
    'of %s is one of the program, and ends at something bounded',
    (name, bound) => {
      const seen = new Set<string>([name]);
      let next: Bound | undefined = bound;
      while (next !== undefined && (next.by === 'rows of' || next.by === 'number')) {
        const of: string = next.by === 'rows of' ? next.table : next.of;
        if (ENDS.has(of)) break;
        expect([name, of, seen.has(of)]).toEqual([name, of, false]);
        expect(BOUNDS).toHaveProperty(of);
        seen.add(of);
        next = BOUNDS[of];
      }
      const constant = bound.by === 'number' ? bound.most : bound.by === 'age' ? bound.kept : null;
      if (constant !== null) expect([constant, hasConstant(constant)]).toEqual([constant, true]);
      const driven = bound.by === 'number' || bound.by === 'age' ? bound.driven : null;
      if (driven !== null) expect([driven, hasTest(driven)]).toEqual([driven, true]);
    },
  );

  it.each(DAYS)('of a day, $most, is one of the program', ({ most, driven }) => {
    expect(hasConstant(most)).toBe(true);
    expect(hasTest(driven)).toBe(true);
  });
});

describe('from outside', () => {
  let app: App;
  let token: string;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp('sqlite');
    ({ token, farmId } = await aFarmWith(app));
  });
  afterAll(() => app.close());
  const countOf = async (table: string) => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
      app.database.read,
    );
    return Number(rows[0]?.n);
  };

  it('two hundred schedules are the most of a control point', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const statuses: number[] = [];
    for (let n = 0; n < 202; n += 1) {
      const start_time = new Date(Date.UTC(2026, 2, 3, 0, n * 5)).toISOString();
      const rule = { action: 'ON', start_time, repeat_pattern: 'DAILY' };
      const made = await app.call('POST', `/control-points/${point.id}/schedules`, { token, body: rule });
      statuses.push(made.status);
    }
    expect(statuses.slice(0, 200).every((status) => status === 201)).toBe(true);
    expect(statuses.slice(200)).toEqual([409, 409]);
    expect(await countOf('schedules')).toBe(200);
  });

  it('sixteen buses are the most of a farm', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 18; n += 1) {
      const bus = { farm_id: farmId, name: `B${n}`, kind: 'tcp', host: `192.168.7.${n + 1}`, port: 502 };
      statuses.push((await app.call('POST', '/probe-buses/', { token, body: bus })).status);
    }
    expect(statuses.slice(0, 16).every((status) => status === 201)).toBe(true);
    expect(statuses.slice(16)).toEqual([409, 409]);
  });

  it('a thousand marks of devices are kept, the newest', async () => {
    const { markQueries } = await import('#adapters/sql/queries/control/device-marks.ts');
    const queries = markQueries(app.database.read);
    for (let n = 0; n < 1_010; n += 1) {
      const mark = {
        id: `name:x-${n}`,
        mark: 'ignored',
        control_point_id: null,
        device_id: `x-${n}`,
        marked_at: new Date(app.clock.now() + n * 1_000).toISOString(),
        marked_by: null,
      } as const;
      await app.kernel.commit({ actor: null, changes: await setMark({ queries }, mark) });
    }
    expect(await countOf('device_marks')).toBe(1_000);
  });

  it('orders from afar that a box took are the newest, whatever its clock says', async () => {
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 50700)
      insert into commands_taken (id, state, result, taken_at)
      select 'c-' || i, 'rejected', 'UNKNOWN_CONTROL_POINT', strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + i, 'unixepoch') from n`.execute(
      app.database.read,
    );
    await sweepTaken(app.database);
    expect(await countOf('commands_taken')).toBe(50_000);
    const oldest = await sql<{ id: string }>`select id from commands_taken order by taken_at limit 1`.execute(
      app.database.read,
    );
    expect(oldest.rows[0]?.id).toBe('c-701');
  });

  it('what has run out goes with the sweep of an hour', async () => {
    const at = new Date(app.clock.now()).toISOString();
    await sql`insert into payment_events (id, type, provider, created_at, received_at, outcome)
      values ('e', 'x', 'stripe', ${at}, ${at}, 'done')`.execute(app.database.read);
    await sql`insert into password_resets (id, code_hash, email_key, password_version, asked_at)
      values ('u', 'h', 'a@b', 1, ${at})`.execute(app.database.read);
    await sql`insert into commands (id, stream_id, control_point_id, target_status, basis_version, basis_epoch, is_forced,
      issued_at_ms, expires_at_ms, state, state_at)
      values ('c', 1, 'p', 'ON', 1, 'e', 0, 0, 0, 'expired', ${at})`.execute(app.database.read);
    await sql`insert into push_actions (id, token_hash, action, user_id, channel_id, endpoint, alert_id,
      password_version, state, created_at)
      values ('p', 'h', 'ACKNOWLEDGE', 'u', 'c', 'e', 'a', 1, 'READY', ${at})`.execute(app.database.read);
    const tables = ['payment_events', 'password_resets', 'commands', 'push_actions'];
    await sweep(app);
    expect(await Promise.all(tables.map(countOf))).toEqual([1, 1, 1, 1]);
    app.clock.advance(91 * 24 * 3_600_000);
    await sweep(app);
    expect(await Promise.all(tables.map(countOf))).toEqual([0, 0, 0, 0]);
  });
});

describe('at a hosted instance', () => {
  it('five thousand pairings wait at most, and one more takes the place of the oldest', async () => {
    const { newKeyPair, signText } = await import('#adapters/sync/ed25519.ts');
    const app = await startApp('sqlite', ['--role', 'hosted']);
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
      insert into pairings (id, user_code_hash, gateway_id, public_key, name, software, schema_version, hardware, state, created_at, expires_at)
      select 'p-' || i, 'h-' || i, 'g', '', '', '', 1, '', 'waiting', '2026-03-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z' from n`.execute(
      app.database.read,
    );
    const key = newKeyPair();
    const gateway_id = app.kernel.newId();
    const asked = {
      gateway_id,
      public_key: key.public_key,
      name: 'x',
      software: '1',
      schema: 1,
      hardware: '',
      proof: signText(key, `pair:${gateway_id}`),
    };
    const reply = await fetch(`${app.base}/sync/v1/pair/start`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(asked),
    });
    expect(reply.status).toBe(200);
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from pairings where state = 'waiting'`.execute(app.database.read);
    expect(Number(rows[0]?.n)).toBe(5_000);
    await app.close();
  });
});
