import { computed, effect } from '@preact/signals';
import { controlWords } from '#words/control.ts';
import { shellWords } from '#words/shell.ts';
import type { AlarmsTold, Bridge } from '../../ipc.ts';
import { alarmText } from '../components/alarm-text.ts';
import { alarms, unanswered } from './alarms.ts';
import { now } from './clock.ts';
import { type Alert, controlPoints, farm, isKnown } from './farm-store.ts';
import { isWaking, link } from './live.ts';
import { pondCode, withFarm } from './places.ts';
import { isSignedIn, user } from './session.ts';

// In the window on the operator's PC the program around the console hears of the alarms: tray, badge, the system's own
// messages. In a browser there is none, and nothing is missing.

export const program = (globalThis as { camarao?: Bridge }).camarao ?? null;
export const isInProgram = program !== null;

/** Why this page cannot say how the farm is; null: it can. */
const blindText = computed<string | null>(() => {
  if (!isSignedIn()) return shellWords().nobody;
  if (link.value === 'lost' && !isWaking.value) return controlWords().blind;
  return isKnown.value ? null : shellWords().waiting;
});

const told = computed<AlarmsTold>(() => {
  const [first] = unanswered.value;
  const blind = blindText.value;
  // what stood when it went blind is the best that is known
  const text = first === undefined ? (blind ?? '') : sentenceOf(first.newest);
  return {
    state: blind !== null ? 'blind' : first === undefined ? 'calm' : 'alarm',
    unanswered: unanswered.value.length,
    worst: first === undefined ? 0 : first.priority,
    text: text.slice(0, 200),
  };
});

/** Tells the program what stands, whenever it changes, and says a critical alarm once in the system's own words. */
export function startProgram(): void {
  if (program === null) return;
  let last = '';
  effect(() => {
    const text = JSON.stringify(told.value);
    if (text === last) return;
    last = text;
    void tell(program, told.value);
  });
  effect(sayCritical(program));
  effect(sayFarm(program));
}

/** Whom to call while no gateway can be asked any more: everybody who signed in here and has a phone. */
const sayFarm = (to: Bridge) => () => {
  const person = user.value;
  if (farm.value === null || person === null) return;
  const people = person.phone_number ? [{ name: person.name, phone: person.phone_number }] : [];
  // an older program has no such verb
  void to.farm?.({ name: farm.value.name, people }).catch(() => undefined);
};

/** A place is asked for when it is not known, and not waited for longer. */
const PLACE_MS = 3_000;

function sayCritical({ notify }: Bridge): () => void {
  const seenAt = new Map<string, number>();
  const said = new Set<string>();
  return () => {
    const critical = alarms.value.filter(({ state, priority }) => state === 'unanswered' && priority === 1);
    for (const { key, newest } of critical) {
      if (said.has(key)) continue;
      const at = seenAt.get(key) ?? performance.now();
      seenAt.set(key, at);
      const isNamed = newest.pond_id === null || pondCode(newest.pond_id) !== null;
      // looked at every second until then
      if (!isNamed && now.value > 0 && performance.now() - at < PLACE_MS) continue;
      said.add(key);
      const body = sentenceOf(newest).slice(0, 300);
      void notify({ title: 'Camarão', body, isCritical: true }).catch(() => undefined);
    }
    // one that was answered and is open again is said again
    for (const key of seenAt.keys()) {
      if (critical.some((alarm) => alarm.key === key)) continue;
      seenAt.delete(key);
      said.delete(key);
    }
  };
}

/** An older program knows nothing of a state, and takes nothing it does not know. */
async function tell({ alarms: say }: Bridge, { state, ...rest }: AlarmsTold): Promise<void> {
  await say({ state, ...rest })
    .catch(() => say(rest))
    .catch(() => undefined);
}

/** `V-07 OD baixo 3,1 (limite 4,0)` */
function sentenceOf(alert: Alert): string {
  const { pond_id, control_point_id, farm_id } = alert;
  const cod = pondCode(pond_id) ?? controlPoints.value.get(control_point_id ?? '')?.cod ?? null;
  const place = withFarm(cod, farm_id);
  return `${place} ${alarmText(alert)}`.trim();
}
