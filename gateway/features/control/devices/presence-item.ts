import type { PresenceItem } from '#contract/events/stream.ts';
import { isoOf } from '#core/kernel.ts';
import { type ControlView, currentOf, isOnline } from '../control-view.ts';

/** A controller's newest word, for the event stream and the cards; null for one this process does not know. */
export function presenceItemOf(
  deps: { now: () => number; onlineAfterMs: number },
  view: ControlView | null,
): PresenceItem | null {
  const lastReportAt = view?.presence.lastReportAt ?? null;
  if (view === null || lastReportAt === null) return null;
  const { row, presence } = view;
  return {
    control_point_id: row.id,
    is_online: isOnline(presence, deps.now(), deps.onlineAfterMs),
    last_heartbeat: isoOf(lastReportAt),
    current_status: currentOf(view).current_status,
    consumption: presence.consumption,
    source: presence.source,
    motor_current_ma: presence.motorCurrentMa,
    rssi: presence.rssi,
    power_ok: presence.powerOk,
    is_proved: presence.isProved ?? null,
  };
}
