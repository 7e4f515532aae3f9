import type { RowOf } from '#contract/resource.ts';
import type { RelayKind, RelaySettings, relay, relayMeter } from '#contract/resources/relays.ts';
import type { SwitchState } from '#contract/words.ts';
import type { Controller, Knock } from '#features/control/device-link.ts';

export type Relay = RowOf<typeof relay>;
export type RelayMeter = RowOf<typeof relayMeter>;

export type RelayMessage = { topic: string; payload: string };

/** Nobody hears it while the broker does not stand. */
export type SayToRelay = (messages: readonly RelayMessage[]) => void;

/** Work nobody waits for: a failure is told in the log and repeated by the next message. */
export type InBackground = (controller: Controller, work: Promise<unknown> | undefined) => void;

/** What a relay does by itself when its power comes back; `other`: something that no fail-safe of ours asks for. */
export type PowerOn = 'ON' | 'OFF' | 'HOLD' | 'other';

/** Who switched it last, by its own word. `order`: something said to it over the broker, by us or by another program. */
export type SwitchedBy = 'order' | 'hand' | 'timer' | 'protection' | 'start';

export type DeviceFacts = {
  mac: string;
  model: string;
  firmware: string;
  address: string;
  rssi: number;
  uptimeS: number;
  restartReason: string;
};

export type ChannelFacts = {
  current: SwitchState;
  switchedBy: SwitchedBy;
  powerW: number;
  voltageV: number;
  currentA: number;
  powerFactor: number;
  temperatureC: number;
  /** What the counter of the relay shows, Wh, and since when in its own words. */
  countedWh: number;
  countedSince: string | null;
  /** It switches itself off after this long, s; 0: it does not. */
  autoOffS: number;
  /** It switches itself on again after this long, s; 0: it does not. */
  autoOnS: number;
  powerOn: PowerOn;
  /** What it protects itself from now, for example overpower. */
  errors: readonly string[];
};

/** What one message of a relay said. */
export type RelayNews = {
  /** true: it greets, with a new connection; false: a farewell, or the will of an older connection. */
  hello?: boolean;
  /** It says that it has just started. */
  hasStarted?: true;
  device?: Partial<DeviceFacts>;
  /** By number, from 1. 0: the device as a whole, where it does not say which. */
  channels?: ReadonlyMap<number, Partial<ChannelFacts>>;
  /** Tasmota: a few short power cuts put it back to its factory settings. */
  hasFastCycleReset?: boolean;
  /** It did not do what was asked of it. */
  refused?: string;
  /** Somebody changed its settings. */
  hasNewSettings?: true;
  /** It has no way to end an order by itself. */
  hasNoTimer?: true;
  /** It told how it stands, in words that nobody reads here. */
  isUnreadable?: true;
  /** A device or a mode of it that cannot be a relay of ours. */
  unsupported?: UnsupportedRelay;
  /** Its longest wait between two attempts to connect is twelve times this, and two minutes at most, s. */
  retryS?: number;
};

export type UnsupportedRelay = 'FIRST_GENERATION' | 'COVER_PROFILE';

/** Settings a relay must have so that it is safe on a farm; sent to it when it tells that it has others. */
export type WantedSettings = { powerOn: Exclude<PowerOn, 'other'>; channel: number };

/** An order that ends by itself, and what is known of the relay that is to end it. */
export type OrderMore = {
  /** The relay goes to the opposite state after this long, by its own timer, s; null: it stays. */
  endsInS: number | null;
  /** A timer of an earlier order may run in the relay. */
  mayHaveTimer: boolean;
  firmware: string | null;
  /** No other channel of the same relay is a control point. */
  isAlone: boolean;
};

/** One protocol of the trade, as pure text: what a message says, and how something is said. */
export type RelayProtocol = {
  kind: RelayKind;
  /** Longest user name and key that every version of its firmware takes. */
  longestName: number;
  /** null: none of the topics this protocol knows, or nothing that can be read. Never throws. */
  read: (mqttId: string, topic: string, payload: Buffer) => RelayNews | null;
  maySubscribe: (mqttId: string, filter: string) => boolean;
  /** True when who has this filter hears orders. */
  hearsOrders: (mqttId: string, filter: string) => boolean;
  /** An end that the relay cannot time (`canEnd`) is left out. */
  order: (mqttId: string, channel: number, target: SwitchState, more?: OrderMore) => RelayMessage[];
  canEnd: (more: OrderMore) => boolean;
  /** An order without an end takes back the timer of an earlier one. */
  canCancelTimer: (more: OrderMore) => boolean;
  /** It tells when it no longer protects itself; else that is over when it is ON again. */
  reportsEndOfErrors: boolean;
  /** Asks for its state; what it measures comes with it or with `askMeter`. */
  ask: (mqttId: string) => RelayMessage[];
  askMeter: (mqttId: string) => RelayMessage[];
  askSettings: (mqttId: string, channel: number) => RelayMessage[];
  setPowerOn: (mqttId: string, wanted: WantedSettings) => RelayMessage[];
  switchOffFastCycleReset: (mqttId: string) => RelayMessage[];
  /** Timers of its own, by which it switches itself. */
  disableTimers: (mqttId: string, channel: number) => RelayMessage[];
  /** The words in which it tells its state. */
  setStateWords: (mqttId: string) => RelayMessage[];
  shortenRetry: (mqttId: string) => RelayMessage[];
  /** What a knock at the broker tells; null: none of this kind. */
  recognise: (knock: Knock) => RecognisedRelay | null;
  /** What is pasted into the relay. */
  paste: (facts: PasteFacts) => Pick<RelaySettings, 'fields' | 'steps'>;
};

export type RecognisedRelay = {
  name: string;
  model: string | null;
  mac: string | null;
  /** Absent: it can be adopted. */
  unsupported?: UnsupportedRelay;
};

export type PasteFacts = {
  host: string;
  port: number;
  mqttId: string;
  /** null: it has its key, and is only to be shown where it belongs. */
  key: string | null;
  /** Address of the relay, where it is known. */
  relayAddress: string | null;
  powerOn: Exclude<PowerOn, 'other'>;
  channel: number;
};

/** What the database keeps of relays. */
export type RelayQueries = {
  allRelays: () => Promise<Relay[]>;
  allMeters: () => Promise<RelayMeter[]>;
};
