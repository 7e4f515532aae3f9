import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type BusScanAnswer,
  busReadAnswer,
  busReadCreate,
  busScanAnswer,
  busScanCreate,
  probeBusAnswer,
  probeBusCreate,
  probeBusUpdate,
} from '#contract/resources/probes.ts';
import { AppError, conflict, invalidField, notFound } from '#core/errors.ts';
import type { Language } from '#core/notifying.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { decode, judgeValues, profileOf } from './decode-registers.ts';
import { readProbe } from './poll-bus.ts';
import type { BusRow } from './ports.ts';
import { busAnswerOf, handReadings, placeOf } from './probe-answers.ts';
import type { Scan, Scans } from './scan-bus.ts';
import type { SetUpDeps } from './set-up-bus.ts';
import { changeBus, createBus, deleteBus } from './set-up-bus.ts';
import { troubleTold } from './trouble-words.ts';
import type { ProbeWatch } from './watch-probes.ts';

export type ProbeRoutesDeps = SetUpDeps & {
  monotonic: () => number;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  watch: Pick<ProbeWatch, 'knownLine' | 'lineOf' | 'probe'>;
  scans: Scans;
};

const tag = 'Probes';
const params = z.object({ probe_bus_id: idInput });
const atBus = { who: 'farm', of: 'probe_bus', at: 'params', field: 'probe_bus_id', others: 404 } as const;
const onFarmOf = { who: 'farm', of: 'farm', field: 'farm_id' } as const;
const one = '/probe-buses/{probe_bus_id}';

export function busRoutes(deps: ProbeRoutesDeps): Route[] {
  return [...setUpRoutes(deps), ...scanRoutes(deps), readRoute(deps)];
}

async function busOf(deps: ProbeRoutesDeps, id: string): Promise<BusRow> {
  const row = await deps.queries.busById(id);
  if (row === null) throw notFound('Bus');
  return row;
}

function setUpRoutes(deps: ProbeRoutesDeps): Route[] {
  const shown = async (row: BusRow, language: Language) =>
    busAnswerOf(row, {
      line: deps.watch.knownLine(row.id),
      probes: await deps.queries.probesOf(row.farm_id),
      language,
    });
  return [
    route({
      method: 'POST',
      path: '/probe-buses/',
      tag,
      summary: 'Set up a bus of probes: a serial port of this box, or an address on the farm network',
      access: { ...onFarmOf, right: 'operate', at: 'body', others: 403, box: 'work' },
      body: probeBusCreate,
      answers: { 201: { schema: probeBusAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await createBus(deps, signedIn(request).userId, request.body);
        return { ...made, answer: { status: 201, body: await shown(made.answer, request.language) } };
      },
    }),
    route({
      method: 'GET',
      path: '/probe-buses/',
      tag,
      summary: 'Buses of probes of a farm, and how each stands',
      access: { ...onFarmOf, right: 'read', at: 'query', others: 404 },
      query: z.object({ farm_id: idInput }),
      answers: { 200: { schema: probeBusAnswer, list: true } },
      async handle(request) {
        const rows = await deps.queries.busesOf(onFarm(request).farmId);
        const answers = await Promise.all(rows.map((row) => shown(row, request.language)));
        return { answer: { status: 200, rows: answers } };
      },
    }),
    route({
      method: 'GET',
      path: one,
      tag,
      summary: 'A bus of probes',
      access: { ...atBus, right: 'read' },
      params,
      answers: { 200: { schema: probeBusAnswer } },
      async handle(request) {
        const row = await busOf(deps, request.params.probe_bus_id);
        return { answer: { status: 200, body: await shown(row, request.language) } };
      },
    }),
    route({
      method: 'PUT',
      hasNoTag: true,
      path: one,
      tag,
      summary: 'Change a bus of probes; its probes are read the new way at once',
      access: { ...atBus, right: 'operate', box: 'work' },
      params,
      body: probeBusUpdate,
      answers: { 200: { schema: probeBusAnswer } },
      async handle(request) {
        const current = await busOf(deps, request.params.probe_bus_id);
        const done = await changeBus(deps, signedIn(request).userId, current, request.body);
        return { ...done, answer: { status: 200, body: await shown(done.answer, request.language) } };
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Delete a bus without probes',
      access: { ...atBus, right: 'operate' },
      params,
      answers: { 204: null },
      async handle(request) {
        const current = await busOf(deps, request.params.probe_bus_id);
        const done = await deleteBus(deps, signedIn(request).userId, current);
        deps.scans.forget(current.id);
        return { ...done, answer: { status: 204 } };
      },
    }),
  ];
}

function scanRoutes(deps: ProbeRoutesDeps): Route[] {
  const path = `${one}/scan`;
  const shared = { path, tag, params, answers: { 200: { schema: busScanAnswer } } } as const;
  return [
    route({
      ...shared,
      method: 'POST',
      summary: 'Look for probes on the bus, address by address; it takes a minute for all',
      access: { ...atBus, right: 'operate', box: 'work' },
      body: busScanCreate,
      answers: { 202: { schema: busScanAnswer } },
      async handle(request) {
        const row = await usable(deps, request.params.probe_bus_id);
        const { from, to } = request.body;
        if (from > to) throw invalidField(422, 'to', 'must not be less than from');
        const scan = deps.scans.start(row, deps.watch.lineOf(row), { from, to });
        return { answer: { status: 202, body: scanAnswerOf(scan, row, request.language) } };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      summary: 'How far the search went and whom it found',
      access: { ...atBus, right: 'read' },
      async handle(request) {
        const row = await busOf(deps, request.params.probe_bus_id);
        const scan = deps.scans.of(row.id);
        return { answer: { status: 200, body: scanAnswerOf(scan, row, request.language) } };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      summary: 'End the search',
      access: { ...atBus, right: 'operate' },
      answers: { 204: null },
      async handle(request) {
        deps.scans.cancel(request.params.probe_bus_id);
        return { answer: { status: 204 } };
      },
    }),
  ];
}

const PATIENCE = { timeoutMs: 500, tries: 2, lateMs: 1_000 };

function readRoute(deps: ProbeRoutesDeps): Route {
  return route({
    method: 'POST',
    path: `${one}/read`,
    tag,
    summary: 'Read an address by a profile once, to see whether the values make sense',
    access: { ...atBus, right: 'operate', box: 'work' },
    params,
    body: busReadCreate,
    answers: { 200: { schema: busReadAnswer } },
    async handle(request) {
      const row = await usable(deps, request.params.probe_bus_id);
      const { unit_id, probe_profile_id } = request.body;
      const profile = profileOf(probe_profile_id, await deps.queries.profilesOf(row.farm_id));
      if (profile === null)
        throw invalidField(422, 'probe_profile_id', 'is neither a shipped profile nor one of this farm');
      const read = await readProbe(deps.watch.lineOf(row), profile.registers, unit_id, PATIENCE);
      if (read.is === 'trouble') {
        const { code, exception } = read;
        const where = { place: placeOf(row), kind: row.kind, unitId: unit_id };
        const told = troubleTold({ code, exception, since: deps.now() }, where, request.language);
        throw new AppError(409, `${told?.message ?? ''} ${told?.next ?? ''}`.trim(), { code });
      }
      const decoded = profile.registers.map((register) => decode(register, read.words));
      const { water } = await deps.scienceOf(row.farm_id);
      const values = judgeValues(water, new Map(), decoded, deps.monotonic());
      const registers = [...read.words].map(([key, word]) => {
        const [function_code = 3, address = 0] = key.split(':').map(Number);
        return { function_code, address, word };
      });
      return { answer: { status: 200, body: { readings: handReadings(values, deps.now()), registers } } };
    },
  });
}

async function usable(deps: ProbeRoutesDeps, id: string): Promise<BusRow> {
  const row = await busOf(deps, id);
  if (!row.is_enabled) throw conflict('This bus is switched off; switch it on first', 'BUS_OFF');
  return row;
}

function scanAnswerOf(scan: Scan | null, row: BusRow, language: Language): BusScanAnswer {
  if (scan === null) return { state: 'none', from: 1, to: 247, asked: 0, total: 0, found: [], trouble: null };
  const { state, from, to, asked } = scan;
  return {
    state,
    from,
    to,
    asked,
    total: to - from + 1,
    found: [...scan.found],
    trouble: troubleTold(scan.trouble, { place: placeOf(row), kind: row.kind, unitId: null }, language),
  };
}
