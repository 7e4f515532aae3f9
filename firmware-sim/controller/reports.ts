import type { z } from 'zod';
import type { meterReading, mqttHeartbeat, shadowReported } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import { deviceUnixMs } from './device-clock.ts';
import { runningVersion } from './ota.ts';
import { ackOf } from './relay-rules.ts';
import type { Ack, ControllerState, HeartbeatBody, Level } from './state.ts';
import type { Turn } from './turn.ts';

// What the controller says about itself.

/** Says everything that became due in this step, once the board has measured the effect. */
export function flushReports(turn: Turn): void {
  const { state, effects } = turn;
  // The coil has just moved: the runner answers with `sensed`, and only then the truth is known.
  if (effects.some((effect) => effect.kind === 'relay')) return;
  const { control, link } = state;
  const isAckDue = control.isAckDue || isAckNew(turn);
  const isReportDue = control.isReportDue;
  control.isAckDue = false;
  control.isReportDue = false;
  if (state.profile.transport === 'http') {
    if (isReportDue) postHeartbeat(turn);
    return;
  }
  if (link.phase !== 'up') return;
  if (isAckDue) answerLevel(turn);
  if (isReportDue) publishHeartbeat(turn);
}

function isAckNew(turn: Turn): boolean {
  const { state, nowMs } = turn;
  if (state.control.mode !== 'gateway' || state.nvs.level === null || state.control.lastAck === null) {
    return false;
  }
  return ackOf(state, nowMs).ack !== state.control.lastAck;
}

function answerLevel(turn: Turn): void {
  const { state, nowMs } = turn;
  const { level } = state.nvs;
  if (level === null) return;
  const ack = ackOf(state, nowMs);
  state.control.lastAck = ack.ack;
  turn.effects.push({ kind: 'publish', path: 'shadow/reported', body: reportedBody(state, level, ack) });
}

/** A level older than the one in force: heard, not followed. */
export function answerStale(turn: Turn, level: Level): void {
  const { state } = turn;
  if (state.profile.transport !== 'mqtt' || state.link.phase !== 'up') return;
  const body: z.input<typeof shadowReported> = {
    epoch: level.epoch,
    version: level.version,
    current_status: statusOf(state),
    source: state.control.source,
    ack: 'stale',
    reason: `version ${state.nvs.level?.version ?? 0} is in force`,
  };
  turn.effects.push({ kind: 'publish', path: 'shadow/reported', body });
}

function reportedBody(state: ControllerState, level: Level, ack: Ack): z.input<typeof shadowReported> {
  return {
    epoch: level.epoch,
    version: level.version,
    current_status: statusOf(state),
    source: state.control.source,
    ack: ack.ack,
    ...(ack.untilS === undefined ? {} : { until_s: ack.untilS }),
    ...(ack.reason === undefined ? {} : { reason: ack.reason }),
  };
}

export function publishHeartbeat(turn: Turn): void {
  const { state, nowMs } = turn;
  state.seq += 1;
  const body: z.input<typeof mqttHeartbeat> = { seq: state.seq, ...heartbeatBody(state, nowMs) };
  turn.effects.push({ kind: 'publish', path: 'hb', body });
}

/** One request at a time; what happens meanwhile is told by the next one. */
export function postHeartbeat(turn: Turn): void {
  const { state, nowMs } = turn;
  if (state.link.isWaiting) {
    state.link.sendAgain = true;
    return;
  }
  // While the gateway is away only the back-off decides when it is tried.
  if (state.link.phase === 'down' && !isTryDue(state, nowMs)) return;
  state.link.isWaiting = true;
  state.link.sendAgain = false;
  state.link.heartbeatAtMs = null;
  turn.effects.push({ kind: 'post', body: heartbeatBody(state, nowMs) });
}

function isTryDue(state: ControllerState, nowMs: number): boolean {
  return state.link.heartbeatAtMs !== null && state.link.heartbeatAtMs <= nowMs;
}

function heartbeatBody(state: ControllerState, nowMs: number): HeartbeatBody {
  const { applied, level, hasEnded } = state.nvs;
  const isOver = hasEnded && applied?.epoch === level?.epoch && applied?.version === level?.version;
  return {
    current_status: statusOf(state),
    consumption: state.sensed.consumptionKw,
    rssi: -55 - (Math.abs(state.seq) % 7),
    firmware_version: runningVersion(state),
    uptime_s: Math.floor((nowMs - state.bootAtMs) / 1000),
    boot_id: state.bootId,
    power_ok: state.isMainsOk,
    motor_current_ma: state.sensed.currentMa,
    source: state.control.source,
    ...(applied === null ? {} : { version: applied.version, epoch: applied.epoch }),
    ...(isOver ? { ended: true } : {}),
    sent_at: Math.floor(deviceUnixMs(state, nowMs) / 1000),
  };
}

export function publishMeter(turn: Turn): void {
  const { sensed } = turn.state;
  const body: z.input<typeof meterReading> = {
    w: Math.round(sensed.consumptionKw * 1000),
    a: sensed.currentMa / 1000,
    wh: Math.round(sensed.wh),
    wh_ep: 1,
    on_s: Math.round(sensed.onS),
    starts: sensed.starts,
  };
  turn.effects.push({ kind: 'publish', path: 'meter', body });
}

type EventWord = 'power_fail' | 'power_ok' | 'no_current' | 'relay_stuck' | 'boot' | 'manual_switch';

/** An event with an id of its own, so that a repeated delivery counts once. MQTT only. */
export function publishEvent(turn: Turn, word: EventWord, details: Record<string, unknown>): void {
  const { state, nowMs } = turn;
  if (state.profile.transport !== 'mqtt' || state.link.phase !== 'up') return;
  state.eventCount += 1;
  const id = `${state.bootId}-${state.eventCount}`;
  const body = { id, k: word, t: Math.floor(deviceUnixMs(state, nowMs) / 1000), d: details };
  turn.effects.push({ kind: 'publish', path: 'event', body });
}

/** The contact where it can be seen, else the coil. */
export function statusOf(state: ControllerState): SwitchState {
  return state.profile.hasContactFeedback ? state.sensed.contact : state.relay.coil;
}
