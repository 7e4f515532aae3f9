import type { RelayWarning } from '#contract/resources/relays.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import { FIRST_GENERATION } from '#core/first-generation.ts';
import type { Language } from '#core/notifying.ts';
import type { UnsupportedRelay } from './ports.ts';
import { isGivenUp, restartsOften } from './relay-rules.ts';
import { type Channel, type Session, targetNow } from './relay-session.ts';

/** What keeps a channel from its target, or keeps everybody from knowing how it stands. */
export type RelayTrouble = {
  code: RelayWarning;
  sentence: InEach;
  /** It is there and talks, and how it stands nobody can tell. */
  isStateUnknown: boolean;
};

/** A relay that came in has told how it stands by then, and hears its orders. */
export const KNOWN_WITHIN_MS = 20_000;

/** The one thing to tell first; null: it stands where it should, or an order is just under way. */
export function troubleOf(session: Session, channel: Channel, now: number): RelayTrouble | null {
  if (session.controller === null) return null;
  const { stateUnknownSince, facts } = channel;
  const isStateUnknown = stateUnknownSince !== null && now - stateUnknownSince > KNOWN_WITHIN_MS;
  if (session.unsupported !== null && facts.current === undefined)
    return { code: session.unsupported, sentence: UNSUPPORTED[session.unsupported], isStateUnknown: true };
  if (isStateUnknown && !session.isListening)
    return { ...TROUBLES.notListening(session.mqttId), isStateUnknown: false };
  if (isStateUnknown) return { ...TROUBLES.unreadable, isStateUnknown: true };
  const target = targetNow(channel, now);
  if (target === null || facts.current === undefined || facts.current === target) return null;
  const left = leftTrouble(channel, now);
  return left === null ? null : { ...left, isStateUnknown: false };
}

type Named = Pick<RelayTrouble, 'code' | 'sentence'>;

/** Why it left its target, by its true name, and whether it is told again. */
function leftTrouble(channel: Channel, now: number): Named | null {
  const { changeCause, selfSwitches, overriding, errors, facts, refused } = channel;
  const isTold = overriding !== null || !isGivenUp(selfSwitches, now);
  switch (changeCause) {
    case 'hand':
      return overriding === null ? TROUBLES.hand : TROUBLES.handAgain;
    case 'timer':
      return TROUBLES.timer(facts.autoOffS ?? 0, isTold);
    case 'protection':
      return TROUBLES.protection(errors, isTold);
    case 'start':
      return TROUBLES.restarts;
    case null:
      if (restartsOften(selfSwitches, now)) return TROUBLES.restarts;
      return refused === null ? null : TROUBLES.refused(refused);
  }
}

const again = (isTold: boolean): InEach =>
  isTold
    ? inEach('a ordem é repetida', 'it is told again', 'la orden se repite')
    : inEach(
        'a ordem foi repetida três vezes',
        'it was told again three times',
        'la orden se repitió tres veces',
      );

const named = (code: RelayWarning, ptBr: string, en: string, es: string): Named => ({
  code,
  sentence: inEach(ptBr, en, es),
});

export const TROUBLES = {
  hand: named(
    'SET_BY_HAND',
    'Alguém o acionou no próprio relé: fica assim até a próxima ordem',
    'Somebody switched it at the relay itself: it stays so until the next order',
    'Alguien lo accionó en el propio relé: queda así hasta la próxima orden',
  ),
  handAgain: named(
    'SET_BY_HAND',
    'Alguém o acionou no próprio relé; bloqueio e emergência de oxigênio valem mais, e a ordem é repetida',
    'Somebody switched it at the relay itself; a lock-out and emergency oxygen go before that, and it is told again',
    'Alguien lo accionó en el propio relé; el bloqueo y la emergencia de oxígeno valen más, y la orden se repite',
  ),
  timer: (afterS: number, isTold: boolean): Named => {
    const after =
      afterS > 0 ? [` depois de ${afterS} s`, ` after ${afterS} s`, ` después de ${afterS} s`] : ['', '', ''];
    const told = again(isTold);
    return named(
      'SWITCHED_BY_TIMER',
      `Um temporizador ou programa do próprio relé o acionou${after[0]}; ${told['pt-BR']}: tire-o (PulseTime, auto off, agenda)`,
      `A timer or program of the relay itself switched it${after[1]}; ${told.en}: take it out (PulseTime, auto off, schedule)`,
      `Un temporizador o programa del propio relé lo accionó${after[2]}; ${told.es}: quítelo (PulseTime, auto off, programación)`,
    );
  },
  protection: (errors: readonly string[], isTold: boolean): Named => {
    const which = errors.length === 0 ? '' : ` (${errors.join(', ')})`;
    const told = again(isTold);
    return named(
      'SWITCHED_BY_PROTECTION',
      `A proteção do relé o desligou${which}; ${told['pt-BR']}: olhe o motor e a sua fiação`,
      `The protection of the relay switched it off${which}; ${told.en}: look at the motor and its wiring`,
      `La protección del relé lo apagó${which}; ${told.es}: mire el motor y su cableado`,
    );
  },
  restarts: named(
    'SWITCHED_BY_RESTART',
    'O relé reinicia e perde o estado: olhe a alimentação dele e a partida do motor',
    'The relay restarts and loses its state: look at its supply and at the start of the motor',
    'El relé se reinicia y pierde el estado: mire su alimentación y el arranque del motor',
  ),
  refused: (why: string): Named =>
    named(
      'REFUSED_BY_RELAY',
      `O relé recusou a ordem: ${why}`,
      `The relay refused the order: ${why}`,
      `El relé rechazó la orden: ${why}`,
    ),
  notListening: (mqttId: string): Named =>
    named(
      'NOT_LISTENING',
      `Ele entrou e não ouve as ordens: o tópico dele tem de ser ${mqttId}; cole os ajustes de novo`,
      `It came in and does not hear its orders: its topic must be ${mqttId}; paste the settings again`,
      `Entró y no oye las órdenes: su tópico tiene que ser ${mqttId}; pegue los ajustes de nuevo`,
    ),
  unreadable: named(
    'UNREADABLE',
    'O relé está na rede, mas não se entende como ele está (textos de estado mudados?): cole os ajustes de novo',
    'The relay is there, but how it stands cannot be read (changed state texts?): paste the settings again',
    'El relé está en la red, pero no se entiende cómo está (¿textos de estado cambiados?): pegue los ajustes de nuevo',
  ),
} as const;

export const UNSUPPORTED: Readonly<Record<UnsupportedRelay, InEach>> = {
  FIRST_GENERATION,
  COVER_PROFILE: inEach(
    'O Shelly está no perfil de cortina (cover) e não liga um motor: mude o perfil para switch na página dele e cole os ajustes de novo',
    'The Shelly is in cover profile and switches no motor: set its profile to switch on its own page and paste the settings again',
    'El Shelly está en el perfil de cortina (cover) y no enciende un motor: cambie el perfil a switch en su página y pegue los ajustes de nuevo',
  ),
};

// Alerts are stored in Portuguese; the name of a thing or the text of a relay stands where three dots do.
const OPEN = '…';
const ALL: readonly InEach[] = [
  ...Object.values(UNSUPPORTED),
  TROUBLES.hand.sentence,
  TROUBLES.handAgain.sentence,
  TROUBLES.restarts.sentence,
  TROUBLES.unreadable.sentence,
  TROUBLES.refused(OPEN).sentence,
  TROUBLES.notListening(OPEN).sentence,
  ...[true, false].flatMap((isTold) => [
    TROUBLES.timer(0, isTold).sentence,
    // a number that no relay has
    withOpen(TROUBLES.timer(987_654_321, isTold).sentence, '987654321'),
    TROUBLES.protection([], isTold).sentence,
    TROUBLES.protection([OPEN], isTold).sentence,
  ]),
];

function withOpen({ en, es, 'pt-BR': ptBr }: InEach, part: string): InEach {
  return inEach(ptBr.replace(part, OPEN), en.replace(part, OPEN), es.replace(part, OPEN));
}

/** What one of these sentences says in another language, from the Portuguese that an alert has kept; null: none of them. */
export function troubleIn(language: Language, portuguese: string): string | null {
  for (const sentence of ALL) {
    const [before = '', after] = sentence['pt-BR'].split(OPEN);
    if (after === undefined ? portuguese !== before : !isBetween(portuguese, before, after)) continue;
    const open = portuguese.slice(before.length, portuguese.length - (after ?? '').length);
    return sentence[language].replace(OPEN, () => open);
  }
  return null;
}

const isBetween = (text: string, before: string, after: string): boolean =>
  text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after);
