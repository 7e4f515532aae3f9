import type { Language } from '#core/notifying.ts';
import type { PageAnswer } from '#features/payments/ports.ts';
import { type Html, html } from './html.ts';
import { WORDS } from './page-words.ts';

/** Stands between the style tags of every page exactly so: the content policy knows it by its hash. */
export const PAGE_STYLE = `
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2b33; background: #f3f6f7; margin: 0; }
main { max-width: 34rem; margin: 0 auto; padding: 1rem; }
section { background: #fff; border: 1px solid #d8e0e3; border-radius: .5rem; padding: 1rem 1.2rem; margin: 0 0 1rem; }
h1 { font-size: 1.4rem; margin: .5rem 0 1rem; }
h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
.banner { background: #fff3d6; border: 1px solid #e0b64a; border-radius: .5rem; padding: .5rem .8rem; font-size: .9rem; }
.fault { background: #fde8e6; border: 1px solid #c9483b; border-radius: .5rem; padding: .5rem .8rem; }
.done { background: #e3f4e8; border: 1px solid #3d9a5a; border-radius: .5rem; padding: .5rem .8rem; }
.price { font-size: 1.6rem; font-variant-numeric: tabular-nums; }
.quiet { color: #51626b; font-size: .9rem; }
label { display: block; margin: .6rem 0; }
input, textarea { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .5rem; border: 1px solid #8ba0a9; border-radius: .3rem; }
button { font: inherit; padding: .6rem 1.1rem; border: 0; border-radius: .3rem; background: #0b6e78; color: #fff; cursor: pointer; margin: .3rem .5rem .3rem 0; }
button.second { background: #fff; color: #8a2c22; border: 1px solid #8a2c22; }
a { color: #0b6e78; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .5rem .3rem 0; border-bottom: 1px solid #d8e0e3; font-weight: normal; }
td:last-child { text-align: right; }
code { font-variant-numeric: tabular-nums; white-space: nowrap; }
`;

/** A whole page. `formTargets`: where its forms lead besides this instance. */
export function page(
  language: Language,
  title: string,
  content: Html,
  { status = 200, formTargets = [] }: { status?: number; formTargets?: readonly string[] } = {},
): PageAnswer {
  const { markup } = html`<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}</title><style>${{ markup: PAGE_STYLE }}</style></head>
<body><main><p class="banner">${WORDS[language].banner}</p><h1>${title}</h1>${content}</main></body></html>`;
  return { status, html: `<!doctype html>${markup}`, style: PAGE_STYLE, formTargets };
}

/** A page there is not, or not any more; it does not tell which. */
export function gonePage(): PageAnswer {
  const { en, 'pt-BR': pt } = WORDS;
  const content = html`<section><p>${pt.gone}</p><p lang="en">${en.gone}</p></section>`;
  return page('pt-BR', pt.goneTitle, content, { status: 404 });
}

export function money(hundredths: number, currency: string, language: Language): string {
  const text = (hundredths / 100).toFixed(2);
  return `${currency === 'BRL' ? 'R$' : 'US$'} ${language === 'en' ? text : text.replace('.', ',')}`;
}

export function day(instant: string, language: Language): string {
  const [year, month, date] = instant.slice(0, 10).split('-');
  return language === 'en' ? `${year}-${month}-${date}` : `${date}/${month}/${year}`;
}
