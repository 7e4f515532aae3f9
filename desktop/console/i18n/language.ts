import { computed, signal } from '@preact/signals';

export const LANGUAGES = ['pt-BR', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const KEPT = 'language';

mendBrowserLanguage();

/**
 * On a PC without a language of its own (LANG=C, as kiosks are) Chromium calls it "en-US@posix". No formatter takes that,
 * and the library that draws charts asks one with it as soon as it is loaded.
 */
function mendBrowserLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    const [language = 'en'] = navigator.language.split('@');
    Object.defineProperty(navigator, 'language', { value: language, configurable: true });
  }
}

/** What the person chose on this station; else what the browser prefers; else Portuguese. */
export const language = signal<Language>(first());

function first(): Language {
  const kept = localStorage.getItem(KEPT);
  if (kept === 'pt-BR' || kept === 'en') return kept;
  return navigator.language.toLowerCase().startsWith('en') ? 'en' : 'pt-BR';
}

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  localStorage.setItem(KEPT, chosen);
  document.documentElement.lang = chosen;
}

/** Where the gateway serves its documents in this language. */
export const guideAddress = (): string =>
  `/docs/guide/${language.value === 'en' ? 'en' : 'pt-br'}/index.html`;

/** Makes the same shape necessary in every language: a missing word does not compile. */
type Spoken<Words> = {
  [Key in keyof Words]: Words[Key] extends string
    ? string
    : Words[Key] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : Spoken<Words[Key]>;
};

/**
 * The words of one part of the console. Each screen keeps its own in `words.ts`; call the result while rendering, so
 * that a change of language draws anew.
 */
export function dictionary<const Words>(words: {
  'pt-BR': Words;
  en: NoInfer<Spoken<Words>>;
}): () => Spoken<Words> {
  const spoken = computed(() => (language.value === 'en' ? words.en : (words['pt-BR'] as Spoken<Words>)));
  return () => spoken.value;
}
