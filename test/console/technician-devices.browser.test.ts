import { createServer } from 'node:http';
import mqtt from 'mqtt';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import type { BootIdentity } from '#contract/mqtt/boot.ts';
import { pasteInto, startRelay } from '#sim/relays/run-relays.ts';
import { createManualClock } from '#sim/sim-clock.ts';
import { aControlPoint, body, startApp } from '#test/app.ts';
import { type Console, type Look, startConsole, violationsOn } from '#test/console.ts';
import { claimIdentity } from '../../firmware-sim/boot/claim-identity.ts';
import { createFleet } from '../../firmware-sim/fleet/fleet.ts';

// A gateway with its broker, boards, controllers and a relay that speak to it, and a technician at a browser.

const CLAIM = 'K7QX-9M2P-4RTW';
const PHONE = { width: 360, height: 740 };
/** Fits a relay with a motor behind it. */
const MOTOR = { powerW: 1_490, voltageV: 220 };

describe('a technician among the devices', () => {
  let console_: Console;
  let port: number;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    console_ = await startConsole();
    const { app } = console_;
    const broker = await openBroker(app.config, app, createServer());
    ({ port } = await broker.listenTcp(0, '127.0.0.1'));
    app.technicians?.relays.attach(broker.sendToRelay, port);
    app.control.attach(app.technicians?.relays.following(broker.link) ?? broker.link);
    app.control.attachTalk(broker.talk);
    ends.push(() => broker.stop());
  });
  afterEach(() => console_.closePages());
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    await console_.close();
  });

  const mqttUrl = () => `mqtt://127.0.0.1:${port}`;
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const dialogOf = (page: Page) => page.getByRole('dialog');

  /** A page of the console that fits its window and that everybody can use. */
  async function open(path: string, look: Look = {}): Promise<Page> {
    const page = await console_.open(path, look);
    await page.waitForSelector('h1');
    return page;
  }
  async function isWellMade(page: Page): Promise<void> {
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth + 1')).toBe(true);
  }

  /** A board without a key that is powered and tries until it has one. */
  function aBoard(mac: string): Promise<BootIdentity> {
    const stop = new AbortController();
    ends.push(() => stop.abort());
    const got = claimIdentity({ mqttUrl: mqttUrl(), mac, claim: CLAIM, retryMs: 50, signal: stop.signal });
    got.catch(() => undefined);
    return got;
  }
  /** The same board afterwards: a controller at its work, which lives fast. */
  function works({ device_id, mqtt_id, key }: BootIdentity): void {
    console_.app.clock.advance(60_000);
    const fleet = createFleet({
      controllers: [{ device_id, mqtt_id, key, transport: 'mqtt' }],
      httpBase: console_.app.base,
      mqttUrl: mqttUrl(),
      seed: 1,
      speed: 50,
    });
    fleet.start();
    ends.push(() => fleet.stop());
  }

  it('opens the window, and a board comes onto the farm by the code of its label', async () => {
    const board = aBoard('246f28aabb01');
    const page = await open('/sistema/dispositivos', PHONE);
    await page.locator('[data-window=closed]').waitFor();
    await page.getByLabel('Por quanto tempo').selectOption('15');
    await press(page, 'Abrir a janela');
    await page.locator('[data-window=open]').waitFor();
    expect(await page.getByRole('timer').innerText()).toMatch(/Aberta por mais (15:00|14:\d\d)/);

    const adopt = page.getByRole('button', { name: 'Adotar placa 24:6f:28:aa:bb:01' });
    await adopt.click();
    await isWellMade(page);
    // the next code of the farm is proposed; the label of another board opens nothing
    expect(await page.getByLabel('Código', { exact: true }).inputValue()).toBe('CP-04');
    await page.getByLabel('Código da etiqueta desta placa').fill('AAAA-BBBB-CCCC');
    await dialogOf(page).getByRole('button', { name: 'Adotar' }).click();
    await page.waitForSelector('[role=alert]:has-text("O código não é desta placa")');
    await page.getByLabel('Código da etiqueta desta placa').fill(CLAIM.toLowerCase());
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.waitForSelector('[data-adopted=claim]');
    await isWellMade(page);
    // it is over when the board itself has spoken
    works(await board);
    await page.waitForSelector('[data-heard=true]');
    await press(page, 'Pronto');
    await page.waitForSelector('[data-point="CP-04"]');
    await press(page, 'Fechar agora');
    await page.locator('[data-window=closed]').waitFor();
  });

  it('gives it a new key over the network and sees how far that is', async () => {
    const page = await open('/sistema/dispositivos');
    await page.getByRole('link', { name: 'CP-04' }).click();
    await press(page, 'Trocar a chave pela rede');
    await page.waitForSelector('[data-rotation=done]');
    await page.waitForSelector('li:has-text("em uso")');
    await page.getByText('saindo de uso').waitFor({ state: 'detached' });
    await isWellMade(page);
  });

  it('puts another board in the place of a broken one; the old one is out, named, and can be ignored', async () => {
    const board = aBoard('246f28aabb02');
    const page = await open('/sistema/dispositivos', { language: 'en' });
    await page.getByRole('link', { name: 'CP-04' }).click();
    await press(page, 'Replace the controller');
    await press(page, 'Open the window');
    await dialogOf(page).getByLabel('Which device').selectOption({ label: 'board 24:6f:28:aa:bb:02' });
    await page.getByLabel('Code on the label of this board').fill(CLAIM);
    await isWellMade(page);
    await dialogOf(page).getByRole('button', { name: 'Replace the controller' }).click();
    await page.waitForSelector('text=The old one, aer-246f28aabb01, comes in no more');
    works(await board);
    await page.waitForSelector('[data-heard=true]');
    await press(page, 'Done');
    await page.getByRole('link', { name: 'Back to system' }).click();
    await page
      .locator('main')
      .getByRole('link', { name: /^Devices/ })
      .click();
    // somebody left it switched on
    const old = page.locator('[data-knock="aer-246f28aabb01"]');
    await old.waitFor();
    await expect.poll(() => old.innerText()).toContain('Was the controller of CP-04 and was replaced');
    await press(page, 'Ignore aer-246f28aabb01');
    await old.waitFor({ state: 'detached' });
    await page.getByText('Ignored (1)').click();
    await press(page, 'Show aer-246f28aabb01 again');
    await old.getByText('Was the controller of CP-04').waitFor();
  });

  it('is asked before a controller that works loses its place to another', async () => {
    const stranger = mqtt.connect(mqttUrl(), {
      clientId: 'aer-novo',
      username: 'aer-novo',
      password: 'nenhuma',
      protocolVersion: 4,
      reconnectPeriod: 0,
    });
    stranger.on('error', () => undefined);
    const page = await open('/sistema/dispositivos');
    await press(page, 'Adotar aer-novo');
    await page.getByLabel('Ponto de controle', { exact: true }).selectOption({ index: 4 });
    await dialogOf(page).getByRole('button', { name: 'Adotar' }).click();
    await page.waitForSelector('[role=alert]:has-text("CP-04 tem o controlador aer-246f28aabb02")');
    await isWellMade(page);
    // another place, and the question is gone
    await page.getByLabel('Ponto de controle', { exact: true }).selectOption({ index: 2 });
    await dialogOf(page).getByRole('button', { name: 'Adotar' }).click();
    await page.waitForSelector('[data-adopted=shown]');
    // broker, user and key are there once, and no slip beside the dialog takes it away
    await expect.poll(() => page.locator('.copy-text code').count()).toBe(3);
    await page.keyboard.press('Escape');
    expect(await page.locator('[data-adopted=shown]').count()).toBe(1);
    await press(page, 'Já guardei a chave');
  });

  it('adopts a relay off the shelf in three steps, and sees its state and its energy', async () => {
    const { app, owner } = console_;
    // as it comes out of its box, told nothing but the address of the gateway
    const fresh = mqtt.connect(mqttUrl(), {
      clientId: 'DVES_A1B2C3',
      username: 'DVES_USER',
      password: 'DVES_PASS',
      protocolVersion: 4,
      reconnectPeriod: 0,
      will: { topic: 'tele/tasmota_A1B2C3/LWT', payload: Buffer.from('Offline'), qos: 1, retain: true },
    });
    fresh.on('error', () => undefined);
    const page = await open('/sistema/dispositivos', PHONE);
    // 1: the card
    await press(page, 'Adotar tasmota_A1B2C3');
    // 2: its place
    await page.getByLabel('Ponto de controle', { exact: true }).selectOption({ index: 3 });
    await page.getByLabel('O que os contatos ligam').selectOption({ label: 'O próprio motor' });
    await isWellMade(page);
    await press(page, 'Adotar e ver os ajustes');
    // 3: the line that is pasted into the relay
    const line = await page.locator('.copy-text code').first().innerText();
    expect(line).toMatch(/^Backlog MqttHost .*MqttUser aer-CP-03.*SetOption65 1/s);
    await page.waitForSelector('[data-relay=away]');
    await isWellMade(page);
    const clock = createManualClock({ unixMs: app.clock.now() });
    const persona = pasteInto('tasmota', [line], {
      mac: '24A160A1B2C3',
      channels: 1,
      load: MOTOR,
      nowMs: clock.unixMs,
    });
    const relay = startRelay(persona, clock, { host: '127.0.0.1', port });
    ends.push(
      () => clock.stop(),
      () => relay.stop(),
    );
    await page.waitForSelector('[data-relay=listens]');
    await press(page, 'Pronto');

    // ten minutes at full power, told by its meter
    app.clock.advance(3_600_000);
    clock.advance(3_600_000);
    const point = app.control.registry.byDeviceId('aer-CP-03')[0];
    await app.call('POST', `/control-points/${point?.row.id}/turn-on`, { token: owner.token, body: {} });
    await expect.poll(() => persona.stateOf(1)).toBe('ON');
    for (let minute = 0; minute < 10; minute += 1) {
      app.clock.advance(60_000);
      clock.advance(60_000);
      app.technicians?.relays.tick();
    }
    const row = page.locator('tr[data-relay="CP-03"]');
    await row.getByText('0,25 kWh').waitFor();
    await expect.poll(() => row.innerText()).toMatch(/Ligado/);
    await expect.poll(() => row.innerText()).toMatch(/1\.490\s*W/);
    await isWellMade(page);

    await row.getByRole('link', { name: 'CP-03' }).click();
    await page.waitForSelector('dd:has-text("kWh")');
    // somebody presses its button
    relay.press(1);
    await page.waitForSelector('[data-warning=SET_BY_HAND]');
    await isWellMade(page);
    await press(page, 'Soltar o relé');
    await dialogOf(page).getByRole('button', { name: 'Soltar o relé' }).click();
    await page.getByRole('button', { name: 'Este ponto usa um relé Tasmota ou Shelly' }).waitFor();
  });

  it('shows a Shelly that never knocked its three addresses, with its own address in them', async () => {
    const page = await open('/sistema/dispositivos', { ...PHONE, language: 'en', theme: 'dark' });
    await press(page, 'Adopt a relay');
    await page.getByLabel('Which relay it is').selectOption('shelly');
    await page.getByLabel('Name of the relay on the network').fill('relay-p07');
    await press(page, 'Adopt and see the settings');
    await page.getByLabel('Address of the relay on the farm network').fill('192.168.0.47');
    const lines = await page.locator('.copy-text code').allInnerTexts();
    expect(lines.map((line) => new URL(line).host)).toEqual(Array(3).fill('192.168.0.47'));
    expect(new URL(lines[1] ?? '').searchParams.get('config')).toContain('"client_id":"relay-p07"');
    await isWellMade(page);
    await press(page, 'Done');
    // its second channel switches another point, and a channel has one point alone
    await press(page, 'Adopt a relay');
    await page.getByLabel('Which relay it is').selectOption('shelly');
    await page.getByLabel('Control point', { exact: true }).selectOption({ index: 1 });
    await page.getByText('More than one channel').click();
    await page.getByLabel('Of which relay').selectOption({ index: 1 });
    await press(page, 'Adopt and see the settings');
    await page.waitForSelector('[role=alert]:has-text("switches another point already")');
    await page.getByLabel('Channel').selectOption('2');
    await press(page, 'Adopt and see the settings');
    await press(page, 'Done');
    await page.locator('tr[data-relay="CP-01"]', { hasText: 'Shelly · channel 2' }).waitFor();
  });

  it('finds none of it on the hosted copy, where no device comes to the door', async () => {
    const hosted = await startApp('sqlite', ['--role', 'hosted']);
    ends.push(() => hosted.close());
    const as = await hosted.signUp();
    const { token } = as;
    const farm = await hosted.call('POST', '/farms/', { token, body: { name: 'Norte' } });
    await aControlPoint(hosted, { token, farmId: String(body(farm)['id']), cod: 'CP-01' });
    const page = await open('/nowhere', { as });
    await page.goto(`${hosted.base}/sistema/dispositivos`);
    const known = page.getByRole('link', { name: 'CP-01' });
    await known.waitFor();
    expect(await page.locator('[data-window], #relays-title').count()).toBe(0);
    // what knocks in the cloud belongs to nobody's farm, and is told to its administrators
    expect(await page.getByRole('heading', { name: 'Controladores desconhecidos' }).count()).toBe(0);
    await known.click();
    await page.getByRole('heading', { name: 'Chaves do controlador' }).waitFor();
    expect(await page.locator('#replace-title, #relay-title').count()).toBe(0);
  });
});
