import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFaults } from '#sim/board/faults.ts';
import { type StartedBoard, startBoard } from '#sim/board/start-board.ts';
import type { SignedUp } from '#test/app.ts';
import { launchChromium } from '#test/chromium.ts';
import { aPage, violationsOn } from '#test/console.ts';
import { farmClock, startGatewayProcess } from '#test/gateway-process.ts';
import { aBundle, aPublisher, PUBLISHER } from '../bench/flash-fixtures.ts';

// The gateway, a board at a pseudo-terminal and a browser, each as it is; only the chip is simulated.

const MOST_CLICKS = 10;
const NETWORK = { ssid: 'Fazenda', password: 'camarao2026' };

describe('the bench', () => {
  let gateway: Awaited<ReturnType<typeof startGatewayProcess>>;
  let browser: Browser;
  let owner: SignedUp;
  let board: StartedBoard;
  let broken: StartedBoard;

  beforeAll(async () => {
    [board, broken] = await Promise.all([
      startBoard({ port: { kind: 'pty' }, isBlank: true }),
      startBoard({ port: { kind: 'pty' }, mac: '24:6f:28:5a:00:02', faults: readFaults('wrong-chip') }),
    ]);
    [browser, gateway] = await Promise.all([
      launchChromium(),
      startGatewayProcess(farmClock(Date.now(), 1), ['--bench-ports', `${board.path()},${broken.path()}`]),
    ]);
    const login = { email: 'ana@fazenda.example', password: 'camarao-do-norte', remember_me: true };
    await gateway.call('POST', '/auth/register', { body: { ...login, name: 'Ana', role: 'OWNER' } });
    const session = await gateway.call('POST', '/auth/login', { body: login });
    const { access_token: token, user } = session.body as { access_token: string; user: SignedUp['user'] };
    owner = { token, user };
    await gateway.call('POST', '/farms/', { token, body: { name: 'Norte' } });
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    await Promise.all([board.close(), broken.close()]);
  });

  /** The bench, and a count of what the technician presses on it. */
  async function open(
    width = 1366,
  ): Promise<{ page: Page; press: (name: string, at?: number) => Promise<void>; count: () => number }> {
    const { page } = await aPage(browser, { as: owner, width });
    await page.goto(`${gateway.http()}/sistema/bancada`);
    await page.waitForSelector('[data-port]');
    let presses = 0;
    return {
      page,
      count: () => presses,
      async press(name, at = 0) {
        presses += 1;
        await page.getByRole('button', { name, exact: true }).nth(at).click();
      },
    };
  }

  it('makes of a blank board a controller that has reported, in ten presses at most', async () => {
    cpSync(await aBundle(), join(gateway.data, 'bench/firmware/aerador-2.1.0'), { recursive: true });
    writeFileSync(join(gateway.data, 'firmware-keys.pem'), PUBLISHER.open);
    const { page, press, count } = await open();
    await press('Examinar a placa');
    await page.waitForSelector('text=24:6f:28:5a:00:01');
    await press('Gravar');
    await page.waitForSelector('[aria-labelledby=bench-firmware] [data-job=done]');
    await page.getByLabel('Rede', { exact: true }).fill(NETWORK.ssid);
    await page.getByLabel('Senha da rede').fill(NETWORK.password);
    await page.getByText('Endereço do gateway', { exact: true }).click();
    await page.getByLabel('Onde a placa acha o gateway').fill('127.0.0.1');
    await page.getByLabel('Testar o relé').check();
    await press('Gravar identidade e provar');
    await page.waitForSelector('[data-proved=provision]');
    await page.waitForSelector('.bench-label');
    await expect
      .poll(() => page.innerText('[data-proved]'))
      .toMatch(/Primeiro sinal do controlador às \d\d:\d\d/);
    expect(count() + 2).toBeLessThanOrEqual(MOST_CLICKS);
    const points = await gateway.call('GET', '/control-points/', { token: owner.token });
    expect(points.body).toMatchObject([{ cod: 'CP-01', device_id: 'aer-5a0001', is_online: true }]);
    // neither key nor password stands anywhere on the page
    expect(await page.innerText('main')).not.toContain(NETWORK.password);
    expect(await violationsOn(page)).toEqual([]);
  });

  it('names what is wrong and what a hand does next, and never goes on by itself', async () => {
    cpSync(await aBundle(), join(gateway.data, 'bench/firmware/aerador-2.1.0'), { recursive: true });
    writeFileSync(join(gateway.data, 'firmware-keys.pem'), aPublisher().open);
    const { page, press } = await open(360);
    await page.locator(`[data-port="${broken.path()}"]`).getByRole('button').click();
    await page.waitForSelector('[aria-labelledby=bench-port] [data-job=done]');
    // firmware of another chip is not even offered
    await expect
      .poll(() => page.getByRole('button', { name: 'Gravar', exact: true }).isDisabled())
      .toBe(true);
    // and of a stranger only with the word for it
    await page.getByLabel('Qual').selectOption('aerador-2.1.0');
    await page.waitForSelector('[data-signature=unknown]');
    expect(await page.getByLabel('Gravar sem assinatura').isChecked()).toBe(false);
    await page.getByLabel('Rede', { exact: true }).fill(NETWORK.ssid);
    await page.getByLabel('Senha da rede').fill('errada123');
    await press('Gravar identidade e provar');
    const trouble = page.locator('[aria-labelledby=bench-proof] [data-trouble]');
    await trouble.waitFor();
    expect(await trouble.getAttribute('data-trouble')).toBe('WIFI_REFUSED');
    await expect
      .poll(() => trouble.innerText())
      .toMatch(
        /O que fazer: confira a senha letra por letra[\s\S]*a placa não conseguiu entrar na rede Wi-Fi/,
      );
    // what it said on the way is in the reader's language, too
    await expect
      .poll(() => page.locator('[aria-labelledby=bench-proof] .bench-log').textContent())
      .toContain('gravando a identidade');
    expect(await violationsOn(page)).toEqual([]);

    // a gateway that comes back knows nothing of the job: the page says so instead of asking for ever
    await press('Ouvir a placa');
    await page.waitForSelector('[aria-labelledby=bench-tools] [data-job=running]');
    await gateway.kill();
    await gateway.start();
    await page.waitForSelector('[aria-labelledby=bench-tools] >> text=não conhece mais este trabalho');
    await page.waitForSelector('[aria-labelledby=bench-tools] [data-job=failed]');
    await expect.poll(() => page.getByRole('button', { name: 'Ouvir a placa' }).isEnabled()).toBe(true);
  });
});
