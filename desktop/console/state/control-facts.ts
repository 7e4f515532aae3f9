import type { ControlPointEvent, PresenceItem } from '#contract/events/stream.ts';
import type { ControlFacts } from './control-state.ts';
import { isTarget, type RemoteOrder, stepOf } from './remote-order.ts';

/** What the store knows of a control point, as ages at `now`; `remote`: the last order to it from afar. */
export function controlFactsOf(
  point: ControlPointEvent,
  presence: PresenceItem | undefined,
  at: { now: number; isBlind: boolean; remote?: RemoteOrder | undefined },
): ControlFacts {
  const heardAt = presence?.last_heartbeat ?? null;
  const remote = at.remote !== undefined && isTarget(at.remote, point, at.now) ? at.remote : null;
  const commandedAt =
    remote?.stateAt ?? (point.last_command_at === null ? null : Date.parse(point.last_command_at));
  return {
    target: remote?.target ?? point.target_status,
    reported: presence?.current_status ?? point.current_status,
    isOnline: presence?.is_online ?? false,
    silentForMs: heardAt === null ? null : Math.max(0, at.now - Date.parse(heardAt)),
    isLockedOut: point.locked_out,
    commandedForMs: commandedAt === null ? null : Math.max(0, at.now - commandedAt),
    isBlind: at.isBlind,
    onItsWay:
      remote !== null && stepOf(remote, at.now) === 'cloud' ? { leftMs: remote.expiresAt - at.now } : null,
  };
}
