/** A piece of a page: text in it is escaped already. */
export type Html = { readonly markup: string };

type Part = Html | string | readonly Html[] | null;

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup whose values are escaped, unless they are markup themselves. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const pieces = texts.map((text, position) => text + markupOf(parts[position] ?? null));
  return { markup: pieces.join('') };
}

function markupOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
  // an array of pieces is the only list there is
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}
