import type { KeyObject } from 'node:crypto';
import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { ReportSource, SwitchState } from '#contract/words.ts';
import type { step } from '../controller/controller.ts';
import { runningVersion } from '../controller/ota.ts';
import { statusOf } from '../controller/reports.ts';
import type { ControllerProfile, HandSwitch, TransportKind } from '../controller/state.ts';
import type { RunnerNotice } from '../controller-runner.ts';
import { createRunner } from '../controller-runner.ts';
import { fetchFirmware } from '../fetch-firmware.ts';
import type { SimClock } from '../sim-clock.ts';
import { createRealClock } from '../sim-clock.ts';
import { type GatewayTrust, trustedAgent } from '../transport/gateway-trust.ts';
import { createHttpTransport, type TransportDeps } from '../transport/http-transport.ts';
import { createMqttTransport } from '../transport/mqtt-transport.ts';
import type { FaultInput, FaultTarget } from './faults.ts';
import { fault as faultSchema } from './faults.ts';
import type { Member } from './inject.ts';
import { injectFault } from './inject.ts';

// A farm of simulated controllers: one clock, one process, real sockets.

export type FleetController = {
  device_id: string;
  mqtt_id: string;
  /** Required over MQTT; an HTTP controller without one calls as the plain interface shows it. */
  key?: string;
  transport: TransportKind;
  power_kw?: number;
  /** The line that feeds it; a feeder goes dark as one. Default: `main`. */
  feeder?: string;
  profile?: Partial<Omit<ControllerProfile, 'transport'>>;
};

export type FleetOptions = {
  controllers: readonly FleetController[];
  httpBase: string;
  mqttUrl: string;
  /** By what they know the gateway over TLS; without it the rules of the machine hold. */
  trust?: GatewayTrust | undefined;
  seed: number;
  /** How many times faster than real time the controllers live (their sockets do not). */
  speed?: number;
  /** A clock of the caller's; the fleet then does not stop it. */
  clock?: SimClock;
  /** Publishers whose firmware they take over the air; without any they take none. */
  firmwareKeys?: readonly KeyObject[] | undefined;
  /** Another controller machine than the right one, to try checks against. */
  step?: typeof step;
};

export type ControllerView = {
  device_id: string;
  transport: TransportKind;
  feeder: string;
  is_powered: boolean;
  is_connected: boolean;
  current_status: SwitchState;
  is_motor_running: boolean;
  source: ReportSource;
  epoch: string | null;
  version: number | null;
  target_status: SwitchState | null;
  hand_switch: HandSwitch;
  motor_current_ma: number;
  consumption_kw: number;
  starts: number;
  firmware_version: string;
};

export type FleetCounters = {
  heartbeats: number;
  reports: number;
  connects: number;
  disconnects: number;
  httpFailures: number;
  levels: number;
  malformed: number;
  relayChanges: number;
};

export type FleetEvent = { device_id: string; atMs: number } & RunnerNotice;

export type Fleet = {
  clock: SimClock;
  /** Gives power to every controller that has none. */
  start(): void;
  /** Every controller says goodbye and falls silent. */
  stop(): Promise<void>;
  power(target: FaultTarget, state: 'on' | 'off'): void;
  /** Throws a ZodError when the fault is none. */
  inject(fault: FaultInput): void;
  states(): ControllerView[];
  state(deviceId: string): ControllerView | null;
  counters(): Readonly<FleetCounters>;
  /** Tells of every effect and message; answers the way to stop listening. */
  listen(listener: (event: FleetEvent) => void): () => void;
};

const STOP_WAIT_MS = 200;

/** Starts controllers against a gateway. They get power at once and call within their first five seconds. */
export function startFleet(options: FleetOptions): Fleet {
  const fleet = createFleet(options);
  fleet.start();
  return fleet;
}

/** The same without power, for a caller that wants to listen first. */
export function createFleet(options: FleetOptions): Fleet {
  const clock = options.clock ?? createRealClock(options.speed === undefined ? {} : { speed: options.speed });
  const agent = createAgent(options.httpBase, options.trust);
  const listeners = new Set<(event: FleetEvent) => void>();
  const counters: FleetCounters = {
    heartbeats: 0,
    reports: 0,
    connects: 0,
    disconnects: 0,
    httpFailures: 0,
    levels: 0,
    malformed: 0,
    relayChanges: 0,
  };
  const members = options.controllers.map((controller): Member => {
    let key = controller.key ?? '';
    const source = {
      base: options.httpBase,
      agent,
      key: () => key,
      publisherKeys: options.firmwareKeys ?? [],
    };
    const notice = (what: RunnerNotice, atMs: number) => {
      key = newKeyIn(what) ?? key;
      count(counters, what);
      if (listeners.size === 0) return;
      const event: FleetEvent = { device_id: controller.device_id, atMs, ...what };
      for (const listener of listeners) listener(event);
    };
    const makeTransport = (hear: TransportDeps['hear']) =>
      transportFor({ nowMs: clock.nowMs, hear, agent }, options, controller);
    const runner = createRunner(
      {
        clock,
        makeTransport,
        notice,
        fetchFirmware: (desired, how) => fetchFirmware(source, desired, how),
        ...(options.step === undefined ? {} : { step: options.step }),
      },
      {
        deviceId: controller.device_id,
        seed: options.seed,
        powerKw: controller.power_kw ?? 1.5,
        profile: { ...controller.profile, transport: controller.transport },
      },
    );
    return { deviceId: controller.device_id, feeder: controller.feeder ?? 'main', runner };
  });
  const inject = (input: FaultInput) =>
    injectFault({ clock, seed: options.seed }, members, faultSchema.parse(input));

  return {
    clock,
    start: () => {
      for (const member of members) member.runner.dispatch({ kind: 'power_on' });
    },
    stop: async () => {
      for (const member of members) member.runner.dispatch({ kind: 'shutdown' });
      // Farewells are on their way; a gateway that does not answer is not waited for.
      await new Promise((resolve) => setTimeout(resolve, STOP_WAIT_MS));
      agent.destroy();
      if (options.clock === undefined) clock.stop();
    },
    power: (target, state) => inject({ kind: state === 'on' ? 'power_return' : 'power_cut', on: target }),
    inject,
    states: () => members.map(viewOf),
    state: (deviceId) => {
      const member = members.find((each) => each.deviceId === deviceId);
      return member === undefined ? null : viewOf(member);
    },
    counters: () => counters,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function createAgent(httpBase: string, trust: GatewayTrust | undefined): PlainAgent {
  const settings = { keepAlive: true, maxSockets: 256, maxFreeSockets: 64 };
  if (!httpBase.startsWith('https:')) return new PlainAgent(settings);
  return trust === undefined ? new TlsAgent(settings) : trustedAgent(settings, trust);
}

function transportFor(
  deps: TransportDeps & { agent: PlainAgent },
  urls: { httpBase: string; mqttUrl: string; trust?: GatewayTrust | undefined },
  controller: FleetController,
) {
  const { device_id, mqtt_id, key } = controller;
  if (controller.transport === 'http') {
    return createHttpTransport(deps, urls.httpBase, key === undefined ? { device_id } : { device_id, key });
  }
  const identity = { device_id, mqtt_id, key: key ?? '' };
  return createMqttTransport(deps, urls.mqttUrl, identity, urls.trust ?? null);
}

function count(counters: FleetCounters, notice: RunnerNotice): void {
  if (notice.kind === 'heard') {
    const { kind } = notice.message;
    if (kind === 'connected') counters.connects += 1;
    else if (kind === 'disconnected') counters.disconnects += 1;
    else if (kind === 'http_failed') counters.httpFailures += 1;
    else if (kind === 'malformed') counters.malformed += 1;
    else if (kind === 'desired' || kind === 'http_answer') counters.levels += 1;
    return;
  }
  const { effect } = notice;
  if (effect.kind === 'post') counters.heartbeats += 1;
  else if (effect.kind === 'relay') counters.relayChanges += 1;
  else if (effect.kind === 'publish' && effect.path === 'hb') counters.heartbeats += 1;
  else if (effect.kind === 'publish' && effect.path === 'shadow/reported') counters.reports += 1;
}

/** The key that has just become the controller's: one that is refused never does. */
export function newKeyIn(what: RunnerNotice): string | null {
  return what.kind === 'heard' && what.message.kind === 'connected' ? (what.message.newKey ?? null) : null;
}

function viewOf(member: Member): ControllerView {
  const state = member.runner.state();
  return {
    device_id: member.deviceId,
    transport: state.profile.transport,
    feeder: member.feeder,
    is_powered: state.isPowered,
    is_connected: state.link.phase === 'up',
    current_status: statusOf(state),
    is_motor_running: member.runner.isMotorRunning(),
    source: state.control.source,
    epoch: state.nvs.applied?.epoch ?? null,
    version: state.nvs.applied?.version ?? null,
    target_status: state.nvs.level?.target ?? null,
    hand_switch: state.handSwitch,
    motor_current_ma: state.sensed.currentMa,
    consumption_kw: state.sensed.consumptionKw,
    starts: state.sensed.starts,
    firmware_version: runningVersion(state),
  };
}
