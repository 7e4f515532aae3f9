import { afterAll, beforeAll, expect, it } from 'vitest';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import { insert } from '#core/changes.ts';
import { formatHlc } from '#store/hlc.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm } from '#test/stocked-farm.ts';

onBothEngines('a long list of conflicts', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  it('is as long as was asked for, each once and newest first, whatever page it is read in', async () => {
    const farm = await aStockedFarm(app);
    const [pond] = farm.ponds;
    if (pond === undefined) throw new Error('a stocked farm has ponds');
    const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const rows = Array.from({ length: 620 }, (_, n) => ({
      id: id(n),
      stream_id: 0,
      farm_id: farm.farmId,
      entity: 1,
      row_id: pond.id,
      field_group: 'all',
      rule: 'last_writer' as const,
      kept_json: '{}',
      dropped_json: '{}',
      kept_hlc: formatHlc(app.clock.now(), 0, 'a0000001'),
      dropped_hlc: formatHlc(app.clock.now(), 0, 'a0000002'),
      kept_by: null,
      dropped_by: null,
      state: 'open' as const,
      // three of one instant
      found_at: new Date(app.clock.now() - Math.floor(n / 3) * 1000).toISOString(),
      settled_at: null,
      settled_by: null,
    }));
    for (let from = 0; from < rows.length; from += 50)
      await app.kernel.commit({
        actor: null,
        changes: rows.slice(from, from + 50).map((row) => insert(syncConflict, row)),
      });
    const read = async (query: string) => {
      const reply = await app.call('GET', `/sync/conflicts?farm_id=${farm.farmId}${query}`, {
        token: farm.token,
      });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      return (reply.body as { id: string }[]).map((row) => row.id);
    };
    const all = await read('&limit=10000');
    expect([all.length, new Set(all).size]).toEqual([620, 620]);
    expect(await read('&limit=600')).toEqual(all.slice(0, 600));
    expect(await read('&limit=600&skip=100')).toEqual(all.slice(100));
    expect(await read('')).toEqual(all);
  });
});
