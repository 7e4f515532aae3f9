import type { SimulatorAnswer, SimulatorConditions } from '#contract/resources/simulator.ts';
import type { SwitchState } from '#contract/words.ts';

export type Conditions = SimulatorConditions;
/** A virtual controller as it stands in the simulator. */
export type SimulatedNow = NonNullable<SimulatorAnswer['controllers'][number]['now']>;

/** What a virtual controller comes in with. The key is nowhere else. */
export type SimulatedIdentity = { device_id: string; mqtt_id: string; key: string; power_kw: number };

/** One thing that happens to one virtual controller. */
export type Fault =
  | { kind: 'power_cut' | 'power_return' | 'network_down' | 'network_up' | 'breaker_trip' | 'heal' }
  | { kind: 'loss'; share: number }
  | { kind: 'delay'; min_ms: number; max_ms: number }
  | { kind: 'clock_skew'; skew_s: number }
  | { kind: 'relay_stuck'; at: SwitchState }
  | { kind: 'hand_switch'; position: Conditions['hand_switch'] };

/** A process of virtual controllers. */
export type SimulatedFleet = {
  strike: (deviceId: string, fault: Fault) => void;
  /** They say goodbye; resolves when the process is gone. */
  stop: () => Promise<void>;
};

export type StartFleet = (
  controllers: readonly SimulatedIdentity[],
  on: {
    told: (states: readonly ({ device_id: string } & SimulatedNow)[]) => void;
    /** It ended without being stopped. */
    ended: (why: Error) => void;
  },
) => SimulatedFleet;
