import { source } from '../../i18n/catalogue.ts';

export const chartWords = source({
  asTable: 'Ver como tabela',
  asChart: 'Ver como gráfico',
  when: 'Quando',
  noData: 'Sem dados neste período',
  notDrawn: 'O desenho não veio do gateway; os números estão aqui.',
  whole: 'Período inteiro',
  nearer: (chart: string) => `Ampliar ${chart}`.trim(),
  farther: (chart: string) => `Reduzir ${chart}`.trim(),
  earlier: (chart: string) => `Antes ${chart}`.trim(),
  later: (chart: string) => `Depois ${chart}`.trim(),
  finer: {
    coming: 'buscando as leituras desta parte…',
    failed: 'as leituras desta parte não vieram; a linha é a média de cada trecho',
  },
  picture: 'Baixar como imagem',
  pictureOf: (chart: string) => `Baixar ${chart} como imagem (PNG)`,
  madeOn: (day: string) => `feito em ${day}`,
  hand: (chart: string) =>
    `${chart}: setas andam de leitura em leitura, + e − ampliam e reduzem, Shift e setas deslocam, 0 mostra tudo`,
});

export const compareWords = source({
  title: 'Comparar',
  what: 'Comparar o quê',
  kinds: {
    viveiros: 'Viveiros',
    lotes: 'Lotes por dia de cultivo',
    tabela: 'Lotes em tabela',
    noites: 'Noites de um viveiro',
  },
  parameter: 'Parâmetro',
  pond: 'Viveiro',
  ponds: (most: number) => `Viveiros (até ${most})`,
  batches: (most: number) => `Lotes (até ${most})`,
  enough: (most: number) => `São no máximo ${most}: desmarque um para trocar.`,
  choose: 'Marque pelo menos um.',
  day: 'Dia',
  growth: 'Peso médio',
  night: (from: string, to: string) => `Noite de ${from} para ${to}`,
  nights: 'Comparar noites',
  others: 'Comparar com outros',
  noNights: 'Não há leituras de oxigênio nas últimas noites.',
});
