import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import { type App, startApp } from '#test/app.ts';
import { launchChromium } from '#test/chromium.ts';
import { aPage, violationsOn } from '#test/console.ts';

// How long a person takes from the first screen of an empty gateway until the wall shows a motor.

const MOST_FIELDS = 12;
const MOST_S = 300;
/** What a hand and an eye need: a key, finding a field, finding a button, reading a screen or a terminal. */
const TAKES_S = { key: 0.25, field: 3, press: 2, screen: 10 } as const;

const SIM = fileURLToPath(new URL('../../firmware-sim/main.ts', import.meta.url));
const EMAIL = 'ana.lima@fazenda.example';
const PASSWORD = 'camarao-do-norte';
const BEAT_MS = 2_000;

/** Counts what the person does, and does it. */
function aPerson(page: Page) {
  const spent = { fields: 0, s: 0 };
  const types = (text: string) => {
    spent.fields += 1;
    spent.s += TAKES_S.field + text.length * TAKES_S.key;
  };
  return {
    spent,
    reads: () => void (spent.s += TAKES_S.screen),
    async fill(label: string | RegExp, text: string) {
      types(text);
      await page.getByLabel(label).fill(text);
    },
    async press(role: 'button' | 'link' | 'checkbox', name: string | RegExp) {
      spent.s += TAKES_S.press;
      await page.getByRole(role, { name }).click();
    },
  };
}

describe('an empty gateway', () => {
  let app: App;
  let browser: Browser;
  let mqttUrl: string;
  const ends: (() => unknown)[] = [];
  const stick = mkdtempSync(join(tmpdir(), 'stick-'));
  beforeAll(async () => {
    writeFileSync(join(stick, 'farm-20260301T120000Z.backup'), 'of a farm before');
    [app, browser] = await Promise.all([startApp('sqlite', ['--backup-dir', stick]), launchChromium()]);
    const beat = setInterval(() => app.events.beat(), BEAT_MS);
    ends.push(
      () => rmSync(stick, { recursive: true, force: true }),
      () => app.close(),
      () => browser.close(),
      () => clearInterval(beat),
    );
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  /** The gateway's door for controllers, virtual ones too. */
  async function opensBroker(): Promise<void> {
    const broker = await openBroker(app.config, app, createServer());
    ends.push(() => broker.stop());
    const { port } = await broker.listenTcp(0, '127.0.0.1');
    app.control.attach(broker.link);
    mqttUrl = `mqtt://127.0.0.1:${port}`;
    app.technicians?.simulator.attach({ httpBase: app.base, mqttUrl, speed: 20 });
    ends.push(() => app.technicians?.simulator.stop());
  }

  it(`shows a live motor on its wall after at most ${MOST_FIELDS} fields and ${MOST_S} s`, async () => {
    const { page, context } = await aPage(browser, { as: null });
    ends.push(() => context.close());
    const { fill, press, reads, spent } = aPerson(page);
    await page.goto(`${app.base}/`);
    reads();
    await press('link', /Criar conta/);

    reads();
    await fill('Seu nome', 'Ana Beatriz de Lima');
    await fill('E-mail', EMAIL);
    await fill('Senha', PASSWORD);
    await press('button', 'Criar conta');

    reads();
    // whose farm burnt down with its box is not made to type it all again
    await page.getByText('Há um backup de 01/03, 09:00 no pen drive.').waitFor();
    expect(await page.getByRole('link', { name: 'Restaurar' }).getAttribute('href')).toBe('/sistema/backup');
    expect(await violationsOn(page)).toEqual([]);
    await fill('Nome da fazenda', 'Fazenda Porto do Mangue');
    await press('button', 'Criar fazenda');

    reads();
    // who has more ponds than the plan holds reads it before they are made
    await page.getByLabel('ao código').fill('V-24');
    await page.getByText('O plano FREE vai até 3 viveiros por fazenda; cabem mais 3.').waitFor();
    await fill('ao código', 'V-03');
    expect(await page.getByText('O plano FREE').count()).toBe(0);
    await press('button', 'Criar viveiros');

    reads();

    await page.getByText('Ainda não tenho controlador').click();
    await opensBroker();
    await press('link', 'Abrir o simulador');
    reads();
    // whoever left the first steps for it finds the way back to the step
    const back = page.getByRole('link', { name: 'Voltar aos primeiros passos' });
    expect(await back.getAttribute('href')).toBe('/bem-vindo/controlador');
    await press('button', 'Criar');
    await press('button', 'Ligar o simulador');
    await page.getByText('4 de 4 conectados').waitFor();
    await press('link', /^SIM-01$/);
    reads();
    // a tick is a field, too
    spent.fields += 1;
    await press('checkbox', 'V-01');
    await press('link', 'Fazenda');
    reads();
    await page.waitForSelector('[data-pond="V-01"][data-simulated] [data-state="off"]');
    expect(await page.locator('[data-pond]').count()).toBe(3);
    expect(spent.fields).toBeLessThanOrEqual(MOST_FIELDS);
    expect(spent.s).toBeLessThanOrEqual(MOST_S);
  });

  it('takes simulated controllers from a terminal, too, which asks for the password and never shows it', async () => {
    const args = ['--gateway', app.base, '--mqtt', mqttUrl, '--email', EMAIL, '--count', '1'];
    const terminal = spawn(process.execPath, [SIM, ...args], {});
    const isOver = new Promise<void>((resolve) => terminal.onExit(() => resolve()));
    ends.push(() => {
      terminal.kill();
      return isOver;
    });
    let shown = '';
    terminal.onData((text) => {
      shown += text;
    });
    await expect.poll(() => shown).toContain('Password of');
    terminal.write(`${PASSWORD}\r`);
    await expect.poll(() => shown).toContain('controllers start against');
    expect(shown).not.toContain(PASSWORD);
  });
});
