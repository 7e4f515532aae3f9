import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '#test/chromium.ts';
import { aPage, violationsOn } from '#test/console.ts';
import { farmClock, startGatewayProcess } from '#test/gateway-process.ts';

// From a box that nobody owns to a motor that turns, and from there to a farm that runs by itself: one wizard, counted
// press by press against a gateway in a process of its own and a controller on a real socket.

const MOST_PRESSES = 20;
const MOST_S = 240;
/** What a hand and an eye need: a key, finding a field, finding a button, reading a screen. */
const TAKES_S = { key: 0.25, field: 3, press: 2, screen: 10 } as const;
const CLAIM = 'K7QF-2M9X-4TRD';
const SIM = fileURLToPath(new URL('../../firmware-sim/main.ts', import.meta.url));

const lan = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

let gateway: Awaited<ReturnType<typeof startGatewayProcess>>;
let browser: Browser;
let controller: ChildProcess | null = null;
const stick = mkdtempSync(join(tmpdir(), 'stick-'));
beforeAll(async () => {
  [gateway, browser] = await Promise.all([
    startGatewayProcess(farmClock(Date.now(), 1), ['--host', '0.0.0.0', '--backup-dir', stick]),
    launchChromium(),
  ]);
});
afterAll(async () => {
  controller?.kill();
  await browser.close();
  await gateway.close();
  rmSync(stick, { recursive: true, force: true });
});

/** Does what a person does, and counts it. */
function aPerson(page: Page) {
  const spent = { presses: 0, fields: 0, s: 0 };
  return {
    spent,
    reads: () => void (spent.s += TAKES_S.screen),
    async fill(label: string, text: string) {
      spent.fields += 1;
      spent.s += TAKES_S.field + text.length * TAKES_S.key;
      await page.getByLabel(label, { exact: true }).fill(text);
    },
    async press(role: 'button' | 'link' | 'checkbox', name: string | RegExp) {
      spent.presses += 1;
      spent.s += TAKES_S.press;
      await page.getByRole(role, { name }).click();
    },
  };
}

it(`turns the first motor of an empty box after at most ${MOST_PRESSES} presses and ${MOST_S} s, and goes on to a farm that runs by itself`, async () => {
  // over the network, as from a PC beside the box: its set-up code is asked for
  const host = lan ?? '127.0.0.1';
  const address = gateway.http().replace('127.0.0.1', host);
  const told = () => /set-up code: ([a-z0-9-]+)/.exec(gateway.lines.join('\n'))?.[1];
  await expect.poll(told).toBeDefined();
  const code = told() ?? '';
  const { page, context } = await aPage(browser, { as: null });
  const { fill, press, reads, spent } = aPerson(page);
  const startedAt = Date.now();
  await page.goto(`${address}/`);
  reads();
  await press('link', /Criar conta/);
  reads();
  await fill('Seu nome', 'Ana Beatriz de Lima');
  await fill('E-mail', 'ana.lima@fazenda.example');
  await fill('Senha', 'camarao-do-norte');
  await press('button', 'Criar conta');
  if (lan !== undefined) {
    await fill('Código da caixa', code);
    await press('button', 'Criar conta');
  }
  reads();
  await fill('Nome da fazenda', 'Fazenda Porto do Mangue');
  await press('button', 'Criar fazenda');
  reads();
  await fill('Do código', 'V1');
  await fill('ao código', 'V3');
  await press('button', 'Criar viveiros');

  reads();
  await press('button', 'Abrir a janela');
  await page.locator('[data-window="open"]').waitFor();
  controller = spawn(process.execPath, [
    SIM,
    '--gateway',
    gateway.http(),
    '--mqtt',
    gateway.mqtt(),
    '--claim',
    CLAIM,
    '--speed',
    '10',
  ]);
  await press('button', /^Adotar /);
  reads();
  await fill('Código da etiqueta desta placa', CLAIM);
  await press('button', /^Adotar$/);
  await page.locator('[data-heard="true"]').waitFor();
  await press('button', 'Pronto');
  await press('button', 'Marcar os 3 que não têm ponto');
  await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(3);
  expect(await violationsOn(page)).toEqual([]);
  await press('button', 'Continuar');

  reads();
  await press('button', /^Ligar /);
  await page.locator('[data-motor="on"]').waitFor();
  const tookS = (Date.now() - startedAt) / 1_000;
  expect(spent.presses).toBeLessThanOrEqual(MOST_PRESSES);
  expect(spent.s).toBeLessThanOrEqual(MOST_S);
  // on a machine that does nothing else it waits some ten seconds
  expect(tookS).toBeLessThanOrEqual(MOST_S);
  expect(await violationsOn(page)).toEqual([]);

  // the rest, without leaving the wizard
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByRole('button', { name: 'Novo horário' }).click();
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Ligar 18:00–06:00').waitFor();
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByLabel('Linhagem').fill('SPF');
  await page.getByLabel('Laboratório de origem').fill('Aracati');
  await page.getByLabel('Camarões povoados').fill('60000');
  await page.getByLabel('Densidade').fill('20');
  await page.getByRole('button', { name: 'Conferir' }).click();
  await page.getByRole('button', { name: 'Povoar', exact: true }).click();
  await page.locator('[data-card="key"]').waitFor();
  await page.getByLabel('Sua senha').fill('camarao-do-norte');
  await page.getByRole('button', { name: 'Fazer a chave' }).click();
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Pronto' }).click();
  await page.getByText('A chave foi criada em').waitFor();
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByRole('img', { name: 'Endereço do painel' }).waitFor();
  // what a phone can reach, never the machine itself
  expect(await page.locator('[data-address]').getAttribute('data-address')).toBe(address);
  expect(await violationsOn(page)).toEqual([]);
  expect(page.url()).toContain('/bem-vindo/');
  await page.getByRole('button', { name: 'Pular' }).click();
  await page.getByRole('button', { name: 'Ir para a fazenda' }).click();

  // what was left out is found again, below the ponds, and can be put away
  const card = page.locator('[data-checklist]');
  await card.waitFor();
  expect(await card.innerText()).toContain('faltam 2 de 9');
  await card.getByRole('link', { name: 'Continuar' }).click();
  await page.waitForURL(/bem-vindo\/celular/);
  await page.goBack();
  await card.getByRole('button', { name: 'Não mostrar mais' }).click();
  expect(await card.count()).toBe(0);
  await page.reload();
  await page.locator('[data-pond="V1"]').waitFor();
  expect(await card.count()).toBe(0);
  await context.close();
});
