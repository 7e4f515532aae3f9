import type { CsvForm } from '#contract/resources/exports.ts';
import type { RecordKind } from '#contract/resources/farm-records.ts';
import { AppError, notFound } from '#core/errors.ts';
import type { Table } from '#core/packed-file.ts';
import type { FarmAccess } from '#core/route.ts';
import { dayAfter, startOfDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import type { ExportDeps, Span } from './ports.ts';
import {
  allWaterTable,
  biometriesTable,
  feedingTable,
  feedStockTable,
  lossesTable,
  recordsTable,
  waterCsv,
} from './register-tables.ts';
import type { SHEETS } from './sheet-words.ts';

// What is asked of a register, whatever file it leaves as.

export type Reader = { farm: FarmAccess; language: Language };
type Register = keyof typeof SHEETS;
/** `name`: what its file is called. */
export type Found = { register: Register; table: Table; name: readonly string[] };

type Days = { start_date?: string | undefined; end_date?: string | undefined };
type OfBatch = { batch_id: string };
type OfFarm = { farm_id: string };

export async function biometriesOf(
  deps: ExportDeps,
  { farm, language }: Reader,
  { batch_id }: OfBatch,
  isAll: boolean,
): Promise<Found> {
  await requirePlan(deps, farm);
  const history = await deps.batches.historyOf(await batchIdOf(deps, batch_id));
  if (history === null) throw notFound('Batch');
  const { batch, timezone } = history.state;
  const weighedIn = [...new Set(history.recorded.flatMap(({ pondId }) => pondId ?? []))];
  const ponds = isAll ? await deps.queries.pondCods(weighedIn) : null;
  return {
    register: 'biometries',
    table: biometriesTable(history, timezone, ponds),
    name: [fileWord('biometries', language), batch.batch_code],
  };
}

export async function feedingOf(
  deps: ExportDeps,
  { farm, language }: Reader,
  query: OfBatch & Days,
): Promise<Found> {
  await requirePlan(deps, farm);
  const { id, batch, timezone } = await batchOf(deps, query.batch_id);
  return {
    register: 'feeding',
    table: feedingTable(deps.queries.feedings(id, spanOf(query, timezone)), timezone),
    name: [fileWord('feeding', language), batch.batch_code, ...daysOf(query)],
  };
}

type OfPond = { pond_id: string };

export async function waterOf(
  deps: ExportDeps,
  { farm, language }: Reader,
  query: OfPond & Days,
): Promise<Found> {
  await requirePlan(deps, farm);
  const { id, cod, timezone, farmId } = await pondOf(deps, query.pond_id);
  const { water } = await deps.scienceOf(farmId);
  return {
    register: 'water',
    table: allWaterTable(deps.queries.measurements(id, spanOf(query, timezone)), timezone, water),
    name: [fileWord('water', language), cod, ...daysOf(query)],
  };
}

/** The columns of the interface alone, which are written beside control. */
export async function interfaceWater(
  deps: ExportDeps,
  { farm, language }: Reader,
  query: CsvForm & OfPond & Days,
): Promise<{ chunks: AsyncIterable<string>; name: readonly string[] }> {
  await requirePlan(deps, farm);
  const { id, cod, timezone } = await pondOf(deps, query.pond_id);
  const span = spanOf(query, timezone);
  return {
    chunks: waterCsv((layout) => deps.queries.measurementLines(id, span, layout), { form: query, timezone }),
    name: [fileWord('water', language), cod, ...daysOf(query)],
  };
}

export async function recordsOf(
  deps: ExportDeps,
  { farm, language }: Reader,
  query: OfFarm & Days & { kind?: RecordKind | undefined },
): Promise<Found> {
  await requirePlan(deps, farm);
  const { name, timezone } = await farmOf(deps, query.farm_id);
  const of = { id: query.farm_id, kind: query.kind ?? null };
  const lines = deps.queries.records(of, spanOf(query, timezone));
  return {
    register: 'records',
    table: recordsTable(lines, timezone, deps.batchesThere()),
    name: [fileWord('records', language), name, ...daysOf(query)],
  };
}

export async function feedStockOf(
  deps: ExportDeps,
  { farm, language }: Reader,
  query: OfFarm & Days,
): Promise<Found> {
  await requirePlan(deps, farm);
  const { name, timezone } = await farmOf(deps, query.farm_id);
  const isWithin = within(spanOf(query, timezone));
  const lines = await deps.feedStockOf(query.farm_id, farm.role);
  return {
    register: 'stock',
    table: feedStockTable(
      lines.filter(({ happened_at }) => isWithin(happened_at)),
      timezone,
    ),
    name: [fileWord('stock', language), name, ...daysOf(query)],
  };
}

export async function lossesOf(
  deps: ExportDeps,
  { farm, language }: Reader,
  query: OfBatch & Days,
): Promise<Found> {
  await requirePlan(deps, farm);
  const { id, batch, timezone } = await batchOf(deps, query.batch_id);
  const isWithin = within(spanOf(query, timezone));
  const losses = (await deps.lossesOf(id)).filter(({ lost_at }) => isWithin(lost_at));
  const ponds = await deps.queries.pondCods([...new Set(losses.flatMap(({ pond_id }) => pond_id ?? []))]);
  return {
    register: 'losses',
    table: lossesTable(losses.toReversed(), timezone, ponds),
    name: [fileWord('losses', language), batch.batch_code, ...daysOf(query)],
  };
}

export async function requirePlan(deps: Pick<ExportDeps, 'mayExport'>, farm: FarmAccess): Promise<void> {
  if (await deps.mayExport(farm)) return;
  throw new AppError(403, 'Exports are not part of the plan of this farm; a larger plan has them', {
    code: 'FEATURE_NOT_AVAILABLE',
  });
}

export async function batchIdOf(deps: ExportDeps, ref: string): Promise<string> {
  const id = await deps.queries.batchIdOf(ref);
  if (id === null) throw notFound('Batch');
  return id;
}

async function batchOf(deps: ExportDeps, ref: string) {
  const id = await batchIdOf(deps, ref);
  const state = (await deps.batches.byIds([id])).get(id);
  if (state === undefined) throw notFound('Batch');
  return { id, batch: state.batch, timezone: state.timezone };
}

async function pondOf(deps: ExportDeps, ref: string) {
  const pond = await deps.queries.pondOf(ref);
  if (pond === null) throw notFound('Pond');
  return pond;
}

export async function farmOf(deps: ExportDeps, id: string) {
  const farm = await deps.queries.farmOf(id);
  if (farm === null) throw notFound('Farm');
  return farm;
}

export function spanOf({ start_date, end_date }: Days, timezone: string): Span {
  return {
    from: start_date === undefined ? null : startOfDay(start_date, timezone),
    // the last day is in it
    before: end_date === undefined ? null : startOfDay(dayAfter(end_date, 1), timezone),
  };
}

export const within =
  ({ from, before }: Span) =>
  (at: string): boolean =>
    (from === null || at >= from) && (before === null || at < before);

export const daysOf = ({ start_date, end_date }: Days): string[] =>
  [start_date, end_date].filter((day) => day !== undefined);

const WORDS = {
  biometries: { 'pt-BR': 'biometrias', en: 'biometries', es: 'muestreos' },
  feeding: { 'pt-BR': 'alimentação', en: 'feeding', es: 'alimentación' },
  water: { 'pt-BR': 'qualidade-da-água', en: 'water-quality', es: 'calidad-del-agua' },
  report: { 'pt-BR': 'relatório-do-lote', en: 'batch-report', es: 'reporte-del-lote' },
  stock: { 'pt-BR': 'estoque-de-racao', en: 'feed-stock', es: 'existencias-de-balanceado' },
  losses: { 'pt-BR': 'mortalidade', en: 'mortality', es: 'mortalidad' },
  farm: { 'pt-BR': 'fazenda', en: 'farm', es: 'camaronera' },
  lots: { 'pt-BR': 'lotes-de-despesca', en: 'harvest-lots', es: 'lotes-de-cosecha' },
  trace: { 'pt-BR': 'rastreabilidade', en: 'traceability', es: 'trazabilidad' },
  records: { 'pt-BR': 'registros', en: 'records', es: 'registros' },
} satisfies Record<string, Record<Language, string>>;

/** What a file is called in the reader's language. */
export function fileWord(kind: keyof typeof WORDS, language: Language): string {
  return WORDS[kind][language];
}
