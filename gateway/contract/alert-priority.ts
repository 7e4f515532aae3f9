import type { AlertType, Severity } from './words.ts';

/** 1: minutes count. 2: within half an hour. 3: this shift. */
type Priority = 1 | 2 | 3;

const CRITICAL_OXYGEN = 3;

/** How fast a person must act on an alert; `value` as it was measured, mg/L of oxygen. */
export function priorityOf(alarm: { type: AlertType; severity: Severity; value: number | null }): Priority {
  switch (alarm.type) {
    case 'GATEWAY_OFFLINE':
      return 1;
    // that of virtual controllers is never critical
    case 'POWER_FAILURE':
      return alarm.severity === 'HIGH' ? 1 : 2;
    case 'LOW_OXYGEN':
      return alarm.severity === 'HIGH' || (alarm.value !== null && alarm.value < CRITICAL_OXYGEN) ? 1 : 2;
    case 'COMMAND_NOT_CONFIRMED':
    case 'NO_CURRENT':
      return alarm.severity === 'HIGH' ? 1 : 2;
    case 'UNSTABLE':
    case 'OFF_SCHEDULE':
    case 'DEVICE_OFFLINE':
    case 'HIGH_TEMPERATURE':
    case 'LOW_OXYGEN_FORECAST':
    case 'MEASURE_OXYGEN':
    case 'DISK_FULL':
      return alarm.severity === 'LOW' ? 3 : 2;
    case 'CLOCK_UNTRUSTED':
    case 'LOW_TEMPERATURE':
    case 'LOW_PH':
    case 'HIGH_PH':
    case 'LOW_ALKALINITY':
    case 'HIGH_AMMONIA':
    case 'HIGH_NITRITE':
    case 'HIGH_NITRATE':
      return alarm.severity === 'HIGH' ? 2 : 3;
    default:
      // a gateway that is newer than this page knows more of them
      return unknownType(alarm.type, alarm.severity);
  }
}

const unknownType = (_type: never, severity: Severity): Priority => (severity === 'HIGH' ? 1 : 2);

/** A critical alarm comes back after this long, whoever put it off. */
export const MOST_CRITICAL_SHELF_MINUTES = 30;
