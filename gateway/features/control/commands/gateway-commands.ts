import { order, type PendingOrder } from '#contract/resources/control-points.ts';
import { command, takenCommand } from '#contract/resources/sync-tables.ts';
import type { GatewayFrame, LiveState } from '#contract/sync/wire.ts';
import { insert, onTables, rowsOf, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { RouteDecision } from '#core/route.ts';
import { perform } from '#core/use-case.ts';
import { type ControlView, currentOf, isOnline, newerTarget, targetOf } from '../control-view.ts';
import type { RemoteOrder } from '../remote-order.ts';
import type { Command, CommandQueries } from './ports.ts';
import { isUntold, standing, type TakeDeps, takeCommand } from './take-command.ts';

type GatewayCommandDeps = TakeDeps & {
  allViews: () => Iterable<ControlView>;
  onlineAfterMs: number;
};

type StateFrame = Extract<GatewayFrame, { is: 'command_state' }>;

/** Orders from afar on the gateway that carries them out, and what it tells of its control points. */
export function createGatewayCommands(deps: GatewayCommandDeps) {
  const stateListeners = new Set<(frame: StateFrame) => void>();
  const liveListeners = new Set<(controlPointId: string) => void>();
  /** Taken orders whose end is not known yet. */
  const underWay = new Set<string>();

  async function settle(id: string): Promise<void> {
    const { answer } = await perform(deps, null, async () => {
      const stored = await deps.queries.takenById(id);
      if (stored === null || stored.state !== 'accepted') return { answer: null };
      const now = await standing(deps, stored);
      if (now.state === 'accepted') return { answer: null };
      return { answer: now, changes: [update(takenCommand, id, now)] };
    });
    if (answer === null) return;
    underWay.delete(id);
    for (const listener of stateListeners) listener({ is: 'command_state', id, ...answer });
  }

  function settleLater(id: string): void {
    settle(id).catch((error: unknown) =>
      deps.log.warn(
        { err: error },
        'how an order from afar went on could not be noted; the next look at it does',
      ),
    );
  }

  return {
    async takeCommand(frame: Parameters<typeof takeCommand>[1], lateAtMs: number): Promise<StateFrame> {
      const answer = await takeCommand(deps, frame, lateAtMs);
      if (answer.state === 'accepted') {
        underWay.add(frame.id);
        // a controller may have answered while this was being noted
        settleLater(frame.id);
      }
      return answer;
    },
    livePoints: (): readonly LiveState[] =>
      [...deps.allViews()].map((view) => liveStateOf(view, deps.now(), deps.onlineAfterMs)),
    onCommandState(listener: (frame: StateFrame) => void): () => void {
      stateListeners.add(listener);
      return () => void stateListeners.delete(listener);
    },
    onLive(listener: (controlPointId: string) => void): () => void {
      liveListeners.add(listener);
      return () => void liveListeners.delete(listener);
    },
    /** A control point stands otherwise than a moment ago. */
    changed(controlPointId: string): void {
      for (const listener of liveListeners) listener(controlPointId);
    },
    /** To be told of every committed unit. */
    follow: onTables([order], (committed) => {
      for (const { id, after } of rowsOf(committed, order)) {
        if (underWay.has(id) && after.state !== 'SENT' && after.state !== 'ACKED') settleLater(id);
      }
    }),
    /** At start: what an earlier run took goes on from what the controllers reported. */
    async resume(): Promise<void> {
      for (const { id } of await deps.queries.accepted()) {
        underWay.add(id);
        await settle(id);
      }
    },
  };
}

function liveStateOf(view: ControlView, now: number, onlineAfterMs: number): LiveState {
  const { presence, row } = view;
  const { target_status, version, epoch } = targetOf(view);
  return {
    id: row.id,
    is_online: isOnline(presence, now, onlineAfterMs),
    heard_at_ms: presence.lastReportAt,
    consumption: presence.lastReportAt === null ? null : presence.consumption,
    current_status: currentOf(view).current_status,
    target_status,
    version,
    epoch,
    power_ok: presence.powerOk,
    motor_current_ma: presence.motorCurrentMa,
    is_proved: presence.isProved ?? null,
  };
}

type SendDeps = Pick<Kernel, 'now' | 'newId' | 'guard'> & {
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
