import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { joinFarm } from '#test/app.ts';
import { type Console, controllerReports, startConsole, violationsOn } from '#test/console.ts';

const PHONE = { width: 360, height: 740 };

describe('a controller that speaks without a key', () => {
  let console_: Console;
  beforeAll(async () => {
    console_ = await startConsole();
  });
  afterEach(() => console_.closePages());
  afterAll(() => console_.close());

  const unkeyed = () =>
    console_.app.call('POST', '/devices/heartbeat', {
      body: { device_id: 'aer-CP-01', current_status: 'ON' },
    });

  it('is shown as not proved wherever its state is, until it is heard with proof', async () => {
    const { app, owner, farm } = console_;
    expect((await unkeyed()).status).toBe(200);
    const page = await console_.open('/aeracao', PHONE);
    const row = page.locator('[data-point="CP-01"]');
    await row.getByText('não comprovado').waitFor();
    expect(await page.locator('[data-point="CP-02"]').getByText('não comprovado').count()).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(`${app.base}/aeracao/${farm.pointId}`);
    await page.getByText('não comprovado', { exact: true }).waitFor();
    await page.getByText('quem está na rede e sabe o nome do controlador').waitFor();
    await page.goto(`${app.base}/sistema/dispositivos`);
    await page.locator('tr[data-point="CP-01"]').getByText('não comprovado').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth + 1')).toBe(true);
    await controllerReports(app, owner, 'CP-01', 'ON');
    await page.getByText('não comprovado').waitFor({ state: 'detached' });
  });

  it('is heard no more once a technician says so, and again when that is taken back', async () => {
    const { app, owner, farm } = console_;
    const technician = await app.signUp();
    await joinFarm(app, { token: owner.token, farmId: farm.id }, technician, 'TECHNICIAN');
    const page = await console_.open(`/sistema/dispositivos/${farm.pointId}`, {
      ...PHONE,
      as: technician,
      language: 'en',
    });
    const card = page.locator('section[aria-labelledby=unkeyed]');
    const choose = async (label: string) => {
      await card.getByLabel('Hear this controller without a key').selectOption({ label });
      await card.getByRole('button', { name: 'Save' }).click();
    };
    await card.getByText('Whoever is on the network').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await choose('No, with a key only');
    await expect.poll(async () => (await unkeyed()).status).toBe(401);
    await choose('Yes, from the farm network');
    await expect.poll(async () => (await unkeyed()).status).toBe(200);
  });

  it('cannot be let in once its key was used, and the page says why', async () => {
    const { app, owner, farm } = console_;
    const { body } = await app.call('POST', `/control-points/${farm.pointId}/device-key`, {
      token: owner.token,
    });
    const { key } = body as { key: string };
    await app.call('POST', '/devices/heartbeat', {
      token: key,
      body: { device_id: 'aer-CP-01', current_status: 'ON' },
    });
    const page = await console_.open(`/aeracao/${farm.pointId}`, PHONE);
    const card = page.locator('section[aria-labelledby=unkeyed]');
    await card.getByLabel('Ouvir este controlador sem chave').selectOption('yes');
    await card.getByRole('button', { name: 'Salvar' }).click();
    await card.getByRole('alert').getByText('A chave deste controlador já foi usada').waitFor();
  });
});
