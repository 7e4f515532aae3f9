import { source } from '../../i18n/catalogue.ts';

export const peopleWords = source({
  onGatewayOnly: 'Só existe no gateway: entra apenas na rede da fazenda.',
  adoptThere: 'Dar uma conta na nuvem',
  title: 'Pessoas',
  members: 'Quem trabalha nesta fazenda',
  onlyOwner: 'Só o dono da fazenda vê e muda quem trabalha nela.',
  you: 'você',
  noMembers: 'Por enquanto, só você.',
  roleOf: (name: string) => `Papel de ${name}`,
  role: {
    MANAGER: 'Gerente',
    TECHNICIAN: 'Técnico',
    OPERATOR: 'Operador',
    VIEWER: 'Só leitura',
    NONE: 'sai da fazenda',
    OWNER: 'Dono',
  },
  roleHint: {
    MANAGER: 'Registra, muda viveiros e lotes, opera a aeração, vê o dinheiro.',
    TECHNICIAN: 'Opera aeração e controladores; não vê dinheiro.',
    OPERATOR:
      'Lança água, ração, biometria e mortalidade, liga e desliga, responde alarmes; não vê dinheiro, não muda cadastros nem programações.',
    VIEWER: 'Vê tudo, não muda nada.',
  },
  add: 'Acrescentar pessoa',
  addText:
    'Quem já tem conta aqui com esse e-mail vê o pedido e o aceita. Para os outros, faça um convite com código.',
  email: 'E-mail',
  as: 'Papel',
  addNow: 'Acrescentar',
  added: (who: string) => `Pedido feito a ${who}. Quem tem essa conta o vê em Convites e entra ao aceitar.`,
  inviteInstead: 'Convidar',
  removeTitle: (name: string) => `Tirar ${name} da fazenda?`,
  removeText: 'O acesso acaba na hora. O que a pessoa registrou fica.',
  removeButton: 'Tirar da fazenda',
  invitations: 'Convites',
  noInvitations: 'Nenhum convite.',
  kind: { MEMBER: 'Convite', HANDOVER: 'Transferência da fazenda' },
  state: {
    OPEN: 'aberto',
    ACCEPTED: 'aceito',
    DECLINED: 'recusado',
    REVOKED: 'cancelado',
    EXPIRED: 'vencido',
  },
  anyone: 'quem tiver o código',
  until: (at: string) => `vale até ${at}`,
  cancelInvitation: 'Cancelar convite',
  made: 'Convite feito',
  madeText:
    'É mostrado só agora. Mande o endereço, ou deixe a pessoa apontar a câmera: ela entra com a conta dela e aceita. O código sozinho se digita em Sistema › Pessoas.',
  link: 'Endereço do convite',
  linkQr: 'Código QR do convite',
  emailed: 'Também foi enviado por e-mail.',
  code: 'Código do convite',
  kept: 'Já guardei o código',
  mine: 'Convites para você',
  mineText: 'Recebeu um código? Digite-o para entrar na fazenda.',
  offer: (farm: string) => `${farm} espera por você.`,
  accept: 'Aceitar',
  decline: 'Recusar',
  unknownCode:
    'Nenhum convite tem este código. Confira letra por letra com quem convidou; um convite já usado também não vale.',
  accepted: (farm: string) => `Você agora faz parte de ${farm}.`,
  declined: 'Convite recusado.',
  handOver: 'Transferir a fazenda',
  handOverText:
    'Oferece a fazenda a outra pessoa. Nada muda até que ela aceite com o código; depois o dono é ela e o plano dela passa a valer.',
  handOverTo: 'E-mail do novo dono',
  youStay: 'Depois disso você',
  stay: { MANAGER: 'continua como gerente', NONE: 'sai da fazenda' },
  offerIt: 'Oferecer a fazenda',
  typeName: (name: string) => `Para confirmar, escreva ${name}`,
});

export const lostPeopleWords = source({
  title: 'Perdidos numa restauração',
  text: 'O que gateways ainda sabem de pessoas e o banco de dados desta instância perdeu. É só a palavra de um gateway: confirme com a pessoa por outro caminho antes de aceitar.',
  none: 'Nenhum gateway sabe de alguém que se perdeu aqui.',
  what: {
    account: (name: string) => `${name}: a conta não existe mais aqui`,
    membership: (name: string, farm: string) => `${name}: era da fazenda ${farm}`,
    password: (name: string) => `${name}: a senha daqui é mais antiga que a que o gateway conhece`,
    email: (name: string, _farm: string, stands: string) =>
      `${name}: o gateway conhece este endereço; aqui está ${stands}`,
    name: (name: string, _farm: string, stands: string) =>
      `O gateway conhece o nome ${name}; aqui está ${stands}`,
    role: (name: string, _farm: string, stands: string, told: string) =>
      `${name}: o gateway conhece o papel ${told}; aqui está ${stands}`,
  },
  says: (gateway: string, owner: string, day: string) => `diz ${gateway}, de ${owner}, em ${day}`,
  emailTaken: 'O endereço já tem outra conta aqui: convide essa conta para a fazenda.',
  take: {
    account: 'Trazer de volta',
    membership: 'Trazer de volta',
    password: 'Encerrar a senha',
    email: 'Trazer o endereço',
    name: 'Trazer o nome',
    role: 'Trazer o papel',
  },
  leave: 'Deixar perdido',
  takeTitle: (email: string) => `Aceitar o que o gateway diz de ${email}?`,
  takeText: {
    account:
      'A conta volta com as fazendas dela. A pessoa escolhe a senha com um código que aparece uma única vez.',
    membership: 'A pessoa volta a ver esta fazenda, no papel que tinha.',
    password:
      'A senha antiga não abre mais nada e as sessões terminam. A pessoa escolhe outra com um código que aparece uma única vez.',
    email:
      'A conta passa a abrir com este endereço, e quem lê as mensagens dele pode escolher uma senha nova. Confirme com a pessoa.',
    name: 'A conta passa a ter este nome, aqui e nas fazendas.',
    role: 'A conta passa a ter este papel, aqui e nas fazendas.',
  },
  leaveTitle: (email: string) => `Deixar ${email} como está aqui?`,
  leaveText: 'Nada muda aqui e isto não é mais oferecido. Na fazenda fica como o gateway tem.',
});
