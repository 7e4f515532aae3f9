import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { joinFarm, type SignedUp } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// The feeding trays of a pond as an operator enters them on a phone, one press each, and what the ration makes of them.

const PHONE = { width: 360, height: 740 };
type Told = Record<string, unknown>;

let farm: Console;
let operator: SignedUp;
beforeAll(async () => {
  farm = await startConsole();
  operator = await farm.app.signUp({ role: 'VIEWER' });
  await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, operator, 'OPERATOR');
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const looks = async () => {
  const path = `/ponds/${farm.farm.pondIds[0] ?? ''}/records?kind=FEED_TRAYS`;
  return (await farm.app.call('GET', path, { token: farm.owner.token })).body as Told[];
};

/** The trays of the look that did not see all of them. */
const partlySeen = async () => {
  const trays = (await looks()).map((look) => look['trays'] as { left_percent: number | null }[]);
  return trays.find((each) => each.some(({ left_percent }) => left_percent === null));
};

it('three presses enter three trays; the fourth was not looked at and is not sent as empty', async () => {
  const page = await farm.open('/lancar/racao/bandejas?pond=V-01', { ...PHONE, as: operator, isTimed: true });
  const save = page.getByRole('button', { name: 'Salvar' });
  await save.waitFor();
  expect(await save.isDisabled()).toBe(true);
  await page.getByRole('group', { name: 'Bandeja 1' }).getByLabel('vazia', { exact: true }).check();
  await page.getByRole('group', { name: 'Bandeja 2' }).getByLabel('50', { exact: false }).check();
  await page.getByRole('group', { name: 'Bandeja 3' }).getByLabel('10', { exact: false }).first().check();
  expect(await violationsOn(page)).toEqual([]);
  await save.click();
  await page.waitForSelector('.toast:has-text("média de 3: 20")');
  const sent = [
    { tray: 1, left_percent: 0 },
    { tray: 2, left_percent: 50 },
    { tray: 3, left_percent: 10 },
  ];
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      return looks();
    })
    .toMatchObject([{ trays: sent }]);
  expect((await looks())[0]?.['trays']).toHaveLength(3);
});

it('the next look has the trays of the last one; those not pressed are sent as not seen', async () => {
  const page = await farm.open('/lancar/racao/bandejas?pond=V-01', { ...PHONE, as: operator, isTimed: true });
  await page.getByRole('group', { name: 'Bandeja 1' }).getByLabel('vazia', { exact: true }).check();
  expect(await page.getByRole('group', { name: /^Bandeja/ }).count()).toBe(3);
  await page.getByRole('button', { name: 'Salvar' }).click();
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      return partlySeen();
    })
    .toMatchObject([{ left_percent: 0 }, { left_percent: null }, { left_percent: null }]);
});

it('the pond tells what is left, what the next meal is for it and by whose table; a slip is corrected', async () => {
  const page = await farm.open('/viveiros/V-01', { ...PHONE, as: operator });
  const note = page.locator('[data-trays="V-01"]');
  // the first look saw what the second did not, and no meal was given between them
  await note.getByText('sobrou 20').waitFor();
  expect(await note.textContent()).toMatch(/3 vistas às .* · próximo trato .*\(−10/);
  expect(await note.textContent()).toContain('AQT 2016');
  await page.goto(`${farm.app.base}/viveiros/V-01/historico`);
  const row = page.locator('[data-records="trays"] tr', { hasText: 'não vista' });
  await row.getByRole('button', { name: /^Corrigir/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Bandeja 3').fill('12,5');
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await expect
    .poll(partlySeen)
    .toMatchObject([{ left_percent: 0 }, { left_percent: null }, { left_percent: 12.5 }]);
});

it('a record of one tray cannot have one less, and the button says so', async () => {
  const page = await farm.open('/lancar/racao/bandejas?pond=V-01', { ...PHONE, as: operator });
  const trays = page.getByRole('group', { name: /^Bandeja/ });
  const fewer = page.getByRole('button', { name: 'Uma a menos' });
  await fewer.waitFor();
  for (let left = await trays.count(); left > 1; left -= 1) await fewer.click();
  expect(await trays.count()).toBe(1);
  await fewer.click({ force: true });
  await page.getByText('Um registro tem ao menos uma bandeja.').waitFor();
  expect(await trays.count()).toBe(1);
});
