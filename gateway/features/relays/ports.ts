import type { RowOf } from '#contract/resource.ts';
import type { RelayKind, RelaySettings, relay, relayMeter } from '#contract/resources/relays.ts';
import type { SwitchState } from '#contract/words.ts';
import type { Controller } from '#core/device-link.ts';
import type { Knock } from '#core/relay-link.ts';

export type Relay = RowOf<typeof relay>;
export type RelayMeter = RowOf<typeof relayMeter>;

export type RelayMessage = { topic: string; payload: string };

/** Nobody hears it while the broker does not stand. */
export type SayToRelay = (messages: readonly RelayMessage[]) => void;

/** Work nobody waits for: a failure is told in the log and repeated by the next message. */
export type InBackground = (controller: Controller, work: Promise<unknown> | undefined) => void;

/** What a relay does by itself when its power comes back; `other`: something that no fail-safe of ours asks for. */
export type PowerOn = 'ON' | 'OFF' | 'HOLD' | 'other';

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
};

/** Settings a relay must have so that it is safe on a farm; sent to it when it tells that it has others. */
export type WantedSettings = { powerOn: Exclude<PowerOn, 'other'>; channel: number };

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
  order: (mqttId: string, channel: number, target: SwitchState) => RelayMessage[];
  /** Asks for its state; what it measures comes with it or with `askMeter`. */
  ask: (mqttId: string) => RelayMessage[];
  askMeter: (mqttId: string) => RelayMessage[];
  askSettings: (mqttId: string, channel: number) => RelayMessage[];
  setPowerOn: (mqttId: string, wanted: WantedSettings) => RelayMessage[];
  switchOffFastCycleReset: (mqttId: string) => RelayMessage[];
  /** What a knock at the broker tells; null: none of this kind. */
  recognise: (knock: Knock) => { name: string; model: string | null; mac: string | null } | null;
  /** What is pasted into the relay. */
  paste: (facts: PasteFacts) => Pick<RelaySettings, 'fields' | 'steps'>;
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
