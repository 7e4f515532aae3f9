import type { FirmwareDesired } from '#contract/mqtt/ota.ts';
import type { SwitchState } from '#contract/words.ts';
import { step as controllerStep } from './controller/controller.ts';
import {
  type ControllerEvent,
  type ControllerProfile,
  type ControllerState,
  type Effect,
  type Fetched,
  newController,
  type Sensed,
} from './controller/state.ts';
import { createRandom, seedFor } from './random.ts';
import type { SimClock, SimTimer } from './sim-clock.ts';
import { createFaultyLink, type FaultyLink } from './transport/faulty-link.ts';
import type { Incoming, Transport } from './transport/http-transport.ts';

// Joins one controller's rules to a clock, a network and a motor.

const REBOOT_TAKES_MS = 2_000;
/** A board that restarts by itself lets its last words leave first: the answer to who told it to. */
const LAST_WORDS_MS = 500;
const NO_FETCH: Fetched = { ok: false, reason: 'OTHER', detail: 'this board fetches no firmware' };

export type RunnerDeps = {
  clock: SimClock;
  makeTransport: (hear: (message: Incoming) => void) => Transport;
  /** `atMs`: when it was decided or heard. */
  notice: (what: RunnerNotice, atMs: number) => void;
  /** How firmware is fetched and checked; absent: the board cannot. */
  fetchFirmware?: (
    desired: FirmwareDesired,
    how: { told: (done: number) => void; signal: AbortSignal },
  ) => Promise<Fetched>;
  /** Another machine in its place: how the conformance checks are tried against a controller that breaks a rule. */
  step?: typeof controllerStep;
};

export type RunnerNotice = { kind: 'effect'; effect: Effect } | { kind: 'heard'; message: Incoming };

export type EventWithoutTime = ControllerEvent extends infer Each
  ? Each extends { nowMs: number }
    ? Omit<Each, 'nowMs'>
    : never
  : never;

export type Runner = {
  dispatch(event: EventWithoutTime): void;
  /** Changes the panel, and lets the controller measure it. */
  alterPlant(change: Partial<Plant>): void;
  reboot(): void;
  link: FaultyLink;
  state(): ControllerState;
  isMotorRunning(): boolean;
};

export type RunnerOptions = {
  deviceId: string;
  seed: number;
  powerKw: number;
  profile: Partial<ControllerProfile>;
};

export function createRunner(deps: RunnerDeps, options: RunnerOptions): Runner {
  const { clock } = deps;
  const step = deps.step ?? controllerStep;
  const seed = seedFor(options.seed, options.deviceId);
  const random = createRandom(seedFor(seed, 'plant'));
  const plant = newPlant(options.powerKw, random);
  let state = newController({ seed, profile: options.profile });
  let timer: SimTimer | null = null;
  let fetching: AbortController | null = null;

  // One step's effects are all done before the next event: an answer that comes at once would otherwise be overtaken
  // by what is left of the step that caused it, its timer above all.
  const inbox: EventWithoutTime[] = [];
  let isBusy = false;
  const dispatch = (event: EventWithoutTime) => {
    inbox.push(event);
    if (isBusy) return;
    isBusy = true;
    try {
      for (let next = inbox.shift(); next !== undefined; next = inbox.shift()) take(next);
    } finally {
      isBusy = false;
    }
  };
  const take = (event: EventWithoutTime) => {
    const nowMs = clock.nowMs();
    const turned = step(state, { ...event, nowMs });
    state = turned.state;
    for (const effect of turned.effects) perform(effect, nowMs);
  };
  const sense = () => dispatch({ kind: 'sensed', sensed: measure(plant, clock.nowMs()) });

  const perform = (effect: Effect, atMs: number) => {
    deps.notice({ kind: 'effect', effect }, atMs);
    switch (effect.kind) {
      case 'relay':
        changePlant(plant, clock.nowMs(), { coil: effect.to });
        return sense();
      case 'connect':
        return link.connect(effect);
      case 'disconnect':
        return link.close(effect.how);
      case 'timer':
        return setTimer(effect.atMs);
      case 'rekey':
        return link.rekey(effect.key);
      case 'download':
        return void download(effect.desired);
      case 'abandon':
        return fetching?.abort();
      case 'restart':
        clock.at(clock.nowMs() + LAST_WORDS_MS, reboot);
        return;
      case 'persist':
        // The state itself stands for the flash: it outlives a power cut of the simulated board.
        return;
      default:
        return link.send(effect);
    }
  };
  const download = async (desired: FirmwareDesired) => {
    fetching?.abort();
    const current = new AbortController();
    fetching = current;
    const { job } = desired;
    const told = (done: number) => {
      if (!current.signal.aborted) dispatch({ kind: 'firmware_bytes', job, done });
    };
    const fetched = await (deps.fetchFirmware?.(desired, { told, signal: current.signal }) ??
      Promise.resolve(NO_FETCH));
    if (!current.signal.aborted) dispatch({ kind: 'firmware_fetched', job, fetched });
  };
  const setTimer = (atMs: number | null) => {
    timer?.cancel();
    timer = null;
    if (atMs === null) return;
    timer = clock.at(atMs, () => {
      timer = null;
      sense();
      dispatch({ kind: 'tick' });
    });
  };
  const reboot = () => {
    dispatch({ kind: 'power_cut' });
    clock.at(clock.nowMs() + REBOOT_TAKES_MS, () => dispatch({ kind: 'power_on', reason: 'reboot' }));
  };
  const hear = (message: Incoming) => {
    deps.notice({ kind: 'heard', message }, clock.nowMs());
    if (message.kind !== 'malformed') dispatch(withoutReason(message));
  };
  const link = createFaultyLink({
    clock,
    random: createRandom(seedFor(seed, 'link')),
    hear,
    inner: deps.makeTransport,
  });

  return {
    dispatch,
    alterPlant: (change) => {
      changePlant(plant, clock.nowMs(), change);
      sense();
    },
    reboot,
    link,
    state: () => state,
    isMotorRunning: () => isRunning(plant),
  };
}

function withoutReason(message: Exclude<Incoming, { kind: 'malformed' }>): EventWithoutTime {
  switch (message.kind) {
    case 'disconnected': {
      const { lastContactMs } = message;
      return lastContactMs === undefined ? { kind: 'disconnected' } : { kind: 'disconnected', lastContactMs };
    }
    case 'http_failed':
      return { kind: 'http_failed' };
    default:
      return message;
  }
}

// The panel behind a controller: contactor, breaker, three-phase motor. Small on purpose: enough to tell a running
// motor from one that only seems to run.

export type Plant = {
  powerKw: number;
  coil: SwitchState;
  /** Contacts welded or jammed: they stand here whatever the coil does. */
  stuckAt: SwitchState | null;
  isBreakerTripped: boolean;
  isMainsOk: boolean;
  /** Load of this motor against its rating, a property of the pond and the paddles. */
  loadFactor: number;
  wh: number;
  onS: number;
  starts: number;
  countedToMs: number;
};

const LINE_VOLTAGE_V = 220;
const POWER_FACTOR = 0.82;
const MS_PER_HOUR = 3_600_000;

export function newPlant(powerKw: number, random: () => number): Plant {
  return {
    powerKw,
    coil: 'OFF',
    stuckAt: null,
    isBreakerTripped: false,
    isMainsOk: true,
    loadFactor: 0.85 + 0.15 * random(),
    wh: 0,
    onS: 0,
    starts: 0,
    countedToMs: 0,
  };
}

/** Changes the plant at an instant, counting energy and starts up to it. */
export function changePlant(plant: Plant, nowMs: number, change: Partial<Plant>): void {
  countEnergy(plant, nowMs);
  const wasRunning = isRunning(plant);
  Object.assign(plant, change);
  if (!wasRunning && isRunning(plant)) plant.starts += 1;
}

/** What the board measures now. */
export function measure(plant: Plant, nowMs: number): Sensed {
  countEnergy(plant, nowMs);
  const consumptionKw = isRunning(plant) ? plant.powerKw * plant.loadFactor : 0;
  return {
    contact: contactOf(plant),
    currentMa: Math.round((consumptionKw * 1_000_000) / (Math.sqrt(3) * LINE_VOLTAGE_V * POWER_FACTOR)),
    consumptionKw: Math.round(consumptionKw * 1000) / 1000,
    wh: plant.wh,
    onS: plant.onS,
    starts: plant.starts,
  };
}

/** true: current flows. */
function isRunning(plant: Plant): boolean {
  return contactOf(plant) === 'ON' && plant.isMainsOk && !plant.isBreakerTripped;
}

function contactOf(plant: Plant): SwitchState {
  return plant.stuckAt ?? plant.coil;
}

function countEnergy(plant: Plant, nowMs: number): void {
  const elapsedMs = Math.max(0, nowMs - plant.countedToMs);
  plant.countedToMs = nowMs;
  if (!isRunning(plant)) return;
  plant.wh += (plant.powerKw * plant.loadFactor * 1000 * elapsedMs) / MS_PER_HOUR;
  plant.onS += elapsedMs / 1000;
}
