import { dictionary } from '../../i18n/language.ts';

export const addressWords = dictionary({
  'pt-BR': {
    title: 'Endereço de e-mail',
    confirmed: (email: string) => `${email} está confirmado.`,
    open: (email: string) =>
      `${email} ainda não está confirmado. Convites para uma fazenda só chegam a um endereço confirmado.`,
    byAdmin: 'Daqui não se manda e-mail: peça ao administrador desta instância que confirme o endereço.',
    send: 'Mandar um código',
    sent: 'Código a caminho. Olhe também no spam.',
    code: 'Código do e-mail',
    confirm: 'Confirmar',
    done: 'Endereço confirmado.',
    unverified: 'Endereços a confirmar',
    unverifiedText:
      'Qualquer um pode criar uma conta com qualquer endereço. Confirme só quem você conhece, e por outro caminho: convites da fazenda chegam então a esta conta.',
    none: 'Todos os endereços estão confirmados.',
    since: (day: string) => `desde ${day}`,
    question: (email: string) => `Confirmar ${email}?`,
    questionText: (name: string) =>
      `${name} recebe a partir de então os convites a este endereço. Fica registrado que foi você.`,
  },
  en: {
    title: 'E-mail address',
    confirmed: (email: string) => `${email} is confirmed.`,
    open: (email: string) =>
      `${email} is not confirmed yet. Invitations to a farm come to a confirmed address only.`,
    byAdmin: 'No e-mail is sent from here: ask the administrator of this instance to confirm the address.',
    send: 'Send a code',
    sent: 'The code is on its way. Look into the spam, too.',
    code: 'Code of the e-mail',
    confirm: 'Confirm',
    done: 'The address is confirmed.',
    unverified: 'Addresses to confirm',
    unverifiedText:
      'Anybody can make an account with any address. Confirm only whom you know, and by another way: invitations of farms come to that account then.',
    none: 'All addresses are confirmed.',
    since: (day: string) => `since ${day}`,
    question: (email: string) => `Confirm ${email}?`,
    questionText: (name: string) =>
      `From then on ${name} gets the invitations to this address. It stays on record that it was you.`,
  },
});
