import type { Language } from './language.ts';

/** What an answer needs and nobody recorded, so that something else stands in for it. */
export type MissingFact =
  | 'WEIGHING'
  | 'RECENT_WEIGHING'
  | 'SURVIVAL'
  | 'FEED'
  | 'EXPENSES'
  | 'DAILY_COST'
  | 'POND_SIZE'
  | 'POND_DEPTH'
  | 'AERATORS';

const NAMES: Readonly<Record<MissingFact, Readonly<Record<Language, string>>>> = {
  WEIGHING: {
    'pt-BR': 'peso dos camarões (nenhuma biometria)',
    en: 'weight of the shrimp (never weighed)',
    es: 'peso de los camarones (ningún muestreo)',
  },
  RECENT_WEIGHING: {
    'pt-BR': 'peso atual (a última biometria é antiga)',
    en: 'weight of now (the last weighing is old)',
    es: 'peso actual (el último muestreo es antiguo)',
  },
  SURVIVAL: {
    'pt-BR': 'sobrevivência (vale a estimada no povoamento)',
    en: 'survival (the estimate of the stocking counts)',
    es: 'supervivencia (vale la estimada en la siembra)',
  },
  FEED: { 'pt-BR': 'ração', en: 'feed', es: 'balanceado' },
  EXPENSES: { 'pt-BR': 'despesas', en: 'expenses', es: 'gastos' },
  DAILY_COST: {
    'pt-BR': 'custo por dia (supõem-se 100)',
    en: 'cost of a day (100 are assumed)',
    es: 'costo por día (se suponen 100)',
  },
  POND_SIZE: { 'pt-BR': 'área do viveiro', en: 'area of the pond', es: 'área de la piscina' },
  POND_DEPTH: {
    'pt-BR': 'profundidade do viveiro',
    en: 'depth of the pond',
    es: 'profundidad de la piscina',
  },
  AERATORS: { 'pt-BR': 'aeradores do viveiro', en: 'aerators of the pond', es: 'aireadores de la piscina' },
};

/** One sentence of what is not known and may make it worse; null: all is. */
export function missingText(missing: readonly MissingFact[], language: Language): string | null {
  if (missing.length === 0) return null;
  const names = missing.map((each) => NAMES[each][language]).join('; ');
  return {
    'pt-BR': `Não registrado, e pode piorar o resultado: ${names}.`,
    en: `Not recorded, and may make it worse: ${names}.`,
    es: `No registrado, y puede empeorar el resultado: ${names}.`,
  }[language];
}
