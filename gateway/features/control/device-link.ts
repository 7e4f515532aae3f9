import type { BootCredentials, BootHello, BootResult } from '#contract/mqtt/boot.ts';
import type {
  DeviceCommand,
  DeviceConfig,
  DeviceEvent,
  DeviceSchedule,
  DeviceState,
  HeartbeatFields,
  ShadowDesired,
  ShadowReported,
} from '#contract/mqtt/messages.ts';
import type { OtaDesired, OtaProgress } from '#contract/mqtt/ota.ts';

// The border between the broker and the use cases of devices. The broker knows sockets, topics and bounds; the use
// cases know control points. Neither knows the other's insides, so that another broker can take its place.

/** A controller that proved who it is. */
export type Controller = { controlPointId: string; deviceId: string; mqttId: string; keyId: string };

/** What the broker asks and tells. Called on the broker's hot path: `identify` answers from memory, at once. */
export type DeviceDoor = {
  /** null: unknown name or wrong key. `key` is compared in constant time. */
  identify: (mqttId: string, key: string) => Controller | null;
  /** True when a control point of that name exists, whatever key was given: tells a wrong key from an unknown device. */
  isKnown: (mqttId: string) => boolean;
  connected: (controller: Controller, connection: { source: string; since: number }) => void;
  /** The connection ended: `clean` is a farewell, otherwise it broke, fell silent or was taken over. */
  disconnected: (controller: Controller, end: { clean: boolean; takenOver: boolean }) => void;
  stateChanged: (controller: Controller, state: DeviceState) => void;
  /** Resolves when a change of status is on disk; the broker acknowledges only then. Undefined: nothing to wait for. */
  heartbeat: (controller: Controller, fields: HeartbeatFields) => Promise<void> | undefined;
  reported: (controller: Controller, report: ShadowReported) => Promise<void>;
  event: (controller: Controller, event: DeviceEvent) => Promise<void>;
  revisionReported: (controller: Controller, which: 'config' | 'schedule', rev: number) => void;
  /** Resolves when what changed is on disk. Undefined: nothing to wait for. */
  otaProgress: (controller: Controller, progress: OtaProgress) => Promise<void> | undefined;
  commandResult: (
    controller: Controller,
    correlation: string,
    result: { ok: boolean; detail?: string | undefined },
  ) => void;
  /** Somebody unknown knocked: kept for technicians, at most 1,000. */
  seenUnknown: (sight: {
    name: string;
    source: string;
    via: 'mqtt' | 'http';
    /** protocol_v5: it speaks MQTT 5 alone. client_id: its client id is not its user name, or not allowed. */
    reason: 'unknown' | 'wrong_key' | 'protocol_v5' | 'client_id';
  }) => void;
  /** Two connections fight over one identity (cloned flash). */
  identityContested: (controller: Controller, takeovers: number) => void;
};

/** What the use cases tell the broker. All of it is best effort and repeated at the next connect. */
export type DeviceLink = {
  publishShadow: (mqttId: string, level: ShadowDesired) => void;
  publishConfig: (mqttId: string, config: DeviceConfig) => void;
  publishSchedule: (mqttId: string, schedule: DeviceSchedule) => void;
  publishOta: (mqttId: string, level: OtaDesired) => void;
  /** Forgets every retained level of a controller and closes its connection (deleted, renamed, key revoked). */
  forget: (mqttId: string) => void;
  isConnected: (mqttId: string) => boolean;
};

/** All retained levels of a controller as they should be now; the broker asks at start and at every subscription. */
export type Levels = {
  mqttId: string;
  shadow: ShadowDesired;
  config: DeviceConfig;
  schedule: DeviceSchedule;
  /** Absent: no firmware is wanted, and nothing is retained. */
  ota?: OtaDesired;
};

/** What the broker asks and tells about boards without a key, which come as the user `boot` while the window is open. */
export type GuestDoor = {
  /** False: the window is closed, or too many wait; noted for the technician. */
  admit: (mac: string, source: string) => boolean;
  hello: (mac: string, hello: BootHello) => void;
  result: (mac: string, result: BootResult) => void;
  left: (mac: string) => void;
};

/** What is said to one board or controller, once. False: it is not connected. Nothing of it is ever retained. */
export type DeviceTalk = {
  sendCommand: (mqttId: string, correlation: string, command: DeviceCommand) => boolean;
  sendCredentials: (mac: string, credentials: BootCredentials) => boolean;
  /** Ends the connection of a board; of all of them without a MAC. */
  endGuests: (mac?: string) => void;
};

// The border between the broker and relays of the trade (Tasmota, Shelly). They come in by the same door as our own
// controllers, with a key of their own, and then speak a protocol of their own. The broker knows neither.

/** A knock at the broker that was not let in, as far as it tells who knocked. */
export type Knock = {
  clientId: string;
  username: string;
  will: { topic: string; payload: string } | null;
  source: string;
  reason: 'unknown' | 'wrong_key';
};

/** What the broker asks and tells about relays. All of it is answered from memory, at once. */
export type RelayDesk = {
  /** True when who has that name speaks a protocol of the trade. */
  isRelay: (mqttId: string) => boolean;
  maySubscribe: (mqttId: string, filter: string) => boolean;
  /** It subscribed, so from now on it hears what is sent there. */
  subscribed: (controller: Controller, filter: string) => void;
  /**
   * Every message of a relay. `ignored`: nothing of it is of use here. A promise when something is to be on disk
   * before the message is acknowledged.
   */
  hear: (controller: Controller, topic: string, payload: Buffer) => Promise<void> | undefined | 'ignored';
  knocked: (knock: Knock) => void;
};

/** Sends to whoever subscribed, now; never retained, for a broker must not switch a motor after a reconnect. */
export type SendToRelay = (topic: string, payload: string) => void;
