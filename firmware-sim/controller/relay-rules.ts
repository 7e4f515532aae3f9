import type { ReportSource, SwitchState } from '#contract/words.ts';
import { unreachable } from '#contract/words.ts';
import { deviceUnixMs, isClockValid } from './device-clock.ts';
import { isListed, localEventAt, nextScheduleChangeS } from './level-end.ts';
import type { Ack, ControllerState } from './state.ts';
import type { Turn } from './turn.ts';

// What the relay is to do, and when it may. Losing the network is never a reason to switch.

type Wish = { to: SwitchState; source: ReportSource; isUrgent: boolean };

const LONGEST_BLIND_MS = 900_000;

/** Moves the coil to what is wanted now, or notes when it may move. */
export function settleRelay(turn: Turn): void {
  const { state, nowMs } = turn;
  forgetServedRest(state, nowMs);
  const wish = relayWish(state, nowMs);
  state.nvs.hold = wish.to;
  if (wish.source !== state.control.source) {
    state.control.source = wish.source;
    state.control.isReportDue = true;
  }
  state.control.scheduleAtMs = nextScheduleLookMs(state, nowMs);
  const to = state.isMainsOk ? wish.to : 'OFF';
  const atMs = to === state.relay.coil ? null : earliestMs(state, to, wish.isUrgent || !state.isMainsOk);
  state.relay.applyAtMs = atMs;
  if (atMs !== null && atMs <= nowMs) switchCoil(turn, to);
  markApplied(state);
}

/** What the order that rules now wants, and in whose name. */
function relayWish(state: ControllerState, nowMs: number): Wish {
  const wish = unlockedWish(state, nowMs);
  // Somebody's hands may be in the motor: at once, whatever the minimum times say.
  return state.nvs.config.locked_out ? { ...wish, to: 'OFF', isUrgent: true } : wish;
}

function unlockedWish(state: ControllerState, nowMs: number): Wish {
  if (state.handSwitch !== 'AUTO') {
    return { to: state.handSwitch, source: 'manual', isUrgent: state.handSwitch === 'OFF' };
  }
  const { mode, endAtMs } = state.control;
  // Its end is known without anybody's help, so it holds until then: alone, and over a start.
  if (endAtMs !== null && state.nvs.level !== null) {
    return { to: state.nvs.level.target, source: 'shadow', isUrgent: false };
  }
  switch (mode) {
    case 'gateway': {
      const to = state.nvs.level?.target ?? state.nvs.hold;
      return { to, source: 'shadow', isUrgent: false };
    }
    case 'lost': {
      const to = scheduled(state, nowMs);
      return to === null ? failSafeWish(state, nowMs) : { to, source: 'local_schedule', isUrgent: false };
    }
    case 'boot':
      return failSafeWish(state, nowMs);
    default:
      return unreachable(mode);
  }
}

function failSafeWish(state: ControllerState, nowMs: number): Wish {
  const word = state.nvs.config.fail_safe;
  switch (word) {
    case 'ON':
    case 'OFF':
      return { to: word, source: 'fail_safe', isUrgent: false };
    case 'HOLD':
      return { to: state.nvs.hold, source: 'fail_safe', isUrgent: false };
    case 'SCHEDULE': {
      const to = scheduled(state, nowMs);
      if (to === null) return { to: state.nvs.hold, source: 'fail_safe', isUrgent: false };
      return { to, source: 'local_schedule', isUrgent: false };
    }
    default:
      return unreachable(word);
  }
}

/** A level stamped further ahead than this came from a clock that was wrong. */
const BELIEVED_AHEAD_S = 86_400;

/**
 * What holds by the schedule: its latest event, or the gateway's last level where that is later. An order of a person
 * thus holds until the next event, as it would with the gateway there.
 */
function scheduled(state: ControllerState, nowMs: number): SwitchState | null {
  const { schedule, config, level } = state.nvs;
  if (schedule === null || !isClockValid(state, nowMs)) return null;
  const nowS = deviceUnixMs(state, nowMs) / 1000;
  const event = localEventAt(schedule, config.utc_offset_s, nowS);
  // the first event is still to come: what was last ordered holds until then
  if (event === null) return isListed(schedule, nowS) ? (level?.target ?? null) : null;
  const issuedAtS = level?.issuedAtS ?? Number.NEGATIVE_INFINITY;
  const isLevelLater = issuedAtS >= event.atS && issuedAtS <= nowS + BELIEVED_AHEAD_S;
  return level !== null && isLevelLater ? level.target : event.to;
}

/** The monotonic instant at which the local schedule must be looked at again; null while it does not rule. */
function nextScheduleLookMs(state: ControllerState, nowMs: number): number | null {
  const { schedule, config } = state.nvs;
  const mayRule = state.control.mode === 'lost' || config.fail_safe === 'SCHEDULE';
  if (schedule === null || !mayRule || state.control.mode === 'gateway') return null;
  const unixMs = deviceUnixMs(state, nowMs);
  const nextS = nextScheduleChangeS(schedule, config.utc_offset_s, unixMs / 1000);
  if (nextS === null) return null;
  // Looked at now and then anyway: the clock may be corrected, or stop being trusted.
  return nowMs + Math.max(1, Math.min(nextS * 1000 - unixMs, LONGEST_BLIND_MS));
}

/** When the coil may move to `to`, on the controller's monotonic clock. */
function earliestMs(state: ControllerState, to: SwitchState, isUrgent: boolean): number {
  const { config } = state.nvs;
  const { changedAtMs, slotFromMs, isSlotPending, mustRest } = state.relay;
  if (to === 'OFF') return isUrgent ? Number.NEGATIVE_INFINITY : changedAtMs + config.min_on_s * 1000;
  const restEndMs = (mustRest ? slotFromMs : changedAtMs) + config.min_off_s * 1000;
  if (!isSlotPending) return restEndMs;
  // The slot comes after the rest: equal rests would otherwise start a whole feeder at once.
  return Math.max(slotFromMs, restEndMs) + config.start_delay_s * 1000;
}

function switchCoil(turn: Turn, to: SwitchState): void {
  const { state, nowMs, effects } = turn;
  state.relay.coil = to;
  state.relay.changedAtMs = nowMs;
  state.relay.applyAtMs = null;
  state.relay.mustRest = false;
  if (to === 'ON') {
    state.relay.isSlotPending = false;
    state.relay.isEndSlot = false;
    state.nvs.owesRest = true;
  }
  state.control.isReportDue = true;
  effects.push({ kind: 'relay', to });
}

/** Notes in the NVS that the motor has rested: until then even a power cut does not shorten the rest. */
function forgetServedRest(state: ControllerState, nowMs: number): void {
  const { relay, nvs } = state;
  if (!nvs.owesRest || relay.coil === 'ON') return;
  const restFromMs = relay.mustRest ? relay.slotFromMs : relay.changedAtMs;
  if (nowMs < restFromMs + nvs.config.min_off_s * 1000) return;
  nvs.owesRest = false;
  relay.mustRest = false;
  relay.changedAtMs = restFromMs;
}

function markApplied(state: ControllerState): void {
  const { level, applied } = state.nvs;
  if (state.control.mode !== 'gateway' || level === null || state.relay.coil !== level.target) return;
  if (applied?.epoch === level.epoch && applied.version === level.version) return;
  state.nvs.applied = { epoch: level.epoch, version: level.version };
}

/** What the controller answers about the level it accepted last. */
export function ackOf(state: ControllerState, nowMs: number): Ack {
  const target = state.nvs.level?.target;
  if (state.relay.coil === target) return { ack: 'applied' };
  if (state.nvs.config.locked_out) return { ack: 'refused', reason: 'locked out' };
  if (state.handSwitch !== 'AUTO') return { ack: 'refused', reason: 'hand switch' };
  if (!state.isMainsOk) return { ack: 'deferred', reason: 'no mains' };
  const waitMs = Math.max(0, (state.relay.applyAtMs ?? nowMs) - nowMs);
  return { ack: 'deferred', untilS: Math.ceil(waitMs / 1000) };
}
