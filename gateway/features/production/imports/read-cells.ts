import { instantOfWall, startOfDay, wallOf, type ZoneClock } from '#core/zone-clock.ts';

/** A number as a spreadsheet holds it, or text as somebody wrote it. */
export type Cell = string | number;

/** What a cell says, or what is wrong with it. `told` names what the reader is told of a cell that
 * was read, `sentence` the words for a code that has several. */
export type Read<Value> = { value: Value; told?: string } | { code: string; sentence?: string };

const wrong = (code: string): { code: string } => ({ code });

// Numbers -----------------------------------------------------------------------------------------------------------

export type DecimalMark = 'comma' | 'point';

const BOTH_MARKS = /[.,].*[.,]/;
const PLAIN = /^[+-]?\d+$/;
/** `5,0E-02`: as programs write what is very small. */
const SMALL = { comma: /^[+-]?\d(?:,\d+)?e-\d{1,2}$/i, point: /^[+-]?\d(?:\.\d+)?e-\d{1,2}$/i };
/** `1.234.567` or `1.234`: three digits after each mark, and no group begins with 0: `0.003` is never 3. */
const GROUPED = {
  comma: /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/,
  point: /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/,
};
const DECIMAL = { comma: /^[+-]?\d*,\d+$/, point: /^[+-]?\d*\.\d+$/ };
/** Spaces, also the narrow ones, and apostrophes group thousands in some spreadsheets; elsewhere they part two numbers. */
const SPACED = /^[+-]?[1-9]\d{0,2}(?:[\s\u00A0\u202F'’]\d{3})+(?:[.,]\d+)?$/;

/** Which decimal mark a number betrays; null: it fits both. */
export function decimalMarkOf(cell: Cell): DecimalMark | null {
  if (typeof cell === 'number' || cell.length > LONGEST_FIGURE) return null;
  const text = bare(cell);
  const last = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'));
  if (last === -1 || !/^[+-]?[\d.,]+$/.test(text)) return null;
  const mark = text[last] === ',' ? 'comma' : 'point';
  const other = mark === 'comma' ? 'point' : 'comma';
  // two marks of one kind group thousands; of two kinds the last is the decimal one
  if (BOTH_MARKS.test(text)) return text.includes(',') && text.includes('.') ? mark : other;
  return GROUPED[other].test(text) ? null : mark;
}

/** How a column writes numbers; `isSure` false: nothing told, the mark is the usual one beside its separator. */
export type NumberManner = { mark: DecimalMark; isSure: boolean };

/** A number in the manner of its column. What may be two numbers (`1.234`) is refused rather than guessed. */
export function numberCell(cell: Cell, { mark, isSure }: NumberManner): Read<number> {
  if (typeof cell === 'number') return { value: cell };
  if (cell.length > LONGEST_FIGURE) return wrong('NOT_A_NUMBER');
  const text = bare(cell);
  if (PLAIN.test(text) || DECIMAL[mark].test(text) || SMALL[mark].test(text))
    return { value: asNumber(text, mark) };
  // `1.234,5` has both marks and can be one number alone
  if (GROUPED[mark].test(text))
    return isSure || (text.includes(',') && text.includes('.'))
      ? { value: asNumber(text, mark) }
      : wrong('AMBIGUOUS_NUMBER');
  return { code: 'NOT_A_NUMBER', sentence: mark === 'comma' ? 'NOT_A_COMMA_NUMBER' : 'NOT_A_POINT_NUMBER' };
}

/** A whole number: `100.000` must never become a hundred. */
export function integerCell(cell: Cell, { mark, isSure }: NumberManner): Read<number> {
  if (typeof cell === 'number') return Number.isInteger(cell) ? { value: cell } : wrong('NOT_A_WHOLE_NUMBER');
  if (cell.length > LONGEST_FIGURE) return wrong('NOT_A_WHOLE_NUMBER');
  const text = bare(cell);
  if (PLAIN.test(text) || /^[+-]?\d+[.,]0{1,2}$/.test(text)) return { value: Number.parseInt(text, 10) };
  const isGrouped = GROUPED[mark].test(text) && Number.isInteger(asNumber(text, mark));
  if (isGrouped && isSure) return { value: asNumber(text, mark) };
  if (isGrouped || (!isSure && DECIMAL[mark].test(text))) return wrong('AMBIGUOUS_NUMBER');
  return wrong('NOT_A_WHOLE_NUMBER');
}

/** Whether a cell is read as thousands only because of other columns: `12.500` in a file of commas. */
export const isGroupedAlone = (cell: Cell, mark: DecimalMark): boolean =>
  typeof cell === 'string' && GROUPED[mark].test(bare(cell)) && decimalMarkOf(cell) === null;

function asNumber(text: string, mark: DecimalMark): number {
  const [group, decimal] = mark === 'comma' ? ['.', ','] : [',', '.'];
  return Number(text.replaceAll(group, '').replace(decimal, '.'));
}

const bare = (cell: string): string => {
  const text = cell.slice(0, LONGEST_FIGURE + 1).trim();
  return SPACED.test(text) ? text.replaceAll(/[\s\u00A0\u202F'’]/g, '') : text;
};

/** What loggers, laboratories and spreadsheets write where there is no value; below or above what a kit can tell, too. */
const NO_VALUE =
  /^(?:[-–—_*.]+|n\.?\s?[adr]\.?|n\/[adr]|s\/[dri]|nan|null|nil|none|sem leitura|sem dados?|sin (?:lectura|datos?)|n[ãa]?o (?:medido|detectado)|nd|#¡?[\p{L}\d/!?]+[!?]?|err:\d{3}|<\s?l[dqm]{1,3}|[<>≤≥]\s?=?\s?[\d.,]+(?:\s?\D*)?)$/iu;

/** No figure and no date is longer; whatever is sent, a cell is read in a moment. */
export const LONGEST_FIGURE = 80;

export const isNoValue = (cell: Cell): boolean =>
  typeof cell === 'string' && cell.length <= LONGEST_FIGURE && NO_VALUE.test(cell.trim());

// Days and times ----------------------------------------------------------------------------------------------------

export type DateOrder = 'day_first' | 'month_first';
/** How a column writes its days; `offsetMs` null: on the farm's wall clock. */
export type DateManner = { order: DateOrder; offsetMs: number | null };
const DAY_FIRST: DateManner = { order: 'day_first', offsetMs: null };

const CLOCK_TIME = String.raw`(\d{1,2}(?::\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?|h(?:\d{2})?(?:min)?|(?=\s*[ap]\.?m))(?:\s*[ap]\.?\s?m\.?)?)`;
const ISO = new RegExp(
  String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ,]+${CLOCK_TIME}\s*(Z|UTC|GMT|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?)?)?$`,
  'i',
);
const NUMERIC = new RegExp(
  String.raw`^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:[T ,]+${CLOCK_TIME})?$`,
  'i',
);
/** `1 mar 2026`, `1º de março de 2026`, `01/mar/26`. */
const NAMED = new RegExp(
  String.raw`^(?:[\p{L}-]+,?\s+)?(\d{1,2})[\u00ba\u00aa\u00b0o]?[\s./-]+(?:de\s+)?(\p{L}{3,9})\.?[\s./-]+(?:de\s+)?(\d{4}|\d{2})(?:[T ,]+${CLOCK_TIME})?$`,
  'iu',
);
/** `March 1, 2026`. */
const NAMED_FIRST = new RegExp(
  String.raw`^(\p{L}{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?:[T ,]+${CLOCK_TIME})?$`,
  'iu',
);
const TIME_OF_DAY =
  /^(\d{1,2})(?:(?::|h)(\d{2})?(?::(\d{2}))?(?:[.,]\d+)?(?:min|h|hs)?)?\s*(?:([ap])\.?\s?m\.?)?$/i;
const MONTHS = [
  'jan ene',
  'fev feb',
  'mar',
  'abr apr',
  'mai may',
  'jun',
  'jul',
  'ago aug',
  'set sep',
  'out oct',
  'nov',
  'dez dec dic',
];

/**
 * What the figures of a date tell of their order; null: nothing, or it is written another way. `last`: of two digits, which may
 * be a day as well.
 */
export function dateFiguresOf(cell: Cell): { first: number; second: number; last: number | null } | null {
  const found = typeof cell === 'string' && cell.length <= LONGEST_FIGURE ? NUMERIC.exec(cell.trim()) : null;
  if (found === null) return null;
  const last = found[4]?.length === 2 ? Number(found[4]) : null;
  return { first: Number(found[1]), second: Number(found[3]), last };
}

type Moment = { day: string; time: string | null; offset: string | null };

/** A day as `2026-03-01` or `01/03/2026`. */
export function dayCell(cell: Cell, manner: DateManner = DAY_FIRST): Read<string> {
  const moment = momentIn(cell, manner.order);
  return 'code' in moment ? moment : { value: moment.value.day };
}

/**
 * An instant (ISO 8601 UTC) from a date with or without a time, beside a column of its own for the time. Without an
 * offset it is the farm's wall clock; without a time the start of that day.
 */
export function instantCell(
  cell: Cell,
  timeCell: Cell,
  clock: ZoneClock,
  manner: DateManner = DAY_FIRST,
): Read<string> {
  const moment = momentIn(cell, manner.order);
  if ('code' in moment) return moment;
  const { day, time, offset } = moment.value;
  const read = timeBeside(time, timeCell, offset !== null);
  if (read === null) return { value: startOfDay(day, clock) };
  if ('code' in read) return read;
  const ofDay = read.value;
  const wallMs = Date.parse(`${day}T00:00:00Z`) + ofDay;
  const offsetMs = offset === null ? manner.offsetMs : offsetMsOf(offset);
  if (offsetMs !== null) return { value: new Date(wallMs - offsetMs).toISOString() };
  const instantMs = instantOfWall(clock, wallMs);
  const value = new Date(instantMs).toISOString();
  // the clock was put forward over it, or back over it
  if (wallOf(clock, instantMs) !== wallMs) return { value, told: 'CLOCK_GAP' };
  const isTwice = [1_800_000, 3_600_000].some((later) => wallOf(clock, instantMs + later) === wallMs);
  return isTwice ? { value, told: 'CLOCK_TWICE' } : { value };
}

/** The half of the day, as some write it in a column of its own. */
const HALF = /^[ap]\.?\s?m\.?$/i;
const MINUTE_MS = 60_000;

/**
 * The time of a date and that of the column beside it, which are one: a spreadsheet writes every date with a midnight that
 * nobody meant. Null: neither says any.
 */
function timeBeside(own: string | null, beside: Cell, hasOffset: boolean): Read<number> | null {
  if (own === null && beside === '') return null;
  const isHalf = typeof beside === 'string' && HALF.test(beside.trim());
  if (own === null || beside === '' || isHalf) {
    const said = own === null ? beside : isHalf ? `${own} ${beside.trim()}` : own;
    const ofDay = timeOfDayMs(said);
    return ofDay === null ? wrong('NOT_A_TIME') : { value: ofDay };
  }
  const [one, other] = [timeOfDayMs(own), timeOfDayMs(beside)];
  if (one === null || other === null) return wrong('NOT_A_TIME');
  if (one === 0 && !hasOffset) return { value: other };
  const isSame = Math.floor(one / MINUTE_MS) === Math.floor(other / MINUTE_MS);
  return isSame ? { value: Math.max(one, other) } : wrong('TWO_TIMES');
}

function momentIn(given: Cell, order: DateOrder): Read<Moment> {
  const cell = String(given).trim();
  const found = partsOf(cell, order);
  if (typeof given === 'number' || found === null) return wrong('NOT_A_DATE');
  const { year, month, date, time, offset } = found;
  // of two digits only years that records can have: 26/03/01 is no day of 2001
  if (year.length === 2 && Number(year) < 10) return wrong('NOT_A_DATE');
  const day = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const ms = Date.parse(`${day}T00:00:00Z`);
  // 31 February rolls over into March
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(date)) return wrong('NOT_A_DATE');
  if (day < '2000-01-01' || day > '2100-12-31') return wrong('NOT_A_DATE');
  return { value: { day, time: time ?? null, offset: offset ?? null } };
}

type Parts = {
  year: string;
  month: string;
  date: string;
  time: string | undefined;
  offset?: string | undefined;
};

function partsOf(cell: string, order: DateOrder): Parts | null {
  if (cell.length > LONGEST_FIGURE) return null;
  const iso = ISO.exec(cell);
  if (iso !== null) {
    const [, year = '', month = '', date = '', time, offset] = iso;
    return { year, month, date, time, offset };
  }
  const numeric = NUMERIC.exec(cell);
  if (numeric !== null) {
    const [, first = '', , second = '', year = '', time] = numeric;
    const [date, month] = order === 'day_first' ? [first, second] : [second, first];
    return { year, month, date, time };
  }
  const named = NAMED.exec(cell);
  if (named !== null) {
    const [, date = '', word = '', year = '', time] = named;
    return { year, month: monthOf(word), date, time };
  }
  const american = NAMED_FIRST.exec(cell);
  if (american === null) return null;
  const [, word = '', date = '', year = '', time] = american;
  return { year, month: monthOf(word), date, time };
}

/** `0` for a word that names no month, which no calendar has. */
const monthOf = (word: string): string => {
  const short = word.normalize('NFD').slice(0, 3).toLowerCase();
  return String(MONTHS.findIndex((names) => names.split(' ').includes(short)) + 1);
};

/** The day that stands for none, before the times of spreadsheets. */
const DAY_ZERO = /^1899-12-3[01][T ]+/;

/** A spreadsheet holds a time as a share of the day. */
export function timeOfDayMs(given: Cell): number | null {
  if (typeof given === 'number') return given >= 0 && given < 1 ? Math.round(given * 86_400) * 1000 : null;
  if (given.length > LONGEST_FIGURE) return null;
  const found = TIME_OF_DAY.exec(given.trim().replace(DAY_ZERO, ''));
  if (found === null || /^\d+$/.test(given.trim())) return null;
  const [, hour = '0', minute = '0', second = '0', half] = found;
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return null;
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

/** `Z`, `-03:00`, `-0300`, `-3`, `GMT-3`. */
export function offsetMsOf(offset: string): number {
  const [, sign, hours = 0, minutes = 0] = /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/i.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
