import type {
  DeviceCommand,
  DeviceConfig,
  DeviceSchedule,
  HeartbeatAnswer,
} from '#contract/mqtt/messages.ts';
import { unreachable } from '#contract/words.ts';
import { acceptLevel, dueEnd, levelHeard, resumeEnd } from './level-end.ts';
import {
  connectAnew,
  dueLink,
  gatewayHeard,
  onConnected,
  onDisconnected,
  onHttpAnswer,
  onHttpFailed,
  scheduleHeartbeat,
  startLink,
} from './link-rules.ts';
import { bootOta, dueOta, hearOta, onFirmwareBytes, onFirmwareFetched } from './ota.ts';
import { settleRelay } from './relay-rules.ts';
import { answerStale, flushReports, publishEvent, publishHeartbeat, publishMeter } from './reports.ts';
import {
  type ControllerEvent,
  type ControllerState,
  type Effect,
  type HandSwitch,
  type LevelHeard,
  type Nvs,
  unpowered,
} from './state.ts';
import { between, isDue, openTurn, type Turn } from './turn.ts';

type CommandEvent = { correlation: string; command: DeviceCommand; isRetained: boolean };

const COMMANDS_REMEMBERED = 8;

const SUSPECT_AFTER_MS = 3_000;

const NO_CURRENT_BELOW_MA = 100;

// An aerator controller as a pure machine: an event in, the next state and the effects out. The runner owns sockets,
// timers and the motor; after every `relay` effect it answers with a `sensed` event.

export function step(
  state: ControllerState,
  event: ControllerEvent,
): { state: ControllerState; effects: Effect[] } {
  const turn = openTurn(state, event.nowMs);
  if (!state.isPowered) {
    withoutPower(turn, event);
    if (!turn.state.isPowered) return { state: turn.state, effects: turn.effects };
  } else {
    react(turn, event);
    if (!turn.state.isPowered) return { state: turn.state, effects: turn.effects };
  }
  dueOta(turn);
  dueEnd(turn);
  settleRelay(turn);
  watchMotor(turn);
  flushReports(turn);
  if (isNvsChanged(state.nvs, turn.state.nvs)) turn.effects.push({ kind: 'persist', nvs: turn.state.nvs });
  armTimer(turn);
  return { state: turn.state, effects: turn.effects };
}

function withoutPower(turn: Turn, event: ControllerEvent): void {
  const { state } = turn;
  if (event.kind === 'power_on') boot(turn);
  else if (event.kind === 'hand_switch') state.handSwitch = event.position;
  else if (event.kind === 'mains') state.isMainsOk = event.isOk;
  else if (event.kind === 'clock_skew') state.clock.skewMs = event.skewMs;
}

function boot(turn: Turn): void {
  const { state, nowMs } = turn;
  state.isPowered = true;
  state.nvs.bootCount += 1;
  state.bootAtMs = nowMs;
  state.bootId = `${state.nvs.bootCount}-${Math.floor(between(turn, 0, 0xffffff)).toString(16)}`;
  state.relay.slotFromMs = nowMs;
  state.relay.isSlotPending = true;
  state.relay.mustRest = state.nvs.owesRest;
  resumeEnd(turn);
  startLink(turn);
  bootOta(turn);
}

function react(turn: Turn, event: ControllerEvent): void {
  const { state } = turn;
  switch (event.kind) {
    case 'power_on':
      return;
    case 'power_cut':
      return losePower(turn, 'abrupt');
    case 'shutdown':
      return losePower(turn, 'bye');
    case 'tick':
      return dueLink(turn);
    case 'connected':
      return onConnected(turn);
    case 'disconnected':
      return onDisconnected(turn, event.lastContactMs ?? turn.nowMs);
    case 'desired':
      return hearLevel(turn, event.level);
    case 'config':
      return hearConfig(turn, event.config);
    case 'schedule':
      return hearSchedule(turn, event.schedule);
    case 'command':
      return obey(turn, event);
    case 'http_answer':
      return hearAnswer(turn, event.answer);
    case 'http_failed':
      return onHttpFailed(turn);
    case 'ota':
      return hearOta(turn, event.level);
    case 'firmware_bytes':
      return onFirmwareBytes(turn, event.job, event.done);
    case 'firmware_fetched':
      return onFirmwareFetched(turn, event.job, event.fetched);
    case 'time':
      return setClock(turn, event.unixMs);
    case 'clock_skew':
      state.clock.skewMs = event.skewMs;
      return;
    case 'hand_switch':
      return turnHandSwitch(turn, event.position);
    case 'mains':
      return changeMains(turn, event.isOk);
    case 'sensed':
      state.sensed = event.sensed;
      return;
    default:
      return unreachable(event);
  }
}

function losePower(turn: Turn, how: 'abrupt' | 'bye'): void {
  const { state, effects } = turn;
  if (how === 'bye' && state.profile.transport === 'mqtt' && state.link.phase === 'up') {
    const body = { s: 'bye', boot_id: state.bootId, sid: state.link.sid };
    effects.push({ kind: 'publish', path: 'state', body });
  }
  // Without power the coil lets go; the NVS still remembers it as it was.
  if (state.relay.coil === 'ON') effects.push({ kind: 'relay', to: 'OFF' });
  if (state.ota.isFetching) effects.push({ kind: 'abandon' });
  effects.push({ kind: 'disconnect', how }, { kind: 'timer', atMs: null });
  turn.state = unpowered({ ...state, skewMs: state.clock.skewMs });
}

function hearLevel(turn: Turn, level: LevelHeard): void {
  const { state } = turn;
  const last = state.nvs.level;
  gatewayHeard(turn);
  if (last !== null && last.epoch === level.epoch && level.version < last.version) {
    answerStale(turn, level);
    return;
  }
  acceptLevel(turn, level);
  state.control.isAckDue = true;
}

function hearConfig(turn: Turn, config: DeviceConfig): void {
  const { state, effects } = turn;
  const beforeS = state.nvs.config.heartbeat_s;
  if (config.rev !== state.nvs.config.rev || config.hash !== state.nvs.config.hash) state.nvs.config = config;
  if (state.profile.transport !== 'mqtt' || state.link.phase !== 'up') return;
  effects.push({ kind: 'publish', path: 'config/reported', body: { rev: config.rev, hash: config.hash } });
  if (config.heartbeat_s !== beforeS) scheduleHeartbeat(turn, config.heartbeat_s);
}

function hearSchedule(turn: Turn, schedule: DeviceSchedule): void {
  const { state, effects } = turn;
  const known = state.nvs.schedule;
  if (known?.rev !== schedule.rev || known.hash !== schedule.hash) state.nvs.schedule = schedule;
  if (state.profile.transport !== 'mqtt' || state.link.phase !== 'up') return;
  effects.push({
    kind: 'publish',
    path: 'schedule/reported',
    body: { rev: schedule.rev, hash: schedule.hash },
  });
}

function hearAnswer(turn: Turn, answer: HeartbeatAnswer): void {
  const { state, effects } = turn;
  onHttpAnswer(turn, answer.poll_interval_s);
  const unixMs = Date.parse(answer.server_time);
  if (Number.isFinite(unixMs)) setClock(turn, unixMs);
  hearLevel(turn, levelHeard(answer));
  if (answer.config_rev !== state.nvs.config.rev) effects.push({ kind: 'fetch', what: 'config' });
  if (answer.schedule_rev !== (state.nvs.schedule?.rev ?? 0))
    effects.push({ kind: 'fetch', what: 'schedule' });
}

function setClock(turn: Turn, unixMs: number): void {
  turn.state.clock.offsetMs = unixMs - turn.nowMs;
  turn.state.clock.setAtMs = turn.nowMs;
}

function turnHandSwitch(turn: Turn, position: HandSwitch): void {
  const { state } = turn;
  if (state.handSwitch === position) return;
  state.handSwitch = position;
  state.control.isReportDue = true;
  publishEvent(turn, 'manual_switch', { position });
}

function changeMains(turn: Turn, isOk: boolean): void {
  const { state, nowMs } = turn;
  if (state.isMainsOk === isOk) return;
  state.isMainsOk = isOk;
  state.control.isReportDue = true;
  publishEvent(turn, isOk ? 'power_ok' : 'power_fail', {});
  if (!isOk) return;
  state.relay.slotFromMs = nowMs;
  state.relay.isSlotPending = true;
}

function isNvsChanged(before: Nvs, after: Nvs): boolean {
  return (
    before.level !== after.level ||
    before.ending !== after.ending ||
    before.hasEnded !== after.hasEnded ||
    before.applied !== after.applied ||
    before.hold !== after.hold ||
    before.owesRest !== after.owesRest ||
    before.config !== after.config ||
    before.schedule !== after.schedule ||
    before.firmware !== after.firmware ||
    before.ota !== after.ota ||
    before.bootCount !== after.bootCount
  );
}

/** One timer per controller: the next instant at which anything is due. */
function armTimer(turn: Turn): void {
  const { state, effects } = turn;
  const { control, link, relay, watch, ota } = state;
  const deadlines = [
    control.lostAtMs,
    control.scheduleAtMs,
    control.endAtMs,
    control.noteEndAtMs,
    relay.applyAtMs,
    link.tryAtMs,
    link.stableAtMs,
    link.heartbeatAtMs,
    link.meterAtMs,
    watch.suspectAtMs,
    ota.provedAtMs,
    ota.trialUntilMs,
    ota.crashAtMs,
  ].filter((atMs) => atMs !== null);
  const atMs = deadlines.length === 0 ? null : Math.min(...deadlines);
  if (atMs === state.timerAtMs) return;
  state.timerAtMs = atMs;
  effects.push({ kind: 'timer', atMs });
}

/** Tells of a contact that does not follow, and of a motor that draws nothing. */
function watchMotor(turn: Turn): void {
  const { state, nowMs } = turn;
  const { watch } = state;
  const fault = motorFault(state);
  if (fault === null || fault === watch.told) {
    watch.suspectAtMs = null;
    if (fault === null) watch.told = null;
    return;
  }
  if (!isDue(watch.suspectAtMs, nowMs)) {
    watch.suspectAtMs ??= nowMs + SUSPECT_AFTER_MS;
    return;
  }
  watch.suspectAtMs = null;
  watch.told = fault;
  publishEvent(turn, fault, { current_ma: state.sensed.currentMa });
  state.control.isReportDue = true;
}

function motorFault(state: ControllerState): 'relay_stuck' | 'no_current' | null {
  if (!state.isMainsOk) return null;
  if (state.profile.hasContactFeedback && state.sensed.contact !== state.relay.coil) return 'relay_stuck';
  return state.relay.coil === 'ON' && state.sensed.currentMa < NO_CURRENT_BELOW_MA ? 'no_current' : null;
}

/** Does once what a command asks, and answers it. */
function obey(turn: Turn, event: CommandEvent): void {
  const { state, effects } = turn;
  // A retained order is a ghost of an old one, and a repeated one has been obeyed.
  if (event.isRetained || state.recentCommands.includes(event.correlation)) return;
  state.recentCommands = [...state.recentCommands, event.correlation].slice(-COMMANDS_REMEMBERED);
  const refusal = refusalOf(turn, event.command);
  effects.push({
    kind: 'result',
    correlation: event.correlation,
    body: refusal === null ? { ok: true } : { ok: false, detail: refusal },
  });
  if (refusal === null) perform(turn, event.command);
}

function refusalOf({ state }: Turn, { op, key }: DeviceCommand): string | null {
  if (op !== 'rotate_key') return null;
  if (state.profile.transport !== 'mqtt') return 'a new key is taken over the cable only';
  return key === undefined || key === '' ? 'no key came with it' : null;
}

function perform(turn: Turn, { op, key }: DeviceCommand): void {
  const { state, effects } = turn;
  switch (op) {
    case 'identify':
      return;
    case 'rotate_key':
      effects.push({ kind: 'rekey', key: key ?? '' });
      return connectAnew(turn);
    case 'read_meter':
      return publishMeter(turn);
    case 'resync':
      state.control.isAckDue = true;
      return publishHeartbeat(turn);
    case 'factory_reset':
      state.nvs.level = null;
      state.nvs.ending = null;
      state.nvs.hasEnded = false;
      state.nvs.applied = null;
      state.nvs.schedule = null;
      state.nvs.config = state.profile.factoryConfig;
      effects.push({ kind: 'restart' });
      return;
    case 'reboot':
      effects.push({ kind: 'restart' });
      return;
    default:
      return unreachable(op);
  }
}
