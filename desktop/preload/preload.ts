import { contextBridge, ipcRenderer } from 'electron';
import { type Bridge, CHANNELS, type Channel, type ShellBridge } from '../ipc.ts';

// Runs sandboxed in front of every page. It only passes on; who may ask what is decided in the main process, by the
// page that sent it. A page that is neither ours nor the paired gateway's finds nothing of this program.

const ALIVE_EVERY_MS = 5_000;

const ask = <Answer>(channel: Channel, message?: unknown): Promise<Answer> =>
  ipcRenderer.invoke(channel, message) as Promise<Answer>;

const bridge: Bridge = {
  appInfo: () => ask(CHANNELS.appInfo),
  alarms: (told) => ask(CHANNELS.alarms, told),
  notify: (notice) => ask(CHANNELS.notify, notice),
  farm: (told) => ask(CHANNELS.farm, told),
};

const shell: ShellBridge = {
  findGateways: () => ask(CHANNELS.findGateways),
  lookAt: (address) => ask(CHANNELS.lookAt, address),
  chooseGateway: (gateway) => ask(CHANNELS.chooseGateway, gateway),
  startLocal: () => ask(CHANNELS.startLocal),
  lastKnown: () => ask(CHANNELS.lastKnown),
  retry: () => ask(CHANNELS.retry),
};

if (location.protocol === 'camarao-app:') contextBridge.exposeInMainWorld('shell', shell);
else if (ipcRenderer.sendSync(CHANNELS.isPaired, location.origin) === true) {
  contextBridge.exposeInMainWorld('camarao', bridge);
  setInterval(() => void ask(CHANNELS.alive).catch(() => undefined), ALIVE_EVERY_MS);
}
