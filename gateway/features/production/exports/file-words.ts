import type { Language } from '#science/advice/language.ts';

const WORDS = {
  biometries: { 'pt-BR': 'biometrias', en: 'biometries' },
  feeding: { 'pt-BR': 'alimentação', en: 'feeding' },
  water: { 'pt-BR': 'qualidade-da-água', en: 'water-quality' },
  records: { 'pt-BR': 'registros', en: 'records' },
  report: { 'pt-BR': 'relatório-do-lote', en: 'batch-report' },
} satisfies Record<string, Record<Language, string>>;

/** What a file is called in the reader's language. */
export function fileWord(kind: keyof typeof WORDS, language: Language): string {
  return WORDS[kind][language];
}
