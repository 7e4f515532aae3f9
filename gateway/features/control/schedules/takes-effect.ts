import type { SwitchState } from '#contract/words.ts';
import { isoOf } from '#core/kernel.ts';
import { wallOf } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import type { ControlView } from '../control-view.ts';
import { manualOrdersOf, ruleFactsOf } from './control-facts.ts';
import type { ChangedRules, LeftBehind } from './keep-what-holds.ts';
import { holdingOrder, type ManualOrder, standingOrders } from './manual-orders.ts';
import { decisionAt, layOut } from './schedule-windows.ts';
import { endingEvent, nextCountingEvent, rulesState } from './wanted-state.ts';

export type TakesEffect = 'NOW' | 'NEXT_EVENT';
export type ScheduleWarning = { code: string; message: string };
export type ChangeEffect = { takes_effect: TakesEffect; warnings: ScheduleWarning[] };

/**
 * What a change of a schedule does at this moment, for whoever made it. NOW: the control point is from now on at what
 * the schedule asks for, or the change switched it. NEXT_EVENT: nothing changes yet.
 */
export function effectOfChange(
  change: { view: ControlView; scheduleId: string; now: number; language: Language },
  after: ChangedRules,
  left: LeftBehind,
): ChangeEffect {
  const { view, scheduleId, now } = change;
  const { zone } = after;
  const facts = { now, zone, schedules: layOut(after.schedules, zone), base: left.base };
  const rules = rulesState(facts);
  const { decision } = rules;
  const orders = manualOrdersOf(view, now).filter(({ id }) => !left.over.has(id));
  const order = holdingOrder(standingOrders(orders), now, endingEvent(rules, left.base));
  const isOrderedOtherwise = order !== null && order.target !== rules.target;
  const isItsOwn = decision?.isWindow === true && decision.schedule_id === scheduleId;
  const isSwitched = rules.target !== rulesState(ruleFactsOf(view, now)).target;
  const isNow = !isOrderedOtherwise && (isSwitched || (isItsOwn && decision.action === rules.target));

  const words = WORDS[change.language];
  const { cod } = view.row;
  const nextAt = nextCountingEvent(facts, now);
  const until = nextAt === null ? null : shownTime(zone, now, nextAt);
  const warnings: ScheduleWarning[] = [];
  if (isOrderedOtherwise) {
    warnings.push({
      code: 'ORDER_HOLDS',
      message: words.orderHolds(cod, order, endOf(order, until, zone, now)),
    });
  } else if (decision?.action === 'OFF' && rules.target === 'ON') {
    warnings.push({ code: 'KEEPS_RUNNING', message: words.keepsRunning(cod, until) });
  } else if (!isItsOwn && decision !== null && ownAction(after, scheduleId, now) === opposite(rules.target)) {
    warnings.push({ code: 'OTHER_SCHEDULE_DECIDES', message: words.otherDecides(cod, rules.target) });
  }
  return { takes_effect: isNow ? 'NOW' : 'NEXT_EVENT', warnings };
}

/** What the schedule asks for where a window of it covers this instant. */
function ownAction({ schedules, zone }: ChangedRules, id: string, now: number): SwitchState | null {
  const own = schedules.filter((rule) => rule.id === id);
  const decision = decisionAt(layOut(own, zone), now);
  return decision?.isWindow === true ? decision.action : null;
}

function endOf(order: ManualOrder, nextEvent: string | null, zone: ChangedRules['zone'], now: number) {
  return order.until === null ? nextEvent : shownTime(zone, now, order.until);
}

/** `18:00`, with its day where that is not today. */
function shownTime(zone: ChangedRules['zone'], now: number, at: number): string {
  const [day, time] = shownWall(zone, at);
  const [today] = shownWall(zone, now);
  return day === today ? time : `${day} ${time}`;
}

function shownWall(zone: ChangedRules['zone'], at: number): [day: string, time: string] {
  const text = isoOf(wallOf(zone, at));
  return [text.slice(0, 10), text.slice(11, 16)];
}

const opposite = (state: SwitchState): SwitchState => (state === 'ON' ? 'OFF' : 'ON');

type Words = {
  orderHolds: (cod: string, order: ManualOrder, until: string | null) => string;
  keepsRunning: (cod: string, until: string | null) => string;
  otherDecides: (cod: string, target: SwitchState) => string;
};

const PT = { ON: 'ligado', OFF: 'desligado' } as const;
const ES = { ON: 'encendido', OFF: 'apagado' } as const;

const WORDS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    orderHolds: (cod, { target }, until) =>
      `Uma ordem de uma pessoa mantém ${cod} ${PT[target]}${until === null ? '' : ` até ${until}`}; ` +
      'o horário vale depois dela.',
    keepsRunning: (cod, until) =>
      `${cod} continua ligado${until === null ? ' até que alguém o desligue' : ` até o próximo horário, ${until}`}: ` +
      'uma mudança da agenda não desliga na hora. Para desligar já, peça que valha agora (apply_now).',
    otherDecides: (cod, target) =>
      `Outro horário, que começou por último, decide agora: ${cod} fica ${PT[target]} até ele terminar.`,
  },
  en: {
    orderHolds: (cod, { target }, until) =>
      `An order of a person keeps ${cod} ${target}${until === null ? '' : ` until ${until}`}; ` +
      'the schedule counts after it.',
    keepsRunning: (cod, until) =>
      `${cod} keeps running${until === null ? ' until somebody turns it off' : ` until the next schedule event, ${until}`}: ` +
      'a change of schedules turns nothing off at once. To turn it off now, ask that it count at once (apply_now).',
    otherDecides: (cod, target) =>
      `Another schedule, which began last, decides now: ${cod} stays ${target} until it ends.`,
  },
  es: {
    orderHolds: (cod, { target }, until) =>
      `Una orden de una persona mantiene ${cod} ${ES[target]}${until === null ? '' : ` hasta ${until}`}; ` +
      'el horario vale después de ella.',
    keepsRunning: (cod, until) =>
      `${cod} sigue encendido${until === null ? ' hasta que alguien lo apague' : ` hasta el próximo horario, ${until}`}: ` +
      'un cambio de la programación no apaga al instante. Para apagar ya, pida que valga ahora (apply_now).',
    otherDecides: (cod, target) =>
      `Otro horario, que comenzó de último, decide ahora: ${cod} queda ${ES[target]} hasta que termine.`,
  },
};
