import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { MUTANTS, type Mutant } from './sync/mutants.ts';
import { ORDER_MUTANTS } from './sync/order-mutants.ts';
import { runSeeds } from './sync/seed-range.ts';
import { runWorld } from './sync/soak-orders.ts';

// Breaks one rule of the sync after another and looks how many seeds of the simulated pair it takes until somebody
// notices: node scripts/sync-mutants.ts [--seeds 2000] [--from 1] [--only part-of-a-name]. Then the rules of orders from
// afar, each in worlds of 300 orders: --worlds 4 at most (each was
// noticed within two).

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    worlds: { type: 'string', default: '4' },
    processes: { type: 'string', default: String(availableParallelism()) },
  },
});
const [count, from, processes] = [Number(values.seeds), Number(values.from), Number(values.processes)];
const survivors: string[] = [];

/** How many it took, and which rule noticed; undefined: none did. */
type Noticed = { after: string; rule: string | undefined };

async function look(mutants: readonly Mutant[], notice: (name: string) => Promise<Noticed>): Promise<void> {
  for (const { name, spare } of mutants.filter((mutant) => mutant.name.includes(values.only))) {
    const { after, rule } = await notice(name);
    if (rule === undefined && spare === undefined) survivors.push(name);
    const told = rule === undefined ? `not in ${after}` : after;
    console.log(`${name.padEnd(60)} ${told.padEnd(18)} ${rule ?? spare ?? ''}`);
  }
}

console.log(`${'broken rule'.padEnd(60)} noticed after      as`);
await look(MUTANTS, async (mutant) => {
  const isMixed = MUTANTS.some(({ name, isMixed }) => name === mutant && isMixed === true);
  const { found, firstAfter, seeds } = await runSeeds({
    isMixed,
    from,
    count,
    processes,
    isFirstEnough: true,
    mutant,
  });
  const first = found.toSorted((a, b) => a.seed - b.seed)[0];
  return { after: `${firstAfter ?? seeds} seeds`, rule: first?.violations[0]?.rule };
});
await look(ORDER_MUTANTS, async (mutant) => {
  let [worlds, rule] = [0, undefined as string | undefined];
  while (rule === undefined && worlds < Number(values.worlds)) {
    rule = (await runWorld({ seed: from + worlds, orders: 300, mutant })).violations[0]?.rule;
    worlds += 1;
  }
  return { after: `${worlds} worlds`, rule };
});
console.log(
  survivors.length === 0
    ? 'every rule that stands alone was noticed when broken'
    : `not noticed: ${survivors.join(', ')}`,
);
process.exitCode = survivors.length === 0 ? 0 : 1;
