import type { Language } from './notifying.ts';

/** A sentence for people in both languages of the product: who reads it is known only where it is shown. */
export type InBoth = Readonly<Record<Language, string>>;

export const inBoth = (ptBr: string, en: string): InBoth => ({ 'pt-BR': ptBr, en });

/** Words of a board, of the system or of a file, which are nobody's to translate. */
export const verbatim = (text: string): InBoth => inBoth(text, text);
