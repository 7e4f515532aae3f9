import type {
  DeviceConfig,
  DeviceSchedule,
  HeartbeatFields,
  ShadowDesired,
} from '#contract/mqtt/messages.ts';
import { MQTT_ID_PATTERN } from '#contract/mqtt/topics.ts';
import type { SwitchState } from '#contract/words.ts';
import { type ControlView, targetOf } from '../control-view.ts';
import type { DeviceLink, Levels } from '../device-link.ts';

// What a controller is to know, made from one control point alone: the same bodies over MQTT and HTTP.

export type LevelDeps = {
  now: () => number;
  sha256: (text: string) => string;
  heartbeatS: number;
  /** Time between two starts, for the slot after a power cut, seconds. */
  startStepS: number;
  /** Offset of a zone at an instant, seconds. */
  utcOffsetS: (zone: string, atMs: number) => number;
  compileSchedule: (view: ControlView, from: number, rev: number) => DeviceSchedule;
  /** When the level ends by itself, and what comes then; null: it does not. */
  endOf: (view: ControlView) => { leftMs: number; then: SwitchState } | null;
};

/** Without the gateway for three heartbeats, a controller follows its own schedule. */
const LOST_S = 90;
const START_BASE_S = 5;
/** Controllers without an order of their own spread over this many slots by their name. */
const SLOTS = 12;
const DAY_MS = 86_400_000;

function shadowOf(deps: LevelDeps, view: ControlView): ShadowDesired {
  const target = targetOf(view);
  return {
    epoch: target.epoch,
    version: target.version,
    target_status: target.target_status,
    origin: target.target_origin,
    issued_at: issuedAtS(view),
    config_rev: configRevOf(deps, view),
    schedule_rev: scheduleRevOf(deps, view),
    ...levelEndOf(deps, view),
  };
}

/**
 * What is left of the level now, for this one delivery: where it lies for long it is not true any more. Rounded up, so
 * that a controller that counts it down is not ahead of the gateway.
 */
export function levelEndOf(
  deps: Pick<LevelDeps, 'endOf'>,
  view: ControlView,
): { until: number; then: SwitchState } | Record<string, never> {
  const end = deps.endOf(view);
  return end === null ? {} : { until: Math.ceil(end.leftMs / 1000), then: end.then };
}

/** When the level was given. Alone, a controller follows whatever is later: its last level or its schedule. */
export function issuedAtS(view: ControlView): number {
  return Math.floor(Date.parse(targetOf(view).last_command_at ?? view.row.created_at) / 1000);
}

export function configOf(deps: LevelDeps, view: ControlView): DeviceConfig {
  const { row } = view;
  const content = {
    heartbeat_s: deps.heartbeatS,
    fail_safe: row.fail_safe,
    lost_s: Math.max(LOST_S, 3 * deps.heartbeatS),
    min_on_s: row.min_on_s,
    min_off_s: row.min_off_s,
    start_delay_s: startDelayS(deps, view),
    utc_offset_s: deps.utcOffsetS(view.zone, deps.now()),
    locked_out: row.locked_out,
  };
  return {
    rev: configRevOf(deps, view),
    hash: deps.sha256(JSON.stringify(content)).slice(0, 16),
    ...content,
  };
}

export function scheduleOf(deps: LevelDeps, view: ControlView): DeviceSchedule {
  return deps.compileSchedule(view, startOfDay(deps.now()), scheduleRevOf(deps, view));
}

/** How long a motor waits for its turn after the power came back. */
export function startDelayS(deps: Pick<LevelDeps, 'startStepS' | 'sha256'>, view: ControlView): number {
  return START_BASE_S + deps.startStepS * startSlotOf(deps, view);
}

function startSlotOf({ sha256 }: Pick<LevelDeps, 'sha256'>, { row }: ControlView): number {
  return row.start_order ?? Number.parseInt(sha256(row.id).slice(0, 8), 16) % SLOTS;
}

/** Changes with the row and with the farm's offset, so that a polling controller fetches both. */
export function configRevOf(deps: LevelDeps, view: ControlView): number {
  return view.row.config_rev * 256 + deps.utcOffsetS(view.zone, deps.now()) / 900 + 128;
}

/** Changes with the schedules and every day: the list reaches fourteen days ahead. */
export function scheduleRevOf(deps: LevelDeps, view: ControlView): number {
  return view.row.schedule_rev * 100_000 + (Math.floor(deps.now() / DAY_MS) % 100_000);
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Keeps the broker's retained levels equal to what they should be; publishes only what differs from the last time. */
export function createLevelPublisher(deps: LevelDeps & { link: () => DeviceLink | null }) {
  const publishedById = new Map<
    string,
    { mqttId: string; shadow: string; config: string; schedule: string }
  >();

  function levelsOf(view: ControlView): Levels {
    return {
      mqttId: view.mqttId,
      shadow: shadowOf(deps, view),
      config: configOf(deps, view),
      schedule: scheduleOf(deps, view),
    };
  }

  function publish(view: ControlView): void {
    const link = deps.link();
    if (link === null) return;
    const levels = levelsOf(view);
    const before = publishedById.get(view.row.id);
    const known = before?.mqttId === view.mqttId ? before : undefined;
    if (before && !known) link.forget(before.mqttId);
    const now = {
      mqttId: view.mqttId,
      shadow: shadowKey(levels.shadow),
      config: `${levels.config.rev} ${levels.config.hash}`,
      schedule: `${levels.schedule.rev} ${levels.schedule.hash}`,
    };
    publishedById.set(view.row.id, now);
    if (known?.shadow !== now.shadow) link.publishShadow(view.mqttId, levels.shadow);
    if (known?.config !== now.config) link.publishConfig(view.mqttId, levels.config);
    if (known?.schedule !== now.schedule) link.publishSchedule(view.mqttId, levels.schedule);
  }

  /** What comes after a level that ends by itself changes with the water too, of which no row tells. */
  function publishEnds(views: Iterable<ControlView>): void {
    const link = deps.link();
    if (link === null) return;
    for (const view of views) {
      const known = publishedById.get(view.row.id);
      if (known === undefined || deps.endOf(view) === null) continue;
      const level = shadowOf(deps, view);
      const shadow = shadowKey(level);
      if (known.shadow === shadow) continue;
      publishedById.set(view.row.id, { ...known, shadow });
      link.publishShadow(view.mqttId, level);
    }
  }

  function forget(view: ControlView): void {
    publishedById.delete(view.row.id);
    deps.link()?.forget(view.mqttId);
  }

  /**
   * Tells a controller again what its heartbeat shows it has not got, once per heartbeat: a level that a controller
   * lost would otherwise wait for its next connect. One that puts an order off hears it again, which does no harm.
   */
  function repeat(view: ControlView, { version, epoch }: Pick<HeartbeatFields, 'version' | 'epoch'>): void {
    const link = deps.link();
    if (link === null) return;
    const target = targetOf(view);
    const isOther = epoch !== undefined && epoch !== target.epoch;
    if (isOther || (version !== undefined && version < target.version)) {
      link.publishShadow(view.mqttId, shadowOf(deps, view));
    }
    const { configRev, scheduleRev } = view.presence;
    if (configRev !== null && configRev !== configRevOf(deps, view)) {
      link.publishConfig(view.mqttId, configOf(deps, view));
    }
    if (scheduleRev !== null && scheduleRev !== scheduleRevOf(deps, view)) {
      link.publishSchedule(view.mqttId, scheduleOf(deps, view));
    }
  }

  return {
    levelsOf,
    publish,
    publishEnds,
    repeat,
    /** After a committed change of a control point: its levels, or the end of its connection. */
    follow(before: ControlView | null, after: ControlView | null): void {
      if (before !== null && (after === null || lostKey(before, after))) forget(before);
      if (after !== null) publish(after);
    },
  };
}

/** A level is news when anything but the seconds left of it differs: those pass at the controller, too. */
function shadowKey({ until, ...level }: ShadowDesired): string {
  return JSON.stringify({ ...level, hasEnd: until !== undefined });
}

/** A key that is gone must not keep a connection that was opened with it. */
function lostKey(before: ControlView, after: ControlView): boolean {
  const opens = (view: ControlView, id: string) =>
    view.keys.some((key) => key.id === id && key.state !== 'pending' && key.state !== 'revoked');
  return before.keys.some(({ id }) => opens(before, id) && !opens(after, id));
}

/** Name of a controller at the broker: its `device_id` where that fits into a topic, else a short hash of it. */
export function mqttIdOf(deps: { sha256: (text: string) => string }, deviceId: string): string {
  return MQTT_ID_PATTERN.test(deviceId) ? deviceId : `d-${deps.sha256(deviceId).slice(0, 16)}`;
}
