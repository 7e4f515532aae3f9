import { audit } from '#core/audit.ts';
import type { Change } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type ControlView, targetOf } from '../control-view.ts';
import type { MissedEvent } from './follow-clock-step.ts';

/** Every schedule event is told once, however often it is looked at: its id follows from the event. */
export function triggerAudit(
  deps: Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>,
  view: ControlView,
  { event, lateness_ms }: MissedEvent,
  isOrdered: boolean,
): Change {
  const { target_origin, last_command_at } = targetOf(view);
  // told late, because the disk had not taken it when the order went out
  const hasActed = target_origin === 'SCHEDULE' && Date.parse(last_command_at ?? '') >= event.at;
  return audit(deps, {
    farm_id: view.row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: view.row.id,
    entity_name: view.row.cod,
    action: 'schedule_trigger',
    user_id: null,
    origin: 'SCHEDULE',
    details: {
      schedule_id: event.schedule_id,
      action: event.action,
      edge: event.edge,
      due_at: isoOf(event.at),
      late_s: Math.round(lateness_ms / 1000),
      acted: isOrdered || hasActed,
    },
    cause: `schedule_trigger:${event.schedule_id}:${event.at}:${event.edge}`,
  });
}
