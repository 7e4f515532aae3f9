import { type CommandState, type SwitchState, UNTOLD } from '#contract/words.ts';
import type { Language } from '#core/notifying.ts';

// Why an order from afar was not carried out. `result` of a command is one of these words, and behind a colon what a
// person wrote; people read it in their language.

const WHY: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  LOCKED_OUT: { 'pt-BR': 'o ponto de controle está bloqueado', en: 'the control point is locked out' },
  OXYGEN_EMERGENCY: {
    'pt-BR': 'a água está em emergência de oxigênio; só um bloqueio para a aeração',
    en: 'the water is in an oxygen emergency; only a lock-out stops the aeration',
  },
  IS_SIREN: {
    'pt-BR': 'este ponto de controle é uma sirene: só um alerta crítico ou o teste a liga',
    en: 'this control point is a siren: only a critical alert or its test sounds it',
  },
  SAFETY: {
    'pt-BR': 'uma regra de segurança decidiu nesse meio-tempo',
    en: 'a safety rule decided meanwhile',
  },
  CHANGED_ON_FARM: {
    'pt-BR': 'alguém na fazenda ou um horário mudou o comando nesse meio-tempo',
    en: 'somebody on the farm or a schedule changed it meanwhile',
  },
  LOCAL_HOLD: {
    'pt-BR': 'uma ordem dada na fazenda vale até o próximo horário',
    en: 'an order given on the farm holds until the next schedule event',
  },
  UNKNOWN_CONTROL_POINT: {
    'pt-BR': 'o gateway não conhece este ponto de controle',
    en: 'the gateway does not know this control point',
  },
  ID_TAKEN: {
    'pt-BR': 'o número desta ordem já é de outra na fazenda; dê a ordem de novo',
    en: 'its number is that of another order on the farm; give it again',
  },
  STORAGE: {
    'pt-BR': 'o disco do gateway não grava; ligue ou desligue na fazenda',
    en: 'the disk of the gateway takes nothing; switch it on the farm',
  },
  NEWER_ORDER: { 'pt-BR': 'uma ordem mais nova a substituiu', en: 'a newer order took its place' },
  DEVICE_REFUSED: { 'pt-BR': 'o controlador a recusou', en: 'the controller refused it' },
  TOO_LATE: {
    'pt-BR': 'ela chegou tarde demais ao gateway',
    en: 'it reached the gateway too late',
  },
  NOT_DELIVERED: {
    'pt-BR': 'o gateway da fazenda não foi alcançado a tempo',
    en: 'the gateway of the farm was not reached in time',
  },
  NOT_ANSWERED: {
    'pt-BR': 'o gateway da fazenda não respondeu a tempo',
    en: 'the gateway of the farm did not answer in time',
  },
  NEVER_TOLD: {
    'pt-BR': 'o gateway da fazenda soube que ela valia e não respondeu o que fez',
    en: 'the gateway of the farm was told that it counts and never said what it did',
  },
  GATEWAY_CHANGED: {
    'pt-BR': 'o gateway desta fazenda foi trocado ou desvinculado',
    en: 'the gateway of this farm was changed or unpaired',
  },
  MOVED_UNTOLD: {
    'pt-BR': 'o gateway soube que ela valia, e foi trocado ou desvinculado sem dizer o que fez',
    en: 'the gateway was told that it counts, and was changed or unpaired before it said what it did',
  },
  POINT_GONE: { 'pt-BR': 'o ponto de controle foi excluído', en: 'the control point was deleted' },
  NOT_ALLOWED: {
    'pt-BR': 'quem a deu não pode mais operar esta fazenda',
    en: 'whoever gave it may no longer operate this farm',
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
  if (isUntold(result)) return language === 'en' ? 'Order without an answer' : 'Ordem sem resposta';
  return language === 'en' ? 'Order not carried out' : 'Ordem não executada';
}

export function failedMessage({ cod, farmName, target, result }: Told, language: Language): string {
  const why = whyWords(result, language);
  const [en, pt] = target === 'ON' ? ['ON', 'ligar'] : ['OFF', 'desligar'];
  if (isUntold(result)) {
    return language === 'en'
      ? `${farmName}: nobody knows whether ${cod} was switched ${en}: ${why}. Look at the motor before you repeat it.`
      : `${farmName}: não se sabe se a ordem de ${pt} ${cod} foi executada: ${why}. Veja o motor antes de repetir.`;
  }
  return language === 'en'
    ? `${farmName}: ${cod} was not switched ${en}: ${why ?? 'nobody knows why'}. What the farm shows counts again.`
    : `${farmName}: a ordem de ${pt} ${cod} não foi executada: ${why ?? 'motivo desconhecido'}. Vale o que a fazenda mostra.`;
}

/** States after which whoever ordered is told that nothing came of it. */
export const FAILED: readonly CommandState[] = ['expired', 'rejected', 'superseded'];
