import type { BlindChart } from '#science/constants.ts';
import { source } from '../../i18n/catalogue.ts';

export const removalWords = source({
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
});

export const farmWords = source({
  title: 'Fazenda e viveiros',
  blindFeeding: 'Ração dos primeiros 30 dias',
  blindHint: 'Até a primeira biometria as pós-larvas de vannamei são alimentadas por uma destas tabelas.',
  blindCharts: {
    BY_WEIGHT: 'Pelo peso esperado',
    ROCHA_MAIA_1998: 'Prática brasileira',
    VINH_PHAT_LOC: 'Intensivo',
  } satisfies Record<BlindChart, string>,
  farm: 'Fazenda',
  noFarm: 'Ainda não há fazenda nesta conta.',
  createFarm: 'Criar fazenda',
  name: 'Nome da fazenda',
  description: 'Descrição',
  zone: 'Fuso horário',
  zoneHint: 'Horários de aeração, dias e tarefas seguem esta hora.',
  lat: 'Latitude',
  lng: 'Longitude',
  position: 'Graus decimais, por exemplo -4,5617. Serve para o nascer e o pôr do sol.',
  badPosition: 'Não entendi este número.',
  ponds: 'Viveiros',
  add: 'Criar viveiros',
  none: 'Ainda não há viveiros nesta fazenda.',
  code: 'Código',
  type: 'Uso',
  types: { NURSERY: 'Berçário', FATTENING: 'Engorda' },
  noType: 'não informado',
  size: 'Área',
  depth: 'Profundidade',
  point: 'Ponto de controle',
  pointShort: 'Ponto',
  noPoint: 'nenhum',
  patternTitle: 'Criar viveiros',
  from: 'Do código',
  to: 'ao código',
  patternHint: 'De V-01 a V-24 cria 24 viveiros de uma vez. Para um só, repita o código.',
  planHolds: (plan: string, most: number, left: number) =>
    `O plano ${plan} vai até ${most} viveiros por fazenda; ${left === 0 ? 'não cabe mais nenhum' : `${left === 1 ? 'cabe' : 'cabem'} mais ${left}`}.`,
  toPlan: 'Ver os planos',
  patternFault: {
    unreadable: 'Os códigos precisam terminar com um número, como V-01.',
    different: 'Os dois códigos precisam começar igual.',
    backwards: 'O segundo código vem antes do primeiro.',
    'too-many': 'No máximo 200 viveiros de uma vez.',
  },
  badFigure: 'Não entendi este número.',
  creates: (n: number, first: string, last: string) =>
    n === 1 ? `Cria 1 viveiro: ${first}` : `Cria ${n} viveiros: ${first} … ${last}`,
  skips: (n: number) =>
    n === 1 ? '1 código já existe e fica como está.' : `${n} códigos já existem e ficam como estão.`,
  doing: (done: number, all: number) => `${done} de ${all} criados…`,
  done: (n: number) => (n === 1 ? '1 viveiro criado.' : `${n} viveiros criados.`),
  editPond: (cod: string) => `Viveiro ${cod}`,
  removePond: 'Apagar viveiro',
  removePondTitle: (cod: string) => `Apagar o viveiro ${cod}?`,
  removePondText: 'Lotes, medições e alertas deste viveiro somem da lista.',
  typeName: (name: string) => `Para confirmar, escreva ${name}`,
  danger: 'Apagar a fazenda',
  dangerText:
    'Viveiros, lotes, medições, pontos de controle e horários somem da lista. Os controladores seguem sozinhos pela última programação que receberam.',
  removeFarm: 'Apagar fazenda',
  removeFarmTitle: (name: string) => `Apagar a fazenda ${name}?`,
  removed: (name: string) => `${name} apagado.`,
  lostPonds: (all: string, active: string) => `Viveiros: ${all}, em cultivo ${active}`,
  lostShrimp: (kg: string) => `${kg} de camarão`,
  lostPoints: (n: string) => `Pontos de controle com suas agendas: ${n}`,
});
