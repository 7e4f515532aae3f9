import type { NativeImage, Tray as SystemTray } from 'electron';
import type { AlarmsTold } from '../ipc.ts';

type TrayDeps = {
  Tray: new (image: NativeImage) => SystemTray;
  Menu: { buildFromTemplate(template: { label: string; click: () => void }[]): Electron.Menu };
  imageOf: (worst: AlarmsTold['worst']) => NativeImage;
  words: { open: string; quit: string; calm: string };
  open: () => void;
  quit: () => void;
};

/** The farm's state beside the clock: it is there while no window is. */
export function makeTray({ Tray, Menu, imageOf, words, open, quit }: TrayDeps) {
  const tray = new Tray(imageOf(0));
  tray.setToolTip(words.calm);
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: words.open, click: open },
      { label: words.quit, click: quit },
    ]),
  );
  tray.on('click', open);
  return {
    tell(told: AlarmsTold) {
      tray.setImage(imageOf(told.worst));
      tray.setToolTip(told.unanswered === 0 ? words.calm : `(${told.unanswered}) ${told.text}`);
    },
    destroy: () => tray.destroy(),
  };
}

const SIZE = 16;
const SHAPES = { 0: '#a3adb2', 1: '#d60000', 2: '#f48c25', 3: '#f7d76e' } as const;

/** Raw pixels (BGRA) of the tray's picture: octagon, triangle or square by priority, a quiet dot while all is well. */
export function trayPixels(worst: AlarmsTold['worst']): { width: number; height: number; pixels: Buffer } {
  const pixels = Buffer.alloc(SIZE * SIZE * 4);
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(SHAPES[worst].slice(at, at + 2), 16));
  for (let y = 0; y < SIZE; y += 1) {
    for (let x = 0; x < SIZE; x += 1) {
      if (!isInside(worst, x - 7.5, y - 7.5)) continue;
      pixels.set([blue ?? 0, green ?? 0, red ?? 0, 255], (y * SIZE + x) * 4);
    }
  }
  return { width: SIZE, height: SIZE, pixels };
}

function isInside(worst: AlarmsTold['worst'], x: number, y: number): boolean {
  switch (worst) {
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
