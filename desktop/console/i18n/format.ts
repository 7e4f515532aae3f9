import { computed, signal } from '@preact/signals';
import { spoken } from '#words/language.ts';
import { isWorthSaying, readTyped, readWhole, typedFigure } from '../state/typed-value.ts';

// The only place that turns figures and instants into text. Everything is told in the farm's own time.

const BLANK = '—';
/** A figure and its unit are never parted at the end of a line. */
const FIRM_SPACE = '\u00a0';

const numberFormats = new Map<string, Intl.NumberFormat>();
function numberFormat(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const known = numberFormats.get(key) ?? new Intl.NumberFormat(spoken.formats, options);
  numberFormats.set(key, known);
  return known;
}

/** A figure with a fixed number of decimals; what is not known is a dash. */
export function figure(value: number | null | undefined, decimals = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return BLANK;
  return numberFormat(`n${decimals}`, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);
}

/** With its unit. */
export function quantity(value: number | null | undefined, decimals: number, unit: string): string {
  const text = figure(value, decimals);
  return text === BLANK ? text : `${text}${FIRM_SPACE}${unit}`;
}

/** Weight of an animal: larvae weigh milligrams, and `0,0 g` would tell nothing. */
export const grams = (value: number | null | undefined): string =>
  quantity(value, value === null || value === undefined || value >= 1 ? 1 : value >= 0.1 ? 2 : 3, 'g');

/** A share of 0…100. */
export const percent = (value: number | null | undefined, decimals = 0) => quantity(value, decimals, '%');

const CURRENCIES = ['BRL', 'USD'] as const;
type Currency = (typeof CURRENCIES)[number];
const keptCurrency = localStorage.getItem('currency');
export const currency = signal<Currency>(
  CURRENCIES.find((known) => known === keptCurrency) ?? spoken.currency,
);
export function chooseCurrency(chosen: Currency): void {
  currency.value = chosen;
  localStorage.setItem('currency', chosen);
}

export function money(value: number | null | undefined): string {
  if (value === null || value === undefined) return BLANK;
  return numberFormat(`m${currency.value}`, { style: 'currency', currency: currency.value }).format(value);
}

/** A price without cents, in a currency of its own. */
export const plainMoney = (value: number, inCurrency: 'BRL' | 'USD') =>
  numberFormat(`p${inCurrency}`, {
    style: 'currency',
    currency: inCurrency,
    maximumFractionDigits: 0,
  }).format(value);

/** Sign of the chosen currency, for labels of fields. */
export const currencySign = computed(() => (currency.value === 'BRL' ? 'R$' : 'US$'));

const dateFormats = new Map<string, Intl.DateTimeFormat>();
function dateFormat(
  key: string,
  options: Intl.DateTimeFormatOptions,
  zone = farmZone.value,
): Intl.DateTimeFormat {
  const name = `${zone} ${key}`;
  const known =
    dateFormats.get(name) ??
    new Intl.DateTimeFormat(spoken.formats, { timeZone: zone, hourCycle: 'h23', ...options });
  dateFormats.set(name, known);
  return known;
}

const HOUR_AND_MINUTE = { hour: '2-digit', minute: '2-digit' } as const;

/** Until the first farm is known. */
const UNKNOWN_ZONE = 'America/Fortaleza';

/** Zone of the farm that is shown; until it is known, that of the one shown here last. */
export const farmZone = signal(keptZone());
farmZone.subscribe((zone) => localStorage.setItem('zone', zone));

function keptZone(): string {
  const kept = localStorage.getItem('zone') ?? UNKNOWN_ZONE;
  try {
    // a browser may have unlearned it; what is made to find that out is what the page writes with first
    dateFormat('hm', HOUR_AND_MINUTE, kept);
    return kept;
  } catch {
    return UNKNOWN_ZONE;
  }
}

type Instant = string | number | null | undefined;
const asDate = (at: Instant): Date | null => {
  if (at === null || at === undefined) return null;
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? null : date;
};

const told = (at: Instant, key: string, options: Intl.DateTimeFormatOptions): string => {
  const date = asDate(at);
  return date === null ? BLANK : dateFormat(key, options).format(date);
};

/** 02:14 */
export const clockTime = (at: Instant) => told(at, 'hm', HOUR_AND_MINUTE);
/** 02:14:07 */
export const clockSeconds = (at: Instant) =>
  told(at, 'hms', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
/** 20/11 02:14 */
export const dayAndTime = (at: Instant) =>
  told(at, 'dhm', { day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' });
/** 20/11/2026 */
export const calendarDay = (at: Instant) =>
  told(at, 'dmy', { day: '2-digit', month: '2-digit', year: 'numeric' });
/** 20/11 */
export const shortDay = (at: Instant) => told(at, 'dm', { day: '2-digit', month: '2-digit' });

/** A day without a time (YYYY-MM-DD), as it is written on the wall: it has no zone. */
export function plainDay(day: string | null | undefined): string {
  if (!day) return BLANK;
  const date = asDate(`${day.slice(0, 10)}T12:00:00Z`);
  return date === null
    ? BLANK
    : dateFormat('plain', { day: '2-digit', month: '2-digit', year: 'numeric' }, 'UTC').format(date);
}

/** The farm's day of an instant, YYYY-MM-DD: what date fields hold. */
export function isoDay(at: Instant): string {
  const date = asDate(at);
  if (date === null) return '';
  return zoneFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' }).format(date);
}

const zoneFormats = new Map<string, Intl.DateTimeFormat>();
/** For figures, not for eyes. Making one costs a cheap phone milliseconds, and a chart asks for dozens. */
function zoneFormat(locale: 'en-CA' | 'en-US', options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${farmZone.value}`;
  const known =
    zoneFormats.get(name) ?? new Intl.DateTimeFormat(locale, { timeZone: farmZone.value, ...options });
  zoneFormats.set(name, known);
  return known;
}

/** The instant of a day and time (YYYY-MM-DD, HH:MM) by the farm's clock. */
export function instantAt(day: string, time: string): string {
  const wanted = Date.parse(`${day}T${time}:00Z`);
  // the offset there, found in two steps: the second is right even beside a change of the clocks
  let at = wanted - offsetMs(wanted);
  at = wanted - offsetMs(at);
  return new Date(at).toISOString();
}

function offsetMs(at: number): number {
  const parts = zoneFormat('en-US', {
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(new Date(at));
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value ?? 0);
  return (
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) -
    Math.floor(at / 1000) * 1000
  );
}

/** 40 s, 12 min, 3 h, 2 d: how old something is, in one word. A sentence about what is not known has words of its own. */
export function age(ms: number): string {
  if (!Number.isFinite(ms)) return BLANK;
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s}${FIRM_SPACE}s`;
  if (s < 3_600) return `${Math.floor(s / 60)}${FIRM_SPACE}min`;
  if (s < 86_400) return `${Math.floor(s / 3_600)}${FIRM_SPACE}h`;
  return `${Math.floor(s / 86_400)}${FIRM_SPACE}d`;
}

/** The same in a place of its own, where a dash says that it is not known. */
export const ageOrDash = (ms: number | null): string => (ms === null ? BLANK : age(ms));

/** 1:40 */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
}

/**
 * A figure as people type it, comma or point for decimals. null: nothing typed; NaN: not to be read for certain
 * (`1.234,5`, and `1.500` where a point parts thousands).
 */
export function readDecimal(text: string): number | null {
  const typed = readTyped(text, spoken.decimalSign);
  return typed.is === 'empty' ? null : typed.is === 'value' ? typed.value : Number.NaN;
}

/** Both figures that a text may mean, as they would be typed; null: it means one, or none. */
export function bothMeanings(text: string): { large: string; small: string } | null {
  const typed = readTyped(text, spoken.decimalSign);
  return typed.is === 'either' ? { large: asTyped(typed.large), small: asTyped(typed.small) } : null;
}

/** `= 1.500`: how a figure was read, where that is not plain from how it was typed; undefined: it is. */
export function readAs(text: string): string | undefined {
  const typed = readTyped(text, spoken.decimalSign);
  return typed.is === 'value' && isWorthSaying(text, typed.value, spoken.decimalSign)
    ? `= ${numberFormat('all', { maximumFractionDigits: 20 }).format(typed.value)}`
    : undefined;
}

/** A count of animals as people type it: `250000`, `250.000`. null: nothing typed; NaN: not a whole number. */
export const readCount = readWhole;

/** A figure as it stands in a field that is to be changed: exact, with the decimal sign of the language, no separators. */
export const asTyped = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : typedFigure(value, spoken.decimalSign);

/**
 * Makes what the first screen writes with while its data are still on their way, one at a time: each takes a cheap phone
 * some 20 ms, which would come on top of the first drawing.
 */
export function prepareFormats(): void {
  const pieces = [
    () => clockTime(0),
    () => figure(0),
    () => figure(0, 1),
    () => dayAndTime(0),
    () => isoDay(0),
    () => instantAt('2026-01-01', '00:00'),
  ];
  const next = () => {
    pieces.shift()?.();
    if (pieces.length > 0) setTimeout(next);
  };
  setTimeout(next);
}
