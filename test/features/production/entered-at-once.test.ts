import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm } from '#test/stocked-farm.ts';

// One person mends a record while another enters one that is reckoned from it: whoever comes first, both end as if one had
// come after the other.

const AT_ONCE = 8;

onBothEngines('what is mended and what rests on it, entered at the same moment', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  async function aFarm() {
    const farm = await aStockedFarm(app, {
      batch_code: 'L-01',
      species: 'Litopenaeus vannamei',
      initial_count: 60_000,
      initial_avg_weight: 1,
      start_date: '2026-02-01',
    });
    const call = async (method: string, path: string, sent?: unknown) => {
      const reply = await app.call(method, path, {
        token: farm.token,
        ...(sent === undefined ? {} : { body: sent }),
      });
      expect([method, path, reply.status < 300]).toEqual([method, path, true]);
      return reply.status === 204 ? {} : body(reply);
    };
    return { id: farm.batch.id, call };
  }
  const times = (round: () => Promise<void>) => Promise.all(Array.from({ length: AT_ONCE }, round));

  it('a loss by weight is of the weighing as it was corrected', { timeout: 60_000 }, async () => {
    await times(async () => {
      const { id, call } = await aFarm();
      const weighing = await call('POST', '/biometries/', {
        batch_id: id,
        sample_size: 100,
        total_weight_g: 1_000,
        measurement_date: '2026-02-12T10:00:00Z',
      });
      await Promise.all([
        call('PUT', `/biometries/${String(weighing['id'])}`, { total_weight_g: 2_000 }),
        call('POST', `/batches/${id}/adjust-survival`, {
          event_description: 'Mortalidade',
          dead_weight_kg: 9,
          lost_at: '2026-02-14T10:00:00Z',
        }),
      ]);
      const losses = (await call('GET', `/batches/${id}/losses`)) as unknown as { dead_count: number }[];
      expect(losses.map(({ dead_count }) => dead_count)).toEqual([450]);
    });
  });

  it('a lot of a harvest is of the day to which that was corrected', { timeout: 60_000 }, async () => {
    await times(async () => {
      const { id, call } = await aFarm();
      const harvest = await call('POST', `/batches/${id}/harvests`, {
        quantity: 900,
        weight_kg: 9,
        harvest_date: '2026-02-20T10:00:00Z',
      });
      const harvest_id = String(harvest['id']);
      await Promise.all([
        call('PUT', `/batches/${id}/harvests/${harvest_id}`, { harvest_date: '2026-02-22T10:00:00Z' }),
        call('POST', `/batches/${id}/harvest-lots`, { harvest_id, weight_kg: 9, lot_code: 'X-1' }),
      ]);
      const lots = (await call('GET', `/batches/${id}/harvest-lots`)) as unknown as {
        harvested_at: string;
      }[];
      expect(lots.map(({ harvested_at }) => harvested_at)).toEqual(['2026-02-22T10:00:00.000Z']);
    });
  });
});
