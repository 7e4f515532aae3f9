import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Chance, createChance } from '../../../test/sync/sim/chance.ts';
import { differences } from './alike.ts';
import { atRest, type Farm, openFarm } from './farm.ts';
import { FAULTS, type FaultName, patienceOf } from './faults.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createPeople, type People } from './workload.ts';

// Rounds of work and faults on a gateway and a hosted instance of two processes, all of them programs. At the end of each
// both sides must say the same, row by row, and everything that was answered with yes must be somewhere.

export type RoundsOptions = {
  rounds: number;
  seed: number;
  /** These faults alone. */
  only?: readonly FaultName[];
  json: string | null;
  tell: (sentence: string) => void;
};

type Failure = { seed: number; round: number; faults: string[]; what: string[]; again: string };

/** A farm grows old, and its tables long: then a new one begins. */
const OF_ONE_FARM = 50;
const REST_MS = 90_000;
/** At rest both must be alike; a watcher may still write between two looks. */
const LOOKS_MS = 6_000;

type World = { farm: Farm; ledger: Ledger; people: People; seed: number; isFresh: boolean };

export async function soakRounds({ rounds, seed, only, json, tell }: RoundsOptions): Promise<boolean> {
  const startedAt = performance.now();
  const failures: Failure[] = [];
  const counts: Record<string, number> = {};
  const logLines: Record<string, number> = {};
  const seconds: number[] = [];
  const weights = Object.fromEntries(
    Object.entries(FAULTS)
      .filter(([name]) => only === undefined || only.includes(name as FaultName))
      .map(([name, { weight }]) => [name, weight]),
  ) as Record<FaultName, number>;
  let world: World | null = null;
  const endWorld = async () => {
    if (world === null) return;
    for (const [name, times] of Object.entries(world.people.counts))
      counts[name] = (counts[name] ?? 0) + times;
    counts['writes'] = (counts['writes'] ?? 0) + world.ledger.count();
    for (const line of linesOf(world.farm)) logLines[line] = (logLines[line] ?? 0) + 1;
    await world.farm.close();
    world = null;
  };
  for (let n = 0; n < rounds; n += 1) {
    const ofFarm = n % OF_ONE_FARM;
    const farmSeed = seed + Math.floor(n / OF_ONE_FARM);
    if (ofFarm === 0) await endWorld();
    const roundAt = performance.now();
    world ??= await openWorld(farmSeed);
    const faults: string[] = [];
    const what = await oneRound(world, {
      chance: createChance(farmSeed, `round ${ofFarm}`),
      weights,
      say: (sentence) => faults.push(sentence),
    }).catch((error: unknown) => [
      `the round itself: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]);
    const [kind = ''] = faults;
    counts[kind] = (counts[kind] ?? 0) + 1;
    seconds.push((performance.now() - roundAt) / 1000);
    if (what.length > 0) {
      const again = `npm run soak -- --rounds ${ofFarm + 1} --seed ${farmSeed}`;
      failures.push({ seed: farmSeed, round: ofFarm, faults, what, again });
      const folder = `soak-results/rounds-${farmSeed}-${ofFarm}`;
      world.farm.keepEvidence(folder);
      writeFileSync(join(folder, 'log.txt'), allLines(world.farm));
      tell(
        `round ${n} (${faults.join('; ')}): ${what.join('\n    ')}\n  again: ${again}\n  kept in ${folder}`,
      );
      await endWorld();
    } else if (n % 10 === 9 || process.env['ROUNDS_TOLD'] !== undefined)
      tell(
        `${n + 1} rounds, ${failures.length} failed, ${mean(seconds).toFixed(1)} s each; ${faults.join('; ')} ${seconds.at(-1)?.toFixed(1)} s`,
      );
  }
  await endWorld();
  const at = new Date().toISOString();
  const file = json ?? `soak-results/rounds-${at.replaceAll(':', '-')}.json`;
  mkdirSync(dirname(file), { recursive: true });
  const realS = Math.round((performance.now() - startedAt) / 1000);
  writeFileSync(
    file,
    `${JSON.stringify({ at, seed, rounds, realS, counts, logLines, failures }, null, 2)}\n`,
  );
  const told = Object.entries(counts).map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`);
  const said = Object.entries(logLines)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 15)
    .map(([line, times]) => `  ${String(times).padStart(8)}  ${line}`);
  const verdict =
    failures.length === 0
      ? ['0 differences at rest, nothing acknowledged lost']
      : failures.map(({ faults, what, again }) => `  ${faults.join('; ')}: ${what[0]}\n    ${again}`);
  console.log(
    [
      `${rounds} rounds, ${realS} s, ${mean(seconds).toFixed(1)} s each`,
      ...told,
      'errors the programs logged:',
      ...said,
      ...verdict,
    ].join('\n'),
  );
  console.log(`written to ${file}`);
  return failures.length === 0;
}

async function openWorld(seed: number): Promise<World> {
  const farm = await openFarm();
  const ledger = createLedger();
  const people = createPeople({ farm, ledger });
  return { farm, ledger, people, seed, isFresh: true };
}

type Round = { chance: Chance; weights: Record<FaultName, number>; say: (what: string) => void };

/** Answers what is wrong at its end. */
async function oneRound(world: World, { chance, weights, say }: Round): Promise<string[]> {
  const { farm, ledger, people } = world;
  const before = linesOf(farm).length;
  // a young farm has nothing yet to be corrected
  if (world.isFresh) await people.work('gateway', chance, { acts: 40 });
  world.isFresh = false;
  if (chance.of(0.15)) await farm.database.keepImage();
  const names = [chance.weighted(weights), ...(chance.of(0.15) ? [chance.weighted(weights)] : [])];
  say(names.join(' + '));
  const parts = ['gateway', 'hosted', 'other', 'faults'].map((part) =>
    createChance(chance.between(0, 2 ** 31 - 1), part),
  );
  const [atFarm, inCloud, beside, ofFaults] = parts as [Chance, Chance, Chance, Chance];
  await Promise.all([
    people.work('gateway', atFarm, { acts: chance.between(4, 14) }),
    people.work('hosted', inCloud, { acts: chance.between(2, 10) }),
    people.work('hosted', beside, { acts: chance.between(0, 4), process: 1 - farm.leading.to }),
    (async () => {
      for (const name of names) {
        await pause(ofFaults.between(0, 500));
        await FAULTS[name].run({ farm, chance: ofFaults, ledger, say });
      }
    })(),
  ]);
  const patience = Math.max(LOOKS_MS, ...names.map(patienceOf));
  const found = await restAndCompare(farm, patience);
  if (found.length > 0) return found;
  const states = await farm.states();
  const lost = ledger.missing([states.gateway, states.hosted]);
  const repaired =
    patience > LOOKS_MS
      ? []
      : linesOf(farm)
          .slice(before)
          .filter((line) => line.includes('were compared and differed'));
  return [
    ...lost
      .slice(0, 5)
      .map(
        ({ side, table, id, kind, field, value }) =>
          `lost: ${kind} ${table} ${id} ${field} ${value} on the ${side}; all of it: ${JSON.stringify(ledger.of(id).map(({ isExcused, isSure, ...write }) => ({ ...write, isExcused, isSure })))}`,
      ),
    ...repaired,
  ];
}

async function restAndCompare(farm: Farm, patienceMs: number): Promise<string[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const wait = await atRest(farm, REST_MS);
    if (wait !== null) return [`never at rest: ${wait}`];
    const before = (await farm.heads()).text;
    const { gateway, hosted } = await farm.states();
    if ((await farm.heads()).text !== before) continue;
    const found = differences(gateway, hosted);
    const aside =
      patienceMs > LOOKS_MS
        ? [...gateway.parked, ...hosted.parked].map(([key]) => `waits aside: ${key}`)
        : [];
    if (found.length + aside.length === 0) return [];
    if (performance.now() > deadline) return [...found, ...aside.slice(0, 5)];
    await pause(patienceMs > LOOKS_MS ? 1_000 : 300);
  }
}

const allLines = ({ gateway, hosted }: Farm): string =>
  [gateway, ...hosted].map(({ lines }, n) => lines.map((line) => `${n} ${line}`).join('\n')).join('\n');

/** What the programs logged as an error. */
function linesOf({ gateway, hosted }: Farm): string[] {
  return [gateway, ...hosted].flatMap(({ lines }, place) =>
    lines.flatMap((line) => {
      if (!/"level":"?(error|fatal|50|60)/.test(line)) return [];
      const { msg } = JSON.parse(line) as { msg?: string };
      return [`${place === 0 ? 'gateway' : 'hosted'}: ${msg ?? line.slice(0, 120)}`];
    }),
  );
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
