import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
/** More than a screen can tell apart. */
const MOST_POINTS = 2_000;

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
  for (let day = 1; day < DAYS; day += 1) {
    for (const dissolved_oxygen of [4 + day / 10, 6 + day / 10]) {
      const measurement_date = new Date(farm.app.clock.now() - day * DAY_MS).toISOString();
      const body = { pond_id: farm.farm.pondIds[1], dissolved_oxygen, measurement_date };
      const { status } = await farm.app.call('POST', '/water-quality/', { token: farm.owner.token, body });
      if (status !== 201) throw new Error(`a measurement was answered ${status}`);
    }
  }
});
afterAll(() => farm.close());

it('a station without a language of its own, as a kiosk is, draws them too', async () => {
  const page = await farm.open('/viveiros/V-02/agua', {
    script: "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
  });
  await page.locator('figure canvas').first().waitFor({ timeout: 15_000 });
});

it('a month of water is a drawing of few points, and the same figures as a table for who does not see it', async () => {
  const page = await farm.open('/viveiros/V-02/agua');
  const answers: { points: { date: string; avg: number }[] }[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('/trend/') || !response.url().includes('dissolved_oxygen')) return;
    const { trend_data } = (await response.json()) as {
      trend_data: { data_points: { date: string; avg: number }[] };
    };
    answers.push({ points: trend_data.data_points });
  });
  await page.reload();
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  await expect.poll(() => answers.length).toBeGreaterThan(0);
  const points = answers[0]?.points ?? [];
  expect(points.length).toBeGreaterThan(DAYS - 3);
  expect(points.length).toBeLessThan(MOST_POINTS);

  await chart.getByRole('button', { name: 'Ver como tabela' }).click();
  const rows = chart.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(points.length);
  const shown = (await rows.allInnerTexts()).join('\n');
  for (const { avg } of points) expect(shown).toContain(avg.toFixed(1).replace('.', ','));
});
