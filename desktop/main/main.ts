import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  app,
  BrowserWindow,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  net,
  powerSaveBlocker,
  protocol,
  session,
  shell,
  Tray,
} from 'electron';
import { type AlarmsTold, CHANNELS } from '../ipc.ts';
import { answerPages, plain, taking } from './answers.ts';
import { linkIn, pathOfDeepLink } from './deep-link.ts';
import { findGateways } from './find-gateways.ts';
import { harden } from './harden.ts';
import { type LocalGateway, startLocalGateway } from './local-gateway.ts';
import { alarmsTold, foundGateway, notice } from './messages.ts';
import { pinGateway } from './pinning.ts';
import { programFolders } from './program-folders.ts';
import { serialPorts } from './serial-ports.ts';
import { keptSettings } from './settings.ts';
import { makeTray, trayPixels } from './tray.ts';
import { keepShowing, windowOptions } from './window.ts';
import { wordsFor } from './words.ts';

// The program around the console: a window, a tray, the sound that may always be heard, serial ports. The console
// itself comes from the paired gateway, so that both are always of one version.

const SCHEME = 'camarao-app';
const LOCAL_PORT = 8080;

protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }]);
app.commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
app.setAsDefaultProtocolClient('camarao');

if (app.requestSingleInstanceLock()) void app.whenReady().then(start);
else app.quit();

function start(): void {
  const folders = programFolders(app);
  const kept = keptSettings(app.getPath('userData'));
  const isKiosk = process.argv.includes('--kiosk') || kept.get().isKiosk;
  const words = wordsFor(app.getLocale());
  let told: AlarmsTold | null = null;
  let lostSince: string | null = null;
  let local: LocalGateway | null = null;

  const address = () =>
    kept.get().isLocal ? `http://127.0.0.1:${LOCAL_PORT}/` : (kept.get().gateway?.url ?? null);
  const isConsole = (url: string) => {
    const ours = address();
    return ours !== null && URL.canParse(url) && new URL(url).origin === new URL(ours).origin;
  };
  const isShell = (url: string) => url.startsWith(`${SCHEME}://`);
  const runLocal = () => {
    local ??= startLocalGateway({
      program: folders.program,
      node: folders.node,
      data: path.join(app.getPath('userData'), 'gateway'),
      httpPort: LOCAL_PORT,
      log: (line) => process.stdout.write(`${line}\n`),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
  };

  protocol.handle(SCHEME, (request) => {
    const { pathname } = new URL(request.url);
    // only the few pages that come with the program, by their names
    const name = /^\/([\w-]+\.(?:html|js|css))$/.exec(pathname)?.[1];
    if (name === undefined) return new Response('', { status: 404 });
    return net.fetch(pathToFileURL(path.join(folders.shell, name)).href);
  });
  pinGateway(session.defaultSession, () => kept.get().gateway);
  harden(app, session.defaultSession, {
    isOurs: (url) => isConsole(url) || isShell(url),
    openOutside: (url) => void shell.openExternal(url),
  });

  const window = new BrowserWindow(windowOptions(folders.code, isKiosk));
  const screen = keepShowing(window, {
    address,
    choosePage: `${SCHEME}://shell/choose.html`,
    lostPage: `${SCHEME}://shell/lost.html`,
    isThere: (url) =>
      net.fetch(new URL('/healthz', url).href, { signal: AbortSignal.timeout(2_500) }).then(
        (answer) => answer.ok,
        () => false,
      ),
  });
  const open = () => {
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };
  let isQuitting = false;
  const tray = makeTray({
    Tray,
    Menu,
    imageOf: (worst) => {
      const { pixels, ...size } = trayPixels(worst);
      return nativeImage.createFromBitmap(pixels, size);
    },
    words,
    open,
    quit: () => {
      isQuitting = true;
      app.quit();
    },
  });

  answerPages(
    ipcMain,
    {
      [CHANNELS.appInfo]: plain(() => ({ version: app.getVersion(), platform: process.platform, isKiosk })),
      [CHANNELS.alarms]: taking(alarmsTold, (alarms) => {
        const isWorse = alarms.worst === 1 && told?.worst !== 1;
        told = alarms;
        tray.tell(alarms);
        app.setBadgeCount(alarms.unanswered);
        // a critical alarm brings the farm before whatever the PC was used for
        if (isWorse) {
          open();
          window.flashFrame(true);
        }
      }),
      [CHANNELS.notify]: taking(notice, ({ title, body, isCritical }) => {
        const shown = new Notification({ title, body, urgency: isCritical ? 'critical' : 'normal' });
        shown.on('click', open);
        shown.show();
      }),
      [CHANNELS.serialPorts]: plain(serialPorts),
      [CHANNELS.findGateways]: plain(() => findGateways()),
      [CHANNELS.chooseGateway]: taking(foundGateway, async (gateway) => {
        kept.set({ gateway, isLocal: false });
        await screen.show();
      }),
      [CHANNELS.startLocal]: plain(async () => {
        kept.set({ isLocal: true });
        runLocal();
        await screen.look();
      }),
      [CHANNELS.lastKnown]: plain(() => {
        lostSince ??= new Date().toISOString();
        const { gateway } = kept.get();
        return {
          gateway: gateway === null ? null : { name: gateway.name, url: gateway.url },
          alarms: told,
          since: lostSince,
        };
      }),
      [CHANNELS.retry]: plain(screen.look),
    },
    { isConsole, isShell, refused: (channel, url) => process.stderr.write(`refused ${channel} to ${url}\n`) },
  );

  window.webContents.on('did-navigate', (_event, url) => {
    if (isConsole(url)) lostSince = null;
  });
  window.on('close', (event) => {
    // the farm is watched while nobody looks; the tray's menu ends the program
    if (isQuitting || isKiosk) return;
    event.preventDefault();
    window.hide();
  });
  window.once('ready-to-show', () => window.show());
  app.on('before-quit', (event) => {
    isQuitting = true;
    screen.stop();
    if (local === null) return;
    event.preventDefault();
    const stopping = local;
    local = null;
    void stopping.stop().then(() => app.quit());
  });
  app.on('second-instance', (_event, argv) => {
    open();
    const path = pathOfDeepLink(linkIn(argv) ?? '');
    if (path !== null) void screen.show(path);
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    open();
    const path = pathOfDeepLink(url);
    if (path !== null) void screen.show(path);
  });
  if (isKiosk) powerSaveBlocker.start('prevent-display-sleep');
  if (kept.get().isLocal) runLocal();
  void screen.show(pathOfDeepLink(linkIn(process.argv) ?? '') ?? '/');
}
