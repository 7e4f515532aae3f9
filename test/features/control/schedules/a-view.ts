import { NO_ACTIVITY } from '#core/device-activity.ts';
import type { ControlView, Schedule } from '#features/control/control-view.ts';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import { controlPointRow } from '#test/farm-rows.ts';

const FARM = '0195a000-0000-7000-8000-000000000001';
const MADE = '2026-01-01T00:00:00.000Z';

/** A control point in memory, with nothing that it should do. */
export function aView(id: string): ControlView {
  return {
    row: { ...controlPointRow(id, FARM, FARM), rev: 1 },
    unsaved: null,
    mqttId: id,
    zone: 'America/Fortaleza',
    farmName: 'Fazenda Aurora',
    ponds: [],
    powerKw: 1.5,
    schedules: [],
    manualOrders: [],
    openOrder: null,
    keys: [],
    presence: {
      lastReportAt: null,
      lastReportMonotonic: null,
      via: null,
      isConnected: false,
      isLost: false,
      current: null,
      currentSince: null,
      consumption: 0,
      source: null,
      reportedVersion: null,
      powerOk: null,
      motorCurrentMa: null,
      rssi: null,
      firmwareVersion: null,
      uptimeS: null,
      bootId: null,
      deferredUntil: null,
      configRev: null,
      scheduleRev: null,
      activity: NO_ACTIVITY,
    },
  };
}

/** The row of a schedule. */
export function scheduleRowOf({
  start_time,
  end_time,
  effective_from,
  days_of_week,
  ...rule
}: ScheduleRule): Schedule {
  return {
    ...rule,
    control_point_id: FARM,
    start_time: new Date(start_time).toISOString(),
    end_time: end_time === null ? null : new Date(end_time).toISOString(),
    days_of_week: days_of_week === null ? null : [...days_of_week],
    effective_from: new Date(Math.max(0, effective_from)).toISOString(),
    description: null,
    created_at: MADE,
    updated_at: null,
    rev: 1,
  };
}
