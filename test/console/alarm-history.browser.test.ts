import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// What was, by pond and kind: the person on duty asks whether this pond had this before.

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
  const [v1, v2] = farm.farm.pondIds;
  const measures = async (pond_id: string | undefined, values: Record<string, number>) => {
    farm.app.clock.advance(60_000);
    const measurement_date = new Date(farm.app.clock.now()).toISOString();
    const reply = await farm.app.call('POST', '/water-quality/', {
      token: farm.owner.token,
      body: { pond_id, measurement_date, ...values },
    });
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
  };
  // over in V-01, then hot there; standing in V-02
  await measures(v1, { dissolved_oxygen: 1.9 });
  await measures(v1, { dissolved_oxygen: 6.5 });
  await measures(v1, { dissolved_oxygen: 6.5 });
  await measures(v1, { temperature: 36 });
  await measures(v2, { dissolved_oxygen: 2.1 });
});
afterAll(() => farm.close());

for (const look of [{ theme: 'light' }, { width: 360, height: 740, theme: 'dark' }] as const) {
  it(`is asked by place and kind, and the address keeps both (${look.theme})`, async () => {
    const page = await farm.open('/alarmes/historico', look);
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(3);
    // what stands is never below what is over
    const stands = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-status')));
    expect(stands.lastIndexOf('ACTIVE')).toBeLessThan(stands.indexOf('RESOLVED'));

    await page.getByLabel('Onde').selectOption({ label: 'V-01' });
    await page.getByLabel('O quê').selectOption({ label: 'OD baixo' });
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.first().innerText()).toContain('V-01');
    expect(await violationsOn(page)).toEqual([]);
    const { pathname, search } = new URL(page.url());
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Baixar CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(text).toContain('V-01');

    // whoever gets the address sees the same
    const other = await farm.open(`${pathname}${search}`, look);
    await expect.poll(() => other.locator('tbody tr').count()).toBe(1);
    expect(await other.getByLabel('O quê').inputValue()).toBe('LOW_OXYGEN');
    await other.getByLabel('O quê').selectOption({ label: 'pH alto' });
    await other.getByText('Nenhum alarme deste lugar e tipo.').waitFor();
    await farm.closePages();
  });
}

it('a place that is not of this farm shows nothing, and not everything', async () => {
  const page = await farm.open('/alarmes/historico?viveiro=V-99');
  await page.getByText('Nenhum alarme deste lugar e tipo.').waitFor();
  expect(await page.locator('tbody tr').count()).toBe(0);
  await farm.closePages();
});

it('is sorted by every column, and kept by name with its place and kind, in order', async () => {
  const page = await farm.open('/alarmes/historico');
  const head = page.getByRole('columnheader', { name: /Começou|Quando/ });
  await head.getByRole('button').click();
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
  await page.getByLabel('Onde').selectOption({ label: 'V-01' });
  await page.getByRole('button', { name: 'Guardar esta vista…' }).click();
  await page.getByText('Fica neste aparelho').waitFor();
  await page.getByLabel('Nome da vista').fill('V-01 do começo');
  await page.getByRole('button', { name: 'Guardar', exact: true }).click();
  await page.goto(`${farm.app.base}/alarmes/historico`);
  const rows = page.locator('tbody tr');
  await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(3);
  const view = page.getByRole('button', { name: 'V-01 do começo', exact: true });
  await view.click();
  await expect.poll(() => new URL(page.url()).searchParams.get('viveiro')).toBe('V-01');
  await expect.poll(() => view.getAttribute('aria-pressed')).toBe('true');
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
  expect(await page.getByLabel('Onde').inputValue()).toBe('viveiro V-01');
  // where it finds nothing it can be left again
  await page.getByLabel('O quê').selectOption({ label: 'pH alto' });
  await page.getByText('Nenhum alarme deste lugar e tipo.').waitFor();
  await view.click();
  await rows.first().waitFor();
  // once more it is all of them again
  await view.click();
  await expect.poll(() => page.getByLabel('Onde').inputValue()).toBe('');
  expect(await violationsOn(page)).toEqual([]);
  await farm.closePages();
});
