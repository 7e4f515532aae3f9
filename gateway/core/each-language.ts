import type { Language } from './notifying.ts';

/** A sentence for people in each language of the product: who reads it is known only where it is shown. */
export type InEach = Readonly<Record<Language, string>>;

export const inEach = (ptBr: string, en: string, es: string): InEach => ({ 'pt-BR': ptBr, en, es });

/** Words of a board, of the system or of a file, which are nobody's to translate. */
export const verbatim = (text: string): InEach => inEach(text, text, text);
