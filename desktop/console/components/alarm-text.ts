import type { AlertType } from '#contract/words.ts';
import { simulatedWords } from '#words/components.ts';
import { alarmWords } from '#words/control.ts';
import type { Alert } from '../data/farm-store.ts';
import { figure } from '../i18n/format.ts';
import { isSimulatedAlert } from './simulated.tsx';

/** Their value is a count or a time of our own; the name says it all. */
const NOT_MEASURED: ReadonlySet<AlertType> = new Set([
  'POWER_FAILURE',
  'DEVICE_OFFLINE',
  'COMMAND_NOT_CONFIRMED',
  'UNSTABLE',
  'OFF_SCHEDULE',
  'NO_CURRENT',
  'GATEWAY_OFFLINE',
  'CLOCK_UNTRUSTED',
  'DISK_FULL',
]);

/** As they are shown everywhere else; the others with one. */
const DECIMALS: Partial<Record<AlertType, number>> = { HIGH_AMMONIA: 2, HIGH_NITRITE: 2, LOW_ALKALINITY: 0 };
const MOST_DECIMALS = 3;

/** So many that 3,96 below a limit of 4 does not read as 4,0 below 4,0. */
function decimalsOf({ type, value, threshold }: Pick<Alert, 'type' | 'value' | 'threshold'>): number {
  let decimals = DECIMALS[type] ?? 1;
  while (
    value !== threshold &&
    decimals < MOST_DECIMALS &&
    figure(value, decimals) === figure(threshold, decimals)
  ) {
    decimals += 1;
  }
  return decimals;
}

/** `OD baixo 3,1 (limite 4,0)`; what a newer gateway tells of a kind this page does not know, in its own sentence. */
export function alarmText(
  alert: Pick<Alert, 'type' | 'value' | 'threshold' | 'message' | 'pond_id' | 'control_point_id'>,
): string {
  const text = troubleText(alert);
  return isSimulatedAlert(alert) ? `${simulatedWords().mark} · ${text}` : text;
}

/** The same of what no controller is known for. */
export function troubleText(alert: Pick<Alert, 'type' | 'value' | 'threshold' | 'message'>): string {
  const words = alarmWords();
  const name: string | undefined = words.type[alert.type];
  if (name === undefined) return alert.message;
  if (alert.type === 'MEASURE_OXYGEN') return requestText(alert.message) ?? name;
  if (alert.value === null || NOT_MEASURED.has(alert.type)) return name;
  const decimals = decimalsOf(alert);
  const value = figure(alert.value, decimals);
  return `${name} ${alert.threshold === null ? value : words.limit(value, figure(alert.threshold, decimals))}`;
}

/** A request names its hour, which only the stored sentence has; null: it has none. */
function requestText(message: string): string | null {
  const words = alarmWords();
  const [said, time] = /meça de novo (?:às (\d\d:\d\d)|agora)/.exec(message) ?? [];
  if (said === undefined) return null;
  return time === undefined ? words.measureNow : words.measureAt(time);
}
