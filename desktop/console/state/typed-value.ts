// Figures as people type them. Some have only a comma on their keys and some only a point, so both are taken; what would
// be another figure to somebody else is not: 1.500 kg of feed is one and a half, or a tonne and a half. Pure.

/** What parts the decimals in the language of the page. The other one parts thousands there. */
export type DecimalSign = ',' | '.';

type Typed =
  | { is: 'empty' }
  | { is: 'value'; value: number }
  /** `1.500` where a point parts thousands. */
  | { is: 'either'; large: number; small: number }
  | { is: 'unclear' };

export function readTyped(text: string, sign: DecimalSign): Typed {
  const typed = text.replace(/\s/g, '');
  if (typed === '') return { is: 'empty' };
  if (!/^-?\d{1,15}([.,]\d{1,30})?$/.test(typed)) return { is: 'unclear' };
  const value = Number(typed.replace(',', '.'));
  const thousands = sign === ',' ? /^-?[1-9]\d{0,2}\.\d{3}$/ : /^-?[1-9]\d{0,2},\d{3}$/;
  return thousands.test(typed)
    ? { is: 'either', large: Number(typed.replace(/[.,]/, '')), small: value }
    : { is: 'value', value };
}

/**
 * A count as people type it: `250000`, `250.000`, `250 000`. A separator here only ever parts thousands. null: nothing
 * typed; NaN: not a whole number.
 */
export function readWhole(text: string): number | null {
  const typed = text.replace(/\s/g, '');
  if (typed === '') return null;
  return /^\d{1,10}$|^[1-9]\d{0,2}((\.\d{3})+|(,\d{3})+)$/.test(typed)
    ? Number(typed.replace(/[.,]/g, ''))
    : Number.NaN;
}

/** A figure as it stands in a field that is to be changed: every digit of it, no separators. */
export function typedFigure(value: number, sign: DecimalSign): string {
  return plainDigits(value).replace('.', sign);
}

/** JavaScript writes small figures as 1e-7, which no field takes. */
function plainDigits(value: number): string {
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const [whole = '', decimals = ''] = digits.replace('-', '').split('.');
  const all = whole + decimals;
  const point = whole.length + Number(exponent);
  const told =
    point <= 0
      ? `0.${'0'.repeat(-point)}${all}`
      : point >= all.length
        ? all.padEnd(point, '0')
        : `${all.slice(0, point)}.${all.slice(point)}`;
  return value < 0 ? `-${told}` : told;
}

/** True where a figure does not stand as it is shown elsewhere, so that it is said how it was read. */
export function isWorthSaying(text: string, value: number, sign: DecimalSign): boolean {
  return Math.abs(value) >= 1_000 || text.includes(sign === ',' ? '.' : ',');
}

// Between which figures one tries what another price would mean. Pure.

export type SliderRange = { min: number; max: number; step: number };

const STEPS_A_DECADE = 20;

/** Half as much to half as much again, in steps that people would say: 25 goes by halves, 400 by fives. */
export function rangeAround(value: number): SliderRange {
  const step = 10 ** Math.floor(Math.log10(value)) / STEPS_A_DECADE;
  const steps = (share: number) => (value * share) / step;
  return {
    min: tidy(Math.floor(steps(0.5)) * step),
    max: tidy(Math.ceil(steps(1.5)) * step),
    step: tidy(step),
  };
}

const tidy = (value: number): number => Number(value.toPrecision(6));

// Animals of one pond shared out among others. Pure.

/** Equal shares of what there is; the first ones take what cannot be halved. */
export function equalShares(available: number, among: number): number[] {
  if (among <= 0) return [];
  const share = Math.floor(available / among);
  const over = available - share * among;
  return Array.from({ length: among }, (_, index) => share + (index < over ? 1 : 0));
}

/** What one destination gets when it takes all that the others leave. */
export const rest = (available: number, others: readonly (number | null)[]): number =>
  Math.max(0, available - others.reduce<number>((sum, count) => sum + (count ?? 0), 0));

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
