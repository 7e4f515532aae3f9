import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  discoveredRelay,
  type RelayInput,
  type RelaySettings,
  relayAdopted,
  relayAnswer,
  relayInput,
  relayOfPoint,
} from '#contract/resources/relays.ts';
import { notFound } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { ControlView } from '#features/control/control-view.ts';
import {
  type AdoptDeps,
  type Adopted,
  adoptRelay,
  type DiscoveredRelays,
  releaseRelay,
} from './adopt-relay.ts';
import { relayAnswerOf, type ShownBy } from './answers.ts';
import type { Relay } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import type { RelayWork } from './relay-desk.ts';

export type RelayRouteDeps = AdoptDeps &
  Omit<ShownBy, 'book' | 'views' | 'work'> & {
    book: RelayBook;
    work: RelayWork;
    discovered: DiscoveredRelays;
    /** Reads a control point anew. */
    refresh: (id: string) => Promise<ControlView | null>;
    /** Farms whose things the user may see. */
    mayRead: (farmId: string, userId: string) => Promise<boolean>;
    /** Where relays reach the broker: addresses of this box on the farm network, and the port. */
    brokerAt: () => { addresses: readonly string[]; port: number };
  };

const tag = 'Relays';
const params = z.object({ control_point_id: idInput });
const path = '/control-points/{control_point_id}/relay';
const atPoint = {
  who: 'farm',
  of: 'control_point',
  at: 'params',
  field: 'control_point_id',
  others: 404,
} as const;

export function relayRoutes(deps: RelayRouteDeps): Route[] {
  return [...discoveryRoutes(deps), ...pointRoutes(deps), listRoute(deps)];
}

function discoveryRoutes(deps: RelayRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/relays/discovered',
      tag,
      summary: 'Relays of the trade that knocked and are not adopted, last seen first',
      access: { who: 'box', right: 'work' },
      query: pageQuery,
      answers: { 200: { schema: discoveredRelay, list: true } },
      async handle(request) {
        const { skip, limit = 1_000 } = request.query;
        const cards = deps.discovered.list();
        return { answer: { status: 200, rows: cards.slice(skip, skip + limit), total: cards.length } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/relays/discovered/{discovered_id}',
      tag,
      summary: 'Put a card away; it comes back when the relay knocks again',
      access: { who: 'box', right: 'work' },
      params: z.object({ discovered_id: z.string().min(1).max(300) }),
      answers: { 204: null },
      async handle(request) {
        if (!deps.discovered.forget(request.params.discovered_id)) throw notFound('Relay');
        return { answer: { status: 204 } };
      },
    }),
  ];
}

function pointRoutes(deps: RelayRouteDeps): Route[] {
  async function fresh(id: string): Promise<ControlView> {
    const view = await deps.refresh(id);
    if (view === null) throw notFound('Control point');
    return view;
  }
  return [
    route({
      method: 'PUT',
      hasNoTag: true,
      path,
      answersSecret: true,
      tag,
      summary: 'Adopt a relay: its key, shown this once, and what to paste into it. Again: a new key',
      access: { ...atPoint, right: 'operate' },
      params,
      body: relayInput,
      answers: { 200: { schema: relayAdopted } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        const adopted = adoptRelay(deps, view, signedIn(request), request.body);
        const { row } = adopted.answer;
        const settings = settingsFor(deps, adopted.answer, request.body, hostOf(request.origin));
        const shown = relayAnswerOf(shownWith(deps, row), row);
        if (shown === null) throw notFound('Control point');
        if (request.body.discovered_id !== undefined) deps.discovered.forget(request.body.discovered_id);
        return { ...adopted, answer: { status: 200, body: { ...shown, settings } } };
      },
    }),
    route({
      method: 'GET',
      path,
      tag,
      summary:
        'The relay of a control point: its state, what it measures, and what is wrong with its settings',
      access: { ...atPoint, right: 'read' },
      params,
      answers: { 200: { schema: relayOfPoint } },
      async handle(request) {
        const row = deps.book.byId(request.params.control_point_id);
        return { answer: { status: 200, body: { relay: row === null ? null : relayAnswerOf(deps, row) } } };
      },
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary:
        'Release the relay: its key opens nothing more, and the control point takes a controller again',
      access: { ...atPoint, right: 'operate' },
      params,
      answers: { 204: null },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        return { ...releaseRelay(deps, view, signedIn(request)), answer: { status: 204 } };
      },
    }),
  ];
}

function listRoute(deps: RelayRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/relays/',
    tag,
    summary: 'Relays of the caller’s farms',
    access: {
      who: 'farm',
      of: 'farm',
      at: 'query',
      field: 'farm_id',
      right: 'read',
      others: 404,
      optional: true,
    },
    query: pageQuery.extend({ farm_id: idInput.optional() }),
    answers: { 200: { schema: relayAnswer, list: true } },
    async handle(request) {
      const { skip, limit = 1_000, farm_id } = request.query;
      const { userId } = signedIn(request);
      const mayReadByFarm = new Map<string, boolean>();
      const rows = [];
      for (const row of deps.book.all()) {
        const shown = relayAnswerOf(deps, row);
        if (shown === null || (farm_id !== undefined && shown.farm_id !== farm_id)) continue;
        const may = mayReadByFarm.get(shown.farm_id) ?? (await deps.mayRead(shown.farm_id, userId));
        mayReadByFarm.set(shown.farm_id, may);
        if (may) rows.push(shown);
      }
      rows.sort((a, b) => (a.cod < b.cod ? -1 : 1));
      return { answer: { status: 200, rows: rows.slice(skip, skip + limit), total: rows.length } };
    },
  });
}

/** As it will stand when it is stored. */
function shownWith(deps: RelayRouteDeps, row: Relay): ShownBy {
  const isSame = deps.book.byId(row.id)?.carrier_id === row.carrier_id;
  return isSame ? deps : { ...deps, work: { ...deps.work, sessionOfRelay: () => null } };
}

function settingsFor(
  deps: RelayRouteDeps,
  { row, key, relayAddress }: Adopted,
  input: RelayInput,
  asked: string | null,
): RelaySettings {
  const { addresses, port } = deps.brokerAt();
  const host = input.mqtt_host ?? asked ?? addresses[0] ?? '127.0.0.1';
  const mqttId = deps.views.byId(row.carrier_id)?.mqttId ?? '';
  const powerOn = powerOnOf(deps, row);
  const paste = deps.protocols[row.kind].paste({
    host,
    port,
    mqttId,
    key,
    relayAddress,
    powerOn,
    channel: row.channel,
  });
  const host_candidates = addresses.filter((address) => address !== host);
  return {
    mqtt_host: host,
    host_candidates,
    mqtt_port: port,
    mqtt_user: mqttId,
    mqtt_password: key,
    ...paste,
  };
}

/** The row is not in the book yet when its settings are made. */
function powerOnOf({ views }: RelayRouteDeps, row: Relay): 'ON' | 'OFF' | 'HOLD' {
  const word = views.byId(row.id)?.row.fail_safe ?? 'HOLD';
  return word === 'ON' || word === 'OFF' ? word : 'HOLD';
}

/** The address under which the caller sees the gateway is one that its network can reach; a name is not for relays. */
function hostOf(origin: string): string | null {
  const { hostname } = new URL(origin);
  const isAddress = /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname);
  return isAddress && !hostname.startsWith('127.') ? hostname : null;
}
