import { simulateOrders } from '../../test/sync/sim/orders/simulate-orders.ts';

// One process of soak-orders.ts: a world of its own, told to the parent.

const [seed, orders] = process.argv.slice(2).map(Number);
const result = await simulateOrders({ seed: seed ?? 1, orders: orders ?? 1 });
process.send?.(result, () => process.exit(0));
