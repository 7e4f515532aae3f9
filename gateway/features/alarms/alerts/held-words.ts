import { type FailSafe, type SwitchState, unreachable } from '#contract/words.ts';
import type { Language } from '#core/notifying.ts';

/** A motor that no schedule drives while the clock is not trusted. */
export type HeldMotor = { cod: string; target: SwitchState; failSafe: FailSafe };

const MAX_NAMES = 20;
const ORDER = ['HOLD', 'ON', 'OFF', 'SCHEDULE'] as const satisfies readonly FailSafe[];

/** Which motors are held meanwhile and how, by their fail-safes; empty without any. */
export function heldWords(motors: readonly HeldMotor[], language: Language): string {
  const named = motors.slice(0, MAX_NAMES);
  const parts = ORDER.flatMap((failSafe) => {
    const own = named.filter((motor) => motor.failSafe === failSafe);
    return own.length === 0 ? [] : [`${howOf(failSafe, language)}: ${listOf(own, language)}`];
  });
  if (parts.length === 0) return '';
  const more = motors.length - named.length;
  const [until, others] =
    language === 'en' ? ['Until then', `and ${more} more`] : ['Até lá', `e mais ${more}`];
  return ` ${until}: ${parts.join('; ')}${more > 0 ? ` (${others})` : ''}.`;
}

function howOf(failSafe: FailSafe, language: Language): string {
  const isEnglish = language === 'en';
  switch (failSafe) {
    case 'HOLD':
      return isEnglish ? 'held as the rules last wanted' : 'mantidos como as regras queriam por último';
    case 'ON':
      return isEnglish ? 'fail-safe ON' : 'modo seguro: ligar';
    case 'OFF':
      return isEnglish ? 'fail-safe OFF' : 'modo seguro: desligar';
    case 'SCHEDULE':
      return isEnglish ? 'by the schedule and an estimated time' : 'pela programação e uma hora estimada';
    default:
      return unreachable(failSafe);
  }
}

function listOf(motors: readonly HeldMotor[], language: Language): string {
  const word = { ON: language === 'en' ? 'ON' : 'ligado', OFF: language === 'en' ? 'OFF' : 'desligado' };
  return motors.map(({ cod, target }) => `${cod} ${word[target]}`).join(', ');
}
