import { type DateOrder, offsetMsOf } from './read-cells.ts';
import { type Unit, unitOf } from './units.ts';

// What stands in a heading beside the name of its column: units, remarks, the zone of its times and the order of its dates.

export type UnitRead = { text: string; unit: Unit };

export const unitRead = (text: string): UnitRead | null => {
  const unit = unitOf(text);
  return unit === null ? null : { text: text.trim().slice(0, 40), unit };
};
export const bracketed = (heading: string): string[] =>
  [...heading.matchAll(/[([]([^)\]]*)[)\]]/g)].map(([, inside = '']) => inside);
export const withoutBrackets = (heading: string): string =>
  heading.replaceAll(/[([][^)\]]*[)\]]?/g, ' ').trim();

/** Says nothing of what a figure counts. */
const PLAIN_REMARK =
  /^(?:d[aeo]l? )?(?:[áa]gua|water|viveiro|tanque|piscina|estanque|pond|total|m[ée]di[ao]|promedio|average|avg|mean|campo|field|lab(?:orat[óo]rio)?|sonda|probe|sensor|manual|dia|day|d[ií]a|as n|n)?$/iu;

/** What a heading has in brackets and no unit is known of, `(saco de 25 kg)`; null: nothing. */
export function remarkIn(heading: string): string | null {
  const odd = bracketed(heading).find((text) => unitOf(text) === null && !PLAIN_REMARK.test(text.trim()));
  return odd === undefined ? null : odd.trim().slice(0, 40);
}

/** `DO conc, mg/L`, `ODO % sat`, `Sal psu`, `SPC-uS/cm`: each way to part the last words as a unit, the shortest first. */
export function tails(heading: string): { words: string; text: string }[] {
  const marks = [...heading.matchAll(/[\s,-]+/g)].map(({ index, 0: mark }) => ({
    at: index,
    end: index + mark.length,
  }));
  return marks
    .slice(-3)
    .toReversed()
    .map(({ at, end }) => ({ words: heading.slice(0, at), text: heading.slice(end) }));
}

/** No clock is farther from Greenwich than 14 hours; behind a digit the sign parts years: `Data (2025-2026)`. */
const OFFSET =
  /[,(\s]*(?:(?:GMT|UTC)\s*([+-](?:1[0-4]|0?\d)(?::?[0-5]\d)?)|(?<!\d)([+-](?:0\d|1[0-4])(?::?[0-5]\d|(?=\)))))\)?\s*$/i;

/** Of a date or a time: what its heading says of the clock it is of. */
export function offsetIn(heading: string): number | null {
  const found = OFFSET.exec(heading);
  const offset = found?.[1] ?? found?.[2];
  if (offset !== undefined) return offsetMsOf(offset);
  return /\b(?:UTC|GMT)\b|^UTC_/i.test(heading) ? 0 : null;
}

/** `Date Time, GMT-03:00`, `Hora UTC`: without what says which clock. */
export const withoutZone = (heading: string): string =>
  heading.replace(OFFSET, '').replace(/[\s,_]*\b(?:UTC|GMT)\b[\s,_]*/i, ' ');

export function orderIn(heading: string): DateOrder | null {
  // `YY/MM/DD` is neither
  if (/\b(?:YY|AA)[/.-]MM/i.test(heading)) return null;
  if (/\bMM[/.-]DD\b/i.test(heading)) return 'month_first';
  return /\bDD[/.-]MM\b/i.test(heading) ? 'day_first' : null;
}

/** A column of its own that names the clock of each row's time. */
const ZONE_HEADING =
  /^(?:time_?zone|tz|(?:utc|gmt)_offset|time_offset|fuso(?:_horario)?|zona_horaria|huso_horario)$/;
export const isZoneHeading = (word: string): boolean => ZONE_HEADING.test(word);

const ZONE =
  /^(?:time[ _-]?(?:zone|offset)|utc[ _-]?offset|fuso(?: hor[áa]rio)?|zona horaria)\b\s*[=:]?\s*(.*)$/iu;

/** What a line above the header says of the clock that its times are of: `Time Offset = -03:00`; null: nothing. */
export function zoneIn([first = '', ...more]: readonly string[]): string | null {
  const found = ZONE.exec(first);
  if (found === null) return null;
  return (found[1] ?? '') || (more.find((text) => text !== '') ?? null);
}

/** Null: a name that tells no offset, or several. */
export function zoneOffsetMs(zone: string): number | null {
  if (/^Z$/i.test(zone)) return 0;
  const [, sign = '+', hours = '0', minutes = '0'] =
    /^(?:GMT|UTC|\()*\s*([+-])?(\d{1,2})?(?::?(\d{2})(?::\d{2})?)?\s*\)?$/i.exec(zone) ?? [];
  if (
    !/^(?:GMT|UTC)$|\d/i.test(zone) ||
    Number(hours) > 14 ||
    !/^[\s()\d:+-]*$/.test(zone.replace(/GMT|UTC/i, ''))
  )
    return null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
