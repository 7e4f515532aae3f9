import type { DeviceConfig, DeviceSchedule, ShadowDesired } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import { type ControlView, targetOf } from '../control-view.ts';

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

export function shadowOf(deps: LevelDeps, view: ControlView): ShadowDesired {
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
