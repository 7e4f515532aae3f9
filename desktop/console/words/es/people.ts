import { translation } from '../../i18n/catalogue.ts';
import type * as source from '../pt-BR/people.ts';

export const peopleWords = translation<typeof source.peopleWords>({
  onGatewayOnly: 'Solo existe en el gateway: entra únicamente en la red de la camaronera.',
  adoptThere: 'Dar una cuenta en la nube',
  title: 'Personas',
  members: 'Quién trabaja en esta camaronera',
  onlyOwner: 'Solo el dueño de la camaronera ve y cambia quién trabaja en ella.',
  you: 'usted',
  noMembers: 'Por ahora, solo usted.',
  roleOf: (name: string) => `Rol de ${name}`,
  role: {
    MANAGER: 'Gerente',
    TECHNICIAN: 'Técnico',
    OPERATOR: 'Operador',
    VIEWER: 'Solo lectura',
    NONE: 'sale de la camaronera',
    OWNER: 'Dueño',
  },
  roleHint: {
    MANAGER: 'Registra, cambia piscinas y lotes, opera la aireación, ve el dinero.',
    TECHNICIAN: 'Opera la aireación y los controladores; no ve dinero.',
    OPERATOR:
      'Registra agua, balanceado, muestreo y mortalidad, enciende y apaga, responde alarmas; no ve dinero, no cambia datos de la camaronera ni programaciones.',
    VIEWER: 'Ve todo, no cambia nada.',
  },
  add: 'Agregar persona',
  addText:
    'Quien ya tiene cuenta aquí con ese correo ve la solicitud y la acepta. Para los demás, haga una invitación con código.',
  email: 'Correo',
  as: 'Rol',
  addNow: 'Agregar',
  added: (who: string) =>
    `Solicitud hecha a ${who}. Quien tiene esa cuenta la ve en Invitaciones y entra al aceptar.`,
  inviteInstead: 'Invitar',
  removeTitle: (name: string) => `¿Quitar a ${name} de la camaronera?`,
  removeText: 'El acceso termina al instante. Lo que la persona registró se queda.',
  removeButton: 'Quitar de la camaronera',
  invitations: 'Invitaciones',
  noInvitations: 'Ninguna invitación.',
  kind: { MEMBER: 'Invitación', HANDOVER: 'Transferencia de la camaronera' },
  state: {
    OPEN: 'abierta',
    ACCEPTED: 'aceptada',
    DECLINED: 'rechazada',
    REVOKED: 'cancelada',
    EXPIRED: 'vencida',
  },
  anyone: 'quien tenga el código',
  until: (at: string) => `vale hasta ${at}`,
  cancelInvitation: 'Cancelar invitación',
  made: 'Invitación hecha',
  madeText:
    'Se muestra solo ahora. Mande la dirección, o deje que la persona apunte la cámara: entra con su cuenta y acepta. El código solo se escribe en Sistema › Personas.',
  link: 'Dirección de la invitación',
  linkQr: 'Código QR de la invitación',
  emailed: 'También se envió por correo.',
  code: 'Código de la invitación',
  kept: 'Ya guardé el código',
  mine: 'Invitaciones para usted',
  mineText: '¿Recibió un código? Escríbalo para entrar en la camaronera.',
  offer: (farm: string) => `${farm} lo espera.`,
  accept: 'Aceptar',
  decline: 'Rechazar',
  unknownCode:
    'Ninguna invitación tiene este código. Revíselo letra por letra con quien lo invitó; una ya usada tampoco vale.',
  accepted: (farm: string) => `Usted ahora es parte de ${farm}.`,
  declined: 'Invitación rechazada.',
  handOver: 'Transferir la camaronera',
  handOverText:
    'Ofrece la camaronera a otra persona. No cambia nada hasta que ella acepte con el código; después la dueña es ella y pasa a valer su plan.',
  handOverTo: 'Correo del nuevo dueño',
  youStay: 'Después de eso usted',
  stay: { MANAGER: 'sigue como gerente', NONE: 'sale de la camaronera' },
  offerIt: 'Ofrecer la camaronera',
  typeName: (name: string) => `Para confirmar, escriba ${name}`,
});

export const lostPeopleWords = translation<typeof source.lostPeopleWords>({
  title: 'Perdidos en una restauración',
  text: 'Lo que los gateways todavía saben de personas y la base de datos de esta instancia perdió. Es solo la palabra de un gateway: confirme con la persona por otra vía antes de aceptar.',
  none: 'Ningún gateway sabe de alguien que se haya perdido aquí.',
  what: {
    account: (name: string) => `${name}: la cuenta ya no existe aquí`,
    membership: (name: string, farm: string) => `${name}: era de la camaronera ${farm}`,
    password: (name: string) => `${name}: la contraseña de aquí es más antigua que la que conoce el gateway`,
    email: (name: string, _farm: string, stands: string) =>
      `${name}: el gateway conoce esta dirección; aquí está ${stands}`,
    name: (name: string, _farm: string, stands: string) =>
      `El gateway conoce el nombre ${name}; aquí está ${stands}`,
    role: (name: string, _farm: string, stands: string, told: string) =>
      `${name}: el gateway conoce el rol ${told}; aquí está ${stands}`,
  },
  says: (gateway: string, owner: string, day: string) => `lo dice ${gateway}, de ${owner}, el ${day}`,
  emailTaken: 'La dirección ya tiene otra cuenta aquí: invite a esa cuenta a la camaronera.',
  take: {
    account: 'Traer de vuelta',
    membership: 'Traer de vuelta',
    password: 'Anular la contraseña',
    email: 'Traer la dirección',
    name: 'Traer el nombre',
    role: 'Traer el rol',
  },
  leave: 'Dejar perdido',
  takeTitle: (email: string) => `¿Aceptar lo que el gateway dice de ${email}?`,
  takeText: {
    account:
      'La cuenta vuelve con sus camaroneras. La persona elige la contraseña con un código que aparece una sola vez.',
    membership: 'La persona vuelve a ver esta camaronera, con el rol que tenía.',
    password:
      'La contraseña antigua ya no abre nada y las sesiones terminan. La persona elige otra con un código que aparece una sola vez.',
    email:
      'La cuenta pasa a abrir con esta dirección, y quien lee sus mensajes puede elegir una contraseña nueva. Confirme con la persona.',
    name: 'La cuenta pasa a tener este nombre, aquí y en las camaroneras.',
    role: 'La cuenta pasa a tener este rol, aquí y en las camaroneras.',
  },
  leaveTitle: (email: string) => `¿Dejar ${email} como está aquí?`,
  leaveText: 'No cambia nada aquí y esto ya no se ofrece. En la camaronera queda como lo tiene el gateway.',
});
