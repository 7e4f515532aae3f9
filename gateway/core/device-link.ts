import type {
  DeviceConfig,
  DeviceEvent,
  DeviceSchedule,
  DeviceState,
  HeartbeatFields,
  ShadowDesired,
  ShadowReported,
} from '#contract/mqtt/messages.ts';

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
    reason: 'unknown' | 'wrong_key';
  }) => void;
  /** Two connections fight over one identity (cloned flash). */
  identityContested: (controller: Controller, takeovers: number) => void;
};

/** What the use cases tell the broker. All of it is best effort and repeated at the next connect. */
export type DeviceLink = {
  publishShadow: (mqttId: string, level: ShadowDesired) => void;
  publishConfig: (mqttId: string, config: DeviceConfig) => void;
  publishSchedule: (mqttId: string, schedule: DeviceSchedule) => void;
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
};
