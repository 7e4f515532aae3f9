import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, startApp } from '#test/app.ts';
import { builtDesktop, startDesktop } from '#test/desktop-program.ts';

type Program = Awaited<ReturnType<typeof startDesktop>>;

describe('the program on the operator’s PC', () => {
  let app: App;
  let built: Awaited<ReturnType<typeof builtDesktop>>;
  let program: Program;
  const gateway = () => ({ id: 'g1', name: 'Norte', url: `${app.base}/`, pin: null, software: '0.1.0' });

  beforeAll(async () => {
    [app, built] = await Promise.all([startApp(), builtDesktop()]);
    program = await startDesktop(built.folder, { gateway: gateway() });
  });
  afterAll(async () => {
    await program.stop();
    built.remove();
    await app.close();
  });

  it('shows the console of the gateway it was paired with', async () => {
    await program.ask('waitFor', 'form');
    expect(await program.ask('url')).toBe(`${app.base}/`);
    expect(await program.ask('text')).toContain('Camarão');
  });

  it('gives pages no Node, a world of their own and a sandbox', async () => {
    const { preferences } = await program.done();
    expect(preferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
    });
    expect(await program.ask('run', 'typeof require + typeof process')).toBe('undefinedundefined');
    expect(await program.ask('run', 'Object.keys(window.camarao).sort().join()')).toBe(
      'alarms,appInfo,notify,serialPorts',
    );
    expect(await program.ask('run', 'typeof window.shell')).toBe('undefined');
  });

  it('tells the console what it is, and shows its alarms in the tray', async () => {
    expect(await program.ask('run', 'window.camarao.appInfo()')).toMatchObject({
      version: '0.1.0',
      isKiosk: false,
    });
    await program.ask('run', 'window.camarao.alarms({ unanswered: 2, worst: 1, text: "V-07 OD baixo 3,1" })');
    const { badge, tooltips, flashed } = await program.done();
    expect(badge).toBe(2);
    expect(tooltips.at(-1)).toBe('(2) V-07 OD baixo 3,1');
    expect(flashed).toBe(1);
  });

  it('refuses messages of the wrong shape, of frames inside a page, and of pages that are not the gateway’s', async () => {
    const url = `${app.base}/`;
    const alarms = { unanswered: 1, worst: 2, text: 'x' };
    const as = (channel: string, from: string, message: unknown) =>
      program.ask('invokeAs', { channel, url: from, message });
    expect(await as('alarms', url, { ...alarms, worst: 9 })).toMatch(/^refused: .*shape/);
    expect(await as('alarms', url, { ...alarms, more: 1 })).toMatch(/^refused: .*shape/);
    expect(await as('alarms', 'http://evil.example/', alarms)).toMatch(/^refused: this page/);
    expect(await as('choose-gateway', url, gateway())).toMatch(/^refused: this page/);
    expect(await program.ask('invokeFromFrame', { channel: 'app-info', url })).toMatch(/^refused: this page/);
  });

  it('leaves the gateway’s pages for no other, and opens the world’s pages in the world’s browser', async () => {
    expect(await program.ask('navigate', 'http://evil.example/')).toBe(true);
    expect(await program.ask('navigate', `${app.base}/alarmes`)).toBe(false);
    expect(await program.ask('open', 'https://example.org/help')).toEqual({ action: 'deny' });
    expect((await program.done()).opened).toEqual(['https://example.org/help']);
    expect(await program.ask('open', 'file:///etc/passwd')).toEqual({ action: 'deny' });
    expect((await program.done()).opened).toHaveLength(1);
  });

  it('grants only what the console needs, and only to the gateway', async () => {
    const may = (name: string, url: string) => program.ask('permission', { name, url });
    expect(await may('notifications', `${app.base}/`)).toBe(true);
    expect(await may('serial', `${app.base}/`)).toBe(true);
    expect(await may('geolocation', `${app.base}/`)).toBe(false);
    expect(await may('notifications', 'https://evil.example/')).toBe(false);
  });

  it('opens the place of a link that a second start brings, and no place that is none', async () => {
    await program.ask('second', ['program', 'camarao://viveiros/V-07']);
    await expect.poll(() => program.ask('url')).toBe(`${app.base}/viveiros/V-07`);
    await program.ask('second', ['program', 'camarao://../../etc']);
    await program.ask('second', ['program', 'https://evil.example/']);
    expect(await program.ask('url')).toMatch(new RegExp(`^${app.base}/`));
  });

  it('goes on watching when its window is closed', async () => {
    expect(await program.ask('close')).toBe(true);
    expect((await program.done()).quit).toBe(false);
  });
});

describe('a gateway that is not there', () => {
  let app: App;
  let built: Awaited<ReturnType<typeof builtDesktop>>;
  beforeAll(async () => {
    [app, built] = await Promise.all([startApp(), builtDesktop()]);
  });
  afterAll(async () => {
    built.remove();
    await app.close();
  });

  it('is told in large letters with what to do, and its console comes back by itself', async () => {
    const lost = { id: 'g1', name: 'Norte', url: 'http://127.0.0.1:9/', pin: null, software: '' };
    const program = await startDesktop(built.folder, { gateway: lost });
    try {
      await program.ask('waitFor', 'body.lost');
      await expect.poll(() => program.ask('text')).toContain('SEM CONTATO COM O GATEWAY');
      expect(await program.ask('run', 'Object.keys(window.shell).length > 0 && typeof window.camarao')).toBe(
        'undefined',
      );
    } finally {
      await program.stop();
    }
  });

  it('is chosen by its address when it does not show by itself', async () => {
    const program = await startDesktop(built.folder, {});
    try {
      await program.ask('fill', { selector: 'input[name=url]', value: `${app.base}/` });
      await program.ask('click', 'form button[type=submit]');
      await expect.poll(() => program.ask('url'), { timeout: 10_000 }).toBe(`${app.base}/`);
    } finally {
      await program.stop();
    }
  });
});
