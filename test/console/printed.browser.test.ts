import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

// What leaves as paper says of which farm it is and of when, and nothing on it is there to be pressed.

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterAll(() => farm.close());

it.each([
  ['/relatorios/ficha', 'Ficha'],
  ['/relatorios/crescimento', 'Relatórios'],
  ['/lotes/L-01', 'L-01'],
  ['/viveiros/V-01/historico', 'V-01'],
])(
  '%s on paper: the farm, the day and the hour of the farm, no navigation and no button',
  async (path, title) => {
    const page = await farm.open(path, { timezone: 'Asia/Tokyo' });
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
    expect(await page.locator('.printed').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    const day = new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Fortaleza', dateStyle: 'short' });
    const [dayOfMonth = ''] = day.format(new Date()).split('/');
    expect(await page.locator('.printed').innerText()).toMatch(
      new RegExp(`^Norte · .*${dayOfMonth}/\\d{2}/\\d{4} \\d{2}:\\d{2}$`),
    );
    expect(await page.locator('nav:visible, button:visible, a.button:visible').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.context().close();
  },
);

it('the columns of a table keep their names on paper, where they are no buttons', async () => {
  const page = await farm.open('/viveiros/V-01/historico');
  const column = page.locator('th[aria-sort]').first();
  await column.waitFor();
  const name = (await column.innerText()).trim();
  await page.emulateMedia({ media: 'print' });
  expect(
    await page.evaluate(`getComputedStyle(document.querySelector('th[aria-sort]'), '::before').content`),
  ).toBe(JSON.stringify(name));
});
