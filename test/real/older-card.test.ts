import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '#test/postgres.ts';
import { differences } from '../../scripts/soak/rounds/alike.ts';
import { atRest, openFarm } from '../../scripts/soak/rounds/farm.ts';

// The card of a gateway is exchanged for an older copy of itself, all of it programs.

describeOnPostgres('an order that a card lost', () => {
  it('is open on neither side once both have talked, and its motor does not move by it', {
    timeout: 240_000,
  }, async () => {
    const farm = await openFarm();
    try {
      const made = await farm.send('gateway', 'POST', '/control-points/', {
        body: { farm_id: farm.farmId, cod: 'CP-1', target_status: 'OFF', device_id: 'dev-1' },
      });
      expect(made.status).toBe(201);
      const point = `/control-points/${String(made.body?.['id'])}`;
      expect(await atRest(farm, 60_000)).toBeNull();
      await farm.gateway.kill();
      const image = join(farm.root, 'card');
      farm.copyCard(image);
      await farm.gateway.start();
      expect((await farm.send('gateway', 'POST', `${point}/turn-on`, { body: {} })).status).toBeLessThan(300);
      expect(await atRest(farm, 60_000)).toBeNull();
      await farm.gateway.kill();
      farm.returnCard(image);
      await farm.gateway.start();
      expect(await atRest(farm, 60_000)).toBeNull();
      const { gateway, hosted } = await farm.states();
      const ordersOf = ({ rows }: typeof gateway) =>
        [...rows.values()]
          .filter(({ resource }) => resource.name === 'orders')
          .map(({ row }) => row['state']);
      expect({ here: ordersOf(gateway), there: ordersOf(hosted) }).toEqual({
        here: ['EXPIRED'],
        there: ['EXPIRED'],
      });
      expect(differences(gateway, hosted)).toEqual([]);
      const shown = await farm.send('gateway', 'GET', point);
      expect(shown.body).toMatchObject({ target_status: 'OFF' });
    } finally {
      await farm.close();
    }
  });
});
