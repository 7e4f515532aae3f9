import { SCIENCE_DEFAULTS } from '../constants.ts';
import type { WaterSeverity } from '../severity.ts';
import {
  isUpperLimit,
  parameterOf,
  WATER_ALERT_TYPES,
  type Water,
  type WaterAlertType,
} from '../water-limits.ts';
import type { AdviceGrade } from './advice-sources.ts';
import { adviceOf } from './advice-table.ts';
import { alkalinityDose } from './alkalinity-dose.ts';
import type { Language } from './language.ts';

type InEach = Readonly<Record<Language, string>>;

/** What to do about alerts of motors, controllers and the box, and what is only asked for: neither grade nor source. */
const EQUIPMENT = {
  POWER_FAILURE: {
    'pt-BR':
      'Confira a chave geral e ligue o gerador, os motores um por vez: sem aeração o oxigênio acaba em poucas horas.',
    en: 'Check the main switch and start the generator, motors one at a time: without aeration the oxygen is gone within hours.',
    es: 'Revise el breaker principal y encienda el generador, los motores uno por uno: sin aireación el oxígeno se acaba en pocas horas.',
  },
  DEVICE_OFFLINE: {
    'pt-BR':
      'Vá até o painel: veja se os aeradores giram e se o controlador tem luz, depois a energia e a rede dele.',
    en: 'Go to the panel: see whether the aerators turn and the controller has light, then check its power and network.',
    es: 'Vaya al tablero: vea si los aireadores giran y si el controlador tiene luz, después su energía y su red.',
  },
  COMMAND_NOT_CONFIRMED: {
    'pt-BR': 'Vá até o painel: a contatora pode estar presa. Acione o aerador à mão, se preciso.',
    en: 'Go to the panel: the contactor may be stuck. Switch the aerator by hand if needed.',
    es: 'Vaya al tablero: el contactor puede estar pegado. Accione el aireador a mano, si hace falta.',
  },
  UNSTABLE: {
    'pt-BR':
      'Vá até o painel antes que o motor pare: veja a fonte e se a tensão cai na partida, depois contator, relé térmico e sinal.',
    en: 'Go to the panel before the motor stops: see the power supply and whether the voltage drops at the start, then contactor, overload relay and signal.',
    es: 'Vaya al tablero antes de que el motor se pare: vea la fuente y si el voltaje cae en el arranque, después contactor, relé térmico y señal.',
  },
  OFF_SCHEDULE: {
    'pt-BR':
      'Alguém desligou e ninguém ligou de novo: ligue agora, ou reconheça com o motivo se deve ficar desligado.',
    en: 'Somebody switched it off and nobody on again: switch it on now, or acknowledge with the reason if it is meant to stay off.',
    es: 'Alguien lo apagó y nadie lo encendió de nuevo: enciéndalo ahora, o reconozca con el motivo si debe quedar apagado.',
  },
  NO_CURRENT: {
    'pt-BR':
      'O relé fechou, mas o motor não puxa corrente: veja disjuntor, fusíveis, cabo e hélice, e ligue outro no lugar.',
    en: 'The relay closed but the motor draws no current: look at breaker, fuses, cable and propeller, and run another one instead.',
    es: 'El relé cerró, pero el motor no toma corriente: vea breaker, fusibles, cable y hélice, y encienda otro en su lugar.',
  },
  GATEWAY_OFFLINE: {
    'pt-BR':
      'Ligue para a fazenda: a caixa está sem energia ou sem internet; os controladores seguem seus horários.',
    en: 'Call the farm: the box has no power or no internet; the controllers follow their schedules.',
    es: 'Llame a la camaronera: la caja está sin energía o sin internet; los controladores siguen sus horarios.',
  },
  CLOCK_UNTRUSTED: {
    'pt-BR':
      'Conecte a caixa à internet ou acerte o relógio em Sistema; até lá valem os estados de segurança.',
    en: 'Connect the box to the internet or set the clock under System; until then fail-safe states hold.',
    es: 'Conecte la caja a internet o ajuste el reloj en Sistema; hasta entonces valen los estados seguros.',
  },
  DISK_FULL: {
    'pt-BR': 'Libere espaço na caixa ou troque o cartão. O controle continua.',
    en: 'Make room on the box or replace its card. Control goes on.',
    es: 'Libere espacio en la caja o cambie la tarjeta. El control continúa.',
  },
  MEASURE_OXYGEN: {
    'pt-BR':
      'Meça o oxigênio na hora pedida; se ninguém puder medir, deixe todos os aeradores ligados até uma hora depois do amanhecer.',
    en: 'Measure the oxygen at the hour asked for; if nobody can, leave all aerators on until an hour after dawn.',
    es: 'Mida el oxígeno a la hora pedida; si nadie puede medir, deje todos los aireadores encendidos hasta una hora después del amanecer.',
  },
} as const satisfies Record<string, InEach>;
type EquipmentAlert = keyof typeof EQUIPMENT;

export type AdvisedAlert = {
  type: WaterAlertType | 'LOW_OXYGEN_FORECAST' | EquipmentAlert;
  /** null: whatever it is, the gravest words hold. */
  severity: WaterSeverity | null;
  value: number | null;
  /** What the value lies beyond; null or left out: unknown. */
  threshold?: number | null;
};

/**
 * The oxygen at and below which the words are those of what kills, as the farm has set it; null: that is not known, and
 * what is grave may kill. `isPondEmpty`: nothing lives in the pond of the alert, so that its words leave feed out.
 */
export type DeadlyLevel =
  | (Pick<Water, 'criticalOxygenMgL'> & {
      alerts?: Pick<Water['alerts'], 'LOW_OXYGEN'>;
      isPondEmpty?: boolean;
    })
  | null;

/** What it is lifted to where nobody tells the farm’s own limit. */
const USUAL_ALKALINITY_MG_L = SCIENCE_DEFAULTS.water.alerts.LOW_ALKALINITY.limit;

/** What to do now about an alert: the same words wherever it is told. */
export function alertAdvice(
  { type, severity, value, threshold = null }: AdvisedAlert,
  language: Language,
  water: DeadlyLevel,
): string {
  if (isEquipment(type)) return EQUIPMENT[type][language];
  const isPondEmpty = water?.isPondEmpty;
  if (type === 'LOW_OXYGEN_FORECAST') return tonight(severity, language, isPondEmpty);
  const mayKill =
    water === null || value === null
      ? severity === 'HIGH' || severity === null
      : value <= water.criticalOxygenMgL;
  const grade: AdviceGrade | null = type === 'LOW_OXYGEN' && mayKill ? 'CRITICAL' : severity;
  const problem = isUpperLimit(type) ? 'HIGH' : 'LOW';
  const dose =
    type === 'LOW_ALKALINITY' && value !== null
      ? alkalinityDose({ value, limit: threshold ?? USUAL_ALKALINITY_MG_L, volumeM3: null }, language)
      : null;
  return (
    adviceOf(
      {
        parameter: parameterOf(type),
        problem,
        stage: 'now',
        grade,
        value,
        isPondEmpty,
        fedAboveMgL: water?.alerts?.LOW_OXYGEN.highFrom,
      },
      language,
      dose,
    ) ?? ''
  );
}

function tonight(grade: AdviceGrade | null, language: Language, isPondEmpty: boolean | undefined): string {
  const asked = {
    parameter: 'dissolved_oxygen',
    problem: 'LOW',
    stage: 'today',
    grade,
    isPondEmpty,
  } as const;
  return adviceOf(asked, language) ?? '';
}

/** The same for a word that came from elsewhere; null: a newer program's alert. */
export function adviceForWord(
  alert: { type: unknown; severity: WaterSeverity | null; value: number | null; threshold?: number | null },
  language: Language,
  water: DeadlyLevel,
): string | null {
  const { type } = alert;
  return isAdvised(type) ? alertAdvice({ ...alert, type }, language, water) : null;
}

const isEquipment = (type: unknown): type is EquipmentAlert =>
  typeof type === 'string' && Object.hasOwn(EQUIPMENT, type);

function isAdvised(type: unknown): type is AdvisedAlert['type'] {
  return (
    type === 'LOW_OXYGEN_FORECAST' || isEquipment(type) || WATER_ALERT_TYPES.some((known) => known === type)
  );
}
