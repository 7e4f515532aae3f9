import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';

const PHONE = { width: 360, height: 740 };

describe('a night and a morning at the ponds', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  const call = (method: string, path: string, body?: unknown) =>
    farm.app.call(method, path, { token: farm.owner.token, ...(body === undefined ? {} : { body }) });
  const measure = (pond: number, dissolved_oxygen: number) =>
    call('POST', '/water-quality/', { pond_id: farm.farm.pondIds[pond], dissolved_oxygen });
  const requestsOf = (page: Page, part: string) => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' && request.url().includes(part)) sent.push(request.url());
    });
    return sent;
  };

  it('low oxygen is on the screen by itself, is answered with one key, and every other station shows that it was', async () => {
    const [pumpHouse, phone] = [await farm.open('/alarmes'), await farm.open('/', PHONE)];
    await phone.waitForSelector('[data-pond="V-02"]');
    await measure(1, 2.6);
    await pumpHouse.waitForSelector('.alarm-strip.p1');
    await phone.waitForSelector('.alarm-strip.p1');
    expect(await pumpHouse.innerText('.alarm-strip')).toContain('V-02');
    expect(await pumpHouse.title()).toMatch(/^\(1\) Alarmes/);
    await pumpHouse.keyboard.press('F8');
    await phone.waitForSelector('.alarm-strip', { state: 'detached' });
    await pumpHouse.waitForSelector('[data-state="acknowledged"]');
    await measure(1, 6.4);
    await pumpHouse.waitForSelector('[data-alarm]', { state: 'detached' });
  });

  it('a silent controller never looks live', async () => {
    const page = await farm.open('/aeracao', { isTimed: true });
    await page.waitForSelector('[data-point="CP-03"][data-state="unknown"]');
    expect(await page.innerText('[data-point="CP-03"]')).toContain('Nunca falou');
    await controllerReports(farm.app, farm.owner, 'CP-03', 'OFF');
    await page.waitForSelector('[data-point="CP-03"][data-state="off"]');
    await page.clock.fastForward(95_000);
    await page.waitForSelector('[data-point="CP-03"][data-state="no-signal"]');
    expect(await page.innerText('[data-point="CP-03"]')).toContain('último: desligado');
  });

  it('one press starts a motor, twenty presses are one order, and the screen waits for the motor’s own word', async () => {
    await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
    const page = await farm.open('/aeracao');
    const orders = requestsOf(page, '/turn-on');
    const button = page.getByRole('button', { name: 'Ligar CP-01' });
    await button.waitFor();
    await page.evaluate(`{
      const button = document.querySelector('[data-control="${farm.farm.pointId}"] button');
      for (let n = 0; n < 20; n += 1) button.click();
    }`);
    await page.waitForSelector('[data-point="CP-01"][data-state="turning-on"]');
    expect(orders).toHaveLength(1);
    await controllerReports(farm.app, farm.owner, 'CP-01', 'ON');
    await page.waitForSelector('[data-point="CP-01"][data-state="on"]');
  });

  it('no single press on any button of the board stops a motor; by night its code must be typed', async () => {
    await controllerReports(farm.app, farm.owner, 'CP-01', 'ON');
    await call('POST', `/control-points/${farm.farm.pointId}/turn-on`);
    // 23 h in Fortaleza
    farm.app.clock.set(Date.UTC(2026, 2, 3, 2));
    await controllerReports(farm.app, farm.owner, 'CP-01', 'ON');
    const page = await farm.open('/aeracao');
    const stops = requestsOf(page, '/turn-off');
    await page.waitForSelector('[data-point="CP-01"]');
    const count = await page.locator('main button:enabled').count();
    for (let index = 0; index < count; index += 1) {
      const button = page.locator('main button:enabled').nth(index);
      if (!(await button.isVisible())) continue;
      await button.click({ timeout: 5_000 });
      // whatever it asked is left unanswered
      await expect
        .poll(() => page.evaluate('new Promise((seen) => requestAnimationFrame(() => seen(1)))'))
        .toBe(1);
      while ((await page.locator('dialog[open]').count()) > 0) await page.keyboard.press('Escape');
    }
    expect(stops).toEqual([]);

    await page.getByRole('button', { name: 'Desligar CP-01' }).click();
    const confirm = page.getByRole('button', { name: 'Desligar agora' });
    expect(await confirm.isDisabled()).toBe(true);
    expect(await page.innerText('dialog')).toContain('V-01, V-02');
    await page.getByLabel('Digite CP-01 para confirmar').fill('cp-01');
    await confirm.click();
    await expect.poll(() => stops.length).toBe(1);
  });

  it('a screen that hears nothing says so, lets nobody switch, and is right again by itself', async () => {
    const page = await farm.open('/aeracao', { isTimed: true });
    await page.waitForSelector('[data-control] button:enabled');
    await page.route('**/api/v1/events', (route) => route.abort());
    farm.app.events.closeAll();
    await page.clock.fastForward(14_000);
    await page.waitForSelector('.blind-banner');
    expect(await page.innerText('.blind-banner')).toContain('SEM CONTATO COM O GATEWAY');
    expect(await page.locator('[data-control] button:enabled').count()).toBe(0);
    await page.unroute('**/api/v1/events');
    await page.clock.fastForward(4_000);
    await page.waitForSelector('.blind-banner', { state: 'detached' });
    await page.waitForSelector('[data-control] button:enabled');
  });

  it('what was typed can be taken back for ten seconds, and then nothing was sent', async () => {
    const page = await farm.open('/lancar/agua?pond=V-03', { ...PHONE, isTimed: true });
    const sent = requestsOf(page, '/water-quality/');
    await page.waitForSelector('.step-pond:has-text("V-03")');
    await page.getByLabel(/Oxigênio/).fill('4.1');
    await page.getByRole('button', { name: 'Próximo' }).click();
    await page.waitForSelector('.toast');
    await page.clock.fastForward(9_000);
    expect(sent).toEqual([]);
    await page.locator('.toast button').click();
    await page.waitForSelector('.toast:has-text("nada foi enviado")');
    await page.clock.fastForward(60_000);
    await page.goto(`${farm.app.base}/lancar/fila`);
    await page.waitForSelector('.empty');
    expect(sent).toEqual([]);
  });

  it('what cannot be read for certain is not taken for a figure', async () => {
    const page = await farm.open('/lancar/agua?pond=V-03', PHONE);
    await page.waitForSelector('.step-pond:has-text("V-03")');
    for (const typed of ['1.234,5', '5,4,1', 'abc', '1e3', '1.500']) {
      await page.getByLabel(/Oxigênio/).fill('5,4');
      await page.waitForSelector('.cell-note', { state: 'detached' });
      await page.getByLabel(/Oxigênio/).fill(typed);
      await page.waitForSelector('.cell-note:has-text("Não dá para saber")');
      expect(await page.getByRole('button', { name: 'Próximo' }).isDisabled()).toBe(true);
    }
  });

  it.each(['UTC', 'Asia/Tokyo', 'Europe/Lisbon'])(
    'a schedule shows the farm’s hours to a browser in %s',
    async (timezone) => {
      const made = await call('POST', `/control-points/${farm.farm.silentPointId}/schedules`, {
        action: 'ON',
        // Monday 22 h to Tuesday 4 h in Fortaleza
        start_time: '2026-03-03T01:00:00.000Z',
        end_time: '2026-03-03T07:00:00.000Z',
        repeat_pattern: 'WEEKLY',
        days_of_week: [1],
      });
      const { id } = made.body as { id: string };
      const page = await farm.open('/aeracao/agenda', { timezone });
      await page.waitForSelector(`[data-schedule="${id}"]`);
      expect(await page.innerText(`[data-schedule="${id}"]`)).toBe('Ligar 22:00–04:00 · Seg');
      await call('DELETE', `/schedules/${id}`);
    },
  );

  it('a schedule of a day and a half keeps its length when it is changed, and is not said to be none while it does not come', async () => {
    const made = await call('POST', `/control-points/${farm.farm.silentPointId}/schedules`, {
      action: 'ON',
      // Saturday 18 h to Monday 6 h in Fortaleza
      start_time: '2026-03-07T21:00:00.000Z',
      end_time: '2026-03-09T09:00:00.000Z',
      repeat_pattern: 'WEEKLY',
      days_of_week: [6],
    });
    const { id } = made.body as { id: string };
    const page = await farm.open('/');
    await page.route('**/schedules', (route) => route.abort());
    await page.goto(`${farm.app.base}/aeracao/agenda`);
    const point = page.locator('section', { hasText: 'CP-02' });
    await point.getByRole('button', { name: 'Tentar de novo' }).waitFor();
    expect(await point.innerText()).not.toContain('Ainda não há');
    await page.unroute('**/schedules');
    await point.getByRole('button', { name: 'Tentar de novo' }).click();
    await page.locator(`[data-schedule="${id}"]`).click();
    await page.getByLabel('Descrição').fill('Fim de semana');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.waitForSelector('dialog', { state: 'detached' });
    const listed = await call('GET', `/control-points/${farm.farm.silentPointId}/schedules`);
    expect(listed.body).toMatchObject([
      { description: 'Fim de semana', end_time: '2026-03-09T09:00:00.000Z' },
    ]);
    expect(await page.innerText(`[data-schedule="${id}"]`)).toContain('18:00–06:00 +1 dia · Sáb');
    await call('DELETE', `/schedules/${id}`);
  });
});
