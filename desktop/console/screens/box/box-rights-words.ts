import { dictionary } from '../../i18n/language.ts';

export const boxRightsWords = dictionary({
  'pt-BR': {
    title: 'Quem cuida desta caixa',
    text: 'Backup, chave de recuperação, restauração, vínculo com a nuvem e estes direitos são do dono da caixa e de quem ele nomeia. Gerentes e técnicos das fazendas do dono acertam a hora e usam bancada, provisionamento e firmware sem isto.',
    right: { owner: 'Dono da caixa', keep: 'Cuida da caixa' },
    since: (day: string) => `desde ${day}`,
    email: 'E-mail de quem tem conta aqui',
    give: 'Dar o direito',
    given: 'Direito dado.',
    take: 'Tirar o direito',
    takeTitle: (name: string) => `Tirar o direito de ${name}?`,
    takeText: 'Vale na hora. O que a pessoa fez fica registrado.',
    unknown: 'Ninguém tem conta nesta caixa com esse e-mail.',
    owner: 'Essa pessoa já é a dona da caixa.',
  },
  en: {
    title: 'Who keeps this box',
    text: 'Backups, recovery key, restore, pairing with the cloud and these rights belong to the owner of the box and to whom the owner names. Managers and technicians of the owner’s farms set the time and use bench, provisioning and firmware without this.',
    right: { owner: 'Owner of the box', keep: 'Keeps the box' },
    since: (day: string) => `since ${day}`,
    email: 'E-mail of somebody with an account here',
    give: 'Give the right',
    given: 'The right is given.',
    take: 'Take the right away',
    takeTitle: (name: string) => `Take the right from ${name}?`,
    takeText: 'It holds at once. What the person did stays on record.',
    unknown: 'Nobody has an account on this box with that e-mail.',
    owner: 'That person owns the box already.',
  },
});
