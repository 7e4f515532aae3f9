import type { z } from 'zod';
import type {
  DeviceCommand,
  DeviceConfig,
  DeviceSchedule,
  HeartbeatAnswer,
  httpHeartbeat,
} from '#contract/mqtt/messages.ts';
import type { FirmwareChip, FirmwareDesired, OtaDesired, OtaReason } from '#contract/mqtt/ota.ts';
import type { DevicePublishes } from '#contract/mqtt/topics.ts';
import type { ReportSource, SwitchState } from '#contract/words.ts';

// Firmware over the air (device protocol, section 11) with two partitions: the new image runs on trial until it has been
// connected and level with the gateway for a minute; until then every way out leads back to the image before.

/** What a simulated image does once it runs. */
export type Behaviour = 'good' | 'no_network' | 'crash';

/** An update as the board remembers it over a restart. */
export type OtaRecord = {
  desired: FirmwareDesired;
  phase: 'downloading' | 'ready' | 'trial' | 'done' | 'failed' | 'rolled_back';
  behaviour: Behaviour;
  /** Starts of the image on trial. */
  boots: number;
  reason?: OtaReason;
  detail?: string;
};

export type Fetched = { ok: true; behaviour: Behaviour } | { ok: false; reason: OtaReason; detail: string };

// What a controller knows, hears and does. No IO: the same events always give the same effects.

export type TransportKind = 'mqtt' | 'http';
export type HandSwitch = 'AUTO' | 'ON' | 'OFF';

export type ControllerProfile = {
  transport: TransportKind;
  /** As it came from the factory; an update over the air is remembered in the NVS. */
  firmwareVersion: string;
  chip: FirmwareChip;
  /** true: an auxiliary contact tells the true state of the contactor, not only of the coil. */
  hasContactFeedback: boolean;
  /** Seconds between meter messages over MQTT; 0 sends none. */
  meterEveryS: number;
  /** The first attempt after a start comes within this many seconds. */
  firstTryWithinS: number;
  /** What the controller holds before a gateway ever configured it. */
  factoryConfig: DeviceConfig;
};

/** A level and its place in the order of levels. */
export type Level = {
  epoch: string;
  version: number;
  target: SwitchState;
  /** When it was given, seconds since 1970; unknown from an older gateway. */
  issuedAtS?: number;
};

/** A level as it is told: it may end by itself. */
export type LevelHeard = Level & { ends?: { untilS: number; then: SwitchState } };

/** What survives a power cut. */
export type Nvs = {
  /** The last level accepted; a lower version of its epoch is ignored. */
  level: Level | null;
  /** It ends by itself: what was left of it at the last note, and what follows. */
  ending: { leftS: number; then: SwitchState } | null;
  /** It came to its end; its target is what followed. */
  hasEnded: boolean;
  /** The last level the relay really took. */
  applied: { epoch: string; version: number } | null;
  /** The state last wanted: what HOLD comes back to. */
  hold: SwitchState;
  /** The motor ran and has not rested since: a power cut of unknown length does not count as rest. */
  owesRest: boolean;
  config: DeviceConfig;
  schedule: DeviceSchedule | null;
  bootCount: number;
  /** null: that of the profile. `previous` is what a trial goes back to. */
  firmware: { running: string; previous: string | null } | null;
  ota: OtaRecord | null;
};

/** What the board measures. */
export type Sensed = {
  contact: SwitchState;
  currentMa: number;
  consumptionKw: number;
  wh: number;
  onS: number;
  starts: number;
};

/** boot: nothing heard since the start; gateway: its level rules; lost: alone. */
export type ControlMode = 'boot' | 'gateway' | 'lost';

export type Ack = { ack: 'applied' | 'deferred' | 'refused'; untilS?: number; reason?: string };

export type ControllerState = {
  profile: ControllerProfile;
  rngSeed: number;
  nvs: Nvs;
  isPowered: boolean;
  /** Hardware that no power cut moves. */
  handSwitch: HandSwitch;
  isMainsOk: boolean;
  sensed: Sensed;
  bootAtMs: number;
  bootId: string;
  seq: number;
  eventCount: number;
  clock: { offsetMs: number | null; setAtMs: number; skewMs: number };
  relay: {
    coil: SwitchState;
    changedAtMs: number;
    /** The start slot counts from here: the boot, or the return of the mains. */
    slotFromMs: number;
    /** No start yet since slotFromMs: the next one waits for the slot. */
    isSlotPending: boolean;
    /** The slot is that of a motor whose pause came to its end; the gateway may call it before. */
    isEndSlot: boolean;
    /** The motor was stopped by a power cut of unknown length: its rest counts from slotFromMs. */
    mustRest: boolean;
    applyAtMs: number | null;
  };
  control: {
    mode: ControlMode;
    source: ReportSource;
    lostAtMs: number | null;
    scheduleAtMs: number | null;
    /** The level ends by itself then, and what is left of it is noted again. */
    endAtMs: number | null;
    noteEndAtMs: number | null;
    lastAck: Ack['ack'] | null;
    isReportDue: boolean;
    isAckDue: boolean;
  };
  link: {
    phase: 'down' | 'connecting' | 'up';
    attempt: number;
    tryAtMs: number | null;
    stableAtMs: number | null;
    sid: string;
    sessions: number;
    heartbeatAtMs: number | null;
    meterAtMs: number | null;
    pollIntervalS: number;
    /** A request is under way (HTTP). */
    isWaiting: boolean;
    sendAgain: boolean;
    toldBoot: boolean;
  };
  watch: { suspectAtMs: number | null; told: 'relay_stuck' | 'no_current' | null };
  ota: {
    isFetching: boolean;
    toldBytes: number;
    provedAtMs: number | null;
    trialUntilMs: number | null;
    crashAtMs: number | null;
  };
  recentCommands: readonly string[];
  timerAtMs: number | null;
};

export type ControllerEvent = { nowMs: number } & (
  | { kind: 'power_on'; reason?: 'power' | 'reboot' }
  | { kind: 'power_cut' }
  | { kind: 'shutdown' }
  | { kind: 'tick' }
  | { kind: 'connected' }
  /** `lastContactMs`: when the gateway was last heard, for a link that died silently. */
  | { kind: 'disconnected'; lastContactMs?: number }
  | { kind: 'desired'; level: LevelHeard }
  | { kind: 'config'; config: DeviceConfig }
  | { kind: 'schedule'; schedule: DeviceSchedule }
  | { kind: 'command'; correlation: string; command: DeviceCommand; isRetained: boolean }
  | { kind: 'http_answer'; answer: HeartbeatAnswer }
  | { kind: 'http_failed' }
  | { kind: 'ota'; level: OtaDesired }
  | { kind: 'firmware_bytes'; job: string; done: number }
  | { kind: 'firmware_fetched'; job: string; fetched: Fetched }
  | { kind: 'time'; unixMs: number }
  | { kind: 'clock_skew'; skewMs: number }
  | { kind: 'hand_switch'; position: HandSwitch }
  | { kind: 'mains'; isOk: boolean }
  | { kind: 'sensed'; sensed: Sensed }
);

type HttpBody = Omit<z.input<typeof httpHeartbeat>, 'device_id'>;

export type Effect =
  /** Drive the coil; the runner answers with `sensed`. */
  | { kind: 'relay'; to: SwitchState }
  | { kind: 'connect'; sid: string; bootId: string }
  | { kind: 'disconnect'; how: 'abrupt' | 'bye' }
  | { kind: 'publish'; path: DevicePublishes; body: object }
  | { kind: 'result'; correlation: string; body: { ok: boolean; detail?: string } }
  | { kind: 'post'; body: HttpBody }
  | { kind: 'fetch'; what: 'config' | 'schedule' }
  | { kind: 'persist'; nvs: Nvs }
  /** Fetch and check an image; the runner answers with `firmware_bytes` and `firmware_fetched`. */
  | { kind: 'download'; desired: FirmwareDesired }
  | { kind: 'abandon' }
  /** A new key, kept beside the old one until it has opened a connection. */
  | { kind: 'rekey'; key: string }
  | { kind: 'restart' }
  | { kind: 'timer'; atMs: number | null };

export type HeartbeatBody = HttpBody;

export const FACTORY_CONFIG: DeviceConfig = {
  rev: 0,
  hash: '',
  heartbeat_s: 30,
  fail_safe: 'HOLD',
  lost_s: 90,
  min_on_s: 60,
  min_off_s: 60,
  start_delay_s: 5,
  utc_offset_s: 0,
  locked_out: false,
};

export const DEFAULT_PROFILE: ControllerProfile = {
  transport: 'mqtt',
  firmwareVersion: 'sim-1.0.0',
  chip: 'esp32',
  hasContactFeedback: true,
  meterEveryS: 60,
  firstTryWithinS: 5,
  factoryConfig: FACTORY_CONFIG,
};

const NOTHING_SENSED: Sensed = { contact: 'OFF', currentMa: 0, consumptionKw: 0, wh: 0, onS: 0, starts: 0 };

/** A controller fresh from the factory, without power. */
export function newController(options: {
  seed: number;
  profile?: Partial<ControllerProfile>;
}): ControllerState {
  const profile = { ...DEFAULT_PROFILE, ...options.profile };
  const nvs: Nvs = {
    level: null,
    ending: null,
    hasEnded: false,
    applied: null,
    hold: 'OFF',
    owesRest: false,
    config: profile.factoryConfig,
    schedule: null,
    bootCount: 0,
    firmware: null,
    ota: null,
  };
  return unpowered({ profile, rngSeed: options.seed, nvs, handSwitch: 'AUTO', isMainsOk: true, skewMs: 0 });
}

/** Everything volatile at its value without power. */
export function unpowered(kept: {
  profile: ControllerProfile;
  rngSeed: number;
  nvs: Nvs;
  handSwitch: HandSwitch;
  isMainsOk: boolean;
  skewMs: number;
}): ControllerState {
  return {
    profile: kept.profile,
    rngSeed: kept.rngSeed,
    nvs: kept.nvs,
    isPowered: false,
    handSwitch: kept.handSwitch,
    isMainsOk: kept.isMainsOk,
    sensed: NOTHING_SENSED,
    bootAtMs: 0,
    bootId: '',
    seq: 0,
    eventCount: 0,
    clock: { offsetMs: null, setAtMs: 0, skewMs: kept.skewMs },
    relay: {
      coil: 'OFF',
      changedAtMs: Number.NEGATIVE_INFINITY,
      slotFromMs: 0,
      isSlotPending: false,
      isEndSlot: false,
      mustRest: false,
      applyAtMs: null,
    },
    control: {
      mode: 'boot',
      source: 'fail_safe',
      lostAtMs: null,
      scheduleAtMs: null,
      endAtMs: null,
      noteEndAtMs: null,
      lastAck: null,
      isReportDue: false,
      isAckDue: false,
    },
    link: {
      phase: 'down',
      attempt: 0,
      tryAtMs: null,
      stableAtMs: null,
      sid: '',
      sessions: 0,
      heartbeatAtMs: null,
      meterAtMs: null,
      pollIntervalS: 0,
      isWaiting: false,
      sendAgain: false,
      toldBoot: false,
    },
    watch: { suspectAtMs: null, told: null },
    ota: { isFetching: false, toldBytes: 0, provedAtMs: null, trialUntilMs: null, crashAtMs: null },
    recentCommands: [],
    timerAtMs: null,
  };
}
