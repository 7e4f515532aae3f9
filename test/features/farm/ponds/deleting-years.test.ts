import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alert } from '#contract/resources/alerts.ts';
import { order } from '#contract/resources/control-points.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { created } from '#test/staffed-farm.ts';
import { type Grown, UNTOUCHED } from '../../../../scripts/farm-data/grown.ts';
import { writeToSqlite } from '../../../../scripts/farm-data/write-rows.ts';

// What is deleted is gone at once, whatever lies below it: control does not wait for years of readings.

type Json = Record<string, unknown>;

const START = Date.UTC(2021, 2, 2, 12);
const minutesOn = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const idOf = (kind: number, n: number) => `0195a000-0000-7000-8${kind}00-${String(n).padStart(12, '0')}`;

describe('years below a pond', () => {
  let app: App;
  let token: string;
  let farmId: string;
  let touched = 0;
  beforeAll(async () => {
    app = await startApp('sqlite');
    ({ token, farmId } = await aFarmWith(app));
    app.database.onCommit(({ rows }) => {
      touched = rows.length;
    });
  });
  afterAll(() => app.close());

  const aPond = (cod: string) =>
    created(app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod } }));
  const grow = (rows: Iterable<Grown>) => {
    const connection = new BetterSqlite(join(app.config.data, 'farm.db'));
    writeToSqlite(connection, rows);
    connection.close();
  };

  function* readings(pond_id: string, count: number): Generator<Grown> {
    const nothing = { salinity: null, alkalinity: null, ammonia: null, nitrite: null, nitrate: null };
    for (let n = 0; n < count; n += 1) {
      const at = minutesOn(n * 15);
      const water = { temperature: 28, dissolved_oxygen: 5.5, ph: 8, transparency: null, ...nothing };
      yield {
        resource: measurement,
        row: {
          ...UNTOUCHED,
          ...water,
          id: idOf(1, n),
          pond_id,
          measurement_date: at,
          notes: null,
          source: 'probe',
          created_by: null,
          created_at: at,
        },
      };
    }
  }

  function* alerts(pond_id: string, status: 'ACTIVE' | 'RESOLVED', count: number): Generator<Grown> {
    const untold = {
      control_point_id: null,
      folded_into: null,
      acknowledged_at: null,
      acknowledged_by: null,
      acknowledge_note: null,
    };
    const calm = { silenced_until: null, silenced_by: null, silence_reason: null, shelved_until: null };
    for (let n = 0; n < count; n += 1) {
      const at = minutesOn(n * 15);
      yield {
        resource: alert,
        row: {
          ...untold,
          ...calm,
          id: idOf(status === 'ACTIVE' ? 2 : 3, n),
          farm_id: farmId,
          pond_id,
          type: 'LOW_OXYGEN',
          severity: 'HIGH',
          message: 'Oxigênio baixo',
          parameter: 'dissolved_oxygen',
          value: 2,
          threshold: 4,
          status,
          triggered_at: at,
          resolved_at: null,
          resolved_by: null,
          episode_id: idOf(status === 'ACTIVE' ? 2 : 3, 0),
          shelved_by: null,
          shelve_reason: null,
          told_at: at,
          told_severity: 'HIGH',
          source: 'automatic',
          clock_quality: 'trusted',
          created_at: at,
          updated_at: null,
        },
      };
    }
  }

  it('five years of a probe and its alerts: the pond is gone, a few rows are touched', {
    timeout: 180_000,
  }, async () => {
    const pond = await aPond('V-01');
    grow(readings(pond, 175_000));
    grow(alerts(pond, 'RESOLVED', 5_000));
    grow(alerts(pond, 'ACTIVE', 3_000));
    expect((await app.call('DELETE', `/ponds/${pond}`, { token })).status).toBe(204);
    expect(touched).toBeLessThanOrEqual(250);
    const statusOf = async (path: string) => (await app.call('GET', path, { token })).status;
    expect(await statusOf(`/water-quality/${idOf(1, 7)}`)).toBe(404);
    expect(await statusOf(`/water-quality/pond/${pond}`)).toBe(404);
    for (const query of ['', '&status=RESOLVED'])
      expect(body(await app.call('GET', `/alerts/?include=all${query}`, { token }))).toEqual([]);
    const overview = await app.call('GET', `/dashboard/overview?farm_id=${farmId}`, { token });
    expect(body(overview)).toMatchObject({ total_ponds: 0, total_active_alerts: 0, alerts_by_type: {} });
    // the oldest of them, which nobody touched
    const old = await app.call('PUT', `/alerts/${idOf(2, 0)}/resolve`, { token });
    expect(old.status).toBe(404);
  });

  it('ten years of orders: the control point is gone, and its device is unknown', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const all = Array.from(
      { length: 20_000 },
      (_each, n): Grown => ({
        resource: order,
        row: {
          id: idOf(4, n),
          control_point_id: point.id,
          target_status: 'ON',
          origin: 'SCHEDULE',
          issued_by: null,
          reason: null,
          version: n + 1,
          epoch: point.epoch,
          issued_at: minutesOn(n * 240),
          hold_until: null,
          state: 'SUPERSEDED',
          state_at: minutesOn(n * 240),
          clock_quality: 'trusted',
        },
      }),
    );
    grow(all);
    expect((await app.call('DELETE', `/control-points/${point.id}`, { token })).status).toBe(204);
    expect(touched).toBeLessThanOrEqual(10);
    expect((await app.call('GET', `/control-points/${point.id}/orders`, { token })).status).toBe(404);
    expect((await app.call('GET', `/devices/status/${point.device_id}`, { token })).status).toBe(404);
  });
});

onBothEngines('a pond that is deleted', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token, farmId } = await aFarmWith(app));
  });
  afterAll(() => app.close());

  it('takes what was recorded in it along, for everybody who could reach it', async () => {
    const ask = async (method: string, path: string, sent?: Json) => {
      const reply = await app.call(method, path, { token, ...(sent === undefined ? {} : { body: sent }) });
      return { status: reply.status, body: reply.body as Json & { id: string } };
    };
    const made = async (path: string, sent: Json) => (await ask('POST', path, sent)).body.id;
    const pond = await made('/ponds/', { farm_id: farmId, cod: 'V-01' });
    const batch = await made('/batches/', {
      pond_id: pond,
      batch_code: 'L-1',
      species: 'Litopenaeus vannamei',
      lineage: 'SPF',
      larva_origin: 'Aquatec',
      start_date: '2026-02-01',
      initial_count: 1000,
      initial_avg_weight: 0.01,
      initial_density: 10,
    });
    const when = '2026-03-01T12:00:00Z';
    const below = [
      `/water-quality/${await made('/water-quality/', { pond_id: pond, dissolved_oxygen: 2 })}`,
      `/biometries/${await made('/biometries/', { batch_id: batch, measurement_date: when, sample_size: 10, total_weight_g: 50 })}`,
      `/feeding/${await made('/feeding/', { batch_id: batch, feed_type: '35', quantity_kg: 1, cost_per_kg: 5, feed_date: when })}`,
      `/batches/${batch}`,
    ];
    const [triggered] = (await ask('GET', '/alerts/?include=all')).body as unknown as Json[];
    for (const path of below) expect(`${path} ${(await ask('GET', path)).status}`).toBe(`${path} 200`);
    expect((await ask('DELETE', `/ponds/${pond}?force=true`)).status).toBe(204);
    for (const path of below) expect(`${path} ${(await ask('GET', path)).status}`).toBe(`${path} 404`);
    for (const path of below.slice(0, 3)) expect((await ask('DELETE', path)).status).toBe(404);
    expect((await ask('GET', '/alerts/?include=all')).body).toEqual([]);
    expect((await ask('PUT', `/alerts/${String(triggered?.['id'])}/resolve`)).status).toBe(404);
    expect((await ask('GET', '/water-quality/latest')).body).toEqual([]);
    expect((await ask('GET', '/transfers/')).body).toMatchObject({ items: [] });
    expect((await ask('GET', `/dashboard/growth-rates?farm_id=${farmId}`)).body).toEqual({ batches: [] });
  });
});
