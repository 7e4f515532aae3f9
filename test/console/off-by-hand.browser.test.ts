import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isoOf } from '#core/kernel.ts';
import { body } from '#test/app.ts';
import { type Console, controllerReports, startConsole } from '#test/console.ts';

const PHONE = { width: 360, height: 740 };
const MINUTE = 60_000;
/** In Fortaleza, three hours behind UTC, of the evening in which the motor runs from six to six. */
const AT_20_03 = Date.UTC(2026, 2, 2, 23, 3);
const SIX_PM = Date.UTC(2026, 2, 2, 21);

describe('a motor that somebody switches off by night', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
    farm.app.clock.set(SIX_PM - MINUTE);
    await call('POST', `/control-points/${farm.farm.pointId}/schedules`, {
      action: 'ON',
      start_time: isoOf(SIX_PM),
      end_time: isoOf(SIX_PM + 12 * 60 * MINUTE),
      repeat_pattern: 'DAILY',
    });
    farm.app.clock.set(AT_20_03);
    await switched('ON');
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  async function call(method: string, path: string, sent?: unknown): Promise<Record<string, unknown>> {
    const { token } = farm.owner;
    const reply = await farm.app.call(method, path, { token, ...(sent === undefined ? {} : { body: sent }) });
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return body(reply);
  }
  /** The gateway looks, and the controller follows. */
  async function switched(to: 'ON' | 'OFF'): Promise<void> {
    await farm.app.control.executor.tick();
    await controllerReports(farm.app, farm.owner, 'CP-01', to);
  }
  const stopsOf = (page: Page) => {
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/turn-off')) sent.push(request.postDataJSON());
    });
    return sent;
  };

  it('is off for half an hour unless somebody wants it otherwise, and is told when it comes back before and after', async () => {
    const page = await farm.open('/aeracao');
    const stops = stopsOf(page);
    await page.getByRole('button', { name: 'Desligar CP-01' }).click();
    const question = page.getByRole('dialog');
    const times = question.getByRole('group', { name: 'Por quanto tempo' }).getByRole('button');
    await expect.poll(() => times.allInnerTexts()).toEqual(['15 min', '30 min', '60 min', 'Até eu ligar']);
    const chosen = question.locator('[aria-pressed="true"]');
    expect(await chosen.innerText()).toBe('30 min');
    const outcome = question.locator('[data-outcome]');
    await expect.poll(() => outcome.innerText()).toBe('Volta a ligar sozinho às 20:33.');
    // at six in the morning its schedule wants it off anyway
    await times.last().click();
    await expect.poll(() => outcome.innerText()).toBe('Volta a ligar sozinho em 03/03, 18:00.');
    await times.nth(1).click();
    await question.getByLabel('Digite CP-01 para confirmar').fill('CP-01');
    await question.getByRole('button', { name: 'Desligar agora' }).click();
    await expect.poll(() => stops).toEqual([{ for_s: 1800 }]);
    await switched('OFF');
    const row = page.locator('[data-point="CP-01"]');
    const told = /fora da agenda · volta a ligar às 20:33/;
    await expect.poll(() => row.innerText()).toMatch(told);
  });

  it('stands first among the motors that are well, and is marked on the wall, at its pond and on a phone', async () => {
    const told = /fora da agenda · volta a ligar às 20:33/;
    await controllerReports(farm.app, farm.owner, 'CP-02', 'OFF');
    await controllerReports(farm.app, farm.owner, 'CP-03', 'OFF');
    const board = await farm.open('/aeracao', PHONE);
    await expect.poll(() => board.locator('[data-point]').first().innerText()).toMatch(told);
    const wall = await farm.open('/');
    await expect.poll(() => wall.locator('[data-pond="V-01"]').innerText()).toMatch(told);
    await expect.poll(() => wall.locator('[data-pond="V-02"]').innerText()).toMatch(told);
    expect(await wall.locator('[data-pond="V-03"]').innerText()).not.toContain('fora da agenda');
    const pond = await farm.open('/viveiros/V-01', PHONE);
    await pond.locator('[data-next-run]', { hasText: told }).waitFor();
  });

  it('runs again when its time is over, and open screens say so', async () => {
    const page = await farm.open('/aeracao');
    const row = page.locator('[data-point="CP-01"]');
    await row.locator('[data-off-schedule]').waitFor();
    farm.app.clock.advance(30 * MINUTE + 1_000);
    await switched('ON');
    await row.locator('[data-off-schedule]').waitFor({ state: 'detached' });
    await expect.poll(() => row.getAttribute('data-state')).toBe('on');
  });

  it('and not on again is an alarm after half an hour, with the press that helps', async () => {
    await call('POST', `/control-points/${farm.farm.pointId}/turn-off`);
    await switched('OFF');
    const page = await farm.open('/alarmes', PHONE);
    farm.app.clock.advance(31 * MINUTE);
    await farm.app.watches.tick();
    const alarm = page.locator('[data-alarm]', { hasText: 'Desligado fora da agenda' });
    await alarm.getByRole('button', { name: 'Ligar CP-01' }).click();
    await expect
      .poll(async () => (await call('GET', `/control-points/${farm.farm.pointId}`))['target_status'])
      .toBe('ON');
  });

  it('with all the others is asked for the same time', async () => {
    const page = await farm.open('/aeracao');
    const stops = stopsOf(page);
    await page.getByRole('button', { name: 'Desligar todos' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: '15 min' }).click();
    await question.getByLabel('Digite DESLIGAR para confirmar').fill('DESLIGAR');
    await question.getByRole('button', { name: 'Começar' }).click();
    await expect.poll(() => stops[0]).toEqual({ for_s: 900 });
  });
});
