import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const ask = async (path: string) => (await farm.app.call('GET', path, { token: farm.owner.token })).body;

it('an aerator is added to a pond, its power corrected, and it is taken away again', async () => {
  const page = await farm.open('/viveiros/V-01/aeracao');
  await page.getByRole('button', { name: 'Cadastrar aerador' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Potência').fill('1,5');
  expect(await violationsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  const line = page.locator('[data-aerator]');
  await expect.poll(() => line.innerText()).toMatch(/Aerador 1[^]*1,5.kW[^]*V-01-A1/);
  await page.getByRole('button', { name: 'Mudar Aerador 1' }).click();
  await dialog.getByLabel('Potência').fill('2');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await expect.poll(() => line.innerText()).toMatch(/2,0.kW/);
  await page.getByRole('button', { name: 'Remover Aerador 1' }).click();
  await dialog.getByRole('button', { name: 'Remover' }).click();
  await expect.poll(() => line.count()).toBe(0);
});

it('weights one by one are a weighing with its size classes, which the batch shows later', async () => {
  const page = await farm.open('/lancar/biometria?batch=L-01', { width: 360, height: 740 });
  await page.getByRole('button', { name: 'Pesei um a um' }).click();
  const field = page.getByLabel('Pesos um a um');
  await field.fill('10 12,5 x');
  await page.getByText('Não é um peso: x').waitFor();
  // 100, 80, 50 and 50 to the kilogram
  await field.fill('10 12,5 20\n20');
  await expect.poll(() => page.locator('[data-sizes] dl').innerText()).toMatch(/15,63.g[^]*64/);
  await expect
    .poll(() => page.locator('[data-sizes] tbody th').allInnerTexts())
    .toEqual(['40–50', '50–60', '60–70', '70–80', '80–100']);
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('button', { name: /^Salvar/ }).click();
  const batches = (await ask(`/batches/?farm_id=${farm.farm.id}`)) as { id: string }[];
  const journal = async () =>
    ((await ask(`/biometries/batch/${batches[0]?.id}`)) as { biometries: { sample_size: number }[] })
      .biometries;
  await expect.poll(async () => (await journal()).map(({ sample_size }) => sample_size)).toEqual([4]);

  await page.goto(`${farm.app.base}/lotes/L-01`);
  await page.getByText('Biometrias', { exact: true }).click();
  await page.getByRole('button', { name: /^Tamanhos da biometria/ }).click();
  await page.locator('dialog [data-sizes]').waitFor();
});

it('a figure of the science is found, changed for the farm, shown beside its default, and put back', async () => {
  const page = await farm.open('/sistema/fazenda');
  await page.getByRole('link', { name: 'Cálculos', exact: true }).click();
  await page.getByLabel('Procurar número').fill('tariff');
  const line = page.locator('[data-figure="energy.tariffPerKwh"]');
  await line.waitFor();
  await page.getByText('Muda o custo da energia nos relatórios').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await line.getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('0,91');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await expect.poll(() => line.innerText()).toMatch(/0,91[^]*da fazenda[^]*padrão/);
  const told = (await ask(`/farms/${farm.farm.id}/science`)) as { overrides: unknown };
  expect(told.overrides).toEqual({ energy: { tariffPerKwh: 0.91 } });
  await line.getByRole('button').click();
  await dialog.getByRole('button', { name: 'Voltar ao padrão' }).click();
  await expect.poll(() => line.innerText()).not.toContain('da fazenda');
});

it('an address is added to the account and shown as the primary one', async () => {
  const page = await farm.open('/sistema/preferencias');
  await page.getByRole('button', { name: 'Acrescentar endereço' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Rua ou estrada').fill('Estrada do Cumbe');
  await dialog.getByLabel('Número', { exact: false }).first().fill('12');
  await dialog.getByLabel('Cidade').fill('Aracati');
  await dialog.getByLabel('CEP').fill('62800-000');
  await dialog.getByLabel('Principal').check();
  expect(await violationsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await expect
    .poll(() => page.locator('[data-addresses] li').innerText())
    .toMatch(/Estrada do Cumbe, 12[^]*Principal[^]*Aracati – CE[^]*62800-000/);
});

it('whoever administers the box sees the program and downloads the package for support; nobody else does', async () => {
  const page = await farm.open('/sistema/diagnostico');
  await page.getByRole('heading', { name: 'Diagnóstico' }).waitFor();
  const me = (await ask('/users/me')) as { role: string };
  await expect.poll(() => page.locator('[data-support]').count()).toBe(me.role === 'ADMIN' ? 1 : 0);
  const admin = await farm.app.signUp({ role: 'ADMIN' });
  const own = await farm.open('/sistema/diagnostico', { as: admin });
  await own.locator('[data-update]').getByText('Esta instalação não se atualiza sozinha').waitFor();
  const saved = own.waitForEvent('download');
  await own.getByRole('button', { name: 'Baixar pacote' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^support-.*\.tar\.gz$/);
  expect(await violationsOn(own)).toEqual([]);
});
