import * as z from 'zod';
import { fault } from './faults.ts';
import type { Fleet } from './fleet.ts';

// A night on the farm as data: at a time, a fault.

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const MS_BY_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads `90`, `90s`, `10m`, `1.5h` or `250ms` as milliseconds; null when it is none of them. */
export function parseDuration(text: string): number | null {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  const match = DURATION.exec(text);
  const factor = MS_BY_UNIT[match?.[2] ?? ''];
  return match === null || factor === undefined ? null : Number(match[1]) * factor;
}

const instant = z.union([z.number().min(0).transform(String), z.string()]).transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  context.addIssue({ code: 'custom', message: 'must be seconds, or like 90s, 10m, 1.5h' });
  return z.NEVER;
});

export const scenario = z.strictObject({
  name: z.string().min(1).max(80),
  description: z.string().max(1_000).optional(),
  steps: z
    .array(z.strictObject({ at: instant, do: fault }))
    .max(10_000)
    .describe('In any order; `at` counts from the start of the fleet, in seconds or like "10m"'),
});
export type Scenario = z.infer<typeof scenario>;
type ScenarioInput = z.input<typeof scenario>;

/** Lets the steps happen at their times; answers the way to call off what is still to come. */
export function runScenario(fleet: Fleet, script: Scenario, tell: (sentence: string) => void): () => void {
  const startMs = fleet.clock.nowMs();
  const timers = script.steps.map((each) =>
    fleet.clock.at(startMs + each.at, () => {
      tell(`${each.do.kind} on ${JSON.stringify(each.do.on)}`);
      fleet.inject(each.do);
    }),
  );
  return () => {
    for (const timer of timers) timer.cancel();
  };
}

const BUILT_IN: readonly ScenarioInput[] = [
  { name: 'calm', description: 'Nothing happens.', steps: [] },
  {
    name: 'feeder-cut',
    description: 'Feeder A goes dark for three minutes; its motors return in their slots.',
    steps: [{ at: '2m', do: { kind: 'power_cut', on: { feeder: 'A' }, for_s: 180, silent: true } }],
  },
  {
    name: 'blackout',
    description: 'The whole farm without power for twelve minutes, then two short flickers.',
    steps: [
      { at: '2m', do: { kind: 'power_cut', for_s: 720, silent: true } },
      { at: '18m', do: { kind: 'power_cut', for_s: 2, silent: true } },
      { at: '18.5m', do: { kind: 'power_cut', for_s: 1, silent: true } },
    ],
  },
  {
    name: 'bad-radio',
    description: 'Losses, delays and repeats for ten minutes, each on a third of the farm.',
    steps: [
      { at: '1m', do: { kind: 'loss', on: { share: 0.33 }, share: 0.2 } },
      { at: '1m', do: { kind: 'delay', on: { share: 0.33 }, min_ms: 50, max_ms: 4_000 } },
      { at: '1m', do: { kind: 'duplicate', on: { share: 0.33 }, share: 0.1 } },
      { at: '11m', do: { kind: 'heal' } },
    ],
  },
  {
    name: 'lonely',
    description: 'No network for a quarter of an hour: local schedules and fail-safe states rule.',
    steps: [{ at: '2m', do: { kind: 'network_down', for_s: 900 } }],
  },
  {
    name: 'half-open',
    description: 'Sockets of a fifth of the farm stop carrying without closing.',
    steps: [
      { at: '2m', do: { kind: 'half_open', on: { share: 0.2 } } },
      { at: '8m', do: { kind: 'heal' } },
    ],
  },
  {
    name: 'panel-trouble',
    description: 'Breakers trip, contactors stick, somebody turns hand switches.',
    steps: [
      { at: '1m', do: { kind: 'breaker_trip', on: { share: 0.1 } } },
      { at: '2m', do: { kind: 'relay_stuck', on: { share: 0.1 }, at: 'OFF' } },
      { at: '3m', do: { kind: 'relay_stuck', on: { share: 0.05 }, at: 'ON' } },
      { at: '4m', do: { kind: 'hand_switch', on: { share: 0.1 }, position: 'OFF' } },
      { at: '9m', do: { kind: 'heal' } },
    ],
  },
  {
    name: 'wrong-clocks',
    description: 'Clocks of a fifth of the farm run an hour late.',
    steps: [
      { at: '1m', do: { kind: 'clock_skew', on: { share: 0.2 }, skew_s: -3_600 } },
      { at: '11m', do: { kind: 'heal' } },
    ],
  },
];

/** The scenarios that come with the program. */
export function builtInScenarios(): Scenario[] {
  return BUILT_IN.map((each) => scenario.parse(each));
}
