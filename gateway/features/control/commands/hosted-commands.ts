import { order } from '#contract/resources/control-points.ts';
import { command } from '#contract/resources/sync-tables.ts';
import type { CommandFrame, GatewayFrame } from '#contract/sync/wire.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { expireCommands, settleByOrders } from './expire-commands.ts';
import { type MoveDeps, moveCommand } from './move-command.ts';
import type { Command } from './ports.ts';
import { ENDING_ORDERS, mayWithdraw, withdrawalOf, withdrawOrders } from './withdraw-orders.ts';

export type HostedCommandDeps = MoveDeps &
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
