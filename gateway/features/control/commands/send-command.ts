import type { PendingOrder } from '#contract/resources/control-points.ts';
import { command } from '#contract/resources/sync-tables.ts';
import { insert, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { RouteDecision } from '#core/route.ts';
import { type ControlView, newerTarget } from '../control-view.ts';
import type { RemoteOrder } from '../remote-order.ts';
import { isUntold } from './command-steps.ts';
import type { Command, CommandQueries } from './ports.ts';

export type SendDeps = Pick<Kernel, 'now' | 'newId' | 'guard'> & {
  queries: Pick<CommandQueries, 'openOf'>;
};

/**
 * Decides an order for the gateway of a farm: it is put on its way and shown as pending; the shadow is the gateway's. An
 * earlier order of the same control point that the gateway has not answered yet is void.
 */
export async function sendCommand(
  deps: SendDeps,
  view: Pick<ControlView, 'row' | 'presence'>,
  wish: RemoteOrder,
  streamId: number,
): Promise<RouteDecision> {
  const point = view.row;
  const basis = newerTarget(view) ?? point;
  const guard = await deps.guard('commands', point.id);
  const open = await deps.queries.openOf([point.id]);
  const now = deps.now();
  const at = isoOf(now);
  const row: Command = {
    id: deps.newId(),
    stream_id: streamId,
    control_point_id: point.id,
    target_status: wish.target,
    issued_by: wish.issuedBy,
    aerator_id: wish.aeratorId,
    reason: wish.reason,
    hold_s: wish.holdS,
    basis_version: basis.version,
    basis_epoch: basis.epoch,
    is_forced: wish.isForced,
    issued_at_ms: now,
    expires_at_ms: now + wish.expiresInS * 1000,
    state: 'pending',
    state_at: at,
    result: null,
  };
  const earlier = open.filter(({ state }) => state === 'pending' || state === 'sent');
  return {
    answer: {
      status: 200,
      body: {
        id: point.id,
        target_status: wish.target,
        current_status: point.current_status,
        last_command_at: at,
        order_id: row.id,
        version: basis.version,
        hold_until: wish.holdS === null ? null : isoOf(now + wish.holdS * 1000),
        pending: pendingOf(row, now),
      },
    },
    changes: [
      ...earlier.map(({ id }) =>
        update(command, id, { state: 'superseded', state_at: at, result: 'NEWER_ORDER' }),
      ),
      insert(command, row),
    ],
    guards: [guard],
  };
}

export function pendingOf(row: Command, now: number): PendingOrder {
  return {
    ...(isUntold(row, now) ? { is_untold: true } : {}),
    id: row.id,
    target_status: row.target_status,
    state: row.state,
    expires_at: isoOf(row.expires_at_ms),
  };
}
