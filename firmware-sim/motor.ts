import type { SwitchState } from '#contract/words.ts';
import type { Sensed } from './controller/state.ts';

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
export function isRunning(plant: Plant): boolean {
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
