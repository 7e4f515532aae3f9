import type { DeviceConfig } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import { step as rightStep } from '#sim/controller/controller.ts';
import type { ControllerProfile, ControllerState, Effect } from '#sim/controller/state.ts';
import { FACTORY_CONFIG, newController } from '#sim/controller/state.ts';
import { changePlant, type EventWithoutTime, measure, newPlant, type Plant } from '#sim/controller-runner.ts';

// A controller on the bench: its timer and its motor are served, time is turned by hand.

export type Bench = {
  send(event: EventWithoutTime): Effect[];
  /** Lets time pass; every timer due on the way is served in order. */
  wait(seconds: number): Effect[];
  state(): ControllerState;
  nowMs(): number;
  plant: Plant;
  /** Every change of the relay so far: instant and state. */
  relayChanges: { atMs: number; to: SwitchState }[];
  published(path: string): unknown[];
};

export function aBench(
  options: { profile?: Partial<ControllerProfile>; seed?: number; config?: Partial<DeviceConfig> } = {},
): Bench {
  const profile = { ...options.profile, factoryConfig: { ...FACTORY_CONFIG, ...options.config } };
  let state = newController({ seed: options.seed ?? 7, profile });
  let nowMs = 1_000;
  const plant = newPlant(1.5, () => 0.5);
  const relayChanges: Bench['relayChanges'] = [];
  const all: Effect[] = [];

  const send = (event: EventWithoutTime): Effect[] => {
    const turned = rightStep(state, { ...event, nowMs });
    state = turned.state;
    const effects = [...turned.effects];
    all.push(...turned.effects);
    for (const effect of turned.effects) {
      if (effect.kind !== 'relay') continue;
      relayChanges.push({ atMs: nowMs, to: effect.to });
      changePlant(plant, nowMs, { coil: effect.to });
      effects.push(...send({ kind: 'sensed', sensed: measure(plant, nowMs) }));
    }
    return effects;
  };
  const wait = (seconds: number): Effect[] => {
    const untilMs = nowMs + seconds * 1000;
    const effects: Effect[] = [];
    for (let dueMs = state.timerAtMs; dueMs !== null && dueMs <= untilMs; dueMs = state.timerAtMs) {
      nowMs = Math.max(nowMs, dueMs);
      effects.push(...send({ kind: 'sensed', sensed: measure(plant, nowMs) }), ...send({ kind: 'tick' }));
    }
    nowMs = untilMs;
    return effects;
  };
  return {
    send,
    wait,
    state: () => state,
    nowMs: () => nowMs,
    plant,
    relayChanges,
    published: (path) =>
      all.flatMap((effect) => (effect.kind === 'publish' && effect.path === path ? [effect.body] : [])),
  };
}

/** A bench whose controller has power, a session and a motor that has had its rest and slot. */
export function aConnectedBench(options: Parameters<typeof aBench>[0] = {}): Bench {
  const bench = aBench(options);
  bench.send({ kind: 'power_on' });
  bench.wait(6);
  bench.send({ kind: 'connected' });
  return bench;
}

export function aLevel(
  target: SwitchState,
  version: number,
  { epoch = 'e1', issuedAtS }: { epoch?: string; issuedAtS?: number } = {},
): EventWithoutTime {
  return {
    kind: 'desired',
    level: { epoch, version, target, ...(issuedAtS === undefined ? {} : { issuedAtS }) },
  };
}
