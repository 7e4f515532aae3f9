import { afterAll, beforeAll, expect, test } from 'vitest';
import { onBothEngines } from '#test/databases.ts';
import { MINUTE, startWaterFarm, type WaterFarm } from '../../production/water-quality/a-water-farm.ts';

// A probe that told of the same trouble for days.

const READINGS = 450;

onBothEngines('an episode of hundreds of alerts', (_open, engine) => {
  let farm: WaterFarm;
  beforeAll(async () => {
    farm = await startWaterFarm(engine);
  });
  afterAll(() => farm.close());

  async function aBadNight(): Promise<string> {
    const pond = await farm.pond();
    for (let n = 0; n < READINGS; n += 1) {
      farm.clock.advance(MINUTE);
      await farm.measure(pond, { dissolved_oxygen: 2, source: 'probe' });
    }
    return pond;
  }
  const openIn = async (pond: string) => (await farm.alertsOf(pond, '?resolved=false')).summary.total_alerts;
  const endsOf = async (pond: string) => {
    const { alerts } = await farm.alertsOf(pond, '?resolved=true');
    return [...new Set(alerts.map(({ resolved_at }) => resolved_at))];
  };

  test('ends with one good value, a slice at a time, and the next bad one begins another', {
    timeout: 180_000,
  }, async () => {
    const pond = await aBadNight();
    const [sample] = (await farm.alertsOf(pond, '?limit=1')).alerts;
    let most = 0;
    const stop = farm.database.onCommit(({ rows }) => {
      most = Math.max(most, rows.filter(({ table }) => table === 'alerts').length);
    });
    farm.clock.advance(MINUTE);
    const at = farm.now();
    await farm.measure(pond, { dissolved_oxygen: 6 });
    expect(await openIn(pond)).toBe(READINGS - 200);
    for (let looks = 0; looks < 4; looks += 1) {
      farm.clock.advance(1_000);
      await farm.alerts.episodes.look();
    }
    stop();
    expect(most).toBe(200);
    expect(await openIn(pond)).toBe(0);
    expect(await endsOf(pond)).toEqual([at]);
    expect((await farm.latest(pond)).status).toBe('NORMAL');
    const told = (await farm.told(pond)).length;
    await farm.measure(pond, { dissolved_oxygen: 2.2 });
    const [again] = (await farm.alertsOf(pond, '?resolved=false')).alerts;
    expect(again?.episode_id).not.toBe(sample?.episode_id);
    expect((await farm.told(pond)).length - told).toBe(1);
  });

  test('ends as a whole when a person resolves it; what was measured since stays', {
    timeout: 180_000,
  }, async () => {
    const pond = await aBadNight();
    const [newest] = (await farm.alertsOf(pond, '?limit=1')).alerts;
    farm.clock.advance(MINUTE);
    expect((await farm.ask('PUT', `/alerts/${newest?.id}/resolve`)).status).toBe(200);
    farm.clock.advance(MINUTE);
    await farm.measure(pond, { dissolved_oxygen: 2.1 });
    for (let looks = 0; looks < 4; looks += 1) await farm.alerts.episodes.look();
    expect(await openIn(pond)).toBe(1);
    expect(await endsOf(pond)).toHaveLength(1);
  });
});
