import type {
  DeviceCommand,
  DeviceConfig,
  DeviceSchedule,
  HeartbeatAnswer,
} from '#contract/mqtt/messages.ts';
import type { OtaDesired } from '#contract/mqtt/ota.ts';
import type { DevicePublishes } from '#contract/mqtt/topics.ts';
import type { HeartbeatBody, LevelHeard } from '../controller/state.ts';

// What a controller's runner asks of a network, and what comes back.

export type Outgoing =
  | { kind: 'publish'; path: DevicePublishes; body: object }
  | { kind: 'result'; correlation: string; body: object }
  | { kind: 'post'; body: HeartbeatBody }
  | { kind: 'fetch'; what: 'config' | 'schedule' };

export type Incoming =
  /** `newKey`: it opened with the key that it was given last; from now on that is its key, and not before. */
  | { kind: 'connected'; newKey?: string }
  | { kind: 'disconnected'; lastContactMs?: number; reason: string; isRefused?: boolean }
  | { kind: 'desired'; level: LevelHeard }
  | { kind: 'config'; config: DeviceConfig }
  | { kind: 'schedule'; schedule: DeviceSchedule }
  | { kind: 'command'; correlation: string; command: DeviceCommand; isRetained: boolean }
  | { kind: 'ota'; level: OtaDesired }
  | { kind: 'time'; unixMs: number }
  | { kind: 'http_answer'; answer: HeartbeatAnswer }
  | { kind: 'http_failed'; reason: string }
  /** A message that breaks the contract: ignored and counted. */
  | { kind: 'malformed'; where: string };

export type Transport = {
  connect(session: { sid: string; bootId: string }): void;
  send(message: Outgoing): void;
  close(how: 'abrupt' | 'bye'): void;
  /** From the next session on; the key before is kept until this one has opened one. */
  rekey(key: string): void;
  /** true: the socket stays open and carries nothing, in either direction. */
  setHalfOpen(isHalfOpen: boolean): void;
};

export type Identity = { device_id: string; mqtt_id: string; key: string };

/** A transport tells through `hear`; what it says about a session that is over is nobody's concern. */
export type TransportDeps = { nowMs: () => number; hear: (message: Incoming) => void };
