import { existsSync } from 'node:fs';
import path from 'node:path';

const PLACES: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'electron',
  win32: 'electron.exe',
  darwin: 'Electron.app/Contents/MacOS/Electron',
};

/** Electron itself, which its package fetches from the internet on first use: `ELECTRON` names one; null: there is none here. */
export function electronBinary(): string | null {
  const named = process.env['ELECTRON'];
  const own = path.resolve('node_modules/electron/dist', PLACES[process.platform] ?? 'electron');
  return [named, own].find((file) => file !== undefined && existsSync(file)) ?? null;
}

/** Why no real window can be opened here; null: one can. */
export function whyNoWindow(): string | null {
  if (electronBinary() === null) return 'no Electron binary, see ELECTRON';
  const hasScreen = process.platform !== 'linux' || (process.env['DISPLAY'] ?? '') !== '';
  return hasScreen ? null : 'no screen, use xvfb-run';
}
