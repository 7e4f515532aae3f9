import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// The electricity meter of the farm as it is read on a phone at each shift, and what the report makes of it.

const PHONE = { width: 360, height: 740 };

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterAll(() => farm.close());

it('the last reading stands beside the field, and one that is lower asks what happened', async () => {
  const readings = `/farms/${farm.farm.id}/records`;
  const happened_at = new Date(farm.app.clock.now() - 3 * 86_400_000).toISOString();
  const before = { kind: 'METER', meter: 'Medidor geral', amount: 41_250, happened_at };
  await farm.app.call('POST', readings, { token: farm.owner.token, body: before });
  const page = await farm.open('/lancar/medidor', { ...PHONE, isTimed: true });
  await page.getByText('Na última leitura').waitFor();
  expect(await page.getByLabel('Medidor', { exact: false }).first().inputValue()).toBe('Medidor geral');
  const counter = page.getByLabel('O que o medidor marca');
  await counter.fill('12');
  await page.getByText('marca menos que antes').waitFor();
  await page.getByLabel('O que houve com o medidor').selectOption('CHANGED');
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Salvar' }).click();
  const kept = async () => {
    await page.clock.runFor(6_000);
    return (await farm.app.call('GET', `${readings}?kind=METER`, { token: farm.owner.token })).body;
  };
  await expect.poll(kept).toMatchObject([{ amount: 12, meter_change: 'CHANGED' }, { amount: 41_250 }]);
});

it('the report names the readings that nobody wrote down', async () => {
  const page = await farm.open('/relatorios/energia', { ...PHONE, isTimed: true });
  const report = page.locator('[data-meters]');
  await report.getByText('Leituras que faltam').waitFor();
  // the meter was changed: what it counted before is not known, and is not nothing
  await expect.poll(() => report.locator('.facts').first().innerText()).not.toMatch(/\d/);
  expect(await violationsOn(page)).toEqual([]);
});
