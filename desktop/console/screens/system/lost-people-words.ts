import { dictionary } from '../../i18n/language.ts';

export const lostPeopleWords = dictionary({
  'pt-BR': {
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
  },
  en: {
    title: 'Lost in a restore',
    text: 'What gateways still know of people and the database of this instance lost. It is the word of a gateway alone: ask the person by another way before you accept it.',
    none: 'No gateway knows of anybody who is lost here.',
    what: {
      account: (name: string) => `${name}: there is no account here any more`,
      membership: (name: string, farm: string) => `${name}: was on the farm ${farm}`,
      password: (name: string) => `${name}: the password here is older than the one the gateway knows of`,
      email: (name: string, _farm: string, stands: string) =>
        `${name}: the gateway knows this address; here it is ${stands}`,
      name: (name: string, _farm: string, stands: string) =>
        `The gateway knows the name ${name}; here it is ${stands}`,
      role: (name: string, _farm: string, stands: string, told: string) =>
        `${name}: the gateway knows the role ${told}; here it is ${stands}`,
    },
    says: (gateway: string, owner: string, day: string) => `says ${gateway} of ${owner}, on ${day}`,
    emailTaken: 'The address has another account here: invite that account to the farm.',
    take: {
      account: 'Take back',
      membership: 'Take back',
      password: 'End the password',
      email: 'Take the address',
      name: 'Take the name',
      role: 'Take the role',
    },
    leave: 'Leave it lost',
    takeTitle: (email: string) => `Accept what the gateway says of ${email}?`,
    takeText: {
      account:
        'The account is back, with its farms. The person chooses a password with a code that is shown once.',
      membership: 'The person sees this farm again, in the role of then.',
      password:
        'The old password opens nothing any more, and sessions end. The person chooses another with a code that is shown once.',
      email:
        'The account opens with this address, and who reads its mail can choose a new password. Ask the person first.',
      name: 'The account has this name, here and at the farms.',
      role: 'The account has this role, here and at the farms.',
    },
    leaveTitle: (email: string) => `Leave ${email} as it is here?`,
    leaveText: 'Nothing changes here, and it is offered no more. At the farm it stays as the gateway has it.',
  },
});
