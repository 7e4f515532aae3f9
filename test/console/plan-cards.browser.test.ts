import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterAll(() => farm.close());

it.each([
  [1_366, [4]],
  [900, [2, 2]],
  [360, [1, 1, 1, 1]],
])('on %i px the four plans stand in rows of %j, none alone below three', async (width, rows) => {
  const page = await farm.open('/sistema/plano', { width, height: 740 });
  await page.locator('.plan-card').nth(3).waitFor();
  const tops = await page
    .locator('.plan-card')
    .evaluateAll((cards) => cards.map((card) => Math.round(card.getBoundingClientRect().top)));
  expect([...Map.groupBy(tops, (top) => top).values()].map((row) => row.length)).toEqual(rows);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});
