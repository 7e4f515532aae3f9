// A day as it is written in the reader's language, 29/11/2026, and the YYYY-MM-DD that the interface takes. The browser's
// own date field follows the browser's language, which on a borrowed computer is not the reader's.

type Part = 'day' | 'month' | 'year';

/** In which order the language writes them. */
function orderOf(language: string): Part[] {
  const parts = new Intl.DateTimeFormat(language).formatToParts(0);
  return parts.map(({ type }) => type).filter((type): type is Part => /^(day|month|year)$/.test(type));
}

/** How a day is to be written: `shown` has the letters of the language. */
export const dayPattern = (shown: Readonly<Record<Part, string>>, language: string): string =>
  orderOf(language)
    .map((part) => shown[part])
    .join('/');

/** YYYY-MM-DD as it is written; what is no day stays as it is. */
export function writtenDay(day: string, language: string): string {
  const [, year = '', month = '', date = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  return year === '' ? day : dayPattern({ year, month, day: date }, language);
}

/** What somebody wrote, as YYYY-MM-DD; null: no whole day. The year may be left to the century, 26 is 2026. */
export function readDay(text: string, language: string): string | null {
  const trimmed = text.trim();
  if (/^\d{4}-\d{2}-\d{2}$/.test(trimmed)) return existing(trimmed);
  const figures = /^(\d{1,4})[/.\- ](\d{1,2})[/.\- ](\d{2,4})$/.exec(trimmed)?.slice(1);
  const joined = /^\d{8}$/.test(trimmed) ? split(trimmed, language) : undefined;
  const found = figures ?? joined;
  if (found === undefined) return null;
  const order = orderOf(language);
  const of = (part: Part): string => found[order.indexOf(part)] ?? '';
  const year = of('year').length === 2 ? `20${of('year')}` : of('year');
  return existing(`${year}-${of('month').padStart(2, '0')}-${of('day').padStart(2, '0')}`);
}

/** 29112026, as it is typed on a pad of figures. */
function split(digits: string, language: string): string[] {
  let at = 0;
  return orderOf(language).map((part) => {
    const length = part === 'year' ? 4 : 2;
    at += length;
    return digits.slice(at - length, at);
  });
}

/** The day, if the calendar has it: 31/02 is none. */
function existing(day: string): string | null {
  const at = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day ? null : day;
}
