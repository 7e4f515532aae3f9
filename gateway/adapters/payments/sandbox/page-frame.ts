import type { Language } from '#core/notifying.ts';
import type { PageAnswer } from '#features/people/payments/ports.ts';
import { type Html, html } from './html.ts';
import { WORDS } from './page-words.ts';

/** Stands between the style tags of every page exactly so: the content policy knows it by its hash. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --bg: #e8eaeb; --card: #f7f8f8; --text: #1b2023; --muted: #4f585d; --border: #7e888e; --line: #c9cfd2; --run: #2b3338; --run-text: #f7f8f8; --pending: #1268a5; --p1: #d60000; --p2: #f48c25; }
@media (prefers-color-scheme: dark) { :root { --bg: #101416; --card: #1a2023; --text: #e6eaec; --muted: #a3adb2; --border: #6c777d; --line: #343d42; --run: #b4bdc2; --run-text: #101416; --pending: #4794eb; --p1: #f04c67; --p2: #ff9933; } }
body { font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; color: var(--text); background: var(--bg); margin: 0; }
main { max-width: 34rem; margin: 0 auto; padding: 1rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 0 0 1rem; }
h1 { font-size: 1.35rem; margin: .5rem 0 1rem; }
h2 { font-size: 1.1rem; margin: 0 0 .6rem; }
.banner, .fault, .done { background: var(--card); border: 1px solid var(--line); border-left: 5px solid var(--border); border-radius: 8px; padding: .6rem .8rem; }
.banner { border-left-color: var(--p2); }
.fault { border-left-color: var(--p1); }
.done { border-left-color: var(--pending); }
.price { font-size: 1.6rem; font-weight: 600; }
.quiet { color: var(--muted); font-size: .9rem; overflow-wrap: anywhere; }
label { display: block; margin: .7rem 0; font-weight: 500; }
input, textarea { display: block; width: 100%; box-sizing: border-box; min-height: 48px; font: inherit; color: inherit; background: var(--bg); padding: 6px 10px; border: 1.5px solid var(--border); border-radius: 8px; }
button { font: inherit; font-weight: 500; min-height: 48px; padding: 4px 16px; border: 1.5px solid var(--run); border-radius: 8px; background: var(--run); color: var(--run-text); cursor: pointer; margin: .3rem .5rem .3rem 0; }
button.second { background: var(--card); color: var(--text); border: 2px solid var(--p1); }
a { color: inherit; text-underline-offset: 3px; display: inline-flex; align-items: center; min-height: 44px; }
:focus-visible { outline: 3px solid var(--pending); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .5rem .4rem 0; border-bottom: 1px solid var(--line); font-weight: normal; }
tr:last-child > * { border-bottom: 0; }
td:last-child { text-align: right; }
code { white-space: nowrap; }
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
