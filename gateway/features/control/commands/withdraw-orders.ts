import { farm, farmMember } from '#contract/resources/farms.ts';
import { pairedGateway, syncFarm } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import { type MoveDeps, moveCommand } from './move-command.ts';
import type { Command, OrderFacts } from './ports.ts';

export type Withdrawal = 'GATEWAY_CHANGED' | 'POINT_GONE' | 'NOT_ALLOWED';

/** Why an order under way is void before its time is over; null: nothing it rests on has changed. */
export function withdrawalOf(facts: OrderFacts): Withdrawal | null {
  if (facts.farm === null) return 'POINT_GONE';
  if (facts.farm.streamId !== facts.command.stream_id || facts.isGatewayRevoked) return 'GATEWAY_CHANGED';
  if (facts.command.issued_by === null) return null;
  const role = facts.command.issued_by === facts.farm.ownerId ? 'OWNER' : facts.role;
  return facts.isIssuerActive && role !== null && mayOnFarm(role, 'attend') ? null : 'NOT_ALLOWED';
}

/** What is said of it: of an order that its gateway was told to count nobody knows more than that gateway. */
function toldOf({ state }: Pick<Command, 'state'>, why: Withdrawal): string | null {
  if (state !== 'confirming') return why;
  // its gateway is still heard, and says itself what it did; one that was taken off the farm may never be heard again
  return why === 'GATEWAY_CHANGED' ? 'MOVED_UNTOLD' : null;
}

/** Makes orders void whose farm has another gateway now, or whose giver may no longer switch there; `id`: this one alone. */
export async function withdrawOrders(deps: MoveDeps, id: string | null = null): Promise<void> {
  for (const facts of await deps.queries.orderFacts(id)) {
    const why = withdrawalOf(facts);
    const result = why === null ? null : toldOf(facts.command, why);
    if (result === null) continue;
    await moveCommand(deps, facts.command, { to: 'expired', result, says: 'hosted', isWithdrawn: true });
  }
}

export const ENDING_ORDERS = [syncFarm, farmMember, pairedGateway, user, farm];

/** True for what may end the way of an order. A gateway's own row changes with every word it says. */
export function mayWithdraw(committed: Committed): boolean {
  return (
    rowsOf(committed, syncFarm).length > 0 ||
    rowsOf(committed, farmMember).length > 0 ||
    rowsOf(committed, pairedGateway).some(({ after }) => after.status === 'revoked') ||
    rowsOf(committed, user).some(({ after, hidden }) => hidden || !after.is_active) ||
    rowsOf(committed, farm).some(({ before, after, hidden }) => hidden || before?.owner_id !== after.owner_id)
  );
}
