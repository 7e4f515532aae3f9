import { createRandom, seedFor } from '#sim/random.ts';

// What is going to go wrong, as data: the same options give the same plan on every machine.

/** When the box loses its power: after so many requests of the load, and a moment into the next ones. */
export type Kill = { afterRequests: number; delayMs: number };

/** Durations are farm seconds. Every step leaves everything repaired behind it. */
export type Step =
  | { kind: 'calm'; forS: number }
  | { kind: 'kills'; kills: readonly Kill[] }
  | { kind: 'graceful_restarts'; count: number }
  | { kind: 'loss'; share: number; forS: number }
  | { kind: 'half_open'; share: number; forS: number }
  | { kind: 'locked'; forS: number; withKill: boolean }
  | { kind: 'disk_full'; forS: number; withKill: boolean }
  | { kind: 'fsync_fails'; forS: number }
  | { kind: 'clock_step'; byS: number; forS: number }
  | { kind: 'clock_1970'; healedBy: 'network' | 'operator'; forS: number }
  | { kind: 'clock_far'; byS: number; healedBy: 'network' | 'operator' | 'itself'; forS: number }
  | { kind: 'power_cut'; on: 'farm' | 'feeder'; forS: number; withGateway: boolean };

export type StepKind = Step['kind'];
export type Plan = { seed: number; steps: readonly Step[] };

export type PlanOptions = {
  seed: number;
  kills: number;
  /** How often every other fault comes. */
  rounds: number;
  /** Short faults only, each below a minute or two of farm time. */
  isShort: boolean;
  /** Kinds that this machine cannot do, or that the caller leaves out. */
  without?: readonly StepKind[];
};

const HOUR_S = 3_600;
const YEARS_56_S = 56 * 365 * 24 * HOUR_S;

export function makePlan(options: PlanOptions): Plan {
  const random = createRandom(seedFor(options.seed, 'plan'));
  const between = (low: number, high: number) => Math.round(low + (high - low) * random());
  const faults = Array.from({ length: options.rounds }, () =>
    shuffled(random, options.isShort ? shortFaults(between) : longFaults(between)),
  ).flat();
  const wanted = faults.filter(({ kind }) => !(options.without ?? []).includes(kind));
  const mostRequests = options.isShort ? 12 : 25;
  const batches = killBatches(options.kills, options.isShort ? 2 : wanted.length + 1, () => ({
    afterRequests: between(1, mostRequests),
    delayMs: between(0, 15),
  }));
  const perBatch = Math.ceil(wanted.length / Math.max(1, batches.length - 1));
  const steps: Step[] = [{ kind: 'calm', forS: options.isShort ? 20 : 120 }];
  for (const [place, kills] of batches.entries()) {
    if (kills.length > 0) steps.push({ kind: 'kills', kills });
    steps.push(...wanted.slice(place * perBatch, (place + 1) * perBatch));
  }
  return { seed: options.seed, steps };
}

type Between = (low: number, high: number) => number;

function shortFaults(between: Between): Step[] {
  return [
    { kind: 'locked', forS: between(30, 50), withKill: false },
    { kind: 'clock_far', byS: YEARS_56_S, healedBy: 'operator', forS: between(20, 30) },
    { kind: 'clock_1970', healedBy: 'network', forS: between(20, 30) },
    { kind: 'power_cut', on: 'farm', forS: between(60, 80), withGateway: true },
  ];
}

function longFaults(between: Between): Step[] {
  return [
    { kind: 'graceful_restarts', count: between(2, 4) },
    { kind: 'loss', share: between(10, 40) / 100, forS: between(120, 300) },
    { kind: 'half_open', share: between(20, 60) / 100, forS: between(90, 240) },
    { kind: 'locked', forS: between(60, 200), withKill: false },
    { kind: 'locked', forS: between(60, 120), withKill: true },
    { kind: 'disk_full', forS: between(60, 300), withKill: false },
    { kind: 'disk_full', forS: between(60, 120), withKill: true },
    { kind: 'fsync_fails', forS: between(60, 180) },
    { kind: 'clock_step', byS: HOUR_S, forS: between(60, 180) },
    { kind: 'clock_step', byS: -HOUR_S, forS: between(60, 180) },
    { kind: 'clock_step', byS: 24 * HOUR_S, forS: between(60, 180) },
    { kind: 'clock_step', byS: -24 * HOUR_S, forS: between(60, 180) },
    { kind: 'clock_far', byS: YEARS_56_S, healedBy: 'operator', forS: between(150, 240) },
    { kind: 'clock_far', byS: YEARS_56_S, healedBy: 'itself', forS: between(60, 120) },
    { kind: 'clock_1970', healedBy: 'network', forS: between(150, 240) },
    { kind: 'clock_1970', healedBy: 'operator', forS: between(60, 120) },
    { kind: 'power_cut', on: 'feeder', forS: between(90, 200), withGateway: false },
    { kind: 'power_cut', on: 'farm', forS: between(700, 900), withGateway: false },
    { kind: 'power_cut', on: 'farm', forS: between(120, 300), withGateway: true },
    { kind: 'power_cut', on: 'farm', forS: between(2, 10), withGateway: true },
  ];
}

function killBatches(kills: number, batches: number, make: () => Kill): Kill[][] {
  return Array.from({ length: batches }, (_, place) => {
    const upTo = (index: number) => Math.round((kills * index) / batches);
    return Array.from({ length: upTo(place + 1) - upTo(place) }, make);
  });
}

function shuffled<Item>(random: () => number, items: readonly Item[]): Item[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
