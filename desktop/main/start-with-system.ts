import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { App } from 'electron';

// After a power cut nobody is there to open a program. On Windows and macOS the system is asked; desktops of Linux read
// a folder (freedesktop.org, Desktop Application Autostart).

export type StartDeps = {
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
