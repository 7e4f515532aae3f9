import type { z } from 'zod';
import type { FirmwareDesired, OtaDesired, OtaReason, OtaState, otaProgress } from '#contract/mqtt/ota.ts';
import type { ControllerState, Fetched, OtaRecord } from './state.ts';
import { isDue, type Turn } from './turn.ts';

const PROVED_AFTER_MS = 60_000;
const TRIAL_MS = 5 * 60_000;
const CRASHES_AFTER_MS = 3_000;
/** The boot loader goes back by itself after so many starts that ended in a crash. */
const MOST_CRASHES = 3;
/** Progress is told about so many times a download. */
const TOLD_PER_DOWNLOAD = 10;

export const runningVersion = ({ nvs, profile }: ControllerState): string =>
  nvs.firmware?.running ?? profile.firmwareVersion;

export function hearOta(turn: Turn, level: OtaDesired): void {
  const { nvs } = turn.state;
  // an image on trial proves itself, whatever is wanted meanwhile
  if (nvs.ota?.phase === 'trial') return publishProgress(turn);
  if (level.job === null) return forget(turn);
  if (nvs.ota?.desired.job !== level.job) return begin(turn, level);
  nvs.ota = { ...nvs.ota, desired: level };
  if (nvs.ota.phase === 'ready' && level.go) return install(turn);
  // power was cut in the middle of it
  if (nvs.ota.phase === 'downloading' && !turn.state.ota.isFetching) return fetch(turn, level);
  publishProgress(turn);
}

function forget(turn: Turn): void {
  if (turn.state.ota.isFetching) turn.effects.push({ kind: 'abandon' });
  turn.state.ota.isFetching = false;
  turn.state.nvs.ota = null;
}

function begin(turn: Turn, desired: FirmwareDesired): void {
  const { state } = turn;
  if (state.ota.isFetching) turn.effects.push({ kind: 'abandon' });
  state.ota.isFetching = false;
  state.nvs.ota = { desired, phase: 'downloading', behaviour: 'good', boots: 0 };
  if (desired.chip !== state.profile.chip) {
    return fail(turn, 'CHIP_WRONG', `this board has an ${state.profile.chip}`);
  }
  if (!desired.older && isOlder(desired.version, runningVersion(state)))
    return fail(turn, 'OLDER', `${runningVersion(state)} runs`);
  fetch(turn, desired);
}

function fetch(turn: Turn, desired: FirmwareDesired): void {
  turn.state.ota.isFetching = true;
  turn.state.ota.toldBytes = 0;
  turn.effects.push({ kind: 'download', desired });
  publishProgress(turn, 0);
}

function fail(turn: Turn, reason: OtaReason, detail: string): void {
  const { nvs } = turn.state;
  if (nvs.ota === null) return;
  nvs.ota = { ...nvs.ota, phase: 'failed', reason, detail };
  publishProgress(turn);
}

export function onFirmwareBytes(turn: Turn, job: string, done: number): void {
  const { nvs, ota } = turn.state;
  if (nvs.ota?.desired.job !== job || nvs.ota.phase !== 'downloading') return;
  if (done - ota.toldBytes < nvs.ota.desired.size / TOLD_PER_DOWNLOAD) return;
  ota.toldBytes = done;
  publishProgress(turn, done);
}

export function onFirmwareFetched(turn: Turn, job: string, fetched: Fetched): void {
  const { nvs, ota } = turn.state;
  if (nvs.ota?.desired.job !== job || nvs.ota.phase !== 'downloading') return;
  ota.isFetching = false;
  if (!fetched.ok) return fail(turn, fetched.reason, fetched.detail);
  nvs.ota = { ...nvs.ota, phase: 'ready', behaviour: fetched.behaviour };
  if (nvs.ota.desired.go) return install(turn);
  publishProgress(turn, nvs.ota.desired.size);
}

function install(turn: Turn): void {
  const { state, effects } = turn;
  const record = state.nvs.ota;
  if (record === null) return;
  publish(turn, { job: record.desired.job, state: 'installing', version: runningVersion(state) });
  state.nvs.firmware = { running: record.desired.version, previous: runningVersion(state) };
  state.nvs.ota = { ...record, phase: 'trial', boots: 0 };
  effects.push({ kind: 'restart' });
}

/** At a start: the boot loader counts the starts of an image on trial, and takes it back. */
export function bootOta(turn: Turn): void {
  const { state, nowMs } = turn;
  const record = state.nvs.ota;
  if (record?.phase !== 'trial') return;
  const boots = record.boots + 1;
  state.nvs.ota = { ...record, boots };
  if (boots > MOST_CRASHES) return goBack(turn, 'CRASHED', `crashed at ${MOST_CRASHES} starts`);
  state.ota.trialUntilMs = nowMs + TRIAL_MS;
  if (record.behaviour === 'crash') state.ota.crashAtMs = nowMs + CRASHES_AFTER_MS;
  // it never finds its network
  if (record.behaviour === 'no_network') state.link.tryAtMs = null;
}

/** What the passing of time makes of an image on trial. */
export function dueOta(turn: Turn): void {
  const { state, nowMs, effects } = turn;
  const { ota, nvs } = state;
  if (nvs.ota?.phase !== 'trial') return;
  const isLevel = state.link.phase === 'up' && state.control.mode === 'gateway';
  if (!isLevel) ota.provedAtMs = null;
  else ota.provedAtMs ??= nowMs + PROVED_AFTER_MS;
  if (isDue(ota.crashAtMs, nowMs)) {
    ota.crashAtMs = null;
    effects.push({ kind: 'restart' });
  } else if (isDue(ota.provedAtMs, nowMs)) {
    nvs.ota = { ...nvs.ota, phase: 'done' };
    nvs.firmware = { running: nvs.ota.desired.version, previous: null };
    Object.assign(ota, { provedAtMs: null, trialUntilMs: null, crashAtMs: null });
    publishProgress(turn);
  } else if (isDue(ota.trialUntilMs, nowMs)) {
    ota.trialUntilMs = null;
    goBack(turn, 'NOT_CONNECTED', 'the gateway was not reached in five minutes');
    effects.push({ kind: 'restart' });
  }
}

function goBack({ state }: Turn, reason: OtaReason, detail: string): void {
  const { nvs } = state;
  if (nvs.ota === null) return;
  nvs.firmware = { running: nvs.firmware?.previous ?? state.profile.firmwareVersion, previous: null };
  nvs.ota = { ...nvs.ota, phase: 'rolled_back', reason, detail };
}

const STATE: Readonly<Record<OtaRecord['phase'], OtaState>> = {
  downloading: 'downloading',
  ready: 'ready',
  trial: 'confirming',
  done: 'done',
  failed: 'failed',
  rolled_back: 'rolled_back',
};

/** Told at every change and after every connect: what got lost is told again. */
export function publishProgress(turn: Turn, done?: number): void {
  const { state } = turn;
  const record = state.nvs.ota;
  if (record === null) return;
  publish(turn, {
    job: record.desired.job,
    state: STATE[record.phase],
    version: runningVersion(state),
    ...(done === undefined ? {} : { done }),
    ...(record.reason === undefined ? {} : { reason: record.reason }),
    ...(record.detail === undefined ? {} : { detail: record.detail }),
  });
}

function publish({ state, effects }: Turn, body: z.input<typeof otaProgress>): void {
  if (state.profile.transport !== 'mqtt' || state.link.phase !== 'up') return;
  effects.push({ kind: 'publish', path: 'ota/progress', body });
}

/** Numbers one by one; a word behind them comes before the same numbers without one. What is no version is not older. */
function isOlder(wanted: string, running: string): boolean {
  const read = (version: string) => /^(\d+(?:\.\d+)*)(?:-(.+))?$/.exec(version);
  const [left, right] = [read(wanted), read(running)];
  if (left?.[1] === undefined || right?.[1] === undefined) return false;
  const [ours, theirs] = [left[1].split('.').map(Number), right[1].split('.').map(Number)];
  for (let place = 0; place < Math.max(ours.length, theirs.length); place += 1) {
    const difference = (ours[place] ?? 0) - (theirs[place] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return left[2] !== undefined && (right[2] === undefined || left[2] < right[2]);
}
