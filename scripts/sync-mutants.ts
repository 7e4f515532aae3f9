import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { MUTANTS } from './sync/mutants.ts';
import { ORDER_MUTANTS } from './sync/order-mutants.ts';
import { runSeeds } from './sync/seed-range.ts';
import { runWorld } from './sync/soak-orders.ts';

// Breaks one rule of the sync after another and looks how many seeds of the simulated pair it takes until somebody
// notices: node scripts/sync-mutants.ts [--seeds 2000] [--from 1] [--only part-of-a-name]. Then the rules of orders from
// afar, each in worlds of 300 orders: --worlds 8 at most.

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    worlds: { type: 'string', default: '8' },
    processes: { type: 'string', default: String(availableParallelism()) },
  },
});
const [count, from, processes] = [Number(values.seeds), Number(values.from), Number(values.processes)];
const survivors: string[] = [];

console.log(`${'broken rule'.padEnd(44)} noticed after   as`);
for (const mutant of MUTANTS.filter(({ name }) => name.includes(values.only))) {
  const result = await runSeeds({ from, count, processes, isFirstEnough: true, mutant: mutant.name });
  const first = result.found.toSorted((a, b) => a.seed - b.seed)[0];
  if (first === undefined && mutant.spare === undefined) survivors.push(mutant.name);
  const after = first === undefined ? `not in ${result.seeds} seeds` : `${result.firstAfter} seeds`;
  console.log(
    `${mutant.name.padEnd(44)} ${after.padEnd(15)} ${first?.violations[0]?.rule ?? mutant.spare ?? ''}`,
  );
}
for (const { name, spare } of ORDER_MUTANTS.filter((mutant) => mutant.name.includes(values.only))) {
  let [worlds, rule] = [0, undefined as string | undefined];
  while (rule === undefined && worlds < Number(values.worlds)) {
    rule = (await runWorld({ seed: from + worlds, orders: 300, mutant: name })).violations[0]?.rule;
    worlds += 1;
  }
  if (rule === undefined && spare === undefined) survivors.push(name);
  const after = rule === undefined ? `not in ${worlds} worlds` : `${worlds} worlds`;
  console.log(`${name.padEnd(44)} ${after.padEnd(15)} ${rule ?? spare ?? ''}`);
}
console.log(
  survivors.length === 0
    ? 'every rule that stands alone was noticed when broken'
    : `not noticed: ${survivors.join(', ')}`,
);
process.exitCode = survivors.length === 0 ? 0 : 1;
