import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { App, MenuItemConstructorOptions, NativeImage, Tray as SystemTray } from 'electron';
import type { AlarmsTold, Standing } from '../ipc.ts';
import type { Words } from './words.ts';

/** What the picture says: nothing is seen, all is well (0), or the priority of the worst alarm. */
type Mark = 'blind' | AlarmsTold['worst'];

export type TrayChoices = { startsWithSystem: boolean; isKiosk: boolean; versions: string };

type TrayDeps = {
  Tray: new (image: NativeImage) => SystemTray;
  Menu: { buildFromTemplate(template: MenuItemConstructorOptions[]): Electron.Menu };
  imageOf: (mark: Mark) => NativeImage;
  words: Words;
  open: () => void;
  startWithSystem: (wanted: boolean) => void;
  beKiosk: (wanted: boolean) => void;
  quit: () => void;
};

/** The farm's state beside the clock: it is there while no window is. */
export function makeTray({ Tray, Menu, imageOf, words, ...does }: TrayDeps) {
  const tray = new Tray(imageOf('blind'));
  tray.setToolTip(words.blind);
  tray.on('click', does.open);
  return {
    tell(standing: Standing) {
      tray.setImage(imageOf(markOf(standing)));
      tray.setToolTip(tipOf(standing, words));
    },
    /** Made anew whenever a choice changed: some systems show a menu as it was made. */
    offer({ startsWithSystem, isKiosk, versions }: TrayChoices) {
      tray.setContextMenu(
        Menu.buildFromTemplate([
          { label: words.open, click: does.open },
          { type: 'separator' },
          {
            label: words.startsWithSystem,
            type: 'checkbox',
            checked: startsWithSystem,
            click: () => does.startWithSystem(!startsWithSystem),
          },
          { label: words.kiosk, type: 'checkbox', checked: isKiosk, click: () => does.beKiosk(!isKiosk) },
          { type: 'separator' },
          { label: versions, enabled: false },
          { label: words.quit, click: does.quit },
        ]),
      );
    },
    destroy: () => tray.destroy(),
  };
}

export const markOf = ({ state, worst }: Standing): Mark =>
  state === 'blind' ? 'blind' : state === 'calm' ? 0 : worst;

function tipOf({ state, unanswered, text }: Standing, words: { blind: string; calm: string }): string {
  if (state === 'blind') return words.blind;
  return state === 'calm' || unanswered === 0 ? words.calm : `(${unanswered}) ${text}`;
}

const SIZE = 16;
const COLOURS = { blind: '#f04c67', 0: '#a3adb2', 1: '#d60000', 2: '#f48c25', 3: '#f7d76e' } as const;

/** Raw pixels (BGRA) of the tray's picture: octagon, triangle or square by priority, a quiet dot while all is well, a ring struck through while nothing is seen. */
export function trayPixels(mark: Mark): { width: number; height: number; pixels: Buffer } {
  const pixels = Buffer.alloc(SIZE * SIZE * 4);
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(COLOURS[mark].slice(at, at + 2), 16));
  for (let y = 0; y < SIZE; y += 1) {
    for (let x = 0; x < SIZE; x += 1) {
      if (!isInside(mark, x - 7.5, y - 7.5)) continue;
      pixels.set([blue ?? 0, green ?? 0, red ?? 0, 255], (y * SIZE + x) * 4);
    }
  }
  return { width: SIZE, height: SIZE, pixels };
}

function isInside(mark: Mark, x: number, y: number): boolean {
  switch (mark) {
    case 'blind': {
      const radius = Math.hypot(x, y);
      return (radius > 5 && radius < 7.6) || (radius < 7.6 && Math.abs(x + y) < 1.6);
    }
    case 0:
      return Math.hypot(x, y) < 4;
    case 1:
      return Math.abs(x) < 7.5 && Math.abs(y) < 7.5 && Math.abs(x) + Math.abs(y) < 10.5;
    case 2:
      return y > -7 && y < 7 && Math.abs(x) < (y + 7.5) / 2;
    case 3:
      return Math.abs(x) < 6.5 && Math.abs(y) < 6.5;
  }
}

// After a power cut nobody is there to open a program. On Windows and macOS the system is asked; desktops of Linux read
// a folder (freedesktop.org, Desktop Application Autostart).

type StartDeps = {
  app: Pick<App, 'setLoginItemSettings' | 'getPath'>;
  platform: NodeJS.Platform;
  /** What is started: of an AppImage the file itself, not what it unpacks to. */
  program: string;
};

/** Throws where the system does not let it be written. */
export function startWithSystem({ app, platform, program }: StartDeps, how: 'on' | 'off'): void {
  if (platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: how === 'on', path: program });
    return;
  }
  const file = path.join(app.getPath('appData'), 'autostart', 'camarao.desktop');
  if (how === 'off') {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, entryFor(program));
}

/** A desktop entry; what has a meaning in a command line there is written so that it has none. */
export function entryFor(program: string): string {
  const quoted = program.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%');
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Camarão',
    // the value is unescaped once as a string, and then read as a command line
    `Exec="${quoted.replaceAll('\\', '\\\\')}"`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

// The program ends only when somebody who was told what ends with it says so. The system, when it goes down, asks
// nobody: then the gateway is left alone, and hears from the system itself.

type LeavingDeps = {
  /** Whether a gateway on this machine would stop. */
  stopsGateway: () => boolean;
  ask: (what: 'gateway' | 'watch') => Promise<boolean>;
  stopGateway: () => Promise<void>;
  quit: () => void;
};

export function leaving({ stopsGateway, ask, stopGateway, quit }: LeavingDeps) {
  let isDecided = false;
  let isAsking = false;
  return {
    isDecided: () => isDecided,
    /** The session of the system ends. */
    systemEnds: () => {
      isDecided = true;
    },
    async wish(): Promise<void> {
      if (isAsking || isDecided) return;
      isAsking = true;
      const stops = stopsGateway();
      const mayEnd = await ask(stops ? 'gateway' : 'watch').finally(() => {
        isAsking = false;
      });
      // the system may have gone down meanwhile
      if (!mayEnd || isDecided) return;
      isDecided = true;
      try {
        if (stops) await stopGateway();
      } finally {
        // it was decided: nothing asks a second time
        quit();
      }
    },
  };
}
