import { logEntry } from '#contract/resources/logs.ts';
import type { Origin } from '#contract/words.ts';
import type { Chance } from './chance.ts';
import { at, type Emit, iso, UNTOUCHED } from './grown.ts';
import { operatorOf, type Places } from './places.ts';

type Entry = { hour: number; action: string; origin: Origin; byPerson: boolean };

/** Night aeration by schedule, and a round by hand before the afternoon feed: six entries a day. */
const DAY: readonly Entry[] = [
  { hour: 6, action: 'schedule_trigger', origin: 'SCHEDULE', byPerson: false },
  { hour: 6, action: 'status_changed', origin: 'DEVICE', byPerson: false },
  { hour: 13, action: 'turn_on', origin: 'LOCAL', byPerson: true },
  { hour: 15, action: 'turn_off', origin: 'LOCAL', byPerson: true },
  { hour: 18, action: 'schedule_trigger', origin: 'SCHEDULE', byPerson: false },
  { hour: 18, action: 'status_changed', origin: 'DEVICE', byPerson: false },
];

/** The audit entries of one day, in order of time. */
export function logControl(deps: { chance: Chance; emit: Emit; places: Places }, day: number): void {
  const { chance, emit, places } = deps;
  for (const [place, { hour, action, origin, byPerson }] of DAY.entries()) {
    for (const [index, point] of places.controlPoints.entries()) {
      const unixMs = at(day, hour, byPerson ? chance.whole(0, 55) : 0) + index * 5_000 + place * 700;
      emit(logEntry, {
        id: chance.uuid(unixMs),
        farm_id: places.farmId,
        entity_type: 'CONTROL_POINT',
        entity_id: point.id,
        entity_name: point.cod,
        action,
        user_id: byPerson ? operatorOf(places) : null,
        origin,
        details: action === 'status_changed' ? { to: hour === 18 ? 'ON' : 'OFF' } : { reason: 'schedule' },
        timestamp: iso(unixMs),
        clock_quality: UNTOUCHED.clock_quality,
      });
    }
  }
}
