// What the page in the window may ask of the program around it. Four verbs for the console, a few more for our own
// pages; every message is checked on the other side by what it is, and by which page sent it.

export const CHANNELS = {
  /** Console: what this program is. */
  appInfo: 'app-info',
  /** Console: alarms that nobody answered, for the tray, the badge and the window. */
  alarms: 'alarms',
  /** Console: a message of the system's own. */
  notify: 'notify',
  /** Console: serial ports, for the technician's bench. */
  serialPorts: 'serial-ports',
  /** Own pages: gateways found on the farm's network. */
  findGateways: 'find-gateways',
  /** Own pages: use this gateway from now on. */
  chooseGateway: 'choose-gateway',
  /** Own pages: this machine is the box: start a gateway here. */
  startLocal: 'start-local',
  /** Own pages: what is known while the gateway is out of reach. */
  lastKnown: 'last-known',
  /** Own pages: try again now. */
  retry: 'retry',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];

/** Channels of the console, which comes from the paired gateway; the rest is for the pages that come with the program. */
export const CONSOLE_CHANNELS: ReadonlySet<Channel> = new Set([
  CHANNELS.appInfo,
  CHANNELS.alarms,
  CHANNELS.notify,
  CHANNELS.serialPorts,
]);

export type AppInfo = { version: string; platform: string; isKiosk: boolean };

export type AlarmsTold = {
  /** `blind`: the console does not know how the farm is; what it told last may have changed. Older consoles say none. */
  state?: 'calm' | 'alarm' | 'blind' | undefined;
  unanswered: number;
  /** Priority of the worst: 1 critical, 2 high, 3 attention; 0: none. */
  worst: 0 | 1 | 2 | 3;
  /** The worst in words, for the tray and the lost-gateway page. */
  text: string;
};

export type Notice = { title: string; body: string; isCritical: boolean };

export type SerialPortFound = {
  path: string;
  manufacturer: string | null;
  vendorId: string | null;
  productId: string | null;
};

/** A gateway on the farm's network. `pin`: SHA-256 of the public key of its authority, base64; null: it speaks plain http only. */
export type FoundGateway = { id: string; name: string; url: string; pin: string | null; software: string };

export type LastKnown = {
  gateway: { name: string; url: string } | null;
  alarms: AlarmsTold | null;
  since: string | null;
};

/** What the preload script puts into the page as `window.camarao`. */
export type Bridge = {
  appInfo(): Promise<AppInfo>;
  alarms(told: AlarmsTold): Promise<void>;
  notify(notice: Notice): Promise<void>;
  serialPorts(): Promise<readonly SerialPortFound[]>;
};

/** What our own pages get instead. */
export type ShellBridge = {
  findGateways(): Promise<readonly FoundGateway[]>;
  chooseGateway(gateway: FoundGateway): Promise<void>;
  startLocal(): Promise<void>;
  lastKnown(): Promise<LastKnown>;
  retry(): Promise<void>;
};
