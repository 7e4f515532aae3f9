import { dictionary } from '../../i18n/language.ts';

export const wallWords = dictionary({
  'pt-BR': {
    title: 'Fazenda',
    oxygen: 'OD',
    empty: (days: number | null) =>
      days === null ? 'Vazio' : days === 0 ? 'Vazio hoje' : `Vazio há ${days} ${days === 1 ? 'dia' : 'dias'}`,
    stock: 'Povoar',
    stockIn: (cod: string) => `Povoar ${cod}`,
    fca: 'FCA',
    day: (n: number) => `D${n}`,
    biomass: 'Biomassa',
    ponds: (active: number, all: number) => `${active} de ${all} viveiros em cultivo`,
    none: 'Ainda não há viveiros nesta fazenda.',
    add: 'Criar viveiros',
    worstFirst: 'Piores primeiro',
    byCode: 'Por código',
    byPlace: 'Por posição',
    arrange: 'Arrumar',
    sort: 'Ordem',
    running: 'Consumo',
    without: (n: number) => `(${n} sem sinal, fora da soma)`,
    weighed: (ago: string | null) => (ago === null ? 'sem pesagem' : `há ${ago}`),
    oldWeighings: (n: number) => `(pesagem antiga em ${n})`,
    noPoint: 'sem controlador',
    neverMeasured: 'ainda sem medição',
    by: { manual: 'à mão', probe: 'sonda', import: 'arquivo' },
    last: (value: string, at: string) => `último ${value}, ${at}`,
    records: (done: number, all: number) => `registros de hoje ${done}/${all}`,
  },
  en: {
    title: 'Farm',
    oxygen: 'DO',
    empty: (days: number | null) =>
      days === null
        ? 'Empty'
        : days === 0
          ? 'Empty today'
          : `Empty for ${days} ${days === 1 ? 'day' : 'days'}`,
    stock: 'Stock',
    stockIn: (cod: string) => `Stock ${cod}`,
    fca: 'FCR',
    day: (n: number) => `D${n}`,
    biomass: 'Biomass',
    ponds: (active: number, all: number) => `${active} of ${all} ponds in production`,
    none: 'This farm has no ponds yet.',
    add: 'Create ponds',
    worstFirst: 'Worst first',
    byCode: 'By code',
    byPlace: 'By position',
    arrange: 'Arrange',
    sort: 'Order',
    running: 'Power',
    without: (n: number) => `(${n} silent, left out)`,
    weighed: (ago: string | null) => (ago === null ? 'not weighed' : `${ago} ago`),
    oldWeighings: (n: number) => `(old weighing in ${n})`,
    noPoint: 'no controller',
    neverMeasured: 'not measured yet',
    by: { manual: 'by hand', probe: 'probe', import: 'file' },
    last: (value: string, at: string) => `last ${value}, ${at}`,
    records: (done: number, all: number) => `records of today ${done}/${all}`,
  },
});
