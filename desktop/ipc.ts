// What the page in the window may ask of the program around it. A few verbs for the console, a few more for our own
// pages; every message is checked on the other side by what it is, and by which page sent it. No verb leads to a serial
// port: boards are done at the ports of the gateway, by its own interface.

export const CHANNELS = {
  /** Preload: is this page one of the paired gateway's? Answered at once, before the page begins. */
  isPaired: 'is-paired',
  /** Preload: the page still runs. A page that hangs says nothing, and is started anew. */
  alive: 'alive',
  /** Console: what this program is. */
  appInfo: 'app-info',
  /** Console: alarms that nobody answered, for the tray, the badge and the window. */
  alarms: 'alarms',
  /** Console: a message of the system's own. */
  notify: 'notify',
  /** Console: the farm's name and whom to call, for the page that is shown while its gateway is away. */
  farm: 'farm',
  /** Own pages: gateways found on the farm's network. */
  findGateways: 'find-gateways',
  /** Own pages: the gateway at an address that somebody typed. */
  lookAt: 'look-at',
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
  CHANNELS.isPaired,
  CHANNELS.alive,
  CHANNELS.appInfo,
  CHANNELS.alarms,
  CHANNELS.notify,
  CHANNELS.farm,
]);

export type AppInfo = {
  version: string;
  platform: string;
  isKiosk: boolean;
  /** Of the program on the box; null: it did not say. */
  gatewayVersion: string | null;
  /** Which of the two is behind: `outdated` this program, `newer` the gateway; null: they fit, or it is not known. */
  skew: Skew | null;
};
export type Skew = 'outdated' | 'newer';

export type AlarmsTold = {
  /** `blind`: the console does not know how the farm is; what it told last may have changed. Older consoles say none. */
  state?: 'calm' | 'alarm' | 'blind' | undefined;
  unanswered: number;
  /** Priority of the worst: 1 critical, 2 high, 3 attention; 0: none. */
  worst: 0 | 1 | 2 | 3;
  /** The worst in words, for the tray and the lost-gateway page. */
  text: string;
};

/** What this station knows of the farm: `blind` says nothing about alarms, least of all that there are none. */
export type Standing = AlarmsTold & { state: 'calm' | 'alarm' | 'blind' };

export type Notice = { title: string; body: string; isCritical: boolean };

export type FarmTold = { name: string; people: readonly Person[] };
export type Person = { name: string; phone: string };

/** A gateway on the farm's network. `pin`: SHA-256 of the public key of its authority, base64; null: it speaks plain http only. */
export type FoundGateway = { id: string; name: string; url: string; pin: string | null; software: string };
/** `code`: its key for people who compare it with the label of the box; null: it has none. */
export type OfferedGateway = FoundGateway & { code: string | null };

/** Why the window shows no console. `other-key`: who answers there cannot prove to be the paired box. */
export type LostWhy = 'silent' | 'other-key' | 'other-box';

/**
 * The gateway that runs on this very machine. `late`: it was started and does not answer for longer than a start takes.
 * `trouble` is its own last sentence; `port` the one that somebody else holds.
 */
export type LocalTold = {
  at: 'starting' | 'late' | 'running' | 'restarting' | 'stopped';
  trouble: { port: number | null; sentence: string } | null;
};

export type LastKnown = {
  gateway: { name: string; url: string } | null;
  farm: FarmTold | null;
  alarms: AlarmsTold | null;
  since: string | null;
  why: LostWhy;
  local: LocalTold | null;
  /** Whether a gateway came with this program, so that this machine can be the box. */
  canBeBox: boolean;
};

/** What the preload script puts into the page as `window.camarao`. */
export type Bridge = {
  appInfo(): Promise<AppInfo>;
  alarms(told: AlarmsTold): Promise<void>;
  notify(notice: Notice): Promise<void>;
  farm(told: FarmTold): Promise<void>;
};

/** What our own pages get instead. */
export type ShellBridge = {
  findGateways(): Promise<readonly OfferedGateway[]>;
  /** null: nothing of ours answers there. */
  lookAt(address: string): Promise<OfferedGateway | null>;
  chooseGateway(gateway: FoundGateway): Promise<void>;
  startLocal(): Promise<void>;
  lastKnown(): Promise<LastKnown>;
  retry(): Promise<void>;
};
