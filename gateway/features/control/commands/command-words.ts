import { type CommandState, type SwitchState, UNTOLD } from '#contract/words.ts';
import type { Language } from '#core/notifying.ts';

// Why an order from afar was not carried out. `result` of a command is one of these words, and behind a colon what a
// person wrote; people read it in their language.

const WHY: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  LOCKED_OUT: {
    'pt-BR': 'o ponto de controle está bloqueado',
    en: 'the control point is locked out',
    es: 'el punto de control está bloqueado',
  },
  OXYGEN_EMERGENCY: {
    'pt-BR': 'a água está em emergência de oxigênio; só um bloqueio para a aeração',
    en: 'the water is in an oxygen emergency; only a lock-out stops the aeration',
    es: 'el agua está en emergencia de oxígeno; solo un bloqueo detiene la aireación',
  },
  IS_SIREN: {
    'pt-BR': 'este ponto de controle é uma sirene: só um alerta crítico ou o teste a liga',
    en: 'this control point is a siren: only a critical alert or its test sounds it',
    es: 'este punto de control es una sirena: solo una alerta crítica o la prueba la enciende',
  },
  SAFETY: {
    'pt-BR': 'uma regra de segurança decidiu nesse meio-tempo',
    en: 'a safety rule decided meanwhile',
    es: 'una regla de seguridad decidió mientras tanto',
  },
  CHANGED_ON_FARM: {
    'pt-BR': 'alguém na fazenda ou um horário mudou o comando nesse meio-tempo',
    en: 'somebody on the farm or a schedule changed it meanwhile',
    es: 'alguien en la camaronera o un horario cambió la orden mientras tanto',
  },
  LOCAL_HOLD: {
    'pt-BR': 'uma ordem dada na fazenda vale até o próximo horário',
    en: 'an order given on the farm holds until the next schedule event',
    es: 'una orden dada en la camaronera vale hasta el próximo horario',
  },
  UNKNOWN_CONTROL_POINT: {
    'pt-BR': 'o gateway não conhece este ponto de controle',
    en: 'the gateway does not know this control point',
    es: 'el gateway no conoce este punto de control',
  },
  ID_TAKEN: {
    'pt-BR': 'o número desta ordem já é de outra na fazenda; dê a ordem de novo',
    en: 'its number is that of another order on the farm; give it again',
    es: 'el número de esta orden ya es de otra en la camaronera; dé la orden de nuevo',
  },
  STORAGE: {
    'pt-BR': 'o disco do gateway não grava; ligue ou desligue na fazenda',
    en: 'the disk of the gateway takes nothing; switch it on the farm',
    es: 'el disco del gateway no graba; encienda o apague en la camaronera',
  },
  NEWER_ORDER: {
    'pt-BR': 'uma ordem mais nova a substituiu',
    en: 'a newer order took its place',
    es: 'una orden más nueva la sustituyó',
  },
  DEVICE_REFUSED: {
    'pt-BR': 'o controlador a recusou',
    en: 'the controller refused it',
    es: 'el controlador la rechazó',
  },
  TOO_LATE: {
    'pt-BR': 'ela chegou tarde demais ao gateway',
    en: 'it reached the gateway too late',
    es: 'llegó demasiado tarde al gateway',
  },
  NOT_DELIVERED: {
    'pt-BR': 'o gateway da fazenda não foi alcançado a tempo',
    en: 'the gateway of the farm was not reached in time',
    es: 'no se alcanzó a tiempo el gateway de la camaronera',
  },
  NOT_ANSWERED: {
    'pt-BR': 'o gateway da fazenda não respondeu a tempo',
    en: 'the gateway of the farm did not answer in time',
    es: 'el gateway de la camaronera no respondió a tiempo',
  },
  NEVER_TOLD: {
    'pt-BR': 'o gateway da fazenda soube que ela valia e não respondeu o que fez',
    en: 'the gateway of the farm was told that it counts and never said what it did',
    es: 'el gateway de la camaronera supo que valía y no respondió qué hizo',
  },
  GATEWAY_CHANGED: {
    'pt-BR': 'o gateway desta fazenda foi trocado ou desvinculado',
    en: 'the gateway of this farm was changed or unpaired',
    es: 'el gateway de esta camaronera fue cambiado o desvinculado',
  },
  MOVED_UNTOLD: {
    'pt-BR': 'o gateway soube que ela valia, e foi trocado ou desvinculado sem dizer o que fez',
    en: 'the gateway was told that it counts, and was changed or unpaired before it said what it did',
    es: 'el gateway supo que valía, y fue cambiado o desvinculado sin decir qué hizo',
  },
  POINT_GONE: {
    'pt-BR': 'o ponto de controle foi excluído',
    en: 'the control point was deleted',
    es: 'el punto de control fue eliminado',
  },
  NOT_ALLOWED: {
    'pt-BR': 'quem a deu não pode mais operar esta fazenda',
    en: 'whoever gave it may no longer operate this farm',
    es: 'quien la dio ya no puede operar esta camaronera',
  },
};

export function whyWords(result: string | null, language: Language): string | null {
  if (result === null) return null;
  const [code = '', ...more] = result.split(': ');
  const known = WHY[code]?.[language];
  if (known === undefined) return result;
  return more.length === 0 ? known : `${known} (${more.join(': ')})`;
}

type Told = { cod: string; farmName: string; target: SwitchState; result: string | null };

const isUntold = (result: string | null): boolean => result !== null && UNTOLD.includes(result);

export function failedTitle(result: string | null, language: Language): string {
  if (isUntold(result))
    return { 'pt-BR': 'Ordem sem resposta', en: 'Order without an answer', es: 'Orden sin respuesta' }[
      language
    ];
  return { 'pt-BR': 'Ordem não executada', en: 'Order not carried out', es: 'Orden no ejecutada' }[language];
}

export function failedMessage({ cod, farmName, target, result }: Told, language: Language): string {
  const why = whyWords(result, language);
  const [en, pt, es] = target === 'ON' ? ['ON', 'ligar', 'encender'] : ['OFF', 'desligar', 'apagar'];
  if (isUntold(result)) {
    return {
      'pt-BR': `${farmName}: não se sabe se a ordem de ${pt} ${cod} foi executada: ${why}. Veja o motor antes de repetir.`,
      en: `${farmName}: nobody knows whether ${cod} was switched ${en}: ${why}. Look at the motor before you repeat it.`,
      es: `${farmName}: no se sabe si la orden de ${es} ${cod} se ejecutó: ${why}. Vea el motor antes de repetir.`,
    }[language];
  }
  return {
    'pt-BR': `${farmName}: a ordem de ${pt} ${cod} não foi executada: ${why ?? 'motivo desconhecido'}. Vale o que a fazenda mostra.`,
    en: `${farmName}: ${cod} was not switched ${en}: ${why ?? 'nobody knows why'}. What the farm shows counts again.`,
    es: `${farmName}: la orden de ${es} ${cod} no se ejecutó: ${why ?? 'motivo desconocido'}. Vale lo que muestra la camaronera.`,
  }[language];
}

/** States after which whoever ordered is told that nothing came of it. */
export const FAILED: readonly CommandState[] = ['expired', 'rejected', 'superseded'];
