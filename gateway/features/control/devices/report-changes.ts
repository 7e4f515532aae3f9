import type { HeartbeatFields, ShadowReported } from '#contract/mqtt/messages.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type ControlView, currentOf, targetOf } from '../control-view.ts';

// The rows that a report changes; usually none.

export type ReportedBy = { via: 'mqtt' | 'http'; authenticated: boolean };

type ChangeDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>;

/**
 * How far before the version last sent a controller may be: it knows orders that a card restored from yesterday does not.
 * What is further names no order that ever was, and must not use up the numbers.
 */
export const MOST_AHEAD = 1_000;

/** The version that a report makes ours; null: it leaves ours as it is. */
export function versionAfter(
  view: ControlView,
  { version, epoch }: Pick<HeartbeatFields, 'version' | 'epoch'>,
): number | null {
  const sent = targetOf(view).version;
  if (version === undefined || epoch !== view.row.epoch || version <= sent) return null;
  return isTooFarAhead(view, { version, epoch }) ? null : Math.min(version + 1, sent + MOST_AHEAD);
}

export const isTooFarAhead = (
  view: ControlView,
  { version = 0, epoch }: Pick<HeartbeatFields, 'version' | 'epoch'>,
): boolean => epoch === view.row.epoch && version > targetOf(view).version + MOST_AHEAD;

export function changesOf(
  deps: ChangeDeps,
  view: ControlView,
  fields: HeartbeatFields,
  by: ReportedBy,
): Change[] {
  const { row } = view;
  const { current_status } = fields;
  const isOther = current_status !== row.current_status;
  // A card restored from yesterday knows an older version than its controllers: they would ignore every order until
  // ours passed theirs.
  const version = versionAfter(view, fields);
  const done = by.authenticated ? appliedOrder(view, fields) : null;
  if (!isOther && version === null && done === null) return [];
  const at = isoOf(deps.now());
  const set = {
    // by its own time, though the disk may take it much later
    ...(isOther ? { current_status, current_since: currentOf(view).current_since ?? at } : {}),
    ...(version === null ? {} : { version }),
  };
  return [
    ...(isOther ? [statusAudit(deps, view, fields, by)] : []),
    ...(isOther || version !== null ? [update(controlPoint, row, set)] : []),
    ...(done === null ? [] : [update(order, done.id, { state: 'APPLIED' as const, state_at: at })]),
  ];
}

/** The open order that this report shows to be done; null: none. */
function appliedOrder(view: ControlView, fields: HeartbeatFields): ControlView['openOrder'] {
  const open = view.openOrder;
  if (open === null || open.target_status !== fields.current_status) return null;
  // an older report may still be under way when an order is given
  return fields.version !== undefined && fields.version < open.version ? null : open;
}

/** What a controller's answer to a level makes of the order behind it. */
export function acknowledgedOrder(
  deps: Pick<Kernel, 'now'>,
  view: ControlView,
  report: ShadowReported,
): Change[] {
  const open = view.openOrder;
  if (open === null || report.version !== open.version || report.epoch !== open.epoch) return [];
  const state = report.ack === 'deferred' ? 'ACKED' : report.ack === 'refused' ? 'REJECTED' : null;
  if (state === null || state === open.state) return [];
  return [update(order, open.id, { state, state_at: isoOf(deps.now()) })];
}

function statusAudit(deps: ChangeDeps, view: ControlView, fields: HeartbeatFields, by: ReportedBy): Change {
  return audit(deps, {
    farm_id: view.row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: view.row.id,
    entity_name: view.row.cod,
    action: 'status_changed',
    user_id: null,
    origin: 'DEVICE',
    details: {
      from: view.row.current_status,
      to: fields.current_status,
      target: targetOf(view).target_status satisfies SwitchState,
      via: by.via,
      authenticated: by.authenticated,
      ...(fields.source === undefined ? {} : { source: fields.source }),
    },
  });
}
