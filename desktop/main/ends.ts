import type { App, PowerMonitor, BrowserWindow as Window } from 'electron';
import type { Notice } from '../ipc.ts';
import type { KeptSettings } from './settings.ts';
import type { leaving } from './tray.ts';
import type { Words } from './words.ts';

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
export function wireEnds({ app, window, powerMonitor, process, kept, words, leave, say }: EndsDeps): void {
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
