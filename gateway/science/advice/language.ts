/** The languages advice is written in. */
export const LANGUAGES = ['pt-BR', 'en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * A number as a reader of the language writes it: `12.345,6` in Brazilian Portuguese,
 * `12,345.6` in English. Trailing zeros stay: "8,40 g" says more than "8,4 g".
 *
 * @param decimals digits after the mark, 0–20
 */
export function figure(n: number, decimals: number, language: Language): string {
  const text = formatOf(language, decimals).format(n);
  // A loss that rounds to nothing would read "-0", and a farmer would look for the loss.
  return /[1-9]/.test(text) ? text : text.replace('-', '');
}

const formats = new Map<string, Intl.NumberFormat>();

/** Made once for each language and precision: making one takes longer than all else that a measurement asks for. */
function formatOf(language: Language, decimals: number): Intl.NumberFormat {
  const key = `${language} ${decimals}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat(language, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    useGrouping: 'always',
  });
  formats.set(key, format);
  return format;
}

/** A mean weight with the precision scales give at that size: `0,347 g`, `8,40 g`, `12,4 g`. */
export function grams(weightG: number, language: Language): string {
  const decimals = weightG < 1 ? 3 : weightG < 10 ? 2 : 1;
  return `${figure(weightG, decimals, language)} g`;
}

/** A share without its sign, `12%`; one decimal below 10 unless it is whole. */
export function percent(share: number, language: Language): string {
  const size = Math.abs(share);
  const isWhole = Math.abs(size - Math.round(size)) < 0.05;
  return `${figure(size, size < 10 && !isWhole ? 1 : 0, language)}%`;
}

/** A local date (`YYYY-MM-DD`) for people: `17/05/2025`, `17 May 2025`. */
export function calendarDay(date: string, language: Language): string {
  if (language !== 'en') return date.split('-').toReversed().join('/');
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));
}
