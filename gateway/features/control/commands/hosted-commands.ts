import { order } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { command, pairedGateway, syncFarm } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import { mayOnFarm } from '#contract/rights.ts';
import type { CommandFrame, GatewayFrame } from '#contract/sync/wire.ts';
import { type Committed, onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { type MoveDeps, moveCommand } from './move-command.ts';
import type { Command, Order, OrderFacts } from './ports.ts';
import { outcomeOf, voidBecause } from './take-command.ts';

const MOST_A_TICK = 200;
/** A gateway that was told that the order counts and was never heard again: after so long nothing is waited for. */
const UNANSWERED_MS = 23 * 3_600_000;

/**
 * Looks at orders whose time is over. The gateway's own row of an order tells more than its lost answer: where it is
 * there, it counts; else the order is void, the gateway's value is shown again, and whoever ordered is told.
 */
async function expireCommands(deps: MoveDeps): Promise<void> {
  const overdue = await deps.queries.overdue(deps.now(), MOST_A_TICK);
  await settleByOrders(deps, overdue, async (open) => {
    if (open.state === 'accepted') return;
    if (open.state === 'confirming' && deps.now() < open.expires_at_ms + UNANSWERED_MS) return;
    await moveCommand(deps, open, { to: 'expired', result: voidBecause(open), says: 'hosted' });
  });
}

/** Gives each command the state that the gateway's order of the same id tells; without one, `otherwise` decides. */
async function settleByOrders(
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

type Withdrawal = 'GATEWAY_CHANGED' | 'POINT_GONE' | 'NOT_ALLOWED';

const ENDING_ORDERS = [syncFarm, farmMember, pairedGateway, user, farm];

type HostedCommandDeps = MoveDeps &
  Pick<Kernel, 'log'> & {
    /** Tells the process that holds the socket that an order waits. */
    poke: (streamId: number) => void;
  };

type StateFrame = Extract<GatewayFrame, { is: 'command_state' }>;

/** Orders on their way to gateways, on the hosted instance. */
export function createHostedCommands(deps: HostedCommandDeps) {
  /** Streams whose socket opened anew: what was sent over the one before may not have come. */
  const sendAgain = new Set<number>();

  async function commandsToSend(streamId: number): Promise<readonly CommandFrame[]> {
    const states = sendAgain.delete(streamId)
      ? (['pending', 'sent', 'confirming'] as const)
      : (['pending'] as const);
    const waiting = await deps.queries.waitingFor(streamId, states, deps.now());
    const frames: CommandFrame[] = [];
    for (const open of waiting) {
      const isSent = open.state !== 'pending' || (await moveCommand(deps, open, SENT));
      const frame = isSent ? frameOf(open, deps.now()) : null;
      if (frame !== null) frames.push(frame);
    }
    return frames;
  }

  async function still(streamId: number, id: string): Promise<number | null> {
    // the last moment at which this instance decides whether it is carried out
    const [facts] = await deps.queries.orderFacts(id);
    if (facts !== undefined && withdrawalOf(facts) !== null) {
      await withdrawOrders(deps, id);
      return null;
    }
    const known = await deps.queries.commandById(id);
    if (known === null || known.stream_id !== streamId) return null;
    const counts = known.state === 'confirming' || (await moveCommand(deps, known, CONFIRMING));
    const leftMs = Math.floor(known.expires_at_ms - deps.now());
    return counts && leftMs > 0 ? leftMs : null;
  }

  async function commandState(streamId: number, frame: StateFrame): Promise<void> {
    const known = await deps.queries.commandById(frame.id);
    // a gateway speaks of its own orders only
    if (known === null || known.stream_id !== streamId) return;
    await moveCommand(deps, known, { to: frame.state, result: frame.result, says: 'gateway' });
  }

  function withdraw(): void {
    withdrawOrders(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'orders from afar that are void could not be noted; it is tried again'),
    );
  }

  async function settle(ids: readonly string[]): Promise<void> {
    const known = await Promise.all(ids.map((id) => deps.queries.commandById(id)));
    await settleByOrders(
      deps,
      known.filter((row) => row !== null),
    );
  }

  return {
    commandsToSend,
    still,
    commandState,
    connected(streamId: number, isConnected: boolean): void {
      if (isConnected) sendAgain.add(streamId);
      else sendAgain.delete(streamId);
    },
    /** Every second or two, in one process. */
    async expire(): Promise<void> {
      await withdrawOrders(deps);
      await expireCommands(deps);
    },
    /** To be told of every committed unit. */
    follow: onTables([command, order, ...ENDING_ORDERS], (committed) => {
      if (mayWithdraw(committed)) withdraw();
      const streams = new Set(
        rowsOf(committed, command).flatMap(({ after }) =>
          after.state === 'pending' ? [after.stream_id] : [],
        ),
      );
      for (const streamId of streams) deps.poke(streamId);
      // what the gateway made of an order comes as a row, too: its answer on the socket may be lost
      const made = rowsOf(committed, order).filter(({ after }) => after.origin === 'REMOTE');
      if (committed.merged === undefined || made.length === 0) return;
      settle(made.map(({ id }) => id)).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'the state of orders from afar could not be noted; it is tried again'),
      );
    }),
  };
}

const SENT = { to: 'sent', result: null, says: 'hosted' } as const;
const CONFIRMING = { to: 'confirming', result: null, says: 'hosted' } as const;

/** null: its time is over, and no gateway had the word that it counts. */
function frameOf(open: Command, now: number): CommandFrame | null {
  if (now >= open.expires_at_ms && open.state !== 'confirming') return null;
  return {
    is: 'command',
    id: open.id,
    control_point_id: open.control_point_id,
    target_status: open.target_status,
    issued_by: open.issued_by,
    reason: open.reason,
    hold_s: open.hold_s,
    basis: { version: open.basis_version, epoch: open.basis_epoch },
    is_forced: open.is_forced,
    age_ms: Math.max(0, now - open.issued_at_ms),
    ttl_ms: open.expires_at_ms - open.issued_at_ms,
    answers_still: true,
  };
}

/** Why an order under way is void before its time is over; null: nothing it rests on has changed. */
function withdrawalOf(facts: OrderFacts): Withdrawal | null {
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
async function withdrawOrders(deps: MoveDeps, id: string | null = null): Promise<void> {
  for (const facts of await deps.queries.orderFacts(id)) {
    const why = withdrawalOf(facts);
    const result = why === null ? null : toldOf(facts.command, why);
    if (result === null) continue;
    await moveCommand(deps, facts.command, { to: 'expired', result, says: 'hosted', isWithdrawn: true });
  }
}

/** True for what may end the way of an order. A gateway's own row changes with every word it says. */
function mayWithdraw(committed: Committed): boolean {
  return (
    rowsOf(committed, syncFarm).length > 0 ||
    rowsOf(committed, farmMember).length > 0 ||
    rowsOf(committed, pairedGateway).some(({ after }) => after.status === 'revoked') ||
    rowsOf(committed, user).some(({ after, hidden }) => hidden || !after.is_active) ||
    rowsOf(committed, farm).some(({ before, after, hidden }) => hidden || before?.owner_id !== after.owner_id)
  );
}
