import type { SwitchState } from '#contract/words.ts';

// Relays of the trade as they behave on the wire, written from the documents of their makers and not from what the
// gateway reads: what the two do not understand alike shows here.

export type Message = { topic: string; payload: string; retain: boolean; qos: 0 | 1 };

/** What was typed into the relay. */
export type RelaySetup = {
  host: string;
  port: number;
  user: string;
  password: string;
  clientId: string;
  /** Topic of Tasmota, topic_prefix of Shelly. */
  topic: string;
};

export type RelayPersona = {
  setup: RelaySetup;
  will: { topic: string; payload: string };
  subscriptions: readonly string[];
  /** Before it subscribes (Tasmota) and after it (both). */
  greet: () => { before: Message[]; after: Message[] };
  hear: (topic: string, payload: string) => Message[];
  /** At regular times. */
  telemetry: () => Message[];
  everyMs: number;
  /** Somebody presses the button of a channel. */
  press: (channel: number) => Message[];
  stateOf: (channel: number) => SwitchState;
  /** Its power is cut and comes back. */
  powerCut: () => void;
};

/** A motor behind each contact, as its meter sees it. */
export type Load = { powerW: number; voltageV: number };

/** Energy since `sinceMs`, Wh. */
export function energyWh({ powerW }: Load, state: SwitchState, sinceMs: number, nowMs: number): number {
  return state === 'ON' ? (powerW * Math.max(0, nowMs - sinceMs)) / 3_600_000 : 0;
}
