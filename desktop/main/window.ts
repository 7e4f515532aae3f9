import path from 'node:path';
import type { BrowserWindowConstructorOptions, BrowserWindow as Window } from 'electron';

/** What every window of ours is: no Node in the page, sandboxed, our preload in front of it. */
export function windowOptions(folder: string, isKiosk: boolean): BrowserWindowConstructorOptions {
  return {
    width: 1366,
    height: 800,
    minWidth: 360,
    minHeight: 560,
    show: false,
    kiosk: isKiosk,
    autoHideMenuBar: true,
    backgroundColor: '#101416',
    webPreferences: {
      preload: path.join(folder, 'preload.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      spellcheck: false,
      navigateOnDragDrop: false,
      // a hidden window watches the farm as one that is seen
      backgroundThrottling: false,
    },
  };
}

const LOOK_MS = 3_000;
/** While a console that sees nothing is shown, the gateway is looked for less often: the console itself asks, too. */
const LOOKS_PER_BLIND_ASK = 5;
/** A page that ended starts anew at once; one that keeps ending, ever later. */
const RESTART_MS = [0, 1_000, 3_000, 10_000] as const;
const CALM_AFTER_MS = 60_000;
/** A gateway that answers, and whose page does not come. */
const COMES_WITHIN_MS = 8_000;
/** Of loads that another load overtook, and of those that were refused. */
const ABORTED = -3;

type ScreenDeps = {
  /** Where the console is loaded from; null: no gateway was chosen. */
  address: () => string | null;
  /** Where a console begins: the wall panel has a place of its own. */
  home: () => string;
  lostPage: string;
  choosePage: string;
  /** Whether the paired gateway answers. `search`: wherever it may be now. */
  isThere: (how: 'ask' | 'search') => Promise<boolean>;
  /** Whether the console that is shown sees its farm. */
  isBlind: () => boolean;
  /** The console begins; what it will say of the farm is awaited. */
  arrived: () => void;
  /** No console is in the window. */
  left: () => void;
  /** Monotonic. */
  now: () => number;
  /** What is shown to people. */
  today: () => string;
};

/**
 * Shows the gateway's console, or our own page while it cannot be reached, and goes back by itself to where the person
 * was as soon as it answers. Whoever is choosing a gateway is left alone.
 */
export function keepShowing(window: Window, deps: ScreenDeps) {
  let page: 'none' | 'choice' | 'lost' | 'console' = 'none';
  /** Whether a console came that far that it is in the window. */
  let hasArrived = false;
  /** When the last console went. */
  let lostSince: string | null = null;
  let wanted: string | null = null;
  /** Where the window is on its way to: what the page before it still does is not where the person is. */
  let goal: string | null = null;
  /** The latest wish wins: what an earlier one learns later counts no more. */
  let turn = 0;
  let looks = 0;
  let beganAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  let falls = 0;
  let fellAt = Number.NEGATIVE_INFINITY;

  const leave = () => {
    hasArrived = false;
    lostSince ??= deps.today();
    deps.left();
  };
  const load = (next: typeof page, url: string) => {
    page = next;
    beganAt = deps.now();
    if (next !== 'console') leave();
    // what does not load is told by did-fail-load
    return window.loadURL(url).catch(() => undefined);
  };
  const choose = () => {
    turn += 1;
    return load('choice', deps.choosePage);
  };
  const lose = () => {
    if (window.isDestroyed() || page === 'choice' || page === 'lost') return;
    turn += 1;
    void load('lost', deps.lostPage);
  };
  const show = async (at?: string) => {
    if (at !== undefined) wanted = at;
    const path = wanted ?? deps.home();
    turn += 1;
    const own = turn;
    if (deps.address() === null) {
      // what somebody is typing there stays
      if (page !== 'choice') await choose();
      return;
    }
    goal = path;
    const isThere = await deps.isThere('ask');
    const address = deps.address();
    if (own !== turn || address === null || window.isDestroyed()) return;
    if (!isThere) {
      // whoever chose this gateway is told that it does not answer
      if (page === 'choice') page = 'none';
      return lose();
    }
    await load('console', new URL(path, address).href);
    if (own === turn) goal = null;
  };
  const look = async () => {
    if (isLooking || window.isDestroyed()) return;
    looks += 1;
    if (page === 'console' && !hasArrived && deps.now() - beganAt > COMES_WITHIN_MS) {
      page = 'none';
      return lose();
    }
    const isDue =
      page === 'lost' || (page === 'console' && deps.isBlind() && looks % LOOKS_PER_BLIND_ASK === 0);
    if (!isDue) return;
    isLooking = true;
    const own = turn;
    try {
      const isThere = await deps.isThere('search');
      // a console that is there comes back by itself, with what was typed in it
      if (isThere && own === turn && page === 'lost') await show();
    } finally {
      isLooking = false;
    }
  };
  const restart = () => {
    const at = deps.now();
    falls = at - fellAt > CALM_AFTER_MS ? 0 : falls + 1;
    fellAt = at;
    const own = turn;
    const again = () => {
      if (own !== turn || window.isDestroyed()) return;
      if (page === 'choice') void choose();
      else void show();
    };
    setTimeout(again, RESTART_MS[Math.min(falls, RESTART_MS.length - 1)]);
  };
  const isConsole = (url: string) => {
    const address = deps.address();
    return address !== null && URL.canParse(url) && new URL(url).origin === new URL(address).origin;
  };
  const note = (url: string) => {
    if (page !== 'console' || !isConsole(url)) return;
    const { pathname, search } = new URL(url);
    if (goal === pathname + search) goal = null;
    if (goal === null) wanted = pathname + search;
  };

  const { webContents } = window;
  webContents.on('did-fail-load', (...what) => {
    const [, code, , url, isMainFrame] = what;
    if (!isMainFrame || code === ABORTED || !/^https?:/.test(url)) return;
    if (page === 'console') page = 'none';
    lose();
  });
  webContents.on('did-navigate', (_event, url) => {
    if (url.startsWith(deps.choosePage)) {
      // by the link on our own page: from here on nobody is pulled away
      if (page !== 'choice') turn += 1;
      page = 'choice';
    } else if (isConsole(url)) {
      page = 'console';
      hasArrived = true;
      // a page of the interface, as the checkout of a plan: it knows nothing of the farm
      if (new URL(url).pathname.startsWith('/api/')) return deps.left();
      lostSince = null;
      note(url);
      deps.arrived();
    }
  });
  webContents.on('did-navigate-in-page', (_event, url, isMainFrame) => {
    if (isMainFrame) note(url);
  });
  webContents.on('render-process-gone', () => {
    if (window.isDestroyed()) return;
    leave();
    // our own page, too: whatever was in the window is there no more
    if (page !== 'choice') page = 'none';
    restart();
  });
  const timer = setInterval(() => void look(), LOOK_MS);
  return {
    show,
    choose,
    /** The gateway led the page elsewhere, and it was not let. One that stands stays. */
    refuse: () => {
      if (hasArrived) return;
      if (page === 'console') page = 'none';
      lose();
    },
    /** Another gateway, or another way to show it: it begins at its beginning. */
    begin: () => show(deps.home()),
    lostSince: () => lostSince,
    isChoosing: () => page === 'choice',
    stop: () => clearInterval(timer),
  };
}

/** `camarao://viveiros/V-07` → `/viveiros/V-07`; null when it is none of ours. */
export function pathOfDeepLink(link: string): string | null {
  let url: URL;
  try {
    url = new URL(link);
  } catch {
    return null;
  }
  if (url.protocol !== 'camarao:') return null;
  const path = `/${url.host}${url.pathname}`.replace(/\/+$/, '') || '/';
  return /^[\w\-./%]{1,200}$/.test(path) && !path.includes('..')
    ? path + (/^[\w\-=&%]*$/.test(url.search.slice(1)) ? url.search : '')
    : null;
}

/** The link among the words of a command line, as systems hand it to a second start. */
export const linkIn = (words: readonly string[]): string | null =>
  words.find((word) => word.startsWith('camarao://')) ?? null;
