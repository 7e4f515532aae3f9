import { audit } from '#core/audit.ts';
import type { Change } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';

export type SecondFactorEvent =
  | 'on'
  | 'off'
  | 'app_off'
  | 'reset'
  | 'recovery_used'
  | 'spared'
  | 'guessed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'passkey_copied';

type Told = {
  title: { pt: string; en: string; es: string };
  /** With what is left of recovery codes, and the name of a passkey. */
  message: (left: number, name: string) => { pt: string; en: string; es: string };
};

const CHANGE_IT = {
  pt: 'Se não foi você, troque a senha já.',
  en: 'If it was not you, change your password now.',
  es: 'Si no fue usted, cambie la contraseña ya.',
};

const WORDS: Readonly<Record<SecondFactorEvent, Told>> = {
  on: {
    title: { pt: 'Segundo fator ligado', en: 'Second factor on', es: 'Segundo factor activado' },
    message: () => ({
      pt: `Entrar na sua conta pede agora também um código. ${CHANGE_IT.pt}`,
      en: `Signing in to your account now asks for a code, too. ${CHANGE_IT.en}`,
      es: `Entrar en su cuenta pide ahora también un código. ${CHANGE_IT.es}`,
    }),
  },
  off: {
    title: { pt: 'Segundo fator desligado', en: 'Second factor off', es: 'Segundo factor desactivado' },
    message: () => ({
      pt: `Entrar na sua conta pede só a senha. ${CHANGE_IT.pt}`,
      en: `Signing in to your account asks for the password alone. ${CHANGE_IT.en}`,
      es: `Entrar en su cuenta pide solo la contraseña. ${CHANGE_IT.es}`,
    }),
  },
  app_off: {
    title: {
      pt: 'Aplicativo de códigos desligado',
      en: 'Authenticator app off',
      es: 'Aplicación de códigos desactivada',
    },
    message: () => ({
      pt: `Entrar na sua conta com a senha pede agora uma chave de acesso. ${CHANGE_IT.pt}`,
      en: `Signing in to your account with the password asks for a passkey now. ${CHANGE_IT.en}`,
      es: `Entrar en su cuenta con la contraseña pide ahora una llave de acceso. ${CHANGE_IT.es}`,
    }),
  },
  passkey_added: {
    title: { pt: 'Chave de acesso nova', en: 'New passkey', es: 'Llave de acceso nueva' },
    message: (_left, name) => ({
      pt: `“${name}” entra agora na sua conta. Se não foi você, remova-a em Sistema, Preferências, e troque a senha já.`,
      en: `“${name}” now signs in to your account. If it was not you, remove it under System, Preferences, and change your password now.`,
      es: `“${name}” entra ahora en su cuenta. Si no fue usted, quítela en Sistema, Preferencias, y cambie la contraseña ya.`,
    }),
  },
  passkey_removed: {
    title: { pt: 'Chave de acesso removida', en: 'Passkey removed', es: 'Llave de acceso quitada' },
    message: (_left, name) => ({
      pt: `“${name}” não entra mais na sua conta. ${CHANGE_IT.pt}`,
      en: `“${name}” does not sign in to your account any more. ${CHANGE_IT.en}`,
      es: `“${name}” ya no entra en su cuenta. ${CHANGE_IT.es}`,
    }),
  },
  passkey_copied: {
    title: { pt: 'Chave de acesso recusada', en: 'Passkey refused', es: 'Llave de acceso rechazada' },
    message: (_left, name) => ({
      pt: `“${name}” assinou com uma contagem mais baixa que antes, como faria uma cópia. Remova-a em Sistema, Preferências, e crie outra.`,
      en: `“${name}” signed with a lower count than before, as a copy would. Remove it under System, Preferences, and make another one.`,
      es: `“${name}” firmó con un conteo más bajo que antes, como haría una copia. Quítela en Sistema, Preferencias, y cree otra.`,
    }),
  },
  reset: {
    title: {
      pt: 'Segundo fator desligado por um operador',
      en: 'Second factor taken off by an operator',
      es: 'Segundo factor desactivado por un operador',
    },
    message: () => ({
      pt: 'Foi feito na linha de comando da instância. Se você não pediu, fale com quem cuida dela.',
      en: 'It was done on the command line of the instance. If you did not ask for it, talk to whoever runs it.',
      es: 'Se hizo en la línea de comandos de la instancia. Si usted no lo pidió, hable con quien la cuida.',
    }),
  },
  recovery_used: {
    title: {
      pt: 'Código de recuperação usado',
      en: 'Recovery code used',
      es: 'Código de recuperación usado',
    },
    message: (left) => ({
      pt: `Entraram na sua conta com um código de recuperação; ${left === 1 ? 'resta 1' : `restam ${left}`}. ${CHANGE_IT.pt}`,
      en: `Somebody signed in to your account with a recovery code; ${left} left. ${CHANGE_IT.en}`,
      es: `Entraron en su cuenta con un código de recuperación; ${left === 1 ? 'queda 1' : `quedan ${left}`}. ${CHANGE_IT.es}`,
    }),
  },
  spared: {
    title: {
      pt: 'Entrada sem segundo fator',
      en: 'Signed in without the second factor',
      es: 'Entrada sin segundo factor',
    },
    message: () => ({
      pt: `O relógio desta caixa não é de confiança; por isso a senha bastou, na rede da fazenda e só para o manejo. ${CHANGE_IT.pt}`,
      en: `The clock of this box is not to be trusted, so the password was enough, on the farm's network and for running the farm only. ${CHANGE_IT.en}`,
      es: `El reloj de esta caja no es confiable; por eso bastó la contraseña, en la red de la camaronera y solo para el manejo. ${CHANGE_IT.es}`,
    }),
  },
  guessed: {
    title: {
      pt: 'Alguém sabe a sua senha',
      en: 'Somebody knows your password',
      es: 'Alguien sabe su contraseña',
    },
    message: () => ({
      pt: 'A senha estava certa e os códigos errados, muitas vezes. Se não foi você, troque a senha já.',
      en: 'The password was right and the codes were wrong, many times. If it was not you, change your password now.',
      es: 'La contraseña era correcta y los códigos errados, muchas veces. Si no fue usted, cambie la contraseña ya.',
    }),
  },
};

const GRAVE: ReadonlySet<SecondFactorEvent> = new Set(['guessed', 'spared', 'passkey_copied']);

/** Tells the person, and for all but what somebody tried in vain the audit. */
export async function tellSecondFactor(
  deps: Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & { notify: Notify },
  userId: string,
  event: SecondFactorEvent,
  {
    left = 0,
    name = '',
    cause = deps.newId(),
    actor = userId,
  }: { left?: number; name?: string; cause?: string; actor?: string | null } = {},
): Promise<Change[]> {
  const { title, message } = WORDS[event];
  const told = await deps.notify(
    { userIds: [userId] },
    {
      type: 'SYSTEM',
      title: (language) => ({ 'pt-BR': title.pt, en: title.en, es: title.es })[language],
      message: (language) => message(left, name)[language === 'pt-BR' ? 'pt' : language],
      data: { second_factor: event },
      cause: `second_factor:${event}:${cause}`,
      farmId: null,
      ...(GRAVE.has(event) ? { severity: 'HIGH' as const } : {}),
    },
  );
  if (event === 'guessed' || event === 'passkey_copied') return told;
  const entry = audit(deps, {
    farm_id: null,
    entity_type: 'SYSTEM',
    entity_id: userId,
    entity_name: 'account',
    action: event.startsWith('passkey') ? event : `second_factor_${event}`,
    user_id: actor,
    details: event === 'recovery_used' ? { left } : name === '' ? {} : { name },
  });
  return [...told, entry];
}
