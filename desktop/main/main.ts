import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type App,
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  net,
  type PowerMonitor,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  type Session,
  session,
  shell,
  Tray,
  type WebContents,
  type BrowserWindow as Window,
} from 'electron';
import type { Notice } from '../ipc.ts';
import { pinGateway } from './door.ts';
import { gatewayPlace } from './gateway-place.ts';
import { programFolders } from './local-gateway.ts';
import { answerPages, pageAnswers, reachPerson } from './page-answers.ts';
import { type KeptSettings, keptSettings, stationChoices } from './settings.ts';
import { leaving, makeTray, trayPixels } from './tray.ts';
import { gatewayAsker, watchFarm } from './watch.ts';
import { keepShowing, linkIn, pathOfDeepLink, windowOptions } from './window.ts';
import { type Words, words as wordsFor } from './words.ts';

/** Addresses a page may be: the paired gateway's, or one that came with the program. */
type IsOurs = (url: string) => boolean;

type HardenDeps = {
  isOurs: IsOurs;
  openOutside: (url: string) => void;
  /** A gateway led its page somewhere else, and was not followed. */
  refused: (url: string) => void;
};

const ALLOWED: ReadonlySet<string> = new Set([
  'notifications',
  'fullscreen',
  'clipboard-sanitized-write',
  'wakeLock',
]);

const PRIVATE = /^(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./;

// The program around the console, wired: a window, a tray, the paired gateway wherever it is, the gateway of this very
// machine where it is the box. The console itself comes from the gateway, so that both are always of one version.

const SCHEME = 'camarao-app';
const CHOOSE_PAGE = `${SCHEME}://shell/choose.html`;
const LOST_PAGE = `${SCHEME}://shell/lost.html`;
const WALL = '/painel';

const now = () => performance.now();
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const note = (line: string) => void process.stderr.write(`${line}\n`);

/** `link`: the place that this start was asked for. */
async function startStation(link: string | null): Promise<void> {
  const folders = programFolders(app);
  const userData = app.getPath('userData');
  const kept = await keptSettings({
    folder: userData,
    failed: (error) => note(`settings were not read or kept: ${String(error)}`),
    pause,
  });
  if (process.argv.includes('--kiosk')) kept.set({ isKiosk: true });
  const words = wordsFor(app.getLocale());

  const ask = gatewayAsker((name) => session.fromPartition(name));
  const place = await gatewayPlace({
    kept,
    folders,
    userData,
    ask,
    // whoever pressed the button waits for it
    localChanged: ({ at }) => void (at === 'running' && screen.isChoosing() && screen.begin()),
    pause,
    now,
  });
  // before anything that is only for the eyes
  if (kept.get().isLocal) place.runLocal();

  const isConsole = (url: string) => {
    const ours = place.address();
    return ours !== null && URL.canParse(url) && new URL(url).origin === new URL(ours).origin;
  };
  const isShell = (url: string) => url.startsWith(`${SCHEME}://shell/`);
  serveOwnPages(folders.shell);
  pinGateway(session.defaultSession, place.pinned);
  harden(app, session.defaultSession, {
    isOurs: (url) => isConsole(url) || isShell(url),
    openOutside: (url) => void shell.openExternal(url),
    refused: (url) => {
      note(`the gateway led to ${URL.canParse(url) ? new URL(url).origin : 'nowhere'}: not followed`);
      screen.refuse();
    },
  });

  const window = new BrowserWindow(windowOptions(folders.code, kept.get().isKiosk));
  const person = reachPerson({ window, words, dialog, Notification, quit: () => app.quit() });
  const leave = leaving({
    stopsGateway: place.ownsLocal,
    ask: person.question,
    stopGateway: place.stopLocal,
    quit: () => app.quit(),
  });
  const choices = stationChoices({
    app,
    kept,
    words,
    question: person.question,
    gatewayVersion: place.version,
    powerSaveBlocker,
    program: process.env['APPIMAGE'] ?? app.getPath('exe'),
    kioskChanged: (isKiosk) => {
      window.setKiosk(isKiosk);
      void screen.begin();
    },
    changed: (shown) => tray.offer(shown),
    note,
  });
  const tray = makeTray({
    Tray,
    Menu,
    imageOf: (mark) => {
      const { pixels, ...size } = trayPixels(mark);
      return nativeImage.createFromBitmap(pixels, size);
    },
    words,
    open: person.open,
    startWithSystem: choices.startWithSystem,
    beKiosk: choices.beKiosk,
    quit: () => void leave.wish(),
  });
  const watch = watchFarm({
    tell: (standing) => {
      tray.tell(standing);
      app.setBadgeCount(standing.unanswered);
    },
    bring: () => {
      person.open();
      window.flashFrame(true);
    },
    say: person.say,
    revive: () => window.webContents.forcefullyCrashRenderer(),
    isPaired: () => place.address() !== null,
    words,
  });
  const screen = keepShowing(window, {
    address: place.address,
    home: () => (kept.get().isKiosk || process.argv.includes('--panel') ? WALL : '/'),
    choosePage: CHOOSE_PAGE,
    lostPage: LOST_PAGE,
    isThere: place.isThere,
    isBlind: watch.isBlind,
    arrived: () => {
      watch.arrived();
      choices.show();
    },
    left: watch.left,
    now,
    today: () => new Date().toISOString(),
  });
  const answers = pageAnswers({
    version: app.getVersion(),
    folders,
    kept,
    ask,
    place,
    watch,
    screen,
    choices,
    person,
  });
  const refused = (channel: string, url: string) => note(`refused ${channel} to ${url}`);
  answerPages(ipcMain, answers, { isConsole, isShell, refused });

  wireEnds({ app, window, powerMonitor, process, kept, words, leave, say: person.say });
  app.on('will-quit', () => {
    screen.stop();
    watch.stop();
  });
  window.once('ready-to-show', () => window.show());
  window.on('unresponsive', () => window.webContents.forcefullyCrashRenderer());
  const goTo = (wanted: string | null) => {
    person.open();
    const at = pathOfDeepLink(wanted ?? '');
    if (at !== null) void screen.show(at);
  };
  app.on('second-instance', (_event, argv) => goTo(linkIn(argv)));
  app.on('open-url', (event, url) => {
    event.preventDefault();
    goTo(url);
  });
  choices.show();
  void screen.show(pathOfDeepLink(link ?? '') ?? undefined);
}

/** Only the few pages that come with the program, by their names. */
function serveOwnPages(folder: string): void {
  protocol.handle(SCHEME, (request) => {
    const { host, pathname } = new URL(request.url);
    const name = /^\/([\w-]+\.(?:html|js|css))$/.exec(pathname)?.[1];
    if (host !== 'shell' || name === undefined) return new Response('', { status: 404 });
    return net.fetch(pathToFileURL(path.join(folder, name)).href);
  });
}

/** Deny by default: no foreign page, no new window, no device, no permission beyond the few that the console needs. */
function harden(app: App, session: Session, deps: HardenDeps): void {
  const mayHave = (url: string, permission: string) => ALLOWED.has(permission) && deps.isOurs(url);
  session.setPermissionRequestHandler((contents, permission, callback, details) =>
    callback(mayHave(details.requestingUrl || contents.getURL(), permission)),
  );
  session.setPermissionCheckHandler((contents, permission, origin) =>
    mayHave(origin || (contents?.getURL() ?? ''), permission),
  );
  // boards are done at the ports of the gateway: no page reaches a port, a USB device or a keyboard of this machine
  session.setDevicePermissionHandler(() => false);
  app.on('web-contents-created', (_, contents) => hardenContents(contents, deps));
}

function hardenContents(contents: WebContents, { isOurs, openOutside, refused }: HardenDeps): void {
  contents.on('will-navigate', (event) => {
    if (isOurs(event.url)) return;
    event.preventDefault();
    // the page of a payment provider, which the person asked for
    if (mayOpenOutside(event.url)) openOutside(event.url);
  });
  contents.on('will-redirect', (event) => {
    if (isOurs(event.url)) return;
    event.preventDefault();
    refused(event.url);
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    // a link to the world opens in the world's browser, never in a window with our bridge
    if (!isOurs(url) && mayOpenOutside(url)) openOutside(url);
    return { action: 'deny' };
  });
}

/** The web, and by plain http what stands on the farm's own network: the page of a relay. */
function mayOpenOutside(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (
    protocol === 'https:' || (protocol === 'http:' && /^[\d.]+$/.test(hostname) && PRIVATE.test(hostname))
  );
}

type EndsDeps = {
  app: Pick<App, 'on' | 'quit'>;
  window: Pick<Window, 'on' | 'hide'>;
  powerMonitor: Pick<PowerMonitor, 'on'>;
  process: Pick<NodeJS.Process, 'on'>;
  kept: KeptSettings;
  words: Words;
  leave: ReturnType<typeof leaving>;
  say: (notice: Notice) => void;
};

/** Everything that could end the program, and what becomes of it. */
function wireEnds({ app, window, powerMonitor, process, kept, words, leave, say }: EndsDeps): void {
  window.on('close', (event) => {
    if (leave.isDecided()) return;
    event.preventDefault();
    // a wall stays a wall; elsewhere the farm is watched while nobody looks
    if (kept.get().isKiosk) return void leave.wish();
    window.hide();
    if (kept.get().wasToldOfTray) return;
    kept.set({ wasToldOfTray: true });
    say({ title: words.stays, body: words.staysText, isCritical: false });
  });
  // without this the program, and with it the gateway of a box, would end with its window
  app.on('window-all-closed', () => undefined);
  app.on('before-quit', (event) => {
    if (leave.isDecided()) return;
    event.preventDefault();
    void leave.wish();
  });
  window.on('session-end', leave.systemEnds);
  powerMonitor.on('shutdown', leave.systemEnds);
  process.on('SIGTERM', () => {
    leave.systemEnds();
    app.quit();
  });
}

// What must stand before the system is ready: the scheme of our own pages, the sound that may always be heard, one
// program a machine.

protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }]);
app.commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
app.setAsDefaultProtocolClient('camarao');
// Windows shows messages only of programs that say which they are
if (process.platform === 'win32') app.setAppUserModelId('example.farm.camarao');
// a fault of ours must not stop the watch behind a box that waits for a press
for (const fault of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(fault, (error: unknown) => process.stderr.write(`${fault}: ${String(error)}\n`));

if (app.requestSingleInstanceLock()) {
  // macOS hands over the link of a start before anything is ready
  const links: string[] = [];
  app.on('open-url', (event, url) => {
    event.preventDefault();
    links.push(url);
  });
  void app.whenReady().then(() => startStation(linkIn(process.argv) ?? links.at(-1) ?? null));
} else app.quit();
