import { dictionary } from '../../i18n/language.ts';

export const removalWords = dictionary({
  'pt-BR': {
    first: (folder: string) =>
      `Primeiro é feito um backup, lido de volta e conferido; só depois a fazenda é apagada. Ele fica 30 dias em ${folder}.`,
    opens: (key: string) => `Abre com a chave de papel nº ${key}.`,
    none: {
      hosted:
        'Aqui na nuvem não se faz backup pela tela. Baixe antes os dados que quer guardar, em Relatórios.',
      notYours: 'O backup é de quem opera todas as fazendas deste gateway. Peça um antes.',
      notSet:
        'Não há backup: falta a pasta, o pen drive ou a chave de recuperação. Arrume antes em Sistema › Backup.',
      unknown: 'Não deu para ver como estão os backups.',
      failed: 'O backup de há pouco não deu certo. Tente de novo, ou arrume antes em Sistema › Backup.',
    },
    notDeleted: (why: string) => `O backup não deu certo, e a fazenda não foi apagada. ${why}`,
    goBackup: 'Abrir Sistema › Backup',
    without: 'Apagar mesmo sem um backup novo',
    password: 'Sua senha',
    working: 'Fechar esta pergunta agora deixa a fazenda como está.',
    gone: (name: string) => `${name} foi apagada.`,
    kept: (file: string, folder: string) => `O backup de antes: ${file}, em ${folder}, por 30 dias.`,
    noBackup: 'Não foi feito um backup novo antes.',
    controllers:
      'Os controladores seguem sozinhos pela última programação que receberam, e nenhum alarme deles chega mais. O que deve parar, pare à mão.',
    wayBack:
      'Para trazer de volta nos próximos 30 dias: Sistema › Fazenda e viveiros › Fazendas apagadas. Só ela volta, com tudo o que tinha.',
    byBackup: (key: string) =>
      `Se isso não der: Sistema › Backup › Restaurar, com a chave nº ${key}. Aí o gateway inteiro volta àquela hora, e o que se lança depois fica de fora.`,
    done: 'Entendi',
    trash: 'Fazendas apagadas',
    until: (deleted: string, end: string) => `apagada em ${deleted}, volta até ${end}`,
    bringBack: 'Trazer de volta',
    bringBackTitle: (name: string) => `Trazer ${name} de volta?`,
    bringBackText:
      'Viveiros, lotes, medições e pontos de controle voltam como estavam. Os motores voltam a seguir as ordens e os horários daquele dia: confira a aeração logo em seguida.',
    isBack: (name: string) => `${name} está de volta. Confira a aeração.`,
    refused: {
      ALREADY_EXISTS:
        'Um controlador, código ou lote dela tem hoje o nome de outro. Apague ou renomeie o outro, e tente de novo.',
      NOT_FOUND: 'Ela já voltou, ou os 30 dias acabaram.',
    },
  },
  en: {
    first: (folder: string) =>
      `First a backup is made, read back and checked; only then is the farm deleted. It stays in ${folder} for 30 days.`,
    opens: (key: string) => `The recovery key no. ${key} opens it.`,
    none: {
      hosted:
        'On the hosted instance no backup is made from the screen. Download what you want to keep first, in Reports.',
      notYours: 'Backups are for those who operate every farm of this gateway. Ask them for one first.',
      notSet:
        'There is no backup: the folder, the stick or the recovery key is missing. Set it up first in System › Backup.',
      unknown: 'How the backups stand could not be seen.',
      failed: 'The backup of a moment ago did not work. Try again, or mend it first in System › Backup.',
    },
    notDeleted: (why: string) => `The backup did not work, and the farm was not deleted. ${why}`,
    goBackup: 'Open System › Backup',
    without: 'Delete even without a new backup',
    password: 'Your password',
    working: 'Closing this question now leaves the farm as it is.',
    gone: (name: string) => `${name} was deleted.`,
    kept: (file: string, folder: string) => `The backup of before: ${file}, in ${folder}, for 30 days.`,
    noBackup: 'No new backup was made before.',
    controllers:
      'The controllers go on alone by the last schedule they got, and no alarm of theirs arrives any more. What is to stop, stop by hand.',
    wayBack:
      'To get it back within 30 days: System › Farm and ponds › Deleted farms. It alone comes back, with all it had.',
    byBackup: (key: string) =>
      `Should that not do: System › Backup › Restore, with the key no. ${key}. Then the whole gateway goes back to that hour, and what is entered afterwards is left out.`,
    done: 'Understood',
    trash: 'Deleted farms',
    until: (deleted: string, end: string) => `deleted on ${deleted}, comes back until ${end}`,
    bringBack: 'Bring back',
    bringBackTitle: (name: string) => `Bring ${name} back?`,
    bringBackText:
      'Ponds, batches, measurements and control points come back as they were. Motors follow the orders and schedules of that day again: look at the aeration at once.',
    isBack: (name: string) => `${name} is back. Look at the aeration.`,
    refused: {
      ALREADY_EXISTS:
        'A controller, code or batch of it has the name of another one today. Delete or rename the other, and try again.',
      NOT_FOUND: 'It is back already, or the 30 days are over.',
    },
  },
});
