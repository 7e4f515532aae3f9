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
    },
  };
}

const RETRY_MS = 3_000;

/**
 * Shows the gateway's console, or our own page while it cannot be reached, and goes back by itself as soon as it
 * answers: the person at the wall does nothing.
 */
export function keepShowing(
  window: Window,
  deps: {
    address: () => string | null;
    lostPage: string;
    choosePage: string;
    isThere: (url: string) => Promise<boolean>;
  },
) {
  let isLost = false;
  let timer: ReturnType<typeof setInterval> | null = null;

  const show = async (at = '/') => {
    const address = deps.address();
    const wanted = address === null ? deps.choosePage : new URL(at, address).href;
    // what does not load is told by did-fail-load
    await window.loadURL(wanted).catch(() => undefined);
  };
  const lose = () => {
    if (window.isDestroyed() || isLost) return;
    isLost = true;
    void window.loadURL(deps.lostPage).catch(() => undefined);
    timer = setInterval(() => void look(), RETRY_MS);
  };
  const look = async () => {
    const address = deps.address();
    if (address === null || !(await deps.isThere(address))) return;
    isLost = false;
    if (timer !== null) clearInterval(timer);
    timer = null;
    await show();
  };
  window.webContents.on('did-fail-load', (...what) => {
    const [, code, , url, isMainFrame] = what;
    const ABORTED = -3;
    if (isMainFrame && code !== ABORTED && /^https?:/.test(url)) lose();
  });
  window.webContents.on('render-process-gone', () => {
    if (!window.isDestroyed()) void show();
  });
  return {
    show,
    look,
    stop: () => {
      if (timer !== null) clearInterval(timer);
    },
  };
}
