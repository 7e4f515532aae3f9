import { outcomeOf, voidBecause } from './command-steps.ts';
import { type MoveDeps, moveCommand } from './move-command.ts';
import type { Command, Order } from './ports.ts';

const MOST_A_TICK = 200;
/** A gateway that was told that the order counts and was never heard again: after so long nothing is waited for. */
const UNANSWERED_MS = 23 * 3_600_000;

/**
 * Looks at orders whose time is over. The gateway's own row of an order tells more than its lost answer: where it is
 * there, it counts; else the order is void, the gateway's value is shown again, and whoever ordered is told.
 */
export async function expireCommands(deps: MoveDeps): Promise<void> {
  const overdue = await deps.queries.overdue(deps.now(), MOST_A_TICK);
  await settleByOrders(deps, overdue, async (open) => {
    if (open.state === 'accepted') return;
    if (open.state === 'confirming' && deps.now() < open.expires_at_ms + UNANSWERED_MS) return;
    await moveCommand(deps, open, { to: 'expired', result: voidBecause(open), says: 'hosted' });
  });
}

/** Gives each command the state that the gateway's order of the same id tells; without one, `otherwise` decides. */
export async function settleByOrders(
  deps: MoveDeps,
  commands: readonly Command[],
  otherwise: (command: Command) => Promise<unknown> = async () => undefined,
): Promise<void> {
  if (commands.length === 0) return;
  const orders = await deps.queries.ordersOf(commands.map(({ id }) => id));
  const orderById = new Map<string, Order>(orders.map((row) => [row.id, row]));
  for (const open of commands) {
    const made = orderById.get(open.id);
    if (made === undefined) await otherwise(open);
    else await settle(deps, open, made);
  }
}

async function settle(deps: MoveDeps, open: Command, made: Order): Promise<void> {
  const { state, result } = outcomeOf(made);
  await moveCommand(deps, open, { to: state, result, says: 'gateway' });
}
