import type { Language } from '#science/advice/language.ts';

const WORDS = {
  biometries: { 'pt-BR': 'biometrias', en: 'biometries', es: 'muestreos' },
  feeding: { 'pt-BR': 'alimentação', en: 'feeding', es: 'alimentación' },
  water: { 'pt-BR': 'qualidade-da-água', en: 'water-quality', es: 'calidad-del-agua' },
  report: { 'pt-BR': 'relatório-do-lote', en: 'batch-report', es: 'reporte-del-lote' },
  losses: { 'pt-BR': 'mortalidade', en: 'mortality', es: 'mortalidad' },
  records: { 'pt-BR': 'registros', en: 'records', es: 'registros' },
} satisfies Record<string, Record<Language, string>>;

/** What a file is called in the reader's language. */
export function fileWord(kind: keyof typeof WORDS, language: Language): string {
  return WORDS[kind][language];
}
