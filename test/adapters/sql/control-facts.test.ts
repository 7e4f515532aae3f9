import { expect, it } from 'vitest';
import { controlFactsQueries } from '#adapters/sql/queries/control/control-facts.ts';
import { aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

onBothEngines('what control knows at start', (_open, engine) => {
  it('is the same read for all control points together as for each alone, and as it was before the stop', async () => {
    const app = await startApp(engine);
    try {
      const [north, south] = [await aFarmWith(app), await aFarmWith(app, { name: 'Sul' })];
      for (const [farm, count] of [
        [north, 4],
        [south, 2],
      ] as const) {
        const { token } = farm;
        for (let n = 0; n < count; n++) {
          const point = await aControlPoint(app, farm);
          const at = `/control-points/${point.id}`;
          // one control point has everything, another nothing
          if (n === 0) continue;
          await app.call('POST', `${at}/device-key`, { token });
          for (let order = 0; order < n * 12; order++) {
            app.clock.advance(1_000);
            await app.call('POST', `${at}/turn-${order % 2 === 0 ? 'on' : 'off'}`, { token });
          }
          const schedule = { action: 'ON', start_time: '2026-04-01T18:00:00Z', repeat_pattern: 'DAILY' };
          await app.call('POST', `${at}/schedules`, { token, body: schedule });
          for (const cod of ['A', 'B']) {
            const pond = await app.call('POST', '/ponds/', {
              token,
              body: {
                farm_id: farm.farmId,
                cod: `${cod}-${point.cod}`,
                pond_type: 'FATTENING',
                control_point_id: point.id,
              },
            });
            await app.call('POST', '/aerators/', {
              token,
              body: {
                pond_id: body(pond)['id'],
                name: cod,
                device_id: `${cod}-${point.device_id}`,
                power_kw: 1.5,
              },
            });
          }
          const beat = { device_id: point.device_id, current_status: 'ON', consumption: 1.25 };
          await app.call('POST', '/devices/heartbeat', { body: beat });
        }
      }
      await app.control.flushPresence();

      const queries = controlFactsQueries(app.database.read);
      const together = [];
      for await (const facts of queries.allControlFacts()) together.push(facts);
      expect(together).toHaveLength(6);
      for (const facts of together) expect(await queries.controlFacts(facts.row.id)).toEqual(facts);
      for (const facts of together) {
        const view = app.control.registry.byId(facts.row.id);
        const sorted = (ponds: readonly { cod: string }[]) => ponds.map(({ cod }) => cod).sort();
        expect({ ...facts, ponds: sorted(facts.ponds), keys: facts.keys.length }).toMatchObject({
          row: view?.row,
          zone: view?.zone,
          farmName: view?.farmName,
          ponds: sorted(view?.ponds ?? []),
          powerKw: view?.powerKw,
          schedules: view?.schedules,
          manualOrders: view?.manualOrders,
          openOrder: view?.openOrder,
          keys: view?.keys.length,
          consumption: view?.presence.consumption,
        });
      }
      expect(Math.max(...together.map(({ manualOrders }) => manualOrders.length))).toBe(20);
      expect(together.filter(({ powerKw }) => powerKw === 3)).toHaveLength(4);
    } finally {
      await app.close();
    }
  });
});
