import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepShowing } from '../../desktop/main/window.ts';

const CONSOLE = 'http://g-1.localhost:18480/';
const LOST = 'camarao-app://shell/lost.html';
const CHOOSE = 'camarao-app://shell/choose.html';
const REFUSED = -102;

describe('the window of a station', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 2, 2, 12) }));
  afterEach(() => void vi.useRealTimers());

  /** A window as Electron's: what loads is told, what does not load is told otherwise. */
  function aStation({ isPaired = true, home = '/' } = {}) {
    const farm = { isThere: true, address: isPaired ? CONSOLE : null, isBlind: false, hangs: false };
    const loaded: string[] = [];
    const asked: string[] = [];
    const sight: string[] = [];
    const webContents = new EventEmitter();
    const window = {
      webContents,
      isDestroyed: () => false,
      async loadURL(url: string) {
        loaded.push(url);
        if (url.startsWith('http') && farm.hangs) return new Promise<void>(() => undefined);
        if (url.startsWith('http') && !farm.isThere) {
          webContents.emit('did-fail-load', {}, REFUSED, '', url, true);
          throw new Error('ERR_CONNECTION_REFUSED');
        }
        webContents.emit('did-navigate', {}, url);
      },
      // as much of it as is used here
    } as unknown as BrowserWindow;
    const screen = keepShowing(window, {
      address: () => farm.address,
      home: () => home,
      lostPage: LOST,
      choosePage: CHOOSE,
      isThere: async (how) => {
        asked.push(how);
        return farm.isThere;
      },
      isBlind: () => farm.isBlind,
      arrived: () => void sight.push('arrived'),
      left: () => void sight.push('left'),
      now: () => Date.now(),
      today: () => new Date().toISOString(),
    });
    return { farm, loaded, asked, sight, webContents, screen, at: () => loaded.at(-1) };
  }
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

  it('shows the lost page while the gateway is away, and then where the person was', async () => {
    const { farm, screen, webContents, at, loaded } = aStation({ home: '/painel' });
    await screen.show();
    expect(at()).toBe(`${CONSOLE}painel`);
    webContents.emit('did-navigate-in-page', {}, `${CONSOLE}viveiros/V-07?aba=agua`, true);
    farm.isThere = false;
    webContents.emit('did-fail-load', {}, REFUSED, '', CONSOLE, true);
    expect(at()).toBe(LOST);
    await pass(60);
    expect(loaded.filter((url) => url === LOST)).toHaveLength(1);
    farm.isThere = true;
    await pass(3);
    expect(at()).toBe(`${CONSOLE}viveiros/V-07?aba=agua`);
    screen.stop();
  });

  it('shows the lost page again whatever is asked for meanwhile, never an empty window', async () => {
    const { farm, screen, at, webContents } = aStation();
    farm.isThere = false;
    await screen.show();
    await screen.show('/viveiros/V-07');
    expect(at()).toBe(LOST);
    farm.isThere = true;
    await pass(3);
    expect(at()).toBe(`${CONSOLE}viveiros/V-07`);
    // it answered, and was gone before its console came
    await screen.show('/alarmes');
    webContents.emit('did-fail-load', {}, REFUSED, '', `${CONSOLE}alarmes`, true);
    expect(at()).toBe(LOST);
    screen.stop();
  });

  it('shows the lost page when the gateway answers and its page does not come, and when its own page ended', async () => {
    const { farm, screen, at, webContents, loaded } = aStation();
    farm.hangs = true;
    void screen.show();
    await pass(10);
    expect(at()).toBe(LOST);
    farm.isThere = false;
    webContents.emit('render-process-gone', {}, { reason: 'oom' });
    await pass(0);
    expect(loaded.slice(-2)).toEqual([LOST, LOST]);
    farm.isThere = true;
    farm.hangs = false;
    await pass(3);
    expect(at()).toBe(CONSOLE);
    screen.stop();
  });

  it('leaves whoever chooses a gateway alone, until that person chose', async () => {
    const { farm, screen, at, webContents, loaded } = aStation();
    farm.isThere = false;
    await screen.show();
    // by the link on the lost page
    webContents.emit('did-navigate', {}, CHOOSE);
    farm.isThere = true;
    const before = loaded.length;
    await pass(60);
    expect(loaded).toHaveLength(before);
    farm.address = 'http://g-2.localhost:18480/';
    await screen.begin();
    expect(at()).toBe('http://g-2.localhost:18480/');
    screen.stop();
  });

  it('tells who chose a gateway that does not answer, and begins there at its beginning', async () => {
    const { farm, screen, at } = aStation({ isPaired: false });
    await screen.show('/viveiros/V-07');
    expect(at()).toBe(CHOOSE);
    farm.address = CONSOLE;
    farm.isThere = false;
    await screen.begin();
    expect(at()).toBe(LOST);
    farm.isThere = true;
    await pass(3);
    expect(at()).toBe(CONSOLE);
    screen.stop();
  });

  it('looks for the box wherever it is now: while it is lost, and more rarely while its console is blind', async () => {
    const { farm, screen, asked, loaded } = aStation();
    await screen.show();
    await pass(600);
    expect(asked).toEqual(['ask']);
    farm.isBlind = true;
    farm.isThere = false;
    await pass(60);
    expect(asked.filter((how) => how === 'search')).toHaveLength(4);
    // what is typed in a blind console waits there
    expect(loaded).toEqual([CONSOLE]);
    screen.stop();
  });

  it('shows a page that ended anew at once, and one that keeps ending ever later', async () => {
    const { screen, webContents, loaded } = aStation();
    await screen.show();
    const ends = async (afterSeconds: number) => {
      webContents.emit('render-process-gone', {}, { reason: 'crashed' });
      const before = loaded.length;
      await pass(afterSeconds - 0.5);
      const isEarly = loaded.length > before;
      await pass(0.5);
      return isEarly ? 'early' : loaded.length - before;
    };
    webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    await pass(0);
    expect(loaded).toHaveLength(2);
    expect(await ends(1)).toBe(1);
    expect(await ends(3)).toBe(1);
    expect(await ends(10)).toBe(1);
    expect(await ends(10)).toBe(1);
    await pass(120);
    webContents.emit('render-process-gone', {}, { reason: 'oom' });
    await pass(0);
    expect(loaded).toHaveLength(7);
    screen.stop();
  });

  it('sees no farm on a page of the interface, and goes back from it to where the person was', async () => {
    const { screen, webContents, sight, at } = aStation();
    await screen.show('/sistema/plano');
    webContents.emit('did-navigate', {}, `${CONSOLE}api/v1/payment/sandbox/checkout/c-1`);
    expect(sight).toEqual(['arrived', 'left']);
    webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    await pass(0);
    expect(at()).toBe(`${CONSOLE}sistema/plano`);
    screen.stop();
  });

  it('shows the lost page when the gateway leads elsewhere, but takes no console away for it', async () => {
    const { screen, loaded, at } = aStation();
    await screen.show();
    screen.refuse();
    expect(at()).toBe(CONSOLE);
    expect(loaded).toHaveLength(1);
    screen.stop();
  });
});
