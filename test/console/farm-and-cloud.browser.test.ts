import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, body, type SignedUp } from '#test/app.ts';
import { launchChromium } from '#test/chromium.ts';
import { aPage, type Look, violationsOn } from '#test/console.ts';
import { localOf } from '#test/paired-apps.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

const BEAT_MS = 2_000;
/** The time that an order is given, for pages whose time passes. */
const WAITS_S = 6;
/** Of the one gateway of this hosted instance; its own feed is the first. */
const STREAM = 2;

describe('a farm and its cloud', () => {
  let apps: SyncedApps;
  let browser: Browser;
  let beat: NodeJS.Timeout;
  let local: SignedUp;
  let cloud: SignedUp;
  let pointId: string;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    apps = await syncedApps('sqlite');
    beat = setInterval(() => {
      for (const { events } of [apps.hosted, apps.gateway]) events.beat();
    }, BEAT_MS);
    [browser, local, cloud] = await Promise.all([
      launchChromium(),
      apps.gateway.signUp(),
      apps.hosted.signUp(),
    ]);
    const { token } = local;
    const farm = await apps.gateway.call('POST', '/farms/', { token, body: { name: 'Norte' } });
    const farm_id = String(body(farm)['id']);
    const made = await apps.gateway.call('POST', '/control-points/', {
      token,
      body: { farm_id, cod: 'CP-01', device_id: 'aer-1', target_status: 'OFF' },
    });
    pointId = String(body(made)['id']);
    await report('OFF');
  });
  afterAll(async () => {
    clearInterval(beat);
    await Promise.all(contexts.map((context) => context.close()));
    await browser.close();
    await apps.close();
  });

  /** The controller speaks to the gateway, as over HTTP. */
  async function report(current_status: 'ON' | 'OFF', more = {}): Promise<void> {
    const reply = await apps.gateway.call('POST', '/devices/heartbeat', {
      token: local.token,
      body: { device_id: 'aer-1', current_status, consumption: 0, ...more },
    });
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  }

  async function open(app: App, path: string, look: Look): Promise<Page> {
    const { page, context } = await aPage(browser, look);
    contexts.push(context);
    await page.goto(`${app.base}${path}`);
    return page;
  }

  it('are linked by a code: the gateway shows it, the owner looks at what is behind it and takes it', async () => {
    const { hosted, gateway } = apps;
    await gateway.gatewaySync?.start();
    const box = await open(gateway, '/sistema/sincronia', { as: local });
    await box.getByLabel('Endereço da nuvem').fill(hosted.base);
    await box.getByLabel('Nome do gateway na nuvem').fill('Casa de bombas');
    await box.getByRole('button', { name: 'Ligar este gateway à nuvem' }).click();
    await box.waitForSelector('[data-user-code]');
    const link = new URL(await box.innerText('.copy-text code'));
    expect(link.searchParams.get('code')).toBe(await box.innerText('[data-user-code]'));

    const owner = await open(hosted, `${link.pathname}${link.search}`, { as: cloud });
    await owner.waitForSelector('[data-claim]');
    expect(await owner.innerText('[data-claim]')).toContain('Casa de bombas');
    expect(await violationsOn(owner)).toEqual([]);
    await owner.getByRole('button', { name: 'Vincular à minha conta' }).click();
    await owner.waitForSelector('[data-gateway="active"]');
    await localOf(gateway).look();
    await box.waitForSelector('[data-pairing="paired"]');
    await expect.poll(() => box.innerText('[data-pairing]')).toContain(cloud.user.name);
    await apps.settled();
    await box.waitForSelector('dt:has-text("Dados usados hoje") + dd:has-text("MB")');
    // what waits is counted anew once the last count is two seconds old
    gateway.clock.advance(3_000);
    await box.getByRole('button', { name: 'Sincronizar agora' }).click();
    await box.waitForSelector('[data-sync-now]:has-text("os dois lados têm os mesmos dados")');
    expect(await violationsOn(box)).toEqual([]);
    await owner.reload();
    await owner.waitForSelector('[data-gateway]:has-text("Norte")');
    await owner.waitForSelector(`[data-local-users]:has-text("${local.user.email}")`);
    expect(await violationsOn(owner)).toEqual([]);
  });

  it('who is afar is told that somebody at the farm switched the motor off, and starts it with one press more', async () => {
    const { hosted, gateway } = apps;
    const order = (to: 'on' | 'off') =>
      gateway.call('POST', `/control-points/${pointId}/turn-${to}`, { token: local.token });
    await order('on');
    await report('ON');
    await order('off');
    await report('OFF');
    await apps.settled();
    const board = await open(hosted, '/aeracao', { as: cloud, width: 360, height: 740 });
    await board.waitForSelector('.farm-stamp[data-word="fresh"]');
    await board.getByRole('button', { name: 'Ligar CP-01' }).click();
    const question = board.getByRole('dialog');
    await question.locator('[data-held-at-farm]', { hasText: 'Alguém na fazenda desligou' }).waitFor();
    expect(await question.getByLabel('Passar na frente').isChecked()).toBe(true);
    expect(await question.getByRole('textbox').count()).toBe(0);
    expect(await violationsOn(board)).toEqual([]);
    await question.getByRole('button', { name: 'Ligar agora' }).click();
    await board.waitForSelector('[data-step="gateway"]');
    expect(gateway.control.registry.byId(pointId)?.row.target_status).toBe('ON');
    await report('ON');
    await order('off');
    await report('OFF');
    await apps.settled();
  });

  it('an order from afar is followed to the motor, and one that does not arrive is never carried out late', async () => {
    const { hosted } = apps;
    const board = await open(hosted, '/aeracao', { as: cloud });
    await board.waitForSelector('.farm-stamp[data-word="fresh"]');
    const give = async () => {
      await board.getByRole('button', { name: 'Ligar CP-01' }).click();
      await board.getByRole('button', { name: 'Ligar agora' }).click();
    };
    await give();
    await board.waitForSelector('[data-step="gateway"]');
    const shadow = apps.gateway.control.registry.byId(pointId)?.row;
    expect(shadow).toMatchObject({ target_status: 'ON', target_origin: 'REMOTE' });
    await report('ON', { version: shadow?.version, epoch: shadow?.epoch });
    await board.waitForSelector('[data-step="confirmed"]');
    await board.waitForSelector('[data-point="CP-01"][data-state="on"]');
    await apps.settled();

    await apps.linkDown();
    await board.getByRole('button', { name: 'Desligar CP-01' }).click();
    expect(await violationsOn(board)).toEqual([]);
    // no pond hangs on it: once that is known nothing need be typed
    await board.getByLabel('Digite CP-01 para confirmar').waitFor({ state: 'detached' });
    await board.getByRole('button', { name: 'Desligar agora' }).click();
    await board.waitForSelector('[data-point="CP-01"][data-state="on-its-way"]');
    hosted.clock.advance(61_000);
    await hosted.remote?.expireOrders();
    await board.waitForSelector('[data-order="expired"]:has-text("não foi alcançado a tempo")');
    await board.waitForSelector('[data-point="CP-01"][data-state="on"]');
    expect(apps.gateway.control.registry.byId(pointId)?.row.target_status).toBe('ON');
  });

  it.each([
    { language: 'pt-BR', nobody: 'Não se sabe se a ordem de ligar foi executada', last: 'ligado, há' },
    { language: 'en', nobody: 'Nobody knows whether the order to turn on was carried out', last: 'on, ' },
  ] as const)(
    'an order that counted when the line died is known to nobody, wherever it is shown ($language)',
    async ({ language, nobody, last }) => {
      const { hosted } = apps;
      const { token } = cloud;
      const given = await hosted.call('POST', `/control-points/${pointId}/turn-on`, {
        token,
        body: { expires_in_s: WAITS_S },
      });
      const id = String(body(given)['order_id']);
      const parts = hosted.remote?.parts;
      await parts?.commandsToSend(STREAM);
      // the answer to the gateway's question, and all that it says of the order, is lost with the line
      expect(await parts?.still(STREAM, id)).toBe(WAITS_S * 1_000);
      const pages = await Promise.all(
        ['/aeracao', `/aeracao/${pointId}`].map((path) => open(hosted, path, { as: cloud, language })),
      );
      for (const page of pages) await page.waitForSelector('[data-step="cloud"]');
      for (const page of pages) {
        const told = page.locator('[data-order="unknown"]');
        await told.waitFor();
        expect(await told.innerText()).toContain(nobody);
        expect(await told.innerText()).toContain(last);
        expect(await page.locator('[data-step], [data-state="on-its-way"]').count()).toBe(0);
      }
      // who opens the page long after is told the same
      hosted.clock.advance(10 * 60_000);
      await hosted.remote?.expireOrders();
      const [late] = pages;
      await late?.reload();
      await late?.waitForSelector('[data-order="unknown"]');
      if (late !== undefined) expect(await violationsOn(late)).toEqual([]);
      await parts?.commandState(STREAM, { is: 'command_state', id, state: 'expired', result: 'TOO_LATE' });
      for (const page of pages) await page.waitForSelector('[data-order="expired"]');
    },
  );
});
