import { afterAll, beforeAll, expect, test } from 'vitest';
import { logEntry } from '#contract/resources/logs.ts';
import { MAX_MESSAGE_BYTES } from '#contract/sync/wire.ts';
import { insert } from '#core/changes.ts';
import { MOST_BODY_BYTES } from '#store/change-log.ts';
import { body } from '#test/app.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

let apps: SyncedApps;
let farm: StockedFarm;
beforeAll(async () => {
  apps = await syncedApps('sqlite');
  farm = await aStockedFarm(apps.gateway);
  await apps.pairWith(await apps.hosted.signUp());
});
afterAll(() => apps.close());

/** As long in JSON as a weight can be. */
const weights = (from: number) => Array.from({ length: 10_000 }, (_, n) => from + (n % 97) / 7.0000000001);
/** Three bytes each. */
const notes = '㎏'.repeat(10_000);

test('the largest record the interface takes, corrected as a whole, reaches the other side', async () => {
  const sent = (from: number) => {
    const individual_weights_g = weights(from);
    const total_weight_g = individual_weights_g.reduce((sum, weight) => sum + weight, 0);
    return { sample_size: 10_000, total_weight_g, individual_weights_g, notes };
  };
  const { token, batch } = farm;
  const made = await apps.gateway.call('POST', '/biometries/', {
    token,
    body: { batch_id: batch.id, measurement_date: '2026-03-02T11:00:00Z', ...sent(9.5) },
  });
  expect(made.status).toBe(201);
  const changed = await apps.gateway.call('PUT', `/biometries/${String(body(made)['id'])}`, {
    token,
    body: sent(9.7),
  });
  expect(changed.status).toBe(200);
  await apps.settled();
  const sizes = await apps.gateway.database.read.selectFrom('sync_change').select('body_json').execute();
  const largest = Math.max(...sizes.map(({ body_json }) => Buffer.byteLength(body_json ?? '')));
  expect(largest).toBeLessThan(MOST_BODY_BYTES / 2);
  expect(MOST_BODY_BYTES).toBeLessThan(MAX_MESSAGE_BYTES - 100_000);
  const there = await apps.hosted.database.read.selectFrom('biometries').select('notes').execute();
  expect(there).toEqual([{ notes }]);
});

test('a larger one is refused where it is made, so that it holds nothing up', async () => {
  const { gateway } = apps;
  const row = {
    id: gateway.kernel.newId(),
    farm_id: farm.farmId,
    entity_type: 'SYSTEM' as const,
    entity_id: farm.farmId,
    entity_name: 'x',
    action: 'update',
    user_id: null,
    origin: null,
    details: { text: 'ã'.repeat(1_000_000) },
    timestamp: '2026-03-02T12:00:00.000Z',
    clock_quality: 'trusted' as const,
  };
  await expect(
    gateway.kernel.commit({ actor: null, changes: [insert(logEntry, row)] }),
  ).rejects.toMatchObject({
    status: 413,
    extras: { code: 'RECORD_TOO_LARGE' },
  });
});
