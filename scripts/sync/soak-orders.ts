import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OrdersResult } from '../../test/sync/sim/orders/simulate-orders.ts';

const WORKER = fileURLToPath(new URL('./order-worker.ts', import.meta.url));
const BREAKER = new URL('./break-rule.mjs', import.meta.url).href;
/** Of one simulated farm: the longer a world lives, the more rows each of its orders is looked up among. */
const A_WORLD = 500;

type Options = { orders: number; from: number; json: string | null; tell: (sentence: string) => void };

/** So many orders from afar while line and processes fail; answers whether none was late, doubled or told otherwise. */
export async function soakOrders({ orders, from, json, tell }: Options): Promise<boolean> {
  const startedAt = performance.now();
  const found: { seed: number; what: OrdersResult['violations'] }[] = [];
  const counts: Record<string, number> = {};
  const work = { next: 0 };
  const sizes = Array.from({ length: Math.ceil(orders / A_WORLD) }, (_, n) =>
    Math.min(A_WORLD, orders - n * A_WORLD),
  );
  const lane = async () => {
    for (let n = work.next++; n < sizes.length; n = work.next++) {
      const seed = from + n;
      const result = await runWorld({ seed, orders: sizes[n] ?? 0 });
      if (result.violations.length > 0) found.push({ seed, what: result.violations });
      for (const [name, count] of Object.entries(result.counts)) counts[name] = (counts[name] ?? 0) + count;
      tell(`${counts['orders']} orders, ${found.length} worlds with a violation`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  const realS = Math.round((performance.now() - startedAt) / 1000);
  const at = new Date().toISOString();
  const file = json ?? `soak-results/orders-${at.replaceAll(':', '-')}.json`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ at, from, realS, counts, found }, null, 2)}\n`);
  const lines = Object.entries(counts).map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`);
  const verdict = found.flatMap(({ seed, what }) => `  seed ${seed}: ${what[0]?.rule}: ${what[0]?.what}`);
  console.log(
    [`orders from afar, ${realS} s`, ...lines, ...(found.length === 0 ? ['no violation'] : verdict)].join(
      '\n',
    ),
  );
  console.log(`written to ${file}`);
  return found.length === 0;
}

/** In a process of its own; `mutant`: a rule that is broken there (order-mutants.ts). */
export function runWorld(world: { seed: number; orders: number; mutant?: string }): Promise<OrdersResult> {
  const child = fork(WORKER, [String(world.seed), String(world.orders)], {
    execArgv: world.mutant === undefined ? [] : ['--import', BREAKER],
    env: { ...process.env, SYNC_MUTANT: world.mutant ?? '' },
    serialization: 'advanced',
  });
  return new Promise((resolve, reject) => {
    // sent by order-worker.ts
    child.once('message', (result) => resolve(result as OrdersResult));
    child.once('error', reject);
    child.once(
      'exit',
      (code) => code !== 0 && reject(new Error(`the world of seed ${world.seed} ended with ${code}`)),
    );
  });
}
