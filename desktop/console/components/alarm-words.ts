import type { AlertType } from '#contract/words.ts';
import type { Alert } from '../data/farm-store.ts';
import { figure } from '../i18n/format.ts';
import { dictionary } from '../i18n/language.ts';
import { isSimulatedAlert, simulatedWords } from './simulated.tsx';

export const alarmWords = dictionary({
  'pt-BR': {
    type: {
      POWER_FAILURE: 'Falta de energia',
      LOW_OXYGEN: 'OD baixo',
      HIGH_TEMPERATURE: 'Temperatura alta',
      DEVICE_OFFLINE: 'Controlador sem sinal',
      COMMAND_NOT_CONFIRMED: 'Comando não confirmado',
      UNSTABLE: 'Controlador instável',
      OFF_SCHEDULE: 'Desligado fora da agenda',
      NO_CURRENT: 'Motor sem corrente',
      GATEWAY_OFFLINE: 'Gateway sem contato',
      CLOCK_UNTRUSTED: 'Relógio não confiável',
      DISK_FULL: 'Disco cheio',
      LOW_TEMPERATURE: 'Temperatura baixa',
      LOW_PH: 'pH baixo',
      HIGH_PH: 'pH alto',
      LOW_ALKALINITY: 'Alcalinidade baixa',
      HIGH_AMMONIA: 'Amônia alta',
      HIGH_NITRITE: 'Nitrito alto',
      HIGH_NITRATE: 'Nitrato alto',
      LOW_OXYGEN_FORECAST: 'OD baixo previsto',
      MEASURE_OXYGEN: 'Meça o oxigênio',
    } satisfies Record<AlertType, string>,
    measureAt: (time: string) => `Meça o oxigênio às ${time}`,
    measureNow: 'Meça o oxigênio agora',
    limit: (value: string, limit: string) => `${value} (limite ${limit})`,
  },
  en: {
    type: {
      POWER_FAILURE: 'Power failure',
      LOW_OXYGEN: 'Low oxygen',
      HIGH_TEMPERATURE: 'High temperature',
      DEVICE_OFFLINE: 'Controller silent',
      COMMAND_NOT_CONFIRMED: 'Command not confirmed',
      UNSTABLE: 'Controller unstable',
      OFF_SCHEDULE: 'Off against its schedule',
      NO_CURRENT: 'Motor draws no current',
      GATEWAY_OFFLINE: 'Gateway out of reach',
      CLOCK_UNTRUSTED: 'Clock not to be trusted',
      DISK_FULL: 'Disk full',
      LOW_TEMPERATURE: 'Low temperature',
      LOW_PH: 'Low pH',
      HIGH_PH: 'High pH',
      LOW_ALKALINITY: 'Low alkalinity',
      HIGH_AMMONIA: 'High ammonia',
      HIGH_NITRITE: 'High nitrite',
      HIGH_NITRATE: 'High nitrate',
      LOW_OXYGEN_FORECAST: 'Low oxygen ahead',
      MEASURE_OXYGEN: 'Measure the oxygen',
    } satisfies Record<AlertType, string>,
    measureAt: (time: string) => `Measure the oxygen at ${time}`,
    measureNow: 'Measure the oxygen now',
    limit: (value: string, limit: string) => `${value} (limit ${limit})`,
  },
});

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
