import * as z from 'zod';
import type { Cell } from '#contract/csv-cells.ts';
import { idInput } from '#contract/fields.ts';
import { csvFile, csvForm, feedStockExportQuery, feedStockSheetQuery } from '#contract/resources/exports.ts';
import type { LotAnswer, SizeClass } from '#contract/resources/harvest-lots.ts';
import type { LotTrace } from '#contract/resources/lot-trace.ts';
import { csvText } from '#core/csv-text.ts';
import { notFound } from '#core/errors.ts';
import type { TableColumn } from '#core/packed-file.ts';
import { onFarm } from '#core/request-checks.ts';
import { type FarmAccess, type Route, route } from '#core/route.ts';
import { wallOf, zoneClock } from '#core/zone-clock.ts';
import {
  daysOf,
  type Found,
  farmOf,
  fileWord,
  type Reader,
  requirePlan,
  spanOf,
  within,
} from './find-register.ts';
import type { ExportDeps } from './ports.ts';
import { csv, csvOf, readerOf, workbook, workbookAnswer } from './routes.ts';

export type LotFileDeps = ExportDeps & {
  /** Lots of a farm as that role sees them, oldest first, with the words for their ponds; brought by harvest lots. */
  lotsOfFarm: (by: Pick<FarmAccess, 'farmId' | 'role'>) => Promise<(LotAnswer & { pond: string | null })[]>;
  /** null: there is no such lot. */
  traceOf: (lotId: string, by: Pick<FarmAccess, 'role'>) => Promise<LotTrace | null>;
};

const common = {
  method: 'GET',
  tag: 'Exports',
  answers: { 200: { schema: csvFile, media: 'text/csv' } },
} as const;

/** Lots of harvests, and all that is on record of one, as files. */
export function lotFileRoutes(deps: LotFileDeps): Route[] {
  const ofFarm = {
    who: 'farm',
    right: 'read',
    of: 'farm',
    at: 'query',
    field: 'farm_id',
    others: 404,
  } as const;
  return [
    route({
      ...common,
      path: '/exports/harvest-lots/csv',
      summary: 'Harvest lots of a farm as CSV',
      access: ofFarm,
      query: feedStockExportQuery,
      handle: async (request) => ({
        answer: csvOf(await lotsOf(deps, readerOf(request), request.query), request.query),
      }),
    }),
    route({
      ...common,
      path: '/exports/harvest-lots/xlsx',
      summary: 'Harvest lots of a farm as a workbook',
      answers: workbookAnswer,
      access: ofFarm,
      query: feedStockSheetQuery,
      handle: async (request) => ({
        answer: workbook(deps, await lotsOf(deps, readerOf(request), request.query), request),
      }),
    }),
    route({
      ...common,
      path: '/exports/harvest-lot/{lot_id}/trace/csv',
      summary: 'All that is on record of a lot, from the hatchery on, as CSV',
      access: { who: 'farm', right: 'read', of: 'harvest_lot', at: 'params', field: 'lot_id', others: 404 },
      params: z.object({ lot_id: idInput }),
      query: csvForm,
      async handle(request) {
        await requirePlan(deps, onFarm(request));
        const trace = await deps.traceOf(request.params.lot_id, onFarm(request));
        if (trace === null) throw notFound('Harvest lot');
        const text = csvText(request.query);
        const lines = traceLines(trace).map((line) => text.row(line));
        const name = [fileWord('trace', request.language), trace.lot.lot_code];
        return { answer: csv([text.head(TRACE_COLUMNS), ...lines], name) };
      },
    }),
  ];
}

async function lotsOf(
  deps: LotFileDeps,
  { farm, language }: Reader,
  query: Parameters<typeof daysOf>[0] & { farm_id: string },
): Promise<Found> {
  await requirePlan(deps, farm);
  const { name, timezone } = await farmOf(deps, query.farm_id);
  const isWithin = within(spanOf(query, timezone));
  const lots = await deps.lotsOfFarm({ farmId: query.farm_id, role: farm.role });
  const whenOf = dayAndTime(timezone);
  const rows = lots
    .filter(({ harvested_at: at }) => isWithin(at))
    .map((lot) => [...whenOf(lot.harvested_at), ...lotCells(lot)]);
  return {
    register: 'harvest_lots',
    table: { columns: LOT_COLUMNS, chunks: [rows] },
    name: [fileWord('lots', language), name, ...daysOf(query)],
  };
}

const LOT_COLUMNS: readonly TableColumn[] = [
  { name: 'date', is: 'day' },
  { name: 'time', is: 'time' },
  { name: 'lot_code', is: 'text' },
  { name: 'batch', is: 'text' },
  { name: 'harvest', is: 'text' },
  { name: 'pond', is: 'text' },
  { name: 'weight_kg', is: 'number' },
  { name: 'count', is: 'number' },
  { name: 'average_weight_g', is: 'number' },
  { name: 'classes', is: 'text' },
  { name: 'revenue', is: 'number' },
  { name: 'buyer', is: 'text' },
  { name: 'buyer_tax_id', is: 'text' },
  { name: 'transport_document', is: 'text' },
  { name: 'vehicle', is: 'text' },
  { name: 'driver', is: 'text' },
  { name: 'loading_temperature_c', is: 'number' },
  { name: 'notes', is: 'text' },
];

const lotCells = (lot: LotAnswer & { pond: string | null }): Cell[] => [
  lot.lot_code,
  lot.batch_code,
  lot.harvest_id === null ? 'FINAL' : 'PARTIAL',
  lot.pond,
  lot.weight_kg,
  lot.count,
  lot.average_weight_g,
  lot.classes.map(classText).join('; '),
  lot.revenue,
  lot.buyer,
  lot.buyer_tax_id,
  lot.transport_document,
  lot.vehicle,
  lot.driver,
  lot.loading_temperature_c,
  lot.notes,
];

const classText = ({ pieces_min, pieces_max, weight_kg, price_per_kg }: SizeClass): string =>
  `${pieces_min === null ? 'UNGRADED' : `${pieces_min}/${pieces_max}`}: ${weight_kg} kg${price_per_kg === null ? '' : ` x ${price_per_kg}`}`;

const TRACE_COLUMNS = ['section', 'date', 'time', 'pond', 'name', 'lot', 'value', 'unit', 'details'];

type Line = Cell[];

/** One line per fact: what, when, where, which lot, how much. */
function traceLines(trace: LotTrace): Line[] {
  const { lot, batch, harvest } = trace;
  const at = dayAndTime(trace.farm.timezone);
  const line = (section: string, when: string | null, rest: Line): Line => [
    section,
    ...(when === null ? [null, null] : when.length > 10 ? at(when) : [when, null]),
    ...rest,
  ];
  const words = (...parts: (string | null)[]) =>
    parts.filter((part) => part !== null && part !== '').join('; ');
  return [
    line('lot', lot.harvested_at, [
      null,
      lot.batch_code,
      lot.lot_code,
      lot.weight_kg,
      'kg',
      words(lot.buyer, lot.buyer_tax_id, lot.transport_document, lot.vehicle, lot.driver),
    ]),
    ...lot.classes.map((each) =>
      line('class', null, [null, classText(each), lot.lot_code, each.weight_kg, 'kg', null]),
    ),
    line('harvest', harvest.harvested_at, [
      null,
      harvest.kind,
      null,
      harvest.weight_kg,
      'kg',
      harvest.is_weighed ? null : 'ESTIMATED',
    ]),
    line('stocking', batch.start_date, [
      trace.ponds[0]?.pond_cod ?? null,
      words(batch.species, batch.lineage),
      batch.larva_origin,
      batch.initial_count,
      'animals',
      `${batch.initial_avg_weight} g`,
    ]),
    ...trace.ponds.map(({ pond_cod, from, to }) =>
      line('pond', from, [pond_cod, null, null, null, null, to === null ? null : `until ${to}`]),
    ),
    ...trace.transfers.map((move) =>
      line('transfer', move.transfer_date, [
        move.source_pond_cod,
        move.destination_pond_cod,
        null,
        move.quantity,
        'animals',
        move.average_weight_g === null ? null : `${move.average_weight_g} g`,
      ]),
    ),
    ...trace.feeds.flatMap((feed) => [
      line('feed', feed.first_fed_at, [
        null,
        feed.feed_type,
        null,
        feed.kg,
        'kg',
        `until ${at(feed.last_fed_at)[0]}`,
      ]),
      ...feed.lots.map((of) =>
        line('feed_lot', of.delivered_at, [
          null,
          of.product,
          of.lot,
          of.kg,
          'kg',
          words(of.supplier, of.expires_on),
        ]),
      ),
      ...(feed.unknown_lot_kg === 0
        ? []
        : [line('feed_lot', null, [null, feed.feed_type, 'UNKNOWN', feed.unknown_lot_kg, 'kg', null])]),
    ]),
    ...trace.treatments.map((each) =>
      line('treatment', each.happened_at, [
        each.pond_cod,
        each.product,
        each.product_lot,
        each.amount,
        each.unit,
        words(
          each.product_kind,
          each.reason,
          each.responsible,
          `harvest_from ${each.harvest_from ?? 'UNKNOWN'}`,
        ),
      ]),
    ),
    ...trace.water_exchanges.map((each) =>
      line('water_exchange', each.happened_at, [
        each.pond_cod,
        each.source,
        null,
        each.amount,
        each.unit,
        each.reason,
      ]),
    ),
    ...trace.signs_of_disease.map((each) =>
      line('signs_of_disease', each.happened_at, [
        each.pond_cod,
        words(each.disease === null ? 'UNKNOWN' : `${each.disease} SUSPECTED`, each.disease_name),
        null,
        each.affected_percent,
        each.affected_percent === null ? null : 'percent',
        words((each.signs ?? []).join(' '), each.severity, each.details, each.responsible),
      ]),
    ),
    ...trace.laboratory.map((each) =>
      line('laboratory', each.happened_at, [
        each.pond_cod,
        words(each.disease, each.disease_name),
        each.report_number,
        each.amount,
        each.unit,
        words(
          each.result ?? (each.amount === null ? 'NOT_KNOWN_YET' : null),
          each.laboratory,
          each.sample,
          each.method,
          each.result_on,
          each.details,
          each.responsible,
        ),
      ]),
    ),
    ...trace.losses.map((each) =>
      line('loss', each.lost_at, [
        each.pond_cod,
        each.cause ?? 'UNKNOWN',
        null,
        each.dead_count,
        'animals',
        each.event_description,
      ]),
    ),
    ...trace.weighings.map((each) =>
      line('weighing', each.measurement_date, [
        each.pond_cod,
        null,
        null,
        each.average_weight_g,
        'g',
        `n ${each.sample_size}`,
      ]),
    ),
    ...trace.water.flatMap(({ pond_cod, measurements, parameters }) =>
      parameters.flatMap(({ parameter, least, mean, most }) =>
        (
          [
            ['min', least],
            ['mean', mean],
            ['max', most],
          ] as const
        ).map(([which, value]) =>
          line('water', null, [pond_cod, parameter, null, value, which, `n ${measurements}`]),
        ),
      ),
    ),
  ];
}

function dayAndTime(timezone: string): (instantIso: string) => [string, string] {
  const clock = zoneClock(timezone);
  return (instantIso) => {
    const wall = new Date(wallOf(clock, Date.parse(instantIso))).toISOString();
    return [wall.slice(0, 10), wall.slice(11, 19)];
  };
}
