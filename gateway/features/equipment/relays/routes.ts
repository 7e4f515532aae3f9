import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  discoveredRelay,
  type RelayAnswer,
  type RelayInput,
  type RelaySettings,
  type RelayWarning,
  relayAdopted,
  relayAnswer,
  relayInput,
  relayOfPoint,
} from '#contract/resources/relays.ts';
import { registerAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import { type ControlView, type ControlViews, targetOf } from '#features/control/control-view.ts';
import {
  type AdoptDeps,
  type Adopted,
  adoptRelay,
  type DiscoveredRelays,
  releaseRelay,
} from './adopt-relay.ts';
import type { Relay } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import type { RelayWork } from './relay-desk.ts';
import { type Channel, type Session, targetNow } from './relay-session.ts';
import { troubleOf } from './relay-troubles.ts';

export type RelayRouteDeps = AdoptDeps &
  Omit<ShownBy, 'book' | 'views' | 'work'> & {
    book: RelayBook;
    work: RelayWork;
    discovered: DiscoveredRelays;
    /** Reads a control point anew. */
    refresh: (id: string) => Promise<ControlView | null>;
    /** Farms whose things the user may see. */
    mayRead: (farmId: string, userId: string) => Promise<boolean>;
    /** Throws 403 where the caller may not see what knocked at the box. */
    requireCards: (caller: Caller) => Promise<void>;
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
        return { answer: registerAnswer(request.query, deps.discovered.list()) };
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
        const { discovered_id } = request.body;
        // of what knocked at the box, of whatever farm, learns who may see it
        if (discovered_id !== undefined) await deps.requireCards(signedIn(request));
        const view = await fresh(request.params.control_point_id);
        const adopted = adoptRelay(deps, view, signedIn(request), request.body);
        const { row } = adopted.answer;
        const settings = settingsFor(deps, adopted.answer, request.body, hostOf(request.origin));
        const shown = relayAnswerOf(shownWith(deps, row), row);
        if (shown === null) throw notFound('Control point');
        if (discovered_id !== undefined) deps.discovered.forget(discovered_id);
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
      const { farm_id } = request.query;
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
      return { answer: registerAnswer(request.query, rows) };
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

type ShownBy = {
  now: () => number;
  monotonic: () => number;
  views: Pick<ControlViews, 'byId'>;
  book: Pick<RelayBook, 'meterOf'>;
  work: Pick<RelayWork, 'sessionOfRelay' | 'wantedPowerOn' | 'canEnd'>;
};

/** A relay as its readers see it; null when its control point is gone. */
function relayAnswerOf(deps: ShownBy, row: Relay): RelayAnswer | null {
  const view = deps.views.byId(row.id);
  if (view === null) return null;
  const session = deps.work.sessionOfRelay(row);
  const channel = session?.channels.get(row.channel) ?? null;
  const facts = channel?.facts ?? {};
  const device = session?.device ?? {};
  const meter = deps.book.meterOf(row.id);
  const waitsMs = channel?.deferredTo == null ? null : channel.deferredTo - deps.monotonic();
  return {
    control_point_id: row.id,
    farm_id: view.row.farm_id,
    cod: view.row.cod,
    kind: row.kind,
    channel: row.channel,
    carrier_id: row.carrier_id === row.id ? null : row.carrier_id,
    load: row.load,
    mqtt_id: session?.mqttId ?? view.mqttId,
    mac: device.mac ?? row.mac,
    model: device.model ?? row.model,
    created_at: row.created_at,
    is_connected: session?.controller != null,
    is_listening: session?.isListening ?? false,
    last_message_at: session?.heard == null ? null : isoOf(session.heard.atMs),
    target_status: targetOf(view).target_status,
    current_status: facts.current ?? null,
    sends_in_s: waitsMs === null ? null : Math.max(0, Math.ceil(waitsMs / 1000)),
    sends_at: waitsMs === null ? null : isoOf(deps.now() + waitsMs),
    firmware_version: device.firmware ?? null,
    address: device.address ?? null,
    restart_reason: device.restartReason ?? null,
    uptime_s: device.uptimeS ?? null,
    rssi: device.rssi ?? null,
    power_w: facts.powerW ?? null,
    voltage_v: facts.voltageV ?? null,
    current_a: facts.currentA ?? null,
    power_factor: facts.powerFactor ?? null,
    temperature_c: facts.temperatureC ?? null,
    energy:
      meter === null
        ? null
        : { counted_wh: meter.counted_wh, epoch: meter.epoch, refused_jumps: meter.refused },
    warnings: session === null || channel === null ? [] : warningsOf(deps, row, session, channel),
  };
}

/** What is not as it should be, each with what to do next. */
function warningsOf(
  { work, monotonic }: ShownBy,
  row: Relay,
  session: Session,
  channel: Channel,
): { code: RelayWarning; message: string }[] {
  const warnings: { code: RelayWarning; message: string }[] = [];
  const warn = (code: RelayWarning, message: string) => void warnings.push({ code, message });
  const { facts, sent, changeCause, errors, refused } = channel;
  const powerOn = work.wantedPowerOn(row.carrier_id, row);
  const trouble = troubleOf(session, channel, monotonic());
  if (trouble !== null) warn(trouble.code, trouble.sentence.en);
  const isDeaf = session.controller !== null && !session.isListening && session.unsupported === null;
  if (isDeaf && trouble?.code !== 'NOT_LISTENING')
    warn(
      'NOT_LISTENING',
      `It came in and does not hear its orders: its topic must be ${session.mqttId}; paste the settings again`,
    );
  if (session.hasFastCycleReset === true)
    warn(
      'FAST_CYCLE_RESET',
      'A few short power cuts put this relay back to its factory settings: type SetOption65 1 into its console',
    );
  if (facts.powerOn !== undefined && facts.powerOn !== powerOn)
    warn(
      'POWER_ON_STATE',
      'After a power cut this relay does not do what the fail-safe of the control point says: paste the settings again',
    );
  if (facts.autoOffS !== undefined && facts.autoOffS > 0)
    warn(
      'AUTO_OFF',
      `This relay switches itself off after ${facts.autoOffS} s: take its timer out (PulseTime, auto off)`,
    );
  if (facts.autoOnS !== undefined && facts.autoOnS > 0)
    warn(
      'AUTO_OFF',
      `This relay switches itself on again after ${facts.autoOnS} s: take its timer out (auto on)`,
    );
  if (!work.canEnd(row))
    warn(
      'NO_END_TIMER',
      'This relay cannot end an order by itself: without the gateway the pause or the run goes on beyond its end',
    );
  const isElsewhere = facts.current !== targetNow(channel, monotonic());
  if (sent !== null && sent.tries > 1 && changeCause === null && isElsewhere)
    warn('NOT_CONFIRMED', 'It was told several times and does not do it: look at the relay and its load');
  if (refused !== null && trouble?.code !== 'REFUSED_BY_RELAY')
    warn('REFUSED_BY_RELAY', `The relay refused the order: ${refused}`);
  if (errors.length > 0)
    warn('OVERLOAD', `The relay protects itself (${errors.join(', ')}): look at the motor and its wiring`);
  return warnings;
}
