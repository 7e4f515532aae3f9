import { plainNumber } from '#contract/plain-number.ts';
import { roundTo } from '#core/rounding.ts';
import { type ControlView, currentOf, isOnline, targetOf } from '#features/control/control-view.ts';

// What Home Assistant is told, in the words of its MQTT discovery: one device for each control point, with a switch
// where it may order and a lamp where it may only look, the power, and whether the controller is there.

/** What Home Assistant listens to for new things by default. */
const DISCOVERY = 'homeassistant';
/** Where it says that it has started. */
export const BIRTH_TOPIC = `${DISCOVERY}/status`;

export type HaMessage = { topic: string; payload: string };

export type HaNames = {
  /** Id of this gateway; several may be shown by one Home Assistant. */
  gatewayId: string;
  takesOrders: boolean;
};

export const rootOf = ({ gatewayId }: HaNames): string => `shrimp-farm/${gatewayId}`;
export const statusTopic = (names: HaNames): string => `${rootOf(names)}/status`;
export const orderFilter = (names: HaNames): string => `${rootOf(names)}/+/set`;

/** What its broker keeps of control points that were told of, by this run or an earlier one. */
export const keptFilter = (names: HaNames): string => `${rootOf(names)}/+/online`;

/** The control point an order is for; null: none of ours. */
export const orderedPoint = (names: HaNames, topic: string) => pointIn(names, topic, 'set');
/** The control point that its broker keeps; null: none of ours. */
export const keptPoint = (names: HaNames, topic: string) => pointIn(names, topic, 'online');

function pointIn(names: HaNames, topic: string, last: string): string | null {
  const root = `${rootOf(names)}/`;
  if (!topic.startsWith(root) || !topic.endsWith(`/${last}`)) return null;
  const id = topic.slice(root.length, -last.length - 1);
  return /^[0-9a-f-]{36}$/.test(id) ? id : null;
}

/** ON and OFF and nothing else: a word that toggles would depend on what somebody believes. */
export function readOrder(payload: string): 'ON' | 'OFF' | null {
  return payload === 'ON' || payload === 'OFF' ? payload : null;
}

const idOf = (controlPointId: string, part: string): string =>
  `shrimp_${controlPointId.replaceAll('-', '')}_${part}`;
const configTopic = (controlPointId: string, component: string, part: string): string =>
  `${DISCOVERY}/${component}/${idOf(controlPointId, part)}/config`;

/** Configuration of each entity; kept by the broker of Home Assistant. */
export function configOf(names: HaNames, view: Pick<ControlView, 'row' | 'farmName' | 'ponds'>): HaMessage[] {
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
export function removalOf(names: HaNames, controlPointId: string): HaMessage[] {
  const base = `${rootOf(names)}/${controlPointId}`;
  const topics = [
    ...ENTITIES.map(([component, part]) => configTopic(controlPointId, component, part)),
    // the one by which a control point is known as kept goes last
    ...['state', 'power', 'target', 'online'].map((name) => `${base}/${name}`),
  ];
  return topics.map((topic) => ({ topic, payload: '' }));
}

/** How a control point stands now. */
export function statesOf(
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
