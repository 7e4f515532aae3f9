import { app, protocol } from 'electron';
import { SCHEME, startStation } from './station.ts';
import { linkIn } from './window.ts';

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
