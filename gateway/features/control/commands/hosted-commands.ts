import { aerator } from '#contract/resources/aerators.ts';
import { order } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { command, pairedGateway, syncFarm } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import { mayOnFarm } from '#contract/rights.ts';
import type { CommandFrame, GatewayFrame } from '#contract/sync/wire.ts';
import type { CommandState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, type Committed, onTables, rowsOf, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { FAILED, failedMessage, failedTitle } from './command-words.ts';
import type { Command, CommandQueries, Order, OrderFacts } from './ports.ts';
import { mayBecome, outcomeOf, type Says, voidBecause } from './take-command.ts';

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
    const known = facts?.command ?? (await deps.queries.commandById(id));
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

type MoveDeps = Pick<
  Kernel,
  'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard' | 'commit' | 'pause' | 'random'
> & { queries: CommandQueries; notify: Notify };

type Step = {
  to: CommandState;
  result: string | null;
  says: Says;
  /** Void before its time is over: what it rested on has changed. */
  isWithdrawn?: true;
};

/**
 * Moves an order to a later state, with all that belongs to it: the aerator it came from follows when the gateway took
 * it; whoever ordered is told when nothing came of it. Answers false when the order does not go there from where it is.
 */
async function moveCommand(deps: MoveDeps, known: Command, step: Step): Promise<boolean> {
  const { answer } = await perform(deps, null, async () => {
    const guard = await deps.guard('commands', known.control_point_id);
    const current = await deps.queries.commandById(known.id);
    if (current === null || !mayBecome(current.state, step.to, step.says)) return { answer: false };
    // by its own clock this instance says what is void; only then, because another process may see it otherwise
    const isLate = deps.now() >= current.expires_at_ms;
    if (step.to === 'expired' && step.says === 'hosted' && step.isWithdrawn !== true && !isLate)
      return { answer: false };
    if (step.to === 'confirming' && isLate) return { answer: false };
    const set = { state: step.to, state_at: isoOf(deps.now()), result: step.result };
    return {
      answer: true,
      changes: [update(command, current.id, set), ...(await besides(deps, current, step))],
      guards: [guard],
    };
  });
  return answer;
}

async function besides(deps: MoveDeps, current: Command, step: Step): Promise<Change[]> {
  if (step.to === 'accepted' || step.to === 'done') return aeratorFollows(deps, current);
  if (!FAILED.includes(step.to)) return [];
  const changes = await tellFailure(deps, current, step);
  if (step.to !== 'expired') return changes;
  return [...changes, ...(await expiredAudit(deps, current, step))];
}

const AFTER_A_CHANGE: readonly (string | null)[] = ['GATEWAY_CHANGED', 'MOVED_UNTOLD'];

async function aeratorFollows({ queries, now }: MoveDeps, current: Command): Promise<Change[]> {
  // of a gateway that is no longer the farm's it is told, and nothing follows
  if (current.aerator_id === null || AFTER_A_CHANGE.includes(current.result)) return [];
  const row = await queries.aeratorById(current.aerator_id);
  if (row === null || row.status === current.target_status) return [];
  const at = isoOf(now());
  return [update(aerator, row, { status: current.target_status, last_command_at: at, updated_at: at })];
}

/** A person whose own newer order took the place of this one knows. */
async function tellFailure(deps: MoveDeps, current: Command, step: Step): Promise<Change[]> {
  if (current.issued_by === null || step.result === 'NEWER_ORDER') return [];
  const names = await deps.queries.pointNames(current.control_point_id);
  if (names === null) return [];
  const told = { ...names, target: current.target_status, result: step.result };
  return deps.notify(
    { userIds: [current.issued_by] },
    {
      type: 'ALERT',
      severity: 'MEDIUM',
      title: (language) => failedTitle(step.result, language),
      message: (language) => failedMessage(told, language),
      data: {
        event: `order_${step.to}`,
        control_point_id: current.control_point_id,
        order_id: current.id,
        pond_id: null,
        pond_cod: null,
        parameter: 'order',
        value: null,
        threshold: null,
      },
      cause: `command_failed:${current.id}`,
      farmId: names.farmId,
    },
  );
}

async function expiredAudit(deps: MoveDeps, current: Command, step: Step): Promise<Change[]> {
  const names = await deps.queries.pointNames(current.control_point_id);
  if (names === null) return [];
  return [
    audit(deps, {
      farm_id: names.farmId,
      entity_type: 'CONTROL_POINT',
      entity_id: current.control_point_id,
      entity_name: names.cod,
      action: 'order_expired',
      user_id: current.issued_by,
      origin: 'REMOTE',
      details: { order_id: current.id, target: current.target_status, reason: step.result },
      cause: `order_expired:${current.id}`,
      isOfBoth: true,
    }),
  ];
}
