import { publishProgress, runningVersion } from './ota.ts';
import { postHeartbeat, publishEvent, publishHeartbeat, publishMeter } from './reports.ts';
import type { Turn } from './turn.ts';
import { between, isDue } from './turn.ts';

// When the controller calls, how long it waits after a failure, and when it counts itself alone.

const BACK_OFF_S = [5, 10, 30, 60];
const STABLE_AFTER_MS = 60_000;

/** After a start: the first attempt comes a little later on each controller, so that a farm does not call at once. */
export function startLink(turn: Turn): void {
  const { state, nowMs } = turn;
  const firstMs = nowMs + between(turn, 0, state.profile.firstTryWithinS * 1000);
  if (state.profile.transport === 'mqtt') state.link.tryAtMs = firstMs;
  else state.link.heartbeatAtMs = firstMs;
  state.control.lostAtMs = nowMs + state.nvs.config.lost_s * 1000;
}

/** The MQTT session stands: birth first, then a heartbeat. */
export function onConnected(turn: Turn): void {
  const { state, nowMs } = turn;
  if (state.link.phase !== 'connecting') return;
  markUp(turn);
  turn.effects.push({ kind: 'publish', path: 'state', body: birth(turn) });
  if (!state.link.toldBoot) {
    state.link.toldBoot = true;
    publishEvent(turn, 'boot', { count: state.nvs.bootCount });
  }
  publishHeartbeat(turn);
  publishProgress(turn);
  scheduleHeartbeat(turn, state.nvs.config.heartbeat_s);
  const { meterEveryS } = state.profile;
  state.link.meterAtMs = meterEveryS > 0 ? nowMs + between(turn, 0.5, 1) * meterEveryS * 1000 : null;
}

function birth(turn: Turn): object {
  const { state } = turn;
  return {
    s: 'online',
    boot_id: state.bootId,
    sid: state.link.sid,
    firmware_version: runningVersion(state),
  };
}

export function onDisconnected(turn: Turn, lastContactMs: number): void {
  const { state } = turn;
  const { link, control } = state;
  if (state.profile.transport === 'http') {
    if (link.isWaiting) onHttpFailed(turn);
    return;
  }
  if (link.phase === 'down') return;
  link.phase = 'down';
  link.heartbeatAtMs = null;
  link.meterAtMs = null;
  link.stableAtMs = null;
  link.tryAtMs = turn.nowMs + backOffMs(turn);
  if (control.mode !== 'lost') control.lostAtMs ??= lastContactMs + state.nvs.config.lost_s * 1000;
}

export function onHttpAnswer(turn: Turn, pollIntervalS: number): void {
  const { link } = turn.state;
  link.isWaiting = false;
  link.pollIntervalS = pollIntervalS;
  if (link.phase !== 'up') markUp(turn);
  scheduleHeartbeat(turn, pollIntervalS);
  if (link.sendAgain) postHeartbeat(turn);
}

export function onHttpFailed(turn: Turn): void {
  const { link } = turn.state;
  link.isWaiting = false;
  link.sendAgain = false;
  link.phase = 'down';
  link.stableAtMs = null;
  link.heartbeatAtMs = turn.nowMs + backOffMs(turn);
}

/** Leaves on purpose and comes back at once, with a key it was just given. */
export function connectAnew(turn: Turn): void {
  const { state, nowMs } = turn;
  const { link, control } = state;
  const body = { s: 'bye', boot_id: state.bootId, sid: link.sid };
  turn.effects.push({ kind: 'publish', path: 'state', body }, { kind: 'disconnect', how: 'bye' });
  link.phase = 'down';
  link.heartbeatAtMs = null;
  link.meterAtMs = null;
  link.stableAtMs = null;
  link.tryAtMs = nowMs + between(turn, 0.2, 1) * 1000;
  if (control.mode !== 'lost') control.lostAtMs ??= nowMs + state.nvs.config.lost_s * 1000;
}

/** The gateway's level has arrived: it rules from now on. */
export function gatewayHeard(turn: Turn): void {
  const { state, nowMs } = turn;
  state.control.mode = 'gateway';
  // MQTT knows when its session ends; HTTP only knows that answers stopped.
  state.control.lostAtMs =
    state.profile.transport === 'http' || state.link.phase !== 'up'
      ? nowMs + state.nvs.config.lost_s * 1000
      : null;
}

/** Everything about the link that the passing of time makes due. */
export function dueLink(turn: Turn): void {
  const { state, nowMs } = turn;
  const { link, control } = state;
  if (isDue(control.lostAtMs, nowMs)) {
    control.lostAtMs = null;
    control.mode = 'lost';
    control.lastAck = null;
  }
  if (isDue(link.stableAtMs, nowMs)) {
    link.stableAtMs = null;
    link.attempt = 0;
  }
  if (isDue(link.tryAtMs, nowMs)) openSession(turn);
  if (isDue(link.heartbeatAtMs, nowMs)) heartbeat(turn);
  if (isDue(link.meterAtMs, nowMs)) {
    publishMeter(turn);
    link.meterAtMs = nowMs + state.profile.meterEveryS * 1000;
  }
}

function openSession(turn: Turn): void {
  const { link, bootId } = turn.state;
  link.tryAtMs = null;
  link.phase = 'connecting';
  link.sessions += 1;
  link.sid = `${bootId}.${link.sessions}`;
  turn.effects.push({ kind: 'connect', sid: link.sid, bootId });
}

function heartbeat(turn: Turn): void {
  const { state } = turn;
  if (state.profile.transport === 'http') {
    postHeartbeat(turn);
    return;
  }
  publishHeartbeat(turn);
  scheduleHeartbeat(turn, state.nvs.config.heartbeat_s);
}

/** ±10 %, so that a farm that started together does not beat together. */
export function scheduleHeartbeat(turn: Turn, everyS: number): void {
  turn.state.link.heartbeatAtMs = turn.nowMs + between(turn, 0.9, 1.1) * everyS * 1000;
}

function markUp(turn: Turn): void {
  turn.state.link.phase = 'up';
  turn.state.link.stableAtMs = turn.nowMs + STABLE_AFTER_MS;
}

function backOffMs(turn: Turn): number {
  const { link } = turn.state;
  const seconds = BACK_OFF_S[Math.min(link.attempt, BACK_OFF_S.length - 1)] ?? 60;
  link.attempt += 1;
  return seconds * 1000 * between(turn, 0.75, 1.25);
}
