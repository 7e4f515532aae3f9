import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSecuredGateway, type SecuredGateway } from '#test/a-secured-gateway.ts';
import { type App, type SignedUp, startApp } from '#test/app.ts';
import { builtDesktop, startDesktop } from '#test/desktop-program.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { type Door, openDoor, socketOf } from '../../desktop/main/door.ts';

type Program = Awaited<ReturnType<typeof startDesktop>>;
type Identity = { gateway_id: string; authority: { spki_sha256: string } | null };

const BLIND = 'SEM VISÃO';
const LOST = 'SEM CONTATO COM O GATEWAY';

let app: App;
let built: Awaited<ReturnType<typeof builtDesktop>>;
let owner: SignedUp;
let gatewayId = '';
let pondId = '';
/** What a timer of the gateway does every five seconds; here nothing ticks by itself. */
let beat: ReturnType<typeof setInterval>;
beforeAll(async () => {
  // of plain http alone; a box with a key is below
  const args = ['--https-port', 'off', '--mqtts-port', 'off'];
  [app, built] = await Promise.all([startApp('sqlite', args), builtDesktop()]);
  beat = setInterval(() => app.events.beat(), 2_000);
  owner = await app.signUp();
  gatewayId = ((await app.call('GET', '/system/identity')).body as Identity).gateway_id;
  const farm = await app.call('POST', '/farms/', { token: owner.token, body: { name: 'Norte' } });
  const { id: farm_id } = farm.body as { id: string };
  const pond = await app.call('POST', '/ponds/', {
    token: owner.token,
    body: { farm_id, cod: 'V-07', size_m2: 3_000, depth_m: 1.5, pond_type: 'FATTENING' },
  });
  pondId = (pond.body as { id: string }).id;
});
afterAll(async () => {
  clearInterval(beat);
  built.remove();
  await app.close();
});

const gateway = (url = `${app.base}/`) => ({
  id: gatewayId,
  name: 'Norte',
  url,
  pin: null,
  software: '0.1.0',
});
const session = () =>
  JSON.stringify({ token: owner.token, expiresAt: Date.now() + 20 * 86_400_000, remembered: true });
const tip = async (program: Program) => (await program.done()).tooltips.at(-1) ?? '';

describe('the program on the operator’s PC', () => {
  let program: Program;
  /** Where the console stands on this machine. */
  let home = '';
  beforeAll(async () => {
    program = await startDesktop(built.folder, { gateway: gateway() });
    await program.ask('waitFor', 'form');
    home = await program.ask<string>('url');
  });
  afterAll(() => program.stop());

  it('shows the console of the gateway it was paired with, under an address that stays when the box gets another', async () => {
    expect(home).toMatch(/^http:\/\/g-[0-9a-f]{12}\.localhost:\d+\/$/);
    expect(await program.ask('text')).toContain('Camarão');
  });

  it('gives pages no Node, a world of their own and a sandbox, and lets them run while nobody looks', async () => {
    const { preferences } = await program.done();
    expect(preferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      backgroundThrottling: false,
    });
    expect(await program.ask('run', 'typeof require + typeof process')).toBe('undefinedundefined');
    expect(await program.ask('run', 'Object.keys(window.camarao).sort().join()')).toBe(
      'alarms,appInfo,farm,notify',
    );
    expect(await program.ask('run', 'typeof window.shell')).toBe('undefined');
  });

  it('is blind in the tray until a console sees the farm, then shows its alarms there', async () => {
    expect((await program.done()).tooltips[0]).toContain(BLIND);
    // nobody is signed in
    expect(await tip(program)).toContain(BLIND);
    expect(await program.ask('run', 'window.camarao.appInfo()')).toEqual({
      version: '0.1.0',
      platform: process.platform,
      isKiosk: false,
      gatewayVersion: '0.1.0',
      skew: null,
    });
    await program.ask(
      'run',
      'window.camarao.alarms({ state: "alarm", unanswered: 2, worst: 1, text: "V-07 OD baixo 3,1" })',
    );
    const { badge, flashed } = await program.done();
    expect([badge, flashed]).toEqual([2, 1]);
    expect(await tip(program)).toBe('(2) V-07 OD baixo 3,1');
    await program.ask('run', 'window.camarao.alarms({ state: "calm", unanswered: 0, worst: 0, text: "" })');
    expect(await tip(program)).toBe('Camarão: sem alarmes');
  });

  it('refuses messages of the wrong shape, of frames inside a page, and of pages that are not the gateway’s', async () => {
    const alarms = { state: 'alarm', unanswered: 1, worst: 2, text: 'x' };
    const as = (channel: string, from: string, message: unknown) =>
      program.ask('invokeAs', { channel, url: from, message });
    expect(await as('alarms', home, { ...alarms, worst: 9 })).toMatch(/^refused: .*shape/);
    expect(await as('alarms', 'http://evil.example/', alarms)).toMatch(/^refused: this page/);
    expect(await as('choose-gateway', home, gateway())).toMatch(/^refused: this page/);
    expect(await program.ask('invokeFromFrame', { channel: 'app-info', url: home })).toMatch(
      /^refused: this page/,
    );
    // a console may be newer than this program
    expect(await as('alarms', home, { ...alarms, more: 1 })).toBe('done');
    expect(await as('alarms', home, { unanswered: 0, worst: 0, text: '' })).toBe('done');
  });

  it('leaves the gateway’s pages for no other, and opens the world’s pages in the world’s browser', async () => {
    expect(await program.ask('navigate', 'http://evil.example/')).toBe(true);
    expect(await program.ask('redirect', 'https://evil.example/')).toBe(true);
    expect(await program.ask('redirect', `${home}alarmes`)).toBe(false);
    expect(await program.ask('navigate', `${home}alarmes`)).toBe(false);
    expect((await program.done()).opened).toEqual([]);
    // where a plan is paid
    expect(await program.ask('navigate', 'https://pay.example/checkout')).toBe(true);
    expect(await program.ask('open', 'https://example.org/help')).toEqual({ action: 'deny' });
    expect(await program.ask('open', 'http://192.168.0.7/')).toEqual({ action: 'deny' });
    expect(await program.ask('open', 'http://example.org/')).toEqual({ action: 'deny' });
    expect(await program.ask('open', 'file:///etc/passwd')).toEqual({ action: 'deny' });
    expect((await program.done()).opened).toEqual([
      'https://pay.example/checkout',
      'https://example.org/help',
      'http://192.168.0.7/',
    ]);
  });

  it('grants only what the console needs, and only to the gateway; a serial port to nobody', async () => {
    const may = (name: string, url: string) => program.ask('permission', { name, url });
    expect(await may('notifications', home)).toBe(true);
    expect(await may('notifications', 'https://evil.example/')).toBe(false);
    expect(await may('geolocation', home)).toBe(false);
    expect(await may('serial', home)).toBe(false);
    expect(await program.ask('check', { name: 'serial', url: home })).toBe(false);
    expect(await program.ask('device', home)).toBe(false);
  });

  it('gives a page that is not the paired gateway’s nothing, wherever it came from', async () => {
    // the very gateway, under an address that nobody paired
    await program.ask('stray', `${app.base}/`);
    expect(await program.ask('run', 'typeof window.camarao + typeof window.shell')).toBe(
      'undefinedundefined',
    );
  });

  it('opens the pond of a link that a second start brings, and no place that is none', async () => {
    await program.ask('second', ['program', 'camarao://viveiros/V-07']);
    await expect.poll(() => program.ask('url')).toBe(`${home}viveiros/V-07`);
    await program.ask('run', `localStorage.setItem('session', ${JSON.stringify(session())})`);
    const { shown } = await program.done();
    await program.ask('second', ['program', 'camarao://viveiros/V-07']);
    await expect.poll(() => program.ask('text')).toMatch(/V-07[\s\S]*Oxigênio dissolvido/);
    expect((await program.done()).shown).toBeGreaterThan(shown);
    await program.ask('second', ['program', 'camarao://../../etc']);
    await program.ask('second', ['program', 'https://evil.example/']);
    expect(await program.ask('url')).toBe(`${home}viveiros/V-07`);
  });

  it('says a critical alarm in the system’s own words, by its place, and brings the window', async () => {
    await expect.poll(() => tip(program)).toBe('Camarão: sem alarmes');
    const { flashed } = await program.done();
    const measure = (dissolved_oxygen: number) =>
      app.call('POST', '/water-quality/', {
        token: owner.token,
        body: { pond_id: pondId, dissolved_oxygen },
      });
    await measure(1.9);
    await expect.poll(async () => (await program.done()).notices.at(-1)?.body).toMatch(/^V-07 OD baixo 1,9/);
    await expect.poll(() => tip(program)).toMatch(/^\(1\) V-07 OD baixo 1,9/);
    expect((await program.done()).flashed).toBe(flashed + 1);
    app.clock.advance(60_000);
    await measure(6);
    await expect.poll(() => tip(program)).toBe('Camarão: sem alarmes');
  });

  it('shows a page that ended or hangs anew, where it was, and is blind meanwhile', async () => {
    await expect.poll(() => tip(program)).toBe('Camarão: sem alarmes');
    const { tooltips, loaded } = await program.done();
    await program.ask('gone');
    await expect
      .poll(async () => (await program.done()).loaded.slice(loaded.length))
      .toEqual([`${home}viveiros/V-07`]);
    await expect.poll(() => tip(program)).toBe('Camarão: sem alarmes');
    expect((await program.done()).tooltips.slice(tooltips.length).some((text) => text.includes(BLIND))).toBe(
      true,
    );
    await program.ask('unresponsive');
    await expect.poll(async () => (await program.done()).loaded.length).toBe(loaded.length + 2);
    await expect.poll(() => tip(program)).toBe('Camarão: sem alarmes');
  });

  it('goes on watching when its window is closed, and says so the first time', async () => {
    const { notices } = await program.done();
    expect(await program.ask('close')).toBe(true);
    expect(await program.ask('close')).toBe(true);
    const after = await program.done();
    expect(after.quit).toBe(false);
    expect(after.notices.slice(notices.length).map(({ title }) => title)).toEqual([
      'O painel continua de olho',
    ]);
    expect(await program.ask<number>('allClosed')).toBeGreaterThan(0);
  });

  it('becomes the panel on the wall, which a closed window does not end', async () => {
    await program.ask('press', 'Painel de parede (tela cheia)');
    await expect.poll(() => program.ask('url')).toBe(`${home}painel`);
    expect(await program.done()).toMatchObject({ fullscreen: true, awake: { 1: 'prevent-display-sleep' } });
    const { questions } = await program.done();
    expect(await program.ask('close')).toBe(true);
    await expect.poll(async () => (await program.done()).questions.length).toBe(questions.length + 1);
    expect((await program.done()).quit).toBe(false);
    await program.ask('press', 'Painel de parede (tela cheia)');
    await expect.poll(() => program.ask('url')).toBe(home);
  });

  it('ends when somebody who was asked says so, whatever else wants it to end', async () => {
    await program.ask('quit');
    await program.ask('press', 'Encerrar…');
    await expect
      .poll(async () => (await program.done()).questions.at(-1))
      .toMatchObject({ title: 'Encerrar o painel', buttons: ['Continuar', 'Encerrar'] });
    expect((await program.done()).quit).toBe(false);
  });
});

describe('a gateway that is not there', () => {
  let relay: Door | null = null;
  afterAll(() => relay?.close());

  it('is told in large letters with what to do and whom to call; its console comes back by itself, at the place of a link', async () => {
    const port = await lastingPort();
    const people = [{ name: 'Ana', phone: '+55 85 91234-5678' }];
    const program = await startDesktop(built.folder, {
      gateway: gateway(`http://127.0.0.1:${port}/`),
      farm: { name: 'Norte', people },
    });
    try {
      await program.ask('waitFor', 'body.lost');
      await expect.poll(() => program.ask('text')).toContain(`${LOST}: Norte`);
      await expect.poll(() => program.ask('text')).toContain('Ana: +55 85 91234-5678');
      expect(await tip(program)).toContain(BLIND);
      expect(await program.ask('run', 'Object.keys(window.shell).length > 0 && typeof window.camarao')).toBe(
        'undefined',
      );
      await program.ask('second', ['program', 'camarao://viveiros/V-07']);
      relay = await openDoor(() => socketOf(app.base), port);
      await expect.poll(() => program.ask('url')).toMatch(/\.localhost:\d+\/viveiros\/V-07$/);
    } finally {
      await program.stop();
    }
  });

  it('is chosen by its address when it does not show by itself, after its code was compared', async () => {
    const program = await startDesktop(built.folder, {});
    try {
      await program.ask('fill', { selector: 'input[name=url]', value: 'http://127.0.0.1:9' });
      await program.ask('click', 'form button[type=submit]');
      await expect.poll(() => program.ask('text')).toContain('Nenhum gateway respondeu nesse endereço');
      await program.ask('fill', { selector: 'input[name=url]', value: app.base });
      await program.ask('click', 'form button[type=submit]');
      await expect.poll(() => program.ask('text')).toContain('fala sem criptografia');
      await program.ask('click', '#same');
      await expect.poll(() => program.ask('url')).toMatch(/^http:\/\/g-[0-9a-f]{12}\.localhost:\d+\/$/);
    } finally {
      await program.stop();
    }
  });
});

describe('a box with a key of its own', () => {
  let box: SecuredGateway;
  beforeAll(async () => {
    box = await aSecuredGateway();
  });
  afterAll(() => box.close());

  it('shows its console only when it proves the key that was chosen', async () => {
    const { gateway_id, authority } = (await box.plain('/api/v1/system/identity')).body as Identity;
    const paired = {
      id: gateway_id,
      name: 'Norte',
      url: `https://127.0.0.1:${box.https}/`,
      pin: authority?.spki_sha256 ?? '',
      software: '0.1.0',
    };
    const other = Buffer.alloc(32, 7).toString('base64');
    const program = await startDesktop(built.folder, { gateway: { ...paired, pin: other } });
    try {
      await expect.poll(() => program.ask('text')).toContain('Quem responde ali tem outra chave');
      expect((await program.done()).loaded.filter((url) => url.startsWith('https:'))).toEqual([]);
      await program.ask('click', 'a[href="choose.html"]');
      await program.ask('fill', { selector: 'input[name=url]', value: box.running.http });
      await program.ask('click', 'form button[type=submit]');
      await expect.poll(() => program.ask('text')).toMatch(/\d{5} \d{5} \d{5} \d{5}/);
      await program.ask('click', '#same');
      await expect.poll(() => program.ask('url')).toMatch(/^https:\/\/g-[0-9a-f]{12}\.localhost:\d+\/$/);
      expect(await program.ask('run', 'typeof window.camarao')).toBe('object');
    } finally {
      await program.stop();
    }
  });
});
