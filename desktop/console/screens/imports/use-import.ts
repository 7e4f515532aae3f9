import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { ImportKind, ImportLook, ImportReport, RowNote } from '#contract/resources/imports.ts';
import { ApiError, ask, Unreachable } from '../../data/api.ts';
import { readDecimal } from '../../i18n/format.ts';

/** What is said once for all rows, because no column says it. */
export const GIVEN = [
  'batch_id',
  'pond_id',
  'feed_type',
  'species',
  'initial_avg_weight',
  'sample_size',
  'meter',
  'cost_per_kg',
  'salinity',
] as const;
export type Given = (typeof GIVEN)[number];
const FIGURES: ReadonlySet<Given> = new Set(['initial_avg_weight', 'sample_size', 'cost_per_kg', 'salinity']);

/** The columns that can be said for all rows, and what says them. */
export const GIVEN_FOR: Readonly<Record<string, Given>> = {
  batch: 'batch_id',
  pond: 'pond_id',
  feed_type: 'feed_type',
  species: 'species',
  initial_avg_weight: 'initial_avg_weight',
  sample_size: 'sample_size',
  meter: 'meter',
};

export type Answers = {
  kind: ImportKind | null;
  sheet: string | null;
  /** By position, as the interface takes them: `salinity@ppt`, `-`. */
  columns: ReadonlyMap<number, string>;
  decimal: '' | 'comma' | 'point';
  dateOrder: '' | 'day_first' | 'month_first';
  given: Readonly<Partial<Record<Given, string>>>;
  /** Rows left out, with what was said of them. */
  skip: ReadonlyMap<number, readonly RowNote[]>;
};

export const NOTHING_SAID: Answers = {
  kind: null,
  sheet: null,
  columns: new Map(),
  decimal: '',
  dateOrder: '',
  given: {},
  skip: new Map(),
};

/** How sheets with these headings were read the last time. */
export function saidAs(remembered: NonNullable<ImportLook['remembered']>): Partial<Answers> {
  const { columns, decimal, date_order } = remembered;
  const parts = (columns ?? '').split(';').map((part) => part.split('=', 2));
  return {
    columns: new Map(
      parts.flatMap(([position, is]) => (is === undefined ? [] : [[Number(position), is] as const])),
    ),
    decimal: decimal ?? '',
    dateOrder: date_order ?? '',
  };
}

const SETTLES_MS = 500;

/** What is being typed goes to the gateway once it stands still. */
function useStill<Value>(value: Value): Value {
  const [still, setStill] = useState(value);
  useEffect(() => {
    const later = setTimeout(() => setStill(value), SETTLES_MS);
    return () => clearTimeout(later);
  }, [value]);
  return still;
}

type Query = Record<string, string | number | undefined>;

/** One file, how it was read and what would become of it; each answer is asked for anew when something is corrected. */
export function useImport(file: File, number: number, { farmId, said }: { farmId: string; said: Answers }) {
  const { kind, sheet } = said;
  const shape: Query = {
    farm_id: farmId,
    sheet: sheet ?? undefined,
    columns: columnsText(said.columns),
  };
  const look = useSent<ImportLook>(number, file, {
    path: '/imports/look',
    query: { ...shape, kind: kind ?? undefined },
  });
  const known = look.isPlaceholderData ? undefined : look.data;
  const lacking = known === undefined ? [] : lackingIn(known, said);
  const isReadable =
    known !== undefined && known.kind !== null && known.twice.length === 0 && lacking.length === 0;
  const rows: Query = {
    ...shape,
    sheet: known?.sheet ?? sheet ?? undefined,
    decimal: said.decimal || undefined,
    date_order: said.dateOrder || undefined,
    skip: rowsText([...said.skip.keys()]),
    ...useStill(givenQuery(JSON.stringify(said.given))),
  };
  const path = `/imports/${known?.kind ?? kind ?? ''}`;
  const report = useSent<ImportReport>(number, file, { path: isReadable ? path : null, query: rows });
  return { look, report, lacking, send: { path, query: rows } };
}

const isPassing = (error: unknown) =>
  error instanceof Unreachable || (error instanceof ApiError && error.status >= 500);

/** The answer to a file; null as path sends nothing. The last one stands until the next is there. */
function useSent<Answer>(number: number, file: File, { path, query }: { path: string | null; query: Query }) {
  return useQuery<Answer>({
    // what happens to rows elsewhere sends no file again
    queryKey: ['import-file', path, query, number],
    queryFn: ({ signal }) => sendFile<Answer>(file, path ?? '', { query, signal }),
    enabled: path !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: (tries, error) => tries < 4 && isPassing(error),
  });
}

/** As bytes: what browsers and phones call a spreadsheet differs, and its bytes tell. */
export const sendFile = <Answer>(
  file: File,
  path: string,
  { query, signal }: { query: Query; signal?: AbortSignal },
): Promise<Answer> =>
  ask<Answer>(path, {
    method: 'POST',
    body: new Blob([file], { type: 'application/octet-stream' }),
    query,
    ...(signal === undefined ? {} : { signal }),
  });

/** Columns that every row needs, and neither a heading nor a person has said. */
export const lackingIn = (look: ImportLook, said: Answers): string[] =>
  look.missing.filter((column) => {
    const given = GIVEN_FOR[column];
    return given === undefined || valueOf(given, said.given[given]) === undefined;
  });

function valueOf(given: Given, text: string | undefined): string | number | undefined {
  const typed = (text ?? '').trim();
  if (typed === '') return undefined;
  if (!FIGURES.has(given)) return typed;
  const value = readDecimal(typed);
  return value === null || Number.isNaN(value) ? undefined : value;
}

/** One object as long as the same is said, so that it can stand still. */
const queries = new Map<string, Query>();
function givenQuery(said: string): Query {
  const known = queries.get(said);
  if (known !== undefined) return known;
  const given = JSON.parse(said) as Answers['given'];
  const made = Object.fromEntries(GIVEN.map((name) => [name, valueOf(name, given[name])]));
  queries.clear();
  queries.set(said, made);
  return made;
}

const columnsText = (columns: Answers['columns']): string | undefined =>
  columns.size === 0 ? undefined : [...columns].map(([position, is]) => `${position}=${is}`).join(';');

/** 4, 5, 6, 9 as `4-6,9`. */
export function rowsText(rows: readonly number[]): string | undefined {
  const parts: [number, number][] = [];
  for (const row of rows.toSorted((one, other) => one - other)) {
    const last = parts.at(-1);
    if (last !== undefined && row === last[1] + 1) last[1] = row;
    else parts.push([row, row]);
  }
  if (parts.length === 0) return undefined;
  return parts.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}
