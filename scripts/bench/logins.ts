import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { callHttp } from '#sim/fetch-firmware.ts';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import type { Beats, CrowdLoad } from './load/crowd.ts';
import type { HasherLoad } from './load/hasher.ts';
import { familyRssMb } from './process-usage.ts';
import { provisionFolder } from './provision.ts';
import { type Remote, startRemote } from './remote.ts';
import type { RunningServer } from './start-server.ts';

const MOST_TIMES_CALM = 2;
const MOST_MB = 300;
const LOGIN_MS = { least: 150, most: 300 };
/** The last of fifty waits for all others. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 20;
/** As the gateway's own hashing runs. */
const LOW_PRIORITY = 10;

type Size = { controllers: number; logins: number; alone: number; rounds: number; ms: number };
type Person = { email: string; password: string };
/** `elsewhere`: a process that has nothing to do with the gateway hashes as much meanwhile: what the machine itself does. */
type Rounds = { alone: number[]; calm: Beats[]; elsewhere: Beats[]; busy: Busy[] };
type Busy = { beats: Beats; loginMs: number[]; refused: number; moreMb: number };

/** Fifty people who log in at the same moment, against the calm in between: heartbeats, memory, and one login alone. */
export async function logins({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { controllers: 10, logins: 5, alone: 2, rounds: 1, ms: 500 }
    : { controllers: 200, logins: 50, alone: 15, rounds: 7, ms: 10_000 };
  const data = await newDataFolder();
  try {
    const owner = await provisionFolder(data, { count: size.controllers, prefix: 'login' });
    const gateway = await startGatewayOn(data);
    const crowd = startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url));
    try {
      await crowd.call('arrive', { mqttUrl: gateway.mqtt, clients: owner.controllers, atOnce: 20 });
      return await measured(gateway, crowd, size, tell);
    } finally {
      await crowd.stop();
      await gateway.stop();
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

async function measured(
  gateway: RunningServer,
  crowd: Remote<CrowdLoad>,
  size: Size,
  tell: (line: string) => void,
): Promise<Finding[]> {
  tell(`${size.logins} accounts`);
  const people = await Promise.all(Array.from({ length: size.logins }, (_, n) => aPerson(gateway, n)));
  const [first] = people;
  if (first === undefined) throw new Error('nobody is there to log in');
  // thirty times the heartbeats of a real farm of this size
  const beat = () => crowd.call('beat', { everyMs: 1_000, forMs: size.ms });
  await beat();
  await together(gateway, people.slice(0, 2));
  const alone: number[] = [];
  for (let n = 0; n < size.alone; n += 1) alone.push(...(await together(gateway, [first])).loginMs);
  const calm: Beats[] = [];
  const elsewhere: Beats[] = [];
  const busy: Busy[] = [];
  for (let round = 1; round <= size.rounds; round += 1) {
    tell(`round ${round} of ${size.rounds}: ${size.logins} logins at once`);
    calm.push(await beat());
    elsewhere.push(await besideAHasher(beat));
    const [beats, crowded] = await Promise.all([beat(), together(gateway, people)]);
    busy.push({ beats, ...crowded });
  }
  return findings(size, { alone, calm, elsewhere, busy });
}

async function besideAHasher<Made>(work: () => Promise<Made>): Promise<Made> {
  const hasher = startRemote<HasherLoad>(new URL('load/hasher.ts', import.meta.url));
  try {
    await hasher.call('hash', { priority: LOW_PRIORITY });
    return await work();
  } finally {
    await hasher.stop();
  }
}

/** One account each: ten logins at once into the same one look like guessing. */
async function aPerson(gateway: RunningServer, n: number): Promise<Person> {
  const person = { email: `bench-person-${n}@fazenda.example`, password: 'a-long-password' };
  const made = await callHttp(gateway.http, '/api/v1/auth/register', {
    body: { ...person, name: 'Bench' },
    withinMs: PATIENCE_MS,
  });
  if (made.status !== 201) throw new Error(`no account was made: ${JSON.stringify(made.body)}`);
  return person;
}

/** All of them log in at the same moment; how long each took, and how much more memory the gateway had meanwhile. */
async function together(gateway: RunningServer, people: readonly Person[]): Promise<Omit<Busy, 'beats'>> {
  const before = familyRssMb(gateway.pid);
  const state = { isOver: false, most: before };
  const looking = (async () => {
    while (!state.isOver) {
      state.most = Math.max(state.most, familyRssMb(gateway.pid));
      await pause(LOOK_EVERY_MS);
    }
  })();
  const answers = await Promise.all(
    people.map(async (person) => {
      const startedAt = performance.now();
      const { status } = await callHttp(gateway.http, '/api/v1/auth/login', {
        body: person,
        withinMs: PATIENCE_MS,
      });
      return { status, ms: performance.now() - startedAt };
    }),
  );
  state.isOver = true;
  await looking;
  return {
    loginMs: answers.map(({ ms }) => ms),
    refused: answers.filter(({ status }) => status !== 200).length,
    moreMb: state.most - before,
  };
}

function findings(size: Size, { alone, calm, elsewhere, busy }: Rounds): Finding[] {
  const against = (others: readonly Beats[]) =>
    busy.map(({ beats }, n) => beats.p99Ms / (others[n]?.p99Ms ?? Number.NaN));
  const ratios = against(calm);
  const ratio = median(ratios);
  const besides = against(elsewhere);
  const missed = [...calm, ...busy.map(({ beats }) => beats)].reduce((sum, one) => sum + one.missed, 0);
  const refused = busy.reduce((sum, one) => sum + one.refused, 0);
  const moreMb = Math.max(...busy.map((one) => one.moreMb));
  const oneMs = median(alone);
  const lastMs = median(busy.map(({ loginMs }) => Math.max(...loginMs)));
  const shared = { ratioOf: 'p99', cpuRatio: null, rounds: size.rounds } as const;
  return [
    {
      ...shared,
      measure: `heartbeats while ${size.logins} people log in at once`,
      subject: beatFigures(
        'while they log in',
        busy.map(({ beats }) => beats),
      ),
      baseline: beatFigures('calm', calm),
      ratio,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      must: `p99 ≤ ${MOST_TIMES_CALM} × calm`,
      isMet: ratio <= MOST_TIMES_CALM && missed === 0 && refused === 0,
      notes: [
        `${missed} heartbeats unanswered, ${refused} logins refused, the last login after ${(lastMs / 1000).toFixed(1)} s`,
        `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
      ],
    },
    {
      ...shared,
      measure: 'heartbeats: logins against the same hashing in a process that is not the gateway',
      subject: beatFigures(
        'while they log in',
        busy.map(({ beats }) => beats),
      ),
      baseline: beatFigures('hashing elsewhere', elsewhere),
      ratio: median(besides),
      spread: [Math.min(...besides), Math.max(...besides)],
      must: `p99 ≤ ${MOST_TIMES_CALM} ×`,
      isMet: median(besides) <= MOST_TIMES_CALM,
    },
    {
      ...shared,
      measure: `memory while ${size.logins} people log in at once`,
      subject: { ...noFigures('more than before'), rssMb: moreMb },
      baseline: { ...noFigures('allowed'), rssMb: MOST_MB },
      ratioOf: 'RSS',
      ratio: moreMb / MOST_MB,
      spread: null,
      must: `≤ ${MOST_MB} MB more`,
      isMet: moreMb <= MOST_MB,
    },
    {
      ...shared,
      measure: 'one login alone',
      subject: { ...noFigures('argon2id'), p50Ms: oneMs },
      baseline: { ...noFigures('wanted at most'), p50Ms: LOGIN_MS.most },
      ratioOf: 'p50',
      ratio: oneMs / LOGIN_MS.most,
      spread: [Math.min(...alone) / LOGIN_MS.most, Math.max(...alone) / LOGIN_MS.most],
      must: `${LOGIN_MS.least} to ${LOGIN_MS.most} ms`,
      isMet: oneMs >= LOGIN_MS.least && oneMs <= LOGIN_MS.most,
    },
  ];
}

function beatFigures(name: string, rounds: readonly Beats[]): Figures {
  return {
    ...noFigures(name),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  };
}

const noFigures = (name: string): Figures => ({
  name,
  perS: null,
  cpuUs: null,
  p50Ms: null,
  p99Ms: null,
  rssMb: null,
});
