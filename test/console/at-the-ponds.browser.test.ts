import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aControlPoint } from '#test/app.ts';
import { type Console, controllerReports, holdTime, startConsole } from '#test/console.ts';

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
  const requestsOf = (page: Page, part: string) => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' && request.url().includes(part)) sent.push(request.url());
    });
    return sent;
  };

  it('a silent controller never looks live', async () => {
    const page = await farm.open('/aeracao', { isTimed: true });
    await page.waitForSelector('[data-point="CP-03"][data-state="unknown"]');
    expect(await page.innerText('[data-point="CP-03"]')).toContain('Nunca falou');
    await controllerReports(farm.app, farm.owner, 'CP-03', 'OFF');
    await page.waitForSelector('[data-point="CP-03"][data-state="off"]');
    farm.app.clock.advance(95_000);
    await page.clock.fastForward(95_000);
    await page.waitForSelector('[data-point="CP-03"][data-state="no-signal"]');
    expect(await page.innerText('[data-point="CP-03"]')).toContain('último: desligado');
  });

  it('rows stay under a hand that is on its way, whatever becomes urgent, and are in order again when it is gone', async () => {
    const page = await farm.open('/aeracao', { isTimed: true });
    const rows = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('[data-point]')].map(({ dataset }) => dataset.point)`,
      );
    await expect.poll(rows).toEqual(['CP-03', 'CP-01', 'CP-02']);
    await holdTime(page);
    await page.hover('[data-point="CP-01"]');
    await controllerReports(farm.app, farm.owner, 'CP-03', 'OFF');
    await page.waitForSelector('[data-point="CP-03"][data-state="off"]');
    expect(await rows()).toEqual(['CP-03', 'CP-01', 'CP-02']);
    await page.clock.runFor(9_000);
    await expect.poll(rows).toEqual(['CP-01', 'CP-02', 'CP-03']);
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
    await controllerReports(farm.app, farm.owner, 'CP-01', 'ON');
    await page.waitForSelector('[data-point="CP-01"][data-state="on"]');
    expect(orders).toHaveLength(1);
  });

  it('what was pressed is drawn as on its way before any answer, within a tenth of a second of the page', async () => {
    const page = await farm.open('/aeracao');
    let letGo: () => void = () => undefined;
    await page.route('**/turn-on', async (route) => {
      await new Promise<void>((go) => (letGo = go));
      await route.continue();
    });
    await page.getByRole('button', { name: 'Ligar CP-03' }).waitFor();
    const tookMs = await page.evaluate<number>(`new Promise((drawn) => {
      const row = document.querySelector('[data-point="CP-03"]');
      const button = [...row.querySelectorAll('button')].find((one) => one.getAttribute('aria-label') === 'Ligar CP-03' || one.textContent.includes('Ligar'));
      const start = performance.now();
      new MutationObserver((_, observer) => {
        if (row.dataset.state !== 'turning-on') return;
        observer.disconnect();
        drawn(performance.now() - start);
      }).observe(row, { attributes: true, subtree: true, childList: true });
      button.click();
    })`);
    expect(tookMs).toBeLessThanOrEqual(100);
    letGo();
  });

  it('who leaves while all motors are started one by one starts no more of them, and is told how many got the order', async () => {
    const points = (await call('GET', '/control-points/')).body as { id: string }[];
    for (const { id } of points) await call('POST', `/control-points/${id}/turn-off`);
    const page = await farm.open('/tarefas', { isTimed: true });
    await page.waitForSelector('.shell[data-link="live"]');
    await page.getByRole('link', { name: 'Aeração' }).click();
    const orders = requestsOf(page, '/turn-on');
    await page.getByRole('button', { name: 'Ligar todos', exact: true }).click();
    await holdTime(page);
    await page.getByRole('button', { name: 'Começar' }).click();
    await page.getByRole('dialog').getByText('1 de 3').waitFor();
    await page.goBack();
    for (let second = 0; second < 8; second += 1) await page.clock.runFor(1_000);
    await page.locator('.toast', { hasText: 'Parou: só 1 de 3 receberam a ordem.' }).waitFor();
    expect(orders).toHaveLength(1);
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
      await button.click();
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
    await expect.poll(() => page.innerText('dialog')).toContain('V-01, V-02');
    await page.getByLabel('Digite CP-01 para confirmar').fill('cp-01');
    await confirm.click();
    await expect.poll(() => stops.length).toBe(1);
  });

  it('whoever takes a start back is asked as for any stop; what somebody ordered since then stays', async () => {
    await call('POST', `/control-points/${farm.farm.pointId}/turn-off`);
    const page = await farm.open('/aeracao', { isTimed: true });
    const stops = requestsOf(page, '/turn-off');
    const turnOn = page.getByRole('button', { name: 'Ligar CP-01' });
    await turnOn.waitFor();
    await holdTime(page);
    await turnOn.click();
    await page.locator('.toast').getByRole('button', { name: 'Desfazer' }).click();
    await page.clock.resume();
    const question = page.getByRole('dialog');
    // 23 h: oxygen of the morning is too old to rely on
    await expect.poll(() => question.innerText()).toMatch(/OD de V-01: 6,2\smg\/L, há 1\d\sh\. Velho demais/);
    expect(await question.getByRole('button', { name: 'Desligar agora' }).isDisabled()).toBe(true);
    await question.getByRole('button', { name: 'Manter ligado' }).click();
    await call('POST', `/control-points/${farm.farm.pointId}/turn-off`);
    await turnOn.waitFor();
    await holdTime(page);
    await turnOn.click();
    const undo = page.locator('.toast').getByRole('button', { name: 'Desfazer' }).last();
    await undo.waitFor();
    // it is seen that somebody else has ordered before it is pressed
    await call('POST', `/control-points/${farm.farm.pointId}/turn-off`);
    await turnOn.waitFor();
    await call('POST', `/control-points/${farm.farm.pointId}/turn-on`);
    await page.getByRole('button', { name: 'Desligar CP-01' }).waitFor();
    await undo.click();
    await page.locator('.toast', { hasText: 'outra ordem veio depois' }).waitFor();
    expect([stops, await question.count()]).toEqual([[], 0]);
  });

  it('an order without an answer is not said to be refused, nor that nothing was lost', async () => {
    await call('POST', `/control-points/${farm.farm.pointId}/turn-off`);
    const page = await farm.open('/aeracao');
    await page.route('**/turn-on', (route) => route.abort());
    await page.getByRole('button', { name: 'Ligar CP-01' }).click();
    await page.locator('.toast', { hasText: 'Não se sabe se a ordem chegou' }).waitFor();
    expect(await page.innerText('.toast')).not.toContain('Nada foi perdido');
  });

  it('a lock-out is asked for as a stop is, and tells by whom it is and since when', async () => {
    const page = await farm.open(`/aeracao/${farm.farm.pointId}`);
    await page.getByRole('button', { name: 'Bloquear' }).click();
    const question = page.getByRole('dialog');
    await question.locator('[data-risk="unknown"]').first().waitFor();
    const lock = question.getByRole('button', { name: 'Bloquear' });
    await question.getByLabel('Quem está mexendo e por quê').fill('Troca da hélice');
    expect(await lock.isDisabled()).toBe(true);
    await question.getByLabel('Digite CP-01 para confirmar').fill('CP-01');
    await lock.click();
    const at = page.locator('[data-locked]');
    await at.waitFor();
    // not when the row was last touched
    const lockedAt = await at.innerText();
    expect(lockedAt).toContain(`por ${farm.owner.user.name}: Troca da hélice`);
    farm.app.clock.advance(180_000);
    await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
    await page.reload();
    await at.waitFor();
    expect(await at.innerText()).toBe(lockedAt);
    await page.getByRole('button', { name: 'Retirar bloqueio' }).click();
    expect(await question.innerText()).toContain('O motor pode partir na mesma hora');
    await question.getByRole('button', { name: 'Retirar bloqueio' }).click();
    await at.waitFor({ state: 'detached' });
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
    await holdTime(page);
    await page.getByLabel(/Oxigênio/).fill('4.1');
    await page.getByRole('button', { name: 'Próximo' }).click();
    await page.waitForSelector('.toast');
    await page.clock.fastForward(9_000);
    expect(sent).toEqual([]);
    await page.locator('.toast button').click();
    await page.waitForSelector('.toast:has-text("nada foi enviado")');
    await page.clock.fastForward(60_000);
    await page.clock.resume();
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

  it('a schedule of a day and a half keeps its length when it is changed, is in the row of its motor, and is not said to be none while it does not come', async () => {
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
    await page.route('**/schedules/?*', (route) => route.abort());
    await page.goto(`${farm.app.base}/aeracao/agenda`);
    const point = page.locator('section:has(h2:text-is("CP-02"))');
    await point.getByRole('button', { name: 'Tentar de novo' }).waitFor();
    expect(await point.innerText()).not.toContain('Ainda não há');
    await page.unroute('**/schedules/?*');
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
    await page.getByRole('link', { name: 'Quadro' }).click();
    // it was turned on by hand before: on Saturday the calendar asks for what it does already
    const UNTIL_MONDAY = 'Por ordem de uma pessoa; desligar em 09/03, 06:00';
    const planned = (cod: string) => page.innerText(`[data-point="${cod}"] [data-next-run]`);
    await expect.poll(() => planned('CP-02')).toBe(UNTIL_MONDAY);
    await expect.poll(() => planned('CP-01')).toBe('Por ordem de uma pessoa, até outra ordem.');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/api\/v1\/control-points\/\?/.test(request.url())) asked.push(request.url());
    });
    await page.reload();
    await expect.poll(() => planned('CP-02')).toBe(UNTIL_MONDAY);
    // however many control points there are; the snapshot has it asked again
    expect(new Set(asked).size).toBe(1);
    await page.route('**/control-points/?*', (route) => route.abort());
    await page.reload();
    await expect.poll(() => planned('CP-02')).toBe('A agenda não se sabe agora.');
    await call('DELETE', `/schedules/${id}`);
  });

  it('the week is walked through with the arrows, Enter opens a time, and what comes next is what the motor will do', async () => {
    // 2026-03-02, 23 h in Fortaleza: a Monday
    const rules = [
      // every night from 18 h to 6 h, and on Wednesdays off from 5 h to 7 h
      { action: 'ON', start_time: '2026-03-02T21:00:00.000Z', end_time: '2026-03-03T09:00:00.000Z' },
      {
        action: 'OFF',
        start_time: '2026-03-04T08:00:00.000Z',
        end_time: '2026-03-04T10:00:00.000Z',
        repeat_pattern: 'WEEKLY',
        days_of_week: [3],
      },
    ];
    const ids: string[] = [];
    for (const rule of rules) {
      const { body } = await call('POST', `/control-points/${farm.farm.silentPointId}/schedules`, {
        repeat_pattern: 'DAILY',
        ...rule,
      });
      ids.push((body as { id: string }).id);
    }
    const page = await farm.open('/aeracao/agenda');
    const next = page.locator('[data-upcoming]');
    await expect.poll(() => next.count()).toBe(10);
    const told = (await next.allInnerTexts()).map((text) => text.replaceAll('\n', ' '));
    expect(told[0]).toMatch(/^CP-02 Desligar Ligar 18:00–06:00 · todo dia Ter 03\/03, 06:00$/);
    expect(told[2]).toMatch(/^CP-02 Desligar Desligar 05:00–07:00 · Qua Qua 04\/03, 05:00$/);
    // the pause lasts longer than the night: at its end it turns on
    expect(told[3]).toMatch(/^CP-02 Ligar Desligar 05:00–07:00 · Qua Qua 04\/03, 07:00$/);

    const week = page.locator('[data-week="CP-02"]');
    const nameOfFocused = () => page.evaluate<string>(`document.activeElement.getAttribute('aria-label')`);
    await week.locator('[data-block]').first().focus();
    expect(await nameOfFocused()).toMatch(/^Seg 18:00–00:00: Ligar/);
    for (let times = 0; times < 4; times += 1) await page.keyboard.press('ArrowRight');
    expect(await nameOfFocused()).toMatch(/^Qua 05:00–07:00: Desligar 05:00–07:00 · Qua$/);
    // the night does not do what it asks for while the pause lasts
    expect(await week.locator('[data-waits=SCHEDULE]').count()).toBe(1);
    expect(await week.locator(`[data-block="${ids[0]}"]`).nth(3).getAttribute('aria-label')).toContain(
      '05:00–06:00 não vale: outro horário decide',
    );
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByLabel('Começa às').inputValue()).toBe('05:00');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await week.locator(`[data-block="${ids[0]}"]`).first().click();
    await dialog.waitFor();
    expect(await dialog.getByLabel('Começa às').inputValue()).toBe('18:00');
    for (const id of ids) await call('DELETE', `/schedules/${id}`);
  });

  it('a time saved in its own middle says whether it holds, and an order against the calendar is drawn', async () => {
    // nobody has ordered anything of it yet
    const { id } = await aControlPoint(farm.app, {
      token: farm.owner.token,
      farmId: farm.farm.id,
      cod: 'CP-09',
    });
    const path = `/control-points/${id}`;
    const page = await farm.open('/aeracao/agenda');
    const saved = async (fill: () => Promise<unknown>) => {
      await page.getByRole('button', { name: 'Novo horário' }).click();
      await page.getByRole('dialog').getByLabel('Ponto').selectOption({ label: 'CP-09' });
      await fill();
      await page.getByRole('button', { name: 'Salvar' }).click();
      await page.waitForSelector('dialog', { state: 'detached' });
    };
    // 23 h in Fortaleza, in the middle of the night that the dialog offers
    await saved(async () => undefined);
    await page.getByText('O horário já vale agora.').waitFor();
    await farm.app.control.executor.tick();
    const week = page.locator('[data-week="CP-09"]');
    await week.locator('[data-ahead=SCHEDULE]').first().waitFor();
    expect(await week.locator('[data-waits]').count()).toBe(0);

    // a pause entered in its own middle waits
    await saved(async () => {
      await page.getByLabel('O que fazer').selectOption('OFF');
      await page.getByLabel('Começa às').fill('22:00');
      await page.getByLabel('Termina às').fill('23:59');
    });
    await page.getByText('CP-09 continua ligado até o próximo horário').waitFor();
    await week.locator('[data-waits=BASE]').waitFor();

    await call('POST', `${path}/turn-off`, { for_s: 1_800 });
    await page.locator('[data-off-calendar]', { hasText: 'desligado, ordem de uma pessoa' }).waitFor();
    await week.locator('[data-waits=LOCAL_ORDER]').first().waitFor();
    await page.goto(`${farm.app.base}/aeracao`);
    await page.locator('[data-point="CP-09"]', { hasText: 'fora da agenda · volta a ligar' }).waitFor();
    await call('DELETE', path);
  });
});
