import { draw } from '../random.ts';
import type { ControllerState, Effect } from './state.ts';

/** One step in the making: a copy of the state that the rules may change, and what they ask for. */
export type Turn = { state: ControllerState; effects: Effect[]; nowMs: number };

export function openTurn(state: ControllerState, nowMs: number): Turn {
  const copy: ControllerState = {
    ...state,
    nvs: { ...state.nvs },
    clock: { ...state.clock },
    relay: { ...state.relay },
    control: { ...state.control },
    link: { ...state.link },
    watch: { ...state.watch },
    ota: { ...state.ota },
  };
  return { state: copy, effects: [], nowMs };
}

/** A draw between two bounds that advances the controller's own chance. */
export function between(turn: Turn, low: number, high: number): number {
  const drawn = draw(turn.state.rngSeed);
  turn.state.rngSeed = drawn.seed;
  return low + (high - low) * drawn.value;
}

export function isDue(atMs: number | null, nowMs: number): boolean {
  return atMs !== null && atMs <= nowMs;
}
