/// <reference types="vite/client" />
import { LANGUAGES as ADVISED, type Language as Advised } from '#science/advice/language.ts';
import { spoken } from '#words/language.ts';
import type { Language } from './catalogue.ts';

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

/** The one this console was built in: public/first-look.js chose it, and the page is loaded anew for another. */
export const language = spoken.tag;

/** Those that can be chosen, each with the name its speakers give it. */
export const LANGUAGES: readonly Pick<Language, 'tag' | 'name'>[] = Object.values(
  import.meta.glob<Language>('../words/*/language.ts', { eager: true, import: 'spoken' }),
).map(({ tag, name }) => ({ tag, name }));

/** In what the gateway's advice is told to readers of this language. */
export const adviceLanguage: Advised = ADVISED.find((known) => known === language) ?? 'pt-BR';

/** Where the gateway serves its documents in this language. */
export const guideAddress = (): string => `/docs/guide/${spoken.guide}/index.html`;
