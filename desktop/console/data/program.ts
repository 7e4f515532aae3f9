import { effect } from '@preact/signals';
import type { Bridge } from '../../ipc.ts';
import { alarmText } from '../components/alarm-words.ts';
import { alarmPlace } from './alarm-place.ts';
import { alarms, unanswered } from './alarms.ts';
import { farm, isKnown } from './farm-store.ts';
import { isBlind } from './live.ts';
import { isSignedIn, user } from './session.ts';

// In the window on the operator's PC the program around the console hears of the alarms: tray, badge, the system's own
// messages. In a browser there is none, and nothing is missing.

export const program = (globalThis as { camarao?: Bridge }).camarao ?? null;
export const isInProgram = program !== null;

/** Tells the program what stands, whenever it changes, and says a critical alarm once in the system's own words. */
export function startProgram(): void {
  if (program === null) return;
  const said = new Set<string>();
  let last = '';
  effect(() => {
    const [first] = unanswered.value;
    const text =
      first === undefined
        ? ''
        : `${alarmPlace(first.newest) ?? '…'} ${alarmText(first.newest)}`.trim().slice(0, 200);
    const sees = isSignedIn() && isKnown.value && !isBlind.value;
    const told = {
      state: sees ? (first === undefined ? ('calm' as const) : ('alarm' as const)) : ('blind' as const),
      unanswered: unanswered.value.length,
      worst: first === undefined ? (0 as const) : first.priority,
      text,
    };
    if (JSON.stringify(told) !== last) {
      last = JSON.stringify(told);
      void program.alarms(told).catch(() => undefined);
    }
    for (const alarm of alarms.value) {
      if (alarm.state !== 'unanswered' || alarm.priority !== 1 || said.has(alarm.key)) continue;
      const place = alarmPlace(alarm.newest);
      // said once its place is known: a message without it sends nobody anywhere
      if (place === null) continue;
      said.add(alarm.key);
      void program
        .notify({
          title: place === '' ? 'Camarão' : place.slice(0, 100),
          body: alarmText(alarm.newest).slice(0, 300),
          isCritical: true,
        })
        .catch(() => undefined);
    }
  });
  effect(() => {
    const person = user.value;
    if (farm.value === null || person === null) return;
    const people = person.phone_number ? [{ name: person.name, phone: person.phone_number }] : [];
    void program.farm?.({ name: farm.value.name, people }).catch(() => undefined);
  });
}
