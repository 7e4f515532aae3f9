// @ts-nocheck: it plays a module whose types are for those who use it
// Runs the program around the console without Electron: main and preload unchanged, as they are packed, under an
// `electron` whose windows are pages of a real browser. Commands come over IPC, what the program did goes back.
// What it cannot show: the sandbox itself, menus, structured clone (messages go as JSON).

import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchChromium } from './chromium.ts';

const [folder = '', userData = '', ...argv] = process.argv.slice(2);
process.argv = [process.execPath, folder, ...argv];

/** What the program did, for the test to ask. */
const done = {
  badge: 0,
  tooltips: [],
  notices: [],
  opened: [],
  quit: false,
  fullscreen: null,
  preferences: null,
  prevented: [],
  flashed: 0,
  shown: 0,
};
const handlers = new Map();
const protocols = new Map();
const permission = { request: null, check: null, verify: null };

const browser = await launchChromium();
const app = Object.assign(new EventEmitter(), {
  commandLine: { appendSwitch: () => {} },
  setAsDefaultProtocolClient: () => true,
  requestSingleInstanceLock: () => !argv.includes('--second'),
  whenReady: () => Promise.resolve(),
  getPath: () => userData,
  getAppPath: () => folder,
  getLocale: () => 'pt-BR',
  getVersion: () => '0.1.0',
  isPackaged: false,
  setBadgeCount: (count) => {
    done.badge = count;
  },
  quit: () => {
    done.quit = true;
    let isPrevented = false;
    app.emit('before-quit', { preventDefault: () => (isPrevented = true) });
    if (!isPrevented) void browser.close().then(() => process.exit(0));
  },
});

class WebContents extends EventEmitter {
  url = '';
  mainFrame = {};
  openHandler = null;
  setWindowOpenHandler(handler) {
    this.openHandler = handler;
  }
  getURL() {
    return this.url;
  }
}

class BrowserWindow extends EventEmitter {
  webContents = new WebContents();
  constructor(options) {
    super();
    done.preferences = options.webPreferences;
    done.fullscreen = options.kiosk ?? false;
    this.options = options;
    app.emit('web-contents-created', {}, this.webContents);
    this.page = this.#open();
    windows.push(this);
  }
  async #open() {
    const context = await browser.newContext({ locale: 'pt-BR', viewport: { width: 1366, height: 768 } });
    const page = await context.newPage();
    const preload = readFileSync(this.options.webPreferences.preload, 'utf8');
    await page.exposeBinding('__invoke', async (source, channel, message) => {
      const isMain = source.frame === page.mainFrame();
      this.webContents.mainFrame.url = page
        .url()
        .replace('http://__shell.test/__shell/', 'camarao-app://shell/');
      const senderFrame = isMain ? this.webContents.mainFrame : { url: source.frame.url() };
      const handler = handlers.get(channel);
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
      return (await handler({ senderFrame, sender: this.webContents }, message)) ?? null;
    });
    // a sandboxed preload script knows `require('electron')` alone, and its world is not the page's
    await page.addInitScript(`{
      const invoke = (channel, message) => window.__invoke(channel, message ?? null);
      const require = (name) => {
        if (name !== 'electron') throw new Error('module not found: ' + name);
        return { contextBridge: { exposeInMainWorld: (key, api) => { window[key] = api; } }, ipcRenderer: { invoke } };
      };
      const location = { protocol: window.location.pathname.startsWith('/__shell/') ? 'camarao-app:' : window.location.protocol };
      ${preload}
    }`);
    await page.route(/__shell\.test\/__shell\//, async (route) => {
      const name = new URL(route.request().url()).pathname.replace('/__shell', '');
      const answer = await protocols.get('camarao-app')({ url: `camarao-app://shell${name}` });
      const body = Buffer.from(await answer.arrayBuffer());
      await route.fulfill({ status: answer.status, body, contentType: typeOf(name) });
    });
    return page;
  }
  async loadURL(wanted) {
    const page = await this.page;
    this.webContents.url = wanted;
    // a scheme of our own cannot be taught to a browser that is already running: its pages stand under a name of the test
    const url = wanted.replace(/^camarao-app:\/\/shell\//, 'http://__shell.test/__shell/');
    try {
      await page.goto(url, { waitUntil: 'commit', timeout: 5_000 });
      this.webContents.emit('did-navigate', {}, wanted);
      if (done.shown === 0) this.emit('ready-to-show');
    } catch (error) {
      this.webContents.emit('did-fail-load', {}, -102, String(error), wanted, true);
      throw error;
    }
  }
  isDestroyed = () => false;
  isMinimized = () => false;
  restore() {}
  show() {
    done.shown += 1;
  }
  hide() {
    done.shown = -1;
  }
  focus() {}
  flashFrame() {
    done.flashed += 1;
  }
}
const windows = [];

class Tray extends EventEmitter {
  setToolTip(text) {
    done.tooltips.push(text);
  }
  setContextMenu() {}
  setImage() {}
  destroy() {}
}

class Notification extends EventEmitter {
  constructor(options) {
    super();
    this.options = options;
  }
  show() {
    done.notices.push(this.options);
  }
}

const typeOf = (name) =>
  ({ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' })[path.extname(name)] ??
  'application/octet-stream';

globalThis.__electron = {
  app,
  BrowserWindow,
  Tray,
  Notification,
  Menu: { buildFromTemplate: (template) => template },
  ipcMain: { handle: (channel, handler) => handlers.set(channel, handler) },
  nativeImage: { createFromBitmap: () => ({}) },
  net: {
    fetch: (url, init) =>
      url.startsWith('file:') ? Promise.resolve(new Response(readFileSync(new URL(url)))) : fetch(url, init),
  },
  powerSaveBlocker: { start: () => 1 },
  protocol: {
    registerSchemesAsPrivileged: () => {},
    handle: (scheme, handler) => protocols.set(scheme, handler),
  },
  session: {
    defaultSession: {
      setPermissionRequestHandler: (handler) => (permission.request = handler),
      setPermissionCheckHandler: (handler) => (permission.check = handler),
      setCertificateVerifyProc: (handler) => (permission.verify = handler),
    },
  },
  shell: { openExternal: (url) => done.opened.push(url) },
};

const NAMES = Object.keys(globalThis.__electron);
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: 'electron:fake', shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === 'electron:fake'
      ? {
          format: 'module',
          shortCircuit: true,
          source: NAMES.map((name) => `export const ${name} = globalThis.__electron.${name};`).join('\n'),
        }
      : next(url, context),
});

await import(pathToFileURL(path.join(folder, 'main.js')).href);

const commands = {
  done: () => done,
  url: async () => (await windows[0].page).url(),
  text: async () => (await windows[0].page).evaluate(() => document.body.innerText),
  run: async (script) => (await windows[0].page).evaluate(script),
  fill: async ({ selector, value }) => (await windows[0].page).fill(selector, value, { timeout: 10_000 }),
  click: async (selector) => (await windows[0].page).click(selector, { timeout: 10_000 }),
  waitFor: async (selector) =>
    void (await (await windows[0].page).waitForSelector(selector, { timeout: 15_000 })),
  second: (words) => app.emit('second-instance', {}, words),
  navigate: (url) => {
    let isPrevented = false;
    windows[0].webContents.emit('will-navigate', { url, preventDefault: () => (isPrevented = true) });
    return isPrevented;
  },
  open: (url) => windows[0].webContents.openHandler({ url }),
  permission: ({ name, url }) =>
    new Promise((resolve) =>
      permission.request(windows[0].webContents, name, resolve, { requestingUrl: url }),
    ),
  invokeFromFrame: async ({ channel, url }) => {
    try {
      return await handlers.get(channel)({ senderFrame: { url }, sender: windows[0].webContents }, null);
    } catch (error) {
      return `refused: ${error.message}`;
    }
  },
  invokeAs: async ({ channel, url, message }) => {
    const frame = { url };
    try {
      return (
        (await handlers.get(channel)({ senderFrame: frame, sender: { mainFrame: frame } }, message)) ?? 'done'
      );
    } catch (error) {
      return `refused: ${error.message}`;
    }
  },
  close: () => {
    let isPrevented = false;
    windows[0].emit('close', { preventDefault: () => (isPrevented = true) });
    return isPrevented;
  },
  quit: () => app.quit(),
};

process.on('message', ({ id, command, argument }) => {
  Promise.resolve()
    .then(() => commands[command](argument))
    .then(
      (answer) => process.send({ id, answer: answer ?? null }),
      (error) => process.send({ id, error: String(error) }),
    );
});
process.on('disconnect', () => void browser.close().then(() => process.exit(0)));
process.send({ id: 'ready' });
