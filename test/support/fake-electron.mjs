// @ts-nocheck: it plays a module whose types are for those who use it
// Runs the program around the console without Electron: main and preload unchanged, as they are packed, under an
// `electron` whose windows are pages of a real browser. Commands come over IPC, what the program did goes back.
// What it cannot show: the sandbox itself, menus, structured clone (messages go as JSON), redirects as they happen.

import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { get as httpsGet } from 'node:https';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { launchChromium } from './chromium.ts';

const [folder = '', userData = '', ...argv] = process.argv.slice(2);
process.argv = [process.execPath, folder, ...argv];

/** A machine that is busy elsewhere is late, not wrong. */
const PATIENCE_MS = 60_000;
/** What the program did, for the test to ask. */
const done = {
  badge: 0,
  tooltips: [],
  notices: [],
  questions: [],
  opened: [],
  quit: false,
  fullscreen: null,
  preferences: null,
  flashed: 0,
  shown: 0,
  awake: {},
  loaded: [],
};
const handlers = new Map();
const asked = new Map();
const protocols = new Map();
const permission = { request: null, check: null, verify: null, device: null };
/** What the next question is answered: 0 keeps on. */
let answer = 0;
let menu = [];

const browser = await launchChromium();
const app = Object.assign(new EventEmitter(), {
  commandLine: { appendSwitch: () => {} },
  setAsDefaultProtocolClient: () => true,
  requestSingleInstanceLock: () => !argv.includes('--second'),
  whenReady: () => Promise.resolve(),
  getPath: (name) => (name === 'exe' ? '/opt/Camarão/camarao' : userData),
  getAppPath: () => folder,
  getLocale: () => 'pt-BR',
  getVersion: () => '0.1.0',
  setLoginItemSettings: () => {},
  isPackaged: false,
  setBadgeCount: (count) => {
    done.badge = count;
  },
  quit: () => {
    let isPrevented = false;
    app.emit('before-quit', { preventDefault: () => (isPrevented = true) });
    if (isPrevented) return;
    done.quit = true;
    void browser.close().then(() => process.exit(0));
  },
});

const SHELL = 'camarao-app://shell/';
const PLAYED_SHELL = 'http://__shell.test/__shell/';
/** A scheme of our own cannot be taught to a browser that already runs: its pages stand under a name of the test. */
const played = (url) => url.replace(SHELL, PLAYED_SHELL);
const real = (url) => url.replace(PLAYED_SHELL, SHELL);

class WebContents extends EventEmitter {
  url = '';
  mainFrame = { url: '' };
  openHandler = null;
  setWindowOpenHandler(handler) {
    this.openHandler = handler;
  }
  getURL() {
    return this.url;
  }
  forcefullyCrashRenderer() {
    this.emit('render-process-gone', {}, { reason: 'killed' });
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
    const context = await browser.newContext({
      locale: 'pt-BR',
      viewport: { width: 1366, height: 768 },
      // keys are judged by what the program says of them, before anything is loaded
      ignoreHTTPSErrors: true,
    });
    const page = await context.newPage();
    const preload = readFileSync(this.options.webPreferences.preload, 'utf8');
    const frame = (url) => {
      this.webContents.mainFrame.url = real(url);
      return this.webContents.mainFrame;
    };
    await page.exposeBinding('__invoke', async (source, channel, message) => {
      const isMain = source.frame === page.mainFrame();
      const senderFrame = isMain ? frame(page.url()) : { url: source.frame.url() };
      const handler = handlers.get(channel);
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
      return (await handler({ senderFrame, sender: this.webContents }, message)) ?? null;
    });
    // a question that is answered before the page goes on
    await page.route('**/__sync/*', async (route) => {
      const { pathname, searchParams } = new URL(route.request().url());
      const event = { returnValue: undefined };
      asked.get(pathname.replace('/__sync/', ''))?.(event, searchParams.get('message'));
      await route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify(event.returnValue ?? null),
      });
    });
    // a sandboxed preload script knows `require('electron')` alone, and its world is not the page's
    await page.addInitScript(`{
      const invoke = (channel, message) => window.__invoke(channel, message ?? null);
      const sendSync = (channel, message) => {
        if (!window.location.protocol.startsWith('http')) return null;
        const request = new XMLHttpRequest();
        request.open('GET', '/__sync/' + channel + '?message=' + encodeURIComponent(message), false);
        request.send();
        return JSON.parse(request.responseText);
      };
      const require = (name) => {
        if (name !== 'electron') throw new Error('module not found: ' + name);
        return { contextBridge: { exposeInMainWorld: (key, api) => { window[key] = api; } }, ipcRenderer: { invoke, sendSync } };
      };
      const isShell = window.location.pathname.startsWith('/__shell/');
      const location = { protocol: isShell ? 'camarao-app:' : window.location.protocol, origin: window.location.origin };
      ${preload}
    }`);
    await page.route(/__shell\.test\/__shell\//, async (route) => {
      const name = new URL(route.request().url()).pathname.replace('/__shell', '');
      const answer = await protocols.get('camarao-app')({ url: `camarao-app://shell${name}` });
      const body = Buffer.from(await answer.arrayBuffer());
      await route.fulfill({ status: answer.status, body, contentType: typeOf(name) });
    });
    const cdp = await context.newCDPSession(page);
    cdp.on('Page.frameNavigated', ({ frame: { parentId, url, unreachableUrl } }) => {
      if (parentId !== undefined || unreachableUrl !== undefined) return;
      this.webContents.url = real(url);
      this.webContents.emit('did-navigate', {}, real(url));
    });
    cdp.on('Page.navigatedWithinDocument', ({ url }) =>
      this.webContents.emit('did-navigate-in-page', {}, url, true),
    );
    await cdp.send('Page.enable');
    return page;
  }
  async loadURL(wanted) {
    const page = await this.page;
    done.loaded.push(wanted);
    try {
      const { protocol, hostname } = new URL(wanted);
      if (protocol === 'https:' && !(await isVerified(wanted, hostname, permission.verify)))
        throw new Error('ERR_CERT_AUTHORITY_INVALID');
      await page.goto(played(wanted), { waitUntil: 'commit', timeout: PATIENCE_MS });
      if (done.shown === 0) this.emit('ready-to-show');
    } catch (error) {
      const isOvertaken = /interrupted by another navigation|ERR_ABORTED/.test(String(error));
      this.webContents.emit('did-fail-load', {}, isOvertaken ? -3 : -102, String(error), wanted, true);
      throw error;
    }
  }
  isDestroyed = () => false;
  isMinimized = () => false;
  restore() {}
  setKiosk(isKiosk) {
    done.fullscreen = isKiosk;
  }
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

/** The chain that a server shows, as Electron hands it over. */
function chainOf({ raw, issuerCertificate }, depth = 0) {
  const data = `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n`;
  const hasIssuer = issuerCertificate !== undefined && !issuerCertificate.raw.equals(raw) && depth < 5;
  return hasIssuer ? { data, issuerCert: chainOf(issuerCertificate, depth + 1) } : { data };
}

/** Whether the program takes this server's certificate; -3 leaves it to the browser, which knows none of a farm. */
function isVerified(url, hostname, verify) {
  const { port } = new URL(url);
  const host = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      verify({ hostname, certificate: chainOf(socket.getPeerCertificate(true)) }, (verdict) => {
        socket.destroy();
        resolve(verdict === 0);
      });
    });
    socket.once('error', reject);
  });
}

function aSession() {
  let verify = (_request, callback) => callback(-3);
  return {
    setCertificateVerifyProc: (proc) => {
      verify = proc;
    },
    async fetch(url, init) {
      if (!url.startsWith('https:')) return fetch(url, init);
      if (!(await isVerified(url, new URL(url).hostname, verify))) throw new TypeError('Failed to fetch');
      return new Promise((resolve, reject) => {
        httpsGet(url, { rejectUnauthorized: false, signal: init.signal }, (reply) => {
          const whole = (parts) => new Response(Buffer.concat(parts), { status: reply.statusCode });
          reply.toArray().then((parts) => resolve(whole(parts)), reject);
        }).once('error', reject);
      });
    },
  };
}
const sessions = new Map();

class Tray extends EventEmitter {
  setToolTip(text) {
    done.tooltips.push(text);
  }
  setContextMenu(made) {
    menu = made;
  }
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
  dialog: {
    async showMessageBox({ title, detail, buttons }) {
      done.questions.push({ title, detail, buttons });
      return { response: answer };
    },
  },
  ipcMain: {
    handle: (channel, handler) => handlers.set(channel, handler),
    on: (channel, listener) => asked.set(channel, listener),
  },
  nativeImage: { createFromBitmap: () => ({}) },
  net: {
    fetch: (url, init) =>
      url.startsWith('file:') ? Promise.resolve(new Response(readFileSync(new URL(url)))) : fetch(url, init),
  },
  powerMonitor: new EventEmitter(),
  powerSaveBlocker: {
    start: (type) => {
      const id = Object.keys(done.awake).length + 1;
      done.awake[id] = type;
      return id;
    },
    stop: (id) => delete done.awake[id],
  },
  protocol: {
    registerSchemesAsPrivileged: () => {},
    handle: (scheme, handler) => protocols.set(scheme, handler),
  },
  session: {
    defaultSession: {
      setPermissionRequestHandler: (handler) => (permission.request = handler),
      setPermissionCheckHandler: (handler) => (permission.check = handler),
      setDevicePermissionHandler: (handler) => (permission.device = handler),
      setCertificateVerifyProc: (handler) => (permission.verify = handler),
    },
    fromPartition: (name) => {
      if (!sessions.has(name)) sessions.set(name, aSession());
      return sessions.get(name);
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
while (windows.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));

/** Whether an event was held up by whoever hears it. */
function isPrevented(emitter, name, event = {}) {
  let isHeldUp = false;
  emitter.emit(name, { ...event, preventDefault: () => (isHeldUp = true) });
  return isHeldUp;
}

const commands = {
  done: () => done,
  url: async () => real((await windows[0].page).url()),
  text: async () => (await windows[0].page).evaluate(() => document.body.innerText),
  run: async (script) => (await windows[0].page).evaluate(script),
  fill: async ({ selector, value }) =>
    (await windows[0].page).fill(selector, value, { timeout: PATIENCE_MS }),
  click: async (selector) => (await windows[0].page).click(selector, { timeout: PATIENCE_MS }),
  waitFor: async (selector) =>
    void (await (await windows[0].page).waitForSelector(selector, { timeout: PATIENCE_MS })),
  second: (words) => app.emit('second-instance', {}, words),
  navigate: (url) => isPrevented(windows[0].webContents, 'will-navigate', { url }),
  redirect: (url) => isPrevented(windows[0].webContents, 'will-redirect', { url }),
  open: (url) => windows[0].webContents.openHandler({ url }),
  /** A page that came into the window past all of that. */
  stray: async (url) => void (await (await windows[0].page).goto(url)),
  gone: () => windows[0].webContents.emit('render-process-gone', {}, { reason: 'crashed' }),
  unresponsive: () => windows[0].emit('unresponsive'),
  permission: ({ name, url }) =>
    new Promise((resolve) =>
      permission.request(windows[0].webContents, name, resolve, { requestingUrl: url }),
    ),
  check: ({ name, url }) => permission.check(windows[0].webContents, name, url),
  device: (origin) => permission.device({ deviceType: 'serial', origin, device: {} }),
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
  close: () => isPrevented(windows[0], 'close'),
  menu: () => menu.map(({ label, checked }) => (checked === undefined ? label : { label, checked })),
  press: (label) => void menu.find((item) => item.label === label).click(),
  answer: (response) => {
    answer = response;
  },
  allClosed: () => app.listenerCount('window-all-closed'),
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
