import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { joinFarm, type SignedUp } from '#test/app.ts';
import { type Console, startConsole } from '#test/console.ts';

// Who may only look is offered nothing that would be refused, and no button that never works.

let farm: Console;
let viewer: SignedUp;
beforeAll(async () => {
  farm = await startConsole();
  const { app, owner } = farm;
  viewer = await app.signUp({ role: 'VIEWER' });
  await joinFarm(app, { token: owner.token, farmId: farm.farm.id }, viewer, 'VIEWER');
  const nightly = {
    action: 'ON',
    start_time: '2026-03-02T21:00:00Z',
    end_time: '2026-03-03T09:00:00Z',
    repeat_pattern: 'DAILY',
  };
  const made = await app.call('POST', `/control-points/${farm.farm.pointId}/schedules`, {
    token: owner.token,
    body: nightly,
  });
  if (made.status !== 201) throw new Error(`a time was answered ${made.status}`);
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

it.each([360, 1366])(
  'the sheet of the water round is not offered to be filled in vain (%i px)',
  async (width) => {
    const page = await farm.open('/lancar/agua', { as: viewer, language: 'es', width, height: 740 });
    await page.locator('main .empty').waitFor();
    expect(await page.innerText('main')).toContain('Su acceso no permite ver esto');
    expect(await page.locator('main input').count()).toBe(0);
  },
);

it('reads the times of a motor, which are no buttons', async () => {
  for (const path of ['/aeracao/agenda', `/aeracao/${farm.farm.pointId}`]) {
    const page = await farm.open(path, { as: viewer, language: 'en' });
    await page.locator('main .chip', { hasText: '18:00–06:00' }).first().waitFor();
    expect(await page.locator('main button:disabled').count(), path).toBe(0);
  }
});
