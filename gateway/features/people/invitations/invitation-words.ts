import { hasCode } from '#contract/resources/invitations.ts';
import type { MemberRole } from '#contract/words.ts';
import type { Language, Letter, News } from '#core/notifying.ts';
import type { Farm, InvitationRow } from './ports.ts';

// What people are told, in their language. Names are what somebody typed: they are cut, so that no letter becomes theirs.

const ROLES: Readonly<Record<MemberRole, Record<Language, string>>> = {
  MANAGER: { 'pt-BR': 'gerente', en: 'manager', es: 'gerente' },
  TECHNICIAN: { 'pt-BR': 'técnico', en: 'technician', es: 'técnico' },
  OPERATOR: { 'pt-BR': 'operador', en: 'operator', es: 'operador' },
  VIEWER: { 'pt-BR': 'observador', en: 'viewer', es: 'observador' },
};

/** One line of at most sixty characters. */
const short = (name: string): string => {
  const line = name.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
};

/** Whoever typed the address knows it by this; it stands here still when the person has asked to be forgotten. */
const hinted = (email: string): string => short(email.replace(/^(.).*(?=@)/u, '$1…'));

function offered({ kind, role }: Pick<InvitationRow, 'kind' | 'role'>, language: Language): string {
  if (kind === 'HANDOVER' || role === 'NONE')
    return { 'pt-BR': 'seu dono', en: 'its owner', es: 'su dueño' }[language];
  return ROLES[role][language];
}

const aboutFarm = (row: InvitationRow, farm: Farm) => ({
  type: 'SYSTEM' as const,
  data: { invitation_id: row.id, farm_id: farm.id, kind: row.kind, role: row.role },
});

export function invitedNews(row: InvitationRow, farm: Farm): News {
  const name = short(farm.name);
  return {
    ...aboutFarm(row, farm),
    title: (language) =>
      ({
        'pt-BR': 'Convite para uma fazenda',
        en: 'You are invited to a farm',
        es: 'Invitación a una camaronera',
      })[language],
    message: (language) =>
      ({
        'pt-BR': `Você foi convidado para a fazenda ${name}, como ${offered(row, language)}. ${hasCode(row) ? 'Peça o código a quem convida e digite-o em Convites.' : 'Aceite ou recuse em Convites.'}`,
        en: `You are invited to the farm ${name}, as ${offered(row, language)}. ${hasCode(row) ? 'Ask who invites you for the code, and enter it under Invitations.' : 'Accept or decline it under Invitations.'}`,
        es: `Usted fue invitado a la camaronera ${name}, como ${offered(row, language)}. ${hasCode(row) ? 'Pida el código a quien lo invita y escríbalo en Invitaciones.' : 'Acéptela o rechácela en Invitaciones.'}`,
      })[language],
    cause: `invitation:${row.id}:made`,
    farmId: null,
  };
}

// Nobody's name stands in the news of others: it would outlive the account.

export function acceptedNews(row: InvitationRow, farm: Farm): News {
  const name = short(farm.name);
  return {
    ...aboutFarm(row, farm),
    title: (language) =>
      ({ 'pt-BR': 'Convite aceito', en: 'Invitation accepted', es: 'Invitación aceptada' })[language],
    message: (language) =>
      ({
        'pt-BR': `Quem você convidou agora é ${offered(row, language)} da fazenda ${name}; veja em Pessoas.`,
        en: `Somebody you invited is ${offered(row, language)} of the farm ${name} now; see People.`,
        es: `Alguien a quien usted invitó ahora es ${offered(row, language)} de la camaronera ${name}; vea en Personas.`,
      })[language],
    cause: `invitation:${row.id}:accepted`,
    farmId: farm.id,
  };
}

export function declinedNews(row: InvitationRow, farm: Farm): News {
  const name = short(farm.name);
  return {
    ...aboutFarm(row, farm),
    title: (language) =>
      ({ 'pt-BR': 'Convite recusado', en: 'Invitation declined', es: 'Invitación rechazada' })[language],
    message: (language) =>
      ({
        'pt-BR': `Alguém recusou o convite para a fazenda ${name}; veja em Pessoas.`,
        en: `Somebody declined your invitation to the farm ${name}; see People.`,
        es: `Alguien rechazó la invitación a la camaronera ${name}; vea en Personas.`,
      })[language],
    cause: `invitation:${row.id}:declined`,
    farmId: farm.id,
  };
}

/** Nobody has the code but who was shown it: it can only be given another way. */
export function notSentNews(row: InvitationRow, farm: Farm, email: string): News {
  const [name, to] = [short(farm.name), hinted(email)];
  return {
    ...aboutFarm(row, farm),
    title: (language) =>
      ({ 'pt-BR': 'Convite não enviado', en: 'Invitation not sent', es: 'Invitación no enviada' })[language],
    message: (language) =>
      ({
        'pt-BR': `O e-mail com o convite para a fazenda ${name} não pôde ser enviado a ${to}. Passe o código de outro modo, ou confira o endereço e convide de novo.`,
        en: `The e-mail with the invitation to the farm ${name} could not be sent to ${to}. Give the code another way, or check the address and invite again.`,
        es: `El correo con la invitación a la camaronera ${name} no se pudo enviar a ${to}. Pase el código de otra forma, o revise la dirección e invite de nuevo.`,
      })[language],
    cause: `invitation:${row.id}:not_sent`,
    farmId: farm.id,
  };
}

export function handedOverNews(row: InvitationRow, farm: Farm): News {
  const name = short(farm.name);
  return {
    ...aboutFarm(row, farm),
    title: (language) =>
      ({
        'pt-BR': 'A fazenda tem novo dono',
        en: 'The farm has a new owner',
        es: 'La camaronera tiene nuevo dueño',
      })[language],
    message: (language) =>
      ({
        'pt-BR': `A fazenda ${name} agora tem outro dono; veja em Pessoas.`,
        en: `The farm ${name} has another owner now; see People.`,
        es: `La camaronera ${name} ahora tiene otro dueño; vea en Personas.`,
      })[language],
    cause: `invitation:${row.id}:accepted`,
    farmId: farm.id,
  };
}

/** The letter with the code. */
export function letterOf(
  language: Language,
  { row, code, farm, to }: { row: InvitationRow; code: string; farm: Farm; to: string },
): Letter {
  const name = short(farm.name);
  const day = row.expires_at.slice(0, 10);
  if (language === 'en') {
    return {
      to,
      subject: `Invitation to the farm ${name}`,
      text: `You are invited to the farm ${name}, as ${offered(row, language)}.\n\nYour code: ${code}\n\nLog in with this address (or make an account with it) and enter the code under Invitations. It works once, until ${day}. If you do not know who invites you, do nothing.\n`,
    };
  }
  if (language === 'es') {
    return {
      to,
      subject: `Invitación a la camaronera ${name}`,
      text: `Usted fue invitado a la camaronera ${name}, como ${offered(row, language)}.\n\nSu código: ${code}\n\nEntre con esta dirección (o cree una cuenta con ella) y escriba el código en Invitaciones. Vale una vez, hasta el ${day.split('-').reverse().join('/')}. Si no conoce a quien lo invita, no haga nada.\n`,
    };
  }
  return {
    to,
    subject: `Convite para a fazenda ${name}`,
    text: `Você foi convidado para a fazenda ${name}, como ${offered(row, language)}.\n\nSeu código: ${code}\n\nEntre com este endereço (ou crie uma conta com ele) e digite o código em Convites. Ele vale uma vez, até ${day.split('-').reverse().join('/')}. Se você não conhece quem convida, não faça nada.\n`,
  };
}
