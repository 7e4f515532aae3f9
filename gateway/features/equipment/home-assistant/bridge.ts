import { plainNumber } from '#contract/plain-number.ts';
import type { HomeAssistantAnswer } from '#contract/resources/home-assistant.ts';
import type { SwitchState } from '#contract/words.ts';
import { AppError } from '#core/errors.ts';
import { isoOf, type Log } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { roundTo } from '#core/rounding.ts';
import { type ControlView, currentOf, isOnline, targetOf } from '#features/control/control-view.ts';

// What Home Assistant is told, in the words of its MQTT discovery: one device for each control point, with a switch
// where it may order and a lamp where it may only look, the power, and whether the controller is there.

/** What Home Assistant listens to for new things by default. */
const DISCOVERY = 'homeassistant';
/** Where it says that it has started. */
const BIRTH_TOPIC = `${DISCOVERY}/status`;

type HaMessage = { topic: string; payload: string };

type HaNames = {
  /** Id of this gateway; several may be shown by one Home Assistant. */
  gatewayId: string;
  takesOrders: boolean;
};

const rootOf = ({ gatewayId }: HaNames): string => `shrimp-farm/${gatewayId}`;
export const statusTopic = (names: HaNames): string => `${rootOf(names)}/status`;
const orderFilter = (names: HaNames): string => `${rootOf(names)}/+/set`;

/** What its broker keeps of control points that were told of, by this run or an earlier one. */
const keptFilter = (names: HaNames): string => `${rootOf(names)}/+/online`;

/** The control point an order is for; null: none of ours. */
const orderedPoint = (names: HaNames, topic: string) => pointIn(names, topic, 'set');
/** The control point that its broker keeps; null: none of ours. */
const keptPoint = (names: HaNames, topic: string) => pointIn(names, topic, 'online');

function pointIn(names: HaNames, topic: string, last: string): string | null {
  const root = `${rootOf(names)}/`;
  if (!topic.startsWith(root) || !topic.endsWith(`/${last}`)) return null;
  const id = topic.slice(root.length, -last.length - 1);
  return /^[0-9a-f-]{36}$/.test(id) ? id : null;
}

/** ON and OFF and nothing else: a word that toggles would depend on what somebody believes. */
function readOrder(payload: string): 'ON' | 'OFF' | null {
  return payload === 'ON' || payload === 'OFF' ? payload : null;
}

const idOf = (controlPointId: string, part: string): string =>
  `shrimp_${controlPointId.replaceAll('-', '')}_${part}`;
const configTopic = (controlPointId: string, component: string, part: string): string =>
  `${DISCOVERY}/${component}/${idOf(controlPointId, part)}/config`;

/** Configuration of each entity; kept by the broker of Home Assistant. */
function configOf(names: HaNames, view: Pick<ControlView, 'row' | 'farmName' | 'ponds'>): HaMessage[] {
  const { row, farmName, ponds } = view;
  // alarms alone switch a siren: a switch that refuses would look like one that failed
  const takesOrders = names.takesOrders && !row.is_siren;
  const base = `${rootOf(names)}/${row.id}`;
  const id = (part: string) => idOf(row.id, part);
  const common = {
    device: {
      identifiers: [`shrimp-farm-${row.id}`],
      name: row.cod,
      manufacturer: 'Shrimp farm gateway',
      model: row.is_siren
        ? 'Siren'
        : ponds.length === 0
          ? 'Control point'
          : `Aeration of ${ponds.map(({ cod }) => cod).join(', ')}`,
      suggested_area: farmName,
    },
    availability: [{ topic: statusTopic(names) }],
  };
  const isThere = {
    availability: [{ topic: statusTopic(names) }, { topic: `${base}/online` }],
    availability_mode: 'all',
  };
  const entities: [string, string, object][] = [
    [
      takesOrders ? 'switch' : 'binary_sensor',
      'relay',
      {
        name: takesOrders ? null : 'Running',
        state_topic: `${base}/state`,
        ...(takesOrders
          ? {
              command_topic: `${base}/set`,
              payload_on: 'ON',
              payload_off: 'OFF',
              optimistic: false,
              retain: false,
            }
          : { device_class: 'running', payload_on: 'ON', payload_off: 'OFF' }),
        ...isThere,
      },
    ],
    [
      'sensor',
      'power',
      {
        name: 'Power',
        state_topic: `${base}/power`,
        device_class: 'power',
        state_class: 'measurement',
        unit_of_measurement: 'kW',
        ...isThere,
      },
    ],
    [
      'sensor',
      'target',
      { name: 'Wanted', state_topic: `${base}/target`, device_class: 'enum', options: ['ON', 'OFF'] },
    ],
    [
      'binary_sensor',
      'online',
      {
        name: 'Controller',
        state_topic: `${base}/online`,
        device_class: 'connectivity',
        payload_on: 'online',
        payload_off: 'offline',
        entity_category: 'diagnostic',
      },
    ],
  ];
  const topicOf = (component: string, part: string) => configTopic(row.id, component, part);
  return [
    // what it was before it became a siren, or before orders were allowed
    { topic: topicOf(takesOrders ? 'binary_sensor' : 'switch', 'relay'), payload: '' },
    ...entities.map(([component, part, body]) => ({
      topic: topicOf(component, part),
      payload: JSON.stringify({ unique_id: id(part), object_id: id(part), ...common, ...body }),
    })),
  ];
}

/** Every entity a control point has, or had as a siren or when orders were allowed. */
const ENTITIES = [
  ['switch', 'relay'],
  ['binary_sensor', 'relay'],
  ['sensor', 'power'],
  ['sensor', 'target'],
  ['binary_sensor', 'online'],
] as const;

/** Takes everything of a control point out of Home Assistant: empty messages clear what its broker keeps. */
function removalOf(names: HaNames, controlPointId: string): HaMessage[] {
  const base = `${rootOf(names)}/${controlPointId}`;
  const topics = [
    ...ENTITIES.map(([component, part]) => configTopic(controlPointId, component, part)),
    // the one by which a control point is known as kept goes last
    ...['state', 'power', 'target', 'online'].map((name) => `${base}/${name}`),
  ];
  return topics.map((topic) => ({ topic, payload: '' }));
}

/** How a control point stands now. */
function statesOf(
  names: HaNames,
  view: Pick<ControlView, 'row' | 'unsaved' | 'presence'>,
  at: { nowMs: number; onlineAfterMs: number },
): HaMessage[] {
  const base = `${rootOf(names)}/${view.row.id}`;
  const { presence } = view;
  const current = currentOf(view).current_status;
  return [
    {
      topic: `${base}/online`,
      payload: isOnline(presence, at.nowMs, at.onlineAfterMs) ? 'online' : 'offline',
    },
    // a relay that nobody heard of is neither
    { topic: `${base}/state`, payload: current ?? 'None' },
    { topic: `${base}/target`, payload: targetOf(view).target_status },
    { topic: `${base}/power`, payload: plainNumber(roundTo(presence.consumption, 3)) },
  ];
}

/** The connection to the broker of Home Assistant. */
export type HaLink = {
  /** Kept by its broker. False: not connected, or too much is unsent; what changed is told later. */
  keep: (message: HaMessage) => boolean;
};

type BridgeDeps = {
  now: () => number;
  monotonic: () => number;
  log: Log;
  names: HaNames;
  onlineAfterMs: number;
  address: string | null;
  ordersBy: string | null;
  /** Control points to be shown. */
  views: () => Iterable<ControlView>;
  viewById: (id: string) => ControlView | null;
  /** An order as a person gives it from afar; throws AppError when it may not be. */
  order: (controlPointId: string, target: SwitchState) => Promise<void>;
};

export type HomeAssistantBridge = ReturnType<typeof createBridge>;

/** A person presses a button now and then; an automation that flickers would wear a motor out. */
const ORDERS_PER_MINUTE = 6;
const MINUTE_MS = 60_000;
/** Each look at the control points sends at most this much, so that a large farm does not fill the line at once. */
const MOST_A_LOOK = 500;
const MOST_KNOWN = 10_000;

/** Shows control points to Home Assistant, and takes its orders where that is allowed. */
export function createBridge(deps: BridgeDeps) {
  const { names, log } = deps;
  const told = new Map<string, string>();
  /** Control points Home Assistant knows of. */
  const shown = new Set<string>();
  const ordersById = new NewestMap<string, number[]>(MOST_KNOWN);
  const state = {
    link: null as HaLink | null,
    since: null as number | null,
    lastError: null as string | null,
    taken: 0,
    refused: 0,
    lastRefusal: null as string | null,
  };

  /** Every second: what is new since the last look. */
  function look(): void {
    const { link } = state;
    if (link === null) return;
    const at = { nowMs: deps.now(), onlineAfterMs: deps.onlineAfterMs };
    const present = new Set<string>();
    let room = MOST_A_LOOK;
    const tell = (message: HaMessage): void => {
      if (room <= 0 || told.get(message.topic) === message.payload || !link.keep(message)) return;
      room -= 1;
      told.set(message.topic, message.payload);
    };
    for (const view of deps.views()) {
      present.add(view.row.id);
      shown.add(view.row.id);
      for (const message of [...configOf(names, view), ...statesOf(names, view, at)]) tell(message);
    }
    for (const id of shown) {
      if (present.has(id)) continue;
      const isRemoved = removalOf(names, id).every((message) => {
        told.delete(message.topic);
        return link.keep(message);
      });
      if (isRemoved) shown.delete(id);
    }
  }

  function refuse(why: string, id: string | null): void {
    state.refused += 1;
    state.lastRefusal = why;
    log.warn({ controlPointId: id, why }, 'an order of Home Assistant was refused');
    // its switch shows what it asked for until it hears how things stand
    const view = id === null ? null : deps.viewById(id);
    if (view === null) return;
    for (const { topic } of statesOf(names, view, { nowMs: deps.now(), onlineAfterMs: deps.onlineAfterMs })) {
      told.delete(topic);
    }
  }

  function isTooOften(id: string): boolean {
    const now = deps.monotonic();
    const recent = (ordersById.get(id) ?? []).filter((at) => now - at < MINUTE_MS);
    const isFull = recent.length >= ORDERS_PER_MINUTE;
    if (!isFull) recent.push(now);
    ordersById.set(id, recent);
    return isFull;
  }

  async function takeOrder(id: string, payload: string): Promise<void> {
    const target = readOrder(payload);
    const view = deps.viewById(id);
    if (view === null || target === null) {
      return refuse(
        target === null ? 'neither ON nor OFF' : 'no such control point',
        view === null ? null : id,
      );
    }
    if (isTooOften(id))
      return refuse(`more than ${ORDERS_PER_MINUTE} orders a minute to ${view.row.cod}`, id);
    try {
      await deps.order(id, target);
      state.taken += 1;
    } catch (error) {
      refuse(error instanceof AppError ? error.message : 'the order could not be stored', id);
      if (!(error instanceof AppError)) log.error({ err: error }, 'an order of Home Assistant failed');
    }
  }

  return {
    look,
    /** What is to be heard there. */
    filters: [BIRTH_TOPIC, keptFilter(names), ...(names.takesOrders ? [orderFilter(names)] : [])],
    connected(link: HaLink): void {
      Object.assign(state, { link, since: deps.now(), lastError: null });
      told.clear();
      look();
    },
    disconnected(why: string): void {
      if (state.link !== null || state.since === null) state.since = deps.now();
      state.link = null;
      state.lastError = why.slice(0, 200);
    },
    hear(topic: string, payload: string, isRetained: boolean): Promise<void> | undefined {
      if (topic === BIRTH_TOPIC) {
        // it has started and knows nothing
        if (payload === 'online') told.clear();
        return undefined;
      }
      const kept = keptPoint(names, topic);
      // one that was deleted while the bridge was down is taken out at the next look
      if (kept !== null && payload !== '' && shown.size < MOST_KNOWN) shown.add(kept);
      const id = orderedPoint(names, topic);
      if (id === null || !names.takesOrders) return undefined;
      // an order that a broker kept would switch a motor at every connect
      if (isRetained) {
        refuse('a retained order switches a motor at every connect: do not retain it', id);
        return undefined;
      }
      return takeOrder(id, payload);
    },
    status: (): HomeAssistantAnswer => ({
      is_configured: deps.address !== null,
      address: deps.address,
      is_connected: state.link !== null,
      since: state.since === null ? null : isoOf(state.since),
      last_error: state.lastError,
      control_points: shown.size,
      takes_orders: names.takesOrders,
      orders_by: deps.ordersBy,
      orders_taken: state.taken,
      orders_refused: state.refused,
      last_refusal: state.lastRefusal,
    }),
  };
}
