import { effect } from '@preact/signals';
import type { Bridge } from '../../ipc.ts';
import { alarmText } from '../components/alarm-words.ts';
import { alarms, unanswered } from './alarms.ts';
import { controlPoints } from './farm-store.ts';

// In the window on the operator's PC the program around the console hears of the alarms: tray, badge, the system's own
// messages. In a browser there is none, and nothing is missing.

const program = (globalThis as { camarao?: Bridge }).camarao ?? null;
export const isInProgram = program !== null;

/** Tells the program what stands, whenever it changes, and says a critical alarm once in the system's own words. */
export function startProgram(): void {
  if (program === null) return;
  const said = new Set<string>();
  let last = '';
  effect(() => {
    const [first] = unanswered.value;
    const text =
      first === undefined ? '' : `${placeOf(first.newest)} ${alarmText(first.newest)}`.trim().slice(0, 200);
    const told = {
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
      said.add(alarm.key);
      void program
        .notify({ title: 'Camarão', body: alarmText(alarm.newest).slice(0, 300), isCritical: true })
        .catch(() => undefined);
    }
  });
}

const placeOf = ({ control_point_id }: { control_point_id: string | null }): string =>
  controlPoints.value.get(control_point_id ?? '')?.cod ?? '';
