import { startOfDay } from '#core/local-day.ts';
import { instantOfWall, type ZoneClock } from '#core/zone-clock.ts';

/** What a cell says, or what is wrong with it. */
export type Read<Value> = { value: Value } | { wrong: string; code: string };

const wrong = (code: string, sentence: string): { wrong: string; code: string } => ({
  wrong: sentence,
  code,
});

// Numbers -----------------------------------------------------------------------------------------------------------

export type DecimalMark = 'comma' | 'point';

const BOTH_MARKS = /[.,].*[.,]/;
const PLAIN = /^[+-]?\d+$/;
/** `1.234.567` or `1.234`: three digits after each mark. */
const GROUPED = { comma: /^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$/, point: /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/ };
const DECIMAL = { comma: /^[+-]?\d*,\d+$/, point: /^[+-]?\d*\.\d+$/ };

/** Which decimal mark a number betrays; null: it fits both. */
export function decimalMarkOf(cell: string): DecimalMark | null {
  const text = bare(cell);
  const last = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'));
  if (last === -1) return null;
  const mark = text[last] === ',' ? 'comma' : 'point';
  const other = mark === 'comma' ? 'point' : 'comma';
  // two marks of one kind group thousands; of two kinds the last is the decimal one
  if (BOTH_MARKS.test(text)) return text.includes(',') && text.includes('.') ? mark : other;
  return GROUPED[other].test(text) ? null : mark;
}

/** How a file writes numbers; `isSure` false: no number in it told, the mark is the usual one beside its separator. */
export type NumberManner = { mark: DecimalMark; isSure: boolean };

/** A number in the manner of its file. What may be two numbers (`1.234`) is refused rather than guessed. */
export function numberCell(cell: string, { mark, isSure }: NumberManner): Read<number> {
  const text = bare(cell);
  if (PLAIN.test(text) || DECIMAL[mark].test(text)) return { value: asNumber(text, mark) };
  if (GROUPED[mark].test(text)) return isSure ? { value: asNumber(text, mark) } : ambiguous(cell);
  const manner =
    mark === 'comma' ? 'with a decimal comma, as in this file' : 'with a decimal point, as in this file';
  return wrong('NOT_A_NUMBER', `"${shown(cell)}" is not a number ${manner}`);
}

/** A whole number: `100.000` must never become a hundred. */
export function integerCell(cell: string, { mark, isSure }: NumberManner): Read<number> {
  const text = bare(cell);
  if (PLAIN.test(text) || /^[+-]?\d+[.,]0{1,2}$/.test(text)) return { value: Number.parseInt(text, 10) };
  const isGrouped = GROUPED[mark].test(text) && Number.isInteger(asNumber(text, mark));
  if (isGrouped && isSure) return { value: asNumber(text, mark) };
  if (isGrouped || (!isSure && DECIMAL[mark].test(text))) return ambiguous(cell);
  return wrong('NOT_A_WHOLE_NUMBER', `"${shown(cell)}" is not a whole number`);
}

function asNumber(text: string, mark: DecimalMark): number {
  const [group, decimal] = mark === 'comma' ? ['.', ','] : [',', '.'];
  return Number(text.replaceAll(group, '').replace(decimal, '.'));
}

const ambiguous = (cell: string) =>
  wrong('AMBIGUOUS_NUMBER', `"${shown(cell)}" may be two numbers: say decimal=comma or decimal=point`);

/** Without the spaces, also the narrow ones, that group thousands in some spreadsheets. */
const bare = (cell: string): string => cell.replaceAll(/[\s\u00A0\u202F']/g, '');

// Days and times ----------------------------------------------------------------------------------------------------

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;
const BRAZILIAN = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:[T ,]+(\d{1,2}:\d{2}(?::\d{2})?))?$/;
const TIME = /^(\d{1,2})(?::|h)(\d{2})?(?::(\d{2}))?(?:\.\d+)?$/i;

type Moment = { day: string; time: string | null; offset: string | null };

/** A day as `2026-03-01` or `01/03/2026`. */
export function dayCell(cell: string): Read<string> {
  const moment = momentIn(cell);
  return 'wrong' in moment ? moment : { value: moment.value.day };
}

/**
 * An instant (ISO 8601 UTC) from a date with or without a time, beside a column of its own for the time. Without an
 * offset it is the farm's wall clock; without a time the start of that day.
 */
export function instantCell(cell: string, timeCell: string, clock: ZoneClock): Read<string> {
  const moment = momentIn(cell);
  if ('wrong' in moment) return moment;
  const { day, time, offset } = moment.value;
  const text = time ?? (timeCell === '' ? null : timeCell);
  if (text === null) return { value: startOfDay(day, clock) };
  const ofDay = timeOfDayMs(text);
  if (ofDay === null) return wrong('NOT_A_TIME', `"${shown(text)}" is not a time such as 06:30`);
  const wallMs = Date.parse(`${day}T00:00:00Z`) + ofDay;
  const offsetMs = offset === null ? null : offsetMsOf(offset);
  const instantMs = offsetMs === null ? instantOfWall(clock, wallMs) : wallMs - offsetMs;
  return { value: new Date(instantMs).toISOString() };
}

function momentIn(cell: string): Read<Moment> {
  const iso = ISO.exec(cell);
  const brazilian = iso === null ? BRAZILIAN.exec(cell) : null;
  const [year, month, date, time, offset] =
    iso !== null
      ? [iso[1], iso[2], iso[3], iso[4], iso[5]]
      : [brazilian?.[3], brazilian?.[2], brazilian?.[1], brazilian?.[4], undefined];
  if (year === undefined || month === undefined || date === undefined)
    return wrong('NOT_A_DATE', `"${shown(cell)}" is not a date such as 01/03/2026 or 2026-03-01`);
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const ms = Date.parse(`${day}T00:00:00Z`);
  // 31 February rolls over into March
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(day))
    return wrong('NOT_A_DATE', `"${shown(cell)}" is not a day of the calendar (day/month/year)`);
  if (day < '2000-01-01' || day > '2100-12-31')
    return wrong('NOT_A_DATE', `"${shown(cell)}" does not lie between the years 2000 and 2100`);
  return { value: { day, time: time ?? null, offset: offset ?? null } };
}

function timeOfDayMs(text: string): number | null {
  const found = TIME.exec(text.trim());
  if (found === null) return null;
  const [, hour = '0', minute = '0', second = '0'] = found;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

function offsetMsOf(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const shown = (cell: string): string => cell.slice(0, 40);
