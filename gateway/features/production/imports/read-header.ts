import type { ImportKind } from '#contract/resources/imports.ts';
import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { AT_25, COLUMNS, type Column, columnNamed, unitInName, wordOf } from './columns.ts';
import {
  bracketed,
  isZoneHeading,
  offsetIn,
  orderIn,
  remarkIn,
  tails,
  type UnitRead,
  unitRead,
  withoutBrackets,
  withoutZone,
} from './heading-text.ts';
import {
  ammoniaKind,
  type Basis,
  basisUnit,
  isNitrogen,
  type NitrogenHeading,
  nitrogenHeading,
  nitrogenIn,
} from './nitrogen-columns.ts';
import { type DateOrder, timeOfDayMs } from './read-cells.ts';
import { notATable } from './read-table.ts';
import { SPANISH_NAMES } from './spanish-columns.ts';
import { conversionOf, spelled, unitOf } from './units.ts';

export type ColumnRead = {
  name: string;
  is: Column['is'];
  /** Counted from 0. */
  position: number;
  heading: string;
  /** As it stands beside the heading; null: none does. */
  unit: string | null;
  conversion: NonNullable<ReturnType<typeof conversionOf>>;
  /** What its heading has in brackets and nobody knows: it may be a unit. */
  remark: string | null;
  /** Of ammonia, nitrite and nitrate: nothing says what its figures count, and they are taken for those of the farm. */
  isPlain: boolean;
  /** Plain, by a word that chemistry has for total ammonia. */
  isAmmoniumByName: boolean;
  /** Of a column per hour or per meal: its time, and what tells it from its neighbours. */
  time: string | null;
  slot: string | null;
};
export type Refused = {
  position: number;
  heading: string;
  column: string;
  unit: string;
  why: 'UNIT_NOT_KNOWN' | 'BASIS_NOT_SAID' | 'OTHER_AMMONIA';
};
export type AmmoniaBasis = 'NH3' | 'TAN';
export type Header = {
  columns: ColumnRead[];
  ignored: string[];
  /** Columns of a known name in a unit that the column cannot be read from. */
  refused: Refused[];
  /** Columns of which each says that it is the same thing. */
  twice: ColumnRead[];
  /** The column that sums the meals of a row. */
  total: number | null;
  /** Kilograms in one of what it counts; null: it counts as the meals do. */
  totalKg: number | null;
  /** What a heading says of its dates: `(MM/DD/YYYY)`, `GMT-03:00`. */
  dateOrder: DateOrder | null;
  offsetMs: number | null;
  /** The column that says which half of the day its time is of. */
  half: number | null;
  /** The column that names the clock of its times. */
  zone: number | null;
  /** Headed in Portuguese or Spanish: where these are spoken the day comes first. */
  isDayFirst: boolean;
};
/** Columns as somebody says they are: by position, null for one to leave out. */
export type ColumnsSaid = ReadonlyMap<number, { column: string; unit: string | null } | null>;

/** Where each column stands. Throws 422 for a column said that there is none of. */
export function readHeader(
  kind: ImportKind,
  headings: readonly string[],
  said: ColumnsSaid,
  /** What the farm's kit measures; null: that is not asked here. */
  farmBasis: AmmoniaBasis | null = null,
): Header {
  const header: Header = {
    columns: [],
    ignored: [],
    refused: [],
    twice: [],
    total: null,
    totalKg: null,
    dateOrder: null,
    offsetMs: null,
    half: null,
    zone: null,
    isDayFirst: false,
  };
  const found: ColumnRead[] = [];
  const refused: Refused[] = [];
  for (const [position, heading] of headings.entries()) {
    const told = said.get(position);
    if (told === null || (heading === '' && told === undefined)) continue;
    const reading = told === undefined ? readHeading(kind, heading) : saidHeading(kind, told);
    if (reading === null && /^(?:am_(?:ou?_|or_)?pm|ampm)$/.test(wordOf(heading))) header.half ??= position;
    else if (reading === null) {
      if (isZoneHeading(wordOf(heading))) header.zone ??= position;
      if (kind === 'feeding' && heading.length < LONGEST_HEADING && TOTAL.test(wordOf(heading))) {
        header.total = position;
        header.totalKg = weightIn(heading);
      }
      header.ignored.push(heading.slice(0, 80));
    }
    if (reading === null) continue;
    const { column, unit, time, slot, basis, isAmmoniumByName } = reading;
    const conversion = conversionIn(reading);
    const text = unit?.text ?? null;
    const why = whyRefused(reading, conversion, farmBasis);
    if (conversion === null || why !== null)
      refused.push({
        position,
        heading: heading.slice(0, 80),
        column: column.name,
        unit: text ?? '',
        why: why ?? 'UNIT_NOT_KNOWN',
      });
    else
      found.push({
        name: column.name,
        is: column.is,
        position,
        heading,
        unit: text,
        conversion,
        // whoever says what a column is knows what its heading means
        remark:
          told === undefined && time === null && (column.is === 'number' || column.is === 'integer')
            ? remarkIn(heading.replaceAll(SERIAL, ''))
            : null,
        isPlain: isNitrogen(column.name) && basis === null,
        isAmmoniumByName,
        time,
        slot,
      });
    if (column.name === 'date' || column.is === 'day') header.dateOrder ??= orderIn(heading);
    if (column.name === 'date' || column.is === 'day' || column.is === 'time')
      header.offsetMs ??= offsetIn(heading);
  }
  header.columns = theBest(found, header);
  for (const each of refused) {
    // of oxygen in mg/L and in a unit nobody knows the first is read
    if (header.columns.some(({ name }) => name === each.column)) header.ignored.push(each.heading);
    else header.refused.push(each);
  }
  header.ignored = header.ignored.slice(0, 50);
  // days under an English word may be of either order, whatever stands beside them
  const isEnglish = header.columns.some(
    ({ name, is, heading }) => (is === 'moment' || is === 'day') && wordOf(withoutBrackets(heading)) === name,
  );
  header.isDayFirst =
    !isEnglish && header.columns.some(({ name, heading }) => isDayFirst(kind, name, heading));
  return header;
}

/** What its unit and its basis make of a figure; null: it cannot be read from that unit. */
function conversionIn({ column, unit, isAt25, basis }: Reading): ColumnRead['conversion'] | null {
  const ofUnit = unit === null ? 1 : conversionOf(column.name, unit.unit, isAt25);
  if (basis === null || basis === 'ASK' || typeof ofUnit !== 'number') return ofUnit;
  return ofUnit * nitrogenIn(basis);
}

function whyRefused(
  { column, basis }: Reading,
  conversion: ColumnRead['conversion'] | null,
  farmBasis: AmmoniaBasis | null,
): Refused['why'] | null {
  if (basis === 'ASK') return 'BASIS_NOT_SAID';
  const isOther =
    column.name === 'ammonia' && basis !== null && farmBasis !== null && ammoniaKind(basis) !== farmBasis;
  if (isOther) return 'OTHER_AMMONIA';
  return conversion === null ? 'UNIT_NOT_KNOWN' : null;
}

/** How many columns a row would name if it were the header. */
export function headingsIn(kind: ImportKind, cells: readonly (string | number)[]): number {
  const names = cells.flatMap((cell) => {
    const found = typeof cell === 'string' && cell !== '' ? readHeading(kind, cell) : null;
    return found === null ? [] : [`${found.column.name} ${found.slot}`];
  });
  return new Set(names).size;
}

/** Of oxygen in mg/L and in per cent the one that needs no conversion; of two that are alike none can be chosen: `twice`. */
function theBest(found: readonly ColumnRead[], { ignored, twice }: Header): ColumnRead[] {
  const byName = Map.groupBy(found, ({ name, slot }) => `${name} ${slot}`);
  return [...byName.values()].flatMap((alike) => {
    const [best, next] = alike.toSorted((one, other) => rankOf(one) - rankOf(other));
    if (best === undefined) return [];
    if (next !== undefined && rankOf(best) === rankOf(next))
      twice.push(...alike.filter((each) => rankOf(each) === rankOf(best)));
    ignored.push(...alike.filter((each) => each !== best).map(({ heading }) => heading.slice(0, 80)));
    return [best];
  });
}

function rankOf({ conversion, unit, heading, name }: ColumnRead): number {
  if (conversion === 1) return name === 'date' && offsetIn(heading) === null && unit === null ? 1 : 0;
  if (typeof conversion === 'number' || conversion.length === 1) return 2;
  // conductivity at 25 °C asks for no temperature
  return AT_25.test(wordOf(heading)) ? 3 : 4 + (/local/i.test(unit ?? '') ? 1 : 0);
}

/** Of a total: what its heading counts in. */
function weightIn(heading: string): number | null {
  const words = [...bracketed(heading), ...wordOf(heading).split('_')];
  const units = words.map((word) => unitOf(word)).filter((unit) => unit !== null);
  const known = units.map((unit) => conversionOf('quantity_kg', unit));
  return known.find((factor) => typeof factor === 'number') ?? null;
}

type Reading = {
  column: Column;
  unit: UnitRead | null;
  time: string | null;
  slot: string | null;
  isAt25: boolean;
  /** Of ammonia, nitrite and nitrate; null: none is said. */
  basis: Basis | 'ASK' | null;
  isAmmoniumByName: boolean;
};

/** What a heading of anything else says of these. */
const NO_NITROGEN = { basis: null, isAmmoniumByName: false } as const;

const HOUR =
  /(?:^|[\s(,_-])(?:[àa]s?\s+|a\s+las?\s+|at\s+)?(\d{1,2}(?::\d{2}(?::00)?\s*h?|\s?h(?:\d{2})?(?:\s?(?:s|rs|oras|min))?)?\s*(?:[ap]\.?m\.?)?)(?=\)|$|[\s,])/i;
const MEAL =
  /^(?:(\d{1,2})(?:o|a|st|nd|rd|th)?_(?:trato|refeicao|meal|feeding|arracoamento|alimentacao|alimentacion|racion|dosis|comida)|(?:trato|refeicao|meal|feeding|arracoamento|alimentacao|alimentacion|racion|dosis|comida)_(?:n_)?(\d{1,2}))(?:_(?:kg|lbs?|libras))?$/;
const TOTAL =
  /^(?:total|soma|suma|sum)(?:_(?:kg|lbs?|libras|dia|do_dia|del_dia|diario|day|racao|racao_kg|balanceado|alimento|dia_kg))*$/;

/** What in brackets says that the figure is of something else than the water of the pond now. */
export const OF_ELSE =
  /^(?:d[eoa]_|of_)?(?:ar|air|aire|ambiente?|solo|soil|suelo|sedimentos?|sediment|canal|rio|mar|entrada|saida|meta|alvo|target|set_?point|ideal|min\w*|max\w*|desvio\w*|desviacion\w*|dp|sd|std\w*|erro|error|flag|qc|quality|qualidade|diferenca|diferencia|diff|delta|amplitude)$/;

/** Serial numbers of a logger and its probes. */
const SERIAL = /\((?:[^)]*S\/N[^)]*|(?!1000\))\d{4,}|[A-Z]{3} \d+[^)]*)\)/gi;

/** Longer is no heading; whatever is sent, it is told in a moment. */
const LONGEST_HEADING = 200;

function readHeading(kind: ImportKind, given: string): Reading | null {
  if (given.length > LONGEST_HEADING) return null;
  const heading = given.replaceAll(SERIAL, '').trim();
  // what a logger adds to the second
  if (/\(Fract/i.test(heading)) return null;
  if (bracketed(heading).some((text) => OF_ELSE.test(wordOf(text)))) return null;
  // `OD (15:00)` is of that hour
  const isOfHour = bracketed(heading).some((text) => /^\d/.test(text) && hourIn(text)?.rest === '');
  const plain = isOfHour ? null : matched(kind, heading);
  if (plain !== null) return { ...plain, time: null, slot: null };
  if (kind !== 'feeding' && kind !== 'measurements') return null;
  const hour = hourIn(heading);
  const meal = kind === 'feeding' ? MEAL.exec(wordOf(withoutBrackets(heading))) : null;
  if (meal !== null)
    return mealReading(heading, { time: hour?.time ?? null, slot: `meal ${meal[1] ?? meal[2]}` });
  if (hour === null) return null;
  const word = wordOf(withoutBrackets(hour.rest));
  if (kind === 'feeding') {
    const isMeal =
      word === '' ||
      MEAL.test(word) ||
      /^(?:trato|refeicao|meal|feeding|racao|quantidade|racion|dosis|balanceado|alimento|cantidad)$/.test(
        word,
      );
    return isMeal ? mealReading(hour.rest, { time: hour.time, slot: `${word} ${hour.time}` }) : null;
  }
  const found = matched(kind, hour.rest);
  const isWater = found !== null && WATER_FIELDS.some((field) => field === found.column.name);
  return isWater ? { ...found, time: hour.time, slot: hour.time } : null;
}

function mealReading(heading: string, at: { time: string | null; slot: string }): Reading | null {
  const column = columnNamed('feeding', 'quantity_kg');
  const unit = bracketed(heading).flatMap((text) => unitRead(text) ?? [])[0] ?? null;
  return column === null ? null : { column, unit, ...at, isAt25: false, ...NO_NITROGEN };
}

/** `OD 6h`, `OD (15:00)`, `DO 6 AM`. */
export function hourIn(heading: string): { time: string; rest: string } | null {
  if (heading.length > LONGEST_HEADING) return null;
  const found = HOUR.exec(heading);
  const text = found?.[1]?.trim().replace(/\s*h(?:s|rs|oras)$/i, 'h') ?? '';
  if (found === null || !/[:h]|[ap]\.?m/i.test(text)) return null;
  const ms = timeOfDayMs(text.replace(/^(\d+)\s+h/i, '$1h').replace(/(:\d{2})\s*h$/i, '$1'));
  if (ms === null) return null;
  const time = new Date(ms).toISOString().slice(11, 16);
  const rest = heading
    .replace(found[0], ' ')
    .replaceAll(/\(\s*\)/g, '')
    .trim();
  return { time, rest };
}

type Matched = Omit<Reading, 'time' | 'slot'>;

function matched(kind: ImportKind, heading: string): Matched | null {
  const nitrogen = kind === 'measurements' ? nitrogenHeading(heading) : null;
  return nitrogen === null ? matchedByName(kind, heading) : nitrogenReading(nitrogen);
}

function nitrogenReading({ column: name, ...said }: NitrogenHeading): Matched | null {
  const column = columnNamed('measurements', name);
  return column === null ? null : { column, isAt25: false, ...said };
}

function matchedByName(kind: ImportKind, heading: string): Matched | null {
  const [unit = null] = bracketed(heading).flatMap((text) => unitRead(text) ?? []);
  const whole = named(kind, wordOf(heading));
  const rest = withoutBrackets(heading);
  const plain = named(kind, wordOf(rest));
  // a word leaves the sign out
  const isPercent = unit === null && rest.includes('%');
  const share = isPercent ? (plain ?? named(kind, wordOf(rest.replace(/%.*$/, '')))) : null;
  if (share !== null && share.column.is !== 'text') return withUnit(share, PERCENT);
  if (whole !== null) return withUnit(whole, unit);
  // behind a word that names text a unit says that a figure is meant
  if (plain !== null && (plain.column.is !== 'text' || unit === null)) return withUnit(plain, unit);
  for (const { words, text } of tails(rest)) {
    const tail = unitRead(text);
    const column = tail === null ? null : named(kind, wordOf(words));
    if (tail === null || column === null || column.column.is === 'text') continue;
    // `pH mV` is no pH
    if (tail.unit === 'other' && conversionOf(column.column.name, tail.unit) === null) continue;
    return withUnit(column, unit ?? tail);
  }
  // what the logger's clock was set to
  const dated = named(kind, wordOf(withoutZone(rest)));
  const isClock = dated !== null && (dated.column.is === 'moment' || dated.column.is === 'time');
  return isClock ? withUnit(dated, null) : null;
}

const PERCENT: UnitRead = { text: '%', unit: 'percent' };

type Named = { column: Column; unit: UnitRead | null; needsUnit: boolean; isAt25: boolean };

function named(kind: ImportKind, word: string): Named | null {
  const column = columnNamed(kind, word);
  if (column !== null) return { column, unit: null, needsUnit: false, isAt25: false };
  const implied = unitInName(kind, word);
  if (implied === null) return null;
  const unit = implied.unit === null ? null : { text: spelled(implied.unit), unit: implied.unit };
  return { column: implied.column, unit, needsUnit: implied.unit === null, isAt25: AT_25.test(word) };
}

function withUnit({ column, unit, needsUnit, isAt25 }: Named, beside: UnitRead | null) {
  const read = beside ?? unit ?? (needsUnit ? { text: '?', unit: 'other' as const } : null);
  return {
    column,
    unit: column.is === 'number' || column.is === 'integer' ? read : null,
    isAt25,
    ...NO_NITROGEN,
  };
}

function isDayFirst(kind: ImportKind, name: string, heading: string): boolean {
  const column = COLUMNS[kind].find((each) => each.name === name);
  const word = wordOf(withoutBrackets(heading));
  return word !== name && (word === column?.aliases[0] || word === SPANISH_NAMES[name]?.[0]);
}

function saidHeading(kind: ImportKind, said: { column: string; unit: string | null }): Reading {
  const column = COLUMNS[kind].find(({ name }) => name === said.column);
  if (column === undefined)
    throw notATable(`There is no column ${said.column.slice(0, 40)} to import`, 'COLUMN_UNKNOWN');
  const nitrogen = said.unit === null ? null : basisUnit(column.name, said.unit);
  if (nitrogen !== null) {
    const unit = { text: (said.unit ?? '').trim(), unit: nitrogen.unit };
    return {
      column,
      unit,
      time: null,
      slot: null,
      isAt25: false,
      basis: nitrogen.basis,
      isAmmoniumByName: false,
    };
  }
  const unit = said.unit === null ? null : unitRead(said.unit);
  if (said.unit !== null && unit === null)
    throw notATable(`"${said.unit.slice(0, 40)}" is no unit`, 'UNIT_UNKNOWN');
  return { column, unit, time: null, slot: null, isAt25: false, ...NO_NITROGEN };
}
