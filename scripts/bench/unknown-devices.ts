import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { newDataFolder, startBareServer, startGatewayOn } from './gateway.ts';
import type { Beats, CrowdLoad } from './load/crowd.ts';
import type { Knocked, Knockers } from './load/knockers.ts';
import { usageOf } from './process-usage.ts';
import { provisionFolder } from './provision.ts';
import { type Remote, startRemote, stopAll } from './remote.ts';
import type { RunningServer } from './start-server.ts';

const MOST_TIMES_CALM = 1.5;
const MOST_MB_MORE = 32;

type Size = { controllers: number; strangers: number; everyMs: number; rounds: number; ms: number };
type Told = {
  calm: Beats[];
  /** While the same knock at a door that is not the gateway's: what the machine itself does, which also makes the knocks. */
  elsewhere: Beats[];
  busy: Beats[];
  knocked: Knocked[];
  rssMb: number[];
  /** What the knocks of a round cost the gateway beside its heartbeats, ms of CPU time; and what they cost the other door. */
  extraCpuMs: number[];
  elsewhereCpuMs: number[];
};
type Servers = { gateway: RunningServer; door: RunningServer };
type Loads = { crowd: Remote<CrowdLoad>; strangers: Remote<Knockers> };

/** Heartbeats of known controllers while thousands nobody knows knock by the back-off of the protocol, beside calm. */
export async function unknownDevices({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  // a controller that is refused comes again every 60 s at last
  const size: Size = isQuick
    ? { controllers: 10, strangers: 100, everyMs: 2_000, rounds: 1, ms: 300 }
    : { controllers: 100, strangers: 5_000, everyMs: 60_000, rounds: 7, ms: 10_000 };
  const data = await newDataFolder();
  try {
    const { controllers } = await provisionFolder(data, { count: size.controllers, prefix: 'known' });
    const gateway = await startGatewayOn(data);
    const door = await startBareServer('bare-door');
    const crowd = startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url));
    const strangers = startRemote<Knockers>(new URL('load/knockers.ts', import.meta.url));
    try {
      await crowd.call('arrive', { mqttUrl: gateway.mqtt, clients: controllers, atOnce: 20 });
      const told = await rounds({ gateway, door }, { crowd, strangers }, size, tell);
      return [finding(size, told)];
    } finally {
      await stopAll([crowd, strangers, door, gateway]);
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

async function rounds(
  { gateway, door }: Servers,
  { crowd, strangers }: Loads,
  size: Size,
  tell: (line: string) => void,
): Promise<Told> {
  const told: Told = {
    calm: [],
    elsewhere: [],
    busy: [],
    knocked: [],
    rssMb: [],
    extraCpuMs: [],
    elsewhereCpuMs: [],
  };
  // ten times the heartbeats of a real farm of this size: enough of them to have a 99th percentile
  const beat = () => crowd.call('beat', { everyMs: 3_000 / 5, forMs: size.ms });
  const beatWhileTheyKnock = async (at: RunningServer) => {
    await strangers.call('start', { mqttUrl: at.mqtt, devices: size.strangers, everyMs: size.everyMs });
    const beats = await beat();
    return { beats, knocked: await strangers.call('pause', undefined) };
  };
  for (let round = 0; round <= size.rounds; round += 1) {
    tell(`${size.strangers} unknown devices, round ${round} of ${size.rounds}`);
    const calm = await measured(gateway, beat);
    const elsewhere = await measured(door, () => beatWhileTheyKnock(door));
    const busy = await measured(gateway, () => beatWhileTheyKnock(gateway));
    told.rssMb.push(usageOf(gateway.pid)?.rssMb ?? Number.NaN);
    // the first round warms up
    if (round === 0) continue;
    told.calm.push(calm.made);
    told.elsewhere.push(elsewhere.made.beats);
    told.busy.push(busy.made.beats);
    told.knocked.push(busy.made.knocked);
    told.extraCpuMs.push(busy.cpuMs - calm.cpuMs);
    told.elsewhereCpuMs.push(elsewhere.cpuMs);
  }
  return told;
}

async function measured<Made>(
  server: RunningServer,
  work: () => Promise<Made>,
): Promise<{ made: Made; cpuMs: number }> {
  const cpuMs = () => usageOf(server.pid)?.cpuMs ?? Number.NaN;
  const before = cpuMs();
  return { made: await work(), cpuMs: cpuMs() - before };
}

function finding(size: Size, told: Told): Finding {
  const { calm, elsewhere, busy, knocked, rssMb } = told;
  const times = (some: readonly Beats[], others: readonly Beats[]) =>
    some.map(({ p99Ms }, round) => p99Ms / (others[round]?.p99Ms ?? Number.NaN));
  const ratios = times(busy, calm);
  const ratio = median(ratios);
  const msEach = (cpuMs: readonly number[]) =>
    (median(cpuMs) / median(knocked.map(({ knocks }) => knocks))).toFixed(2);
  const sum = (of: (one: Knocked) => number) => knocked.reduce((all, one) => all + of(one), 0);
  const missed = [...calm, ...busy].reduce((all, one) => all + one.missed, 0);
  const [firstMb = Number.NaN, lastMb = Number.NaN] = [rssMb[0], rssMb.at(-1)];
  const isBounded = lastMb - firstMb <= MOST_MB_MORE;
  return {
    measure: `heartbeats of ${size.controllers} known while ${size.strangers} unknown devices knock`,
    subject: figures('while they knock', busy, lastMb),
    baseline: figures('calm', calm, firstMb),
    ratioOf: 'p99',
    ratio,
    cpuRatio: null,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `p99 ≤ ${MOST_TIMES_CALM} × calm, ≤ ${MOST_MB_MORE} MB more`,
    isMet: ratio <= MOST_TIMES_CALM && isBounded && missed === 0,
    rounds: size.rounds,
    notes: [
      `${sum(({ knocks }) => knocks)} knocks, ${sum(({ refused }) => refused)} refused, ${sum(({ unanswered }) => unanswered)} without an answer`,
      `memory from ${firstMb.toFixed(0)} to ${lastMb.toFixed(0)} MB; ${missed} heartbeats unanswered`,
      `the same knocks at a process that is not the gateway: p99 ${median(elsewhere.map(({ p99Ms }) => p99Ms)).toFixed(2)} ms, ${median(times(elsewhere, calm)).toFixed(2)} × calm; at the gateway ${median(times(busy, elsewhere)).toFixed(2)} × that`,
      `a knock costs the gateway ${msEach(told.extraCpuMs)} ms of CPU time, a process that only refuses ${msEach(told.elsewhereCpuMs)} ms`,
      `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
    ],
  };
}

function figures(name: string, rounds: readonly Beats[], rssMb: number): Figures {
  const of = (what: 'p50Ms' | 'p99Ms') => median(rounds.map((beats) => beats[what]));
  return { name, perS: null, cpuUs: null, p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), rssMb };
}
