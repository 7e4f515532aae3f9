import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';

const NAME = 'fazenda.lan';

describe('a phone on the farm’s Wi-Fi', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole({ flags: [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`] });
    await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
  });
  afterAll(() => farm.close());

  it('does all that people do at the ponds over plain http, where browsers keep back what they give to secure pages', async () => {
    const { app, owner } = farm;
    const address = app.base.replace('127.0.0.1', NAME);
    const page = await farm.open('/', { width: 360, height: 740, as: null, isTimed: true });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${address}/`);
    expect(await page.evaluate('window.isSecureContext')).toBe(false);

    await page.getByLabel(/E-mail/).fill(owner.user.email);
    await page.getByLabel(/Senha/).fill('camarao-123');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-pond="V-01"]');

    await app.call('POST', '/water-quality/', {
      token: owner.token,
      body: { pond_id: farm.farm.pondIds[1], dissolved_oxygen: 2.6 },
    });
    await page.waitForSelector('.alarm-strip.p1');
    // as long as it takes to read it
    await page.clock.fastForward(600);
    await page.locator('.alarm-strip.p1 button').click();
    await page.waitForSelector('.alarm-strip', { state: 'detached' });

    await page.locator('.navigation a[href="/aeracao"]').click();
    await page.getByRole('button', { name: 'Ligar CP-01' }).click();
    await page.waitForSelector('[data-point="CP-01"][data-state="turning-on"]');
    await controllerReports(app, owner, 'CP-01', 'ON');
    await page.waitForSelector('[data-point="CP-01"][data-state="on"]');

    await page.goto(`${address}/lancar/agua?pond=V-03`);
    await page.getByLabel(/Oxigênio/).fill('5,4');
    await page.getByRole('button', { name: 'Próximo' }).click();
    await page.waitForSelector('.toast');
    await page.goto(`${address}/lancar/fila`);
    await page.waitForSelector('[data-entry]');
    await page.clock.fastForward(10_500);
    await page.waitForSelector('[data-entry="saved"]');
    expect(faults).toEqual([]);
  });
});
