import { signal } from '@preact/signals';
import type { CommandEvent, StreamEventName } from '#contract/events/stream.ts';
import type { PendingOrder } from '#contract/resources/control-points.ts';
import { type SwitchState, UNTOLD, WITHDRAWN } from '#contract/words.ts';
import { newerOrder, type RemoteOrder } from '../state/remote-order.ts';
import { get, post } from './api.ts';
import { serverNow } from './clock.ts';
import { controlPoints, farm, noteOrdered, onEvent } from './farm-store.ts';
import { isHosted } from './instance.ts';

// Orders that this instance passes on to the gateway of a farm: the last one to each control point.

const orders = signal<ReadonlyMap<string, RemoteOrder>>(new Map());

export const remoteOrder = (controlPointId: string): RemoteOrder | undefined =>
  orders.value.get(controlPointId);

function put(controlPointId: string, told: Omit<RemoteOrder, 'version' | 'epoch' | 'isOnDevice'>): void {
  const { version = 0, epoch = '' } = controlPoints.value.get(controlPointId) ?? {};
  const row = { ...told, isOnDevice: false, version, epoch };
  const next = newerOrder(orders.value.get(controlPointId), row);
  orders.value = new Map(orders.value).set(controlPointId, next);
}

/** What the answer to an order, or a control point that was asked for, tells of the one on its way. */
function notePending(controlPointId: string, pending: PendingOrder, issuedAt: number): void {
  put(controlPointId, {
    id: pending.id,
    target: pending.target_status,
    state: pending.state,
    stateAt: serverNow(),
    issuedAt,
    expiresAt: Date.parse(pending.expires_at),
  });
}

function endOf(result: string | null): Pick<RemoteOrder, 'end'> {
  if (result === null) return {};
  return UNTOLD.includes(result) ? { end: 'untold' } : WITHDRAWN.includes(result) ? { end: 'withdrawn' } : {};
}

function noteCommand(told: CommandEvent): void {
  put(told.control_point_id, {
    id: told.id,
    target: told.target_status,
    state: told.state,
    stateAt: Date.parse(told.state_at),
    issuedAt: Date.parse(told.issued_at),
    expiresAt: Date.parse(told.expires_at),
    ...endOf(told.result),
  });
}

/** The order that the gateway made of it has the same id. */
function noteOrder(told: { id: string; control_point_id: string; state: string }): void {
  const known = orders.value.get(told.control_point_id);
  if (known?.id !== told.id || told.state !== 'ACKED' || known.isOnDevice) return;
  orders.value = new Map(orders.value).set(told.control_point_id, { ...known, isOnDevice: true });
}

/** Those that were on their way before this page was opened. */
async function seed(): Promise<void> {
  const shown = farm.value;
  if (shown === null || !isHosted.value) return;
  const askedAt = serverNow();
  const points = await get('/control-points/', { farm_id: shown.id });
  for (const { id, pending } of points) if (pending !== undefined) notePending(id, pending, askedAt);
}

const takers: Partial<Record<StreamEventName, (data: unknown) => void>> = {
  command: (data) => noteCommand(data as CommandEvent),
  order: (data) => noteOrder(data as Parameters<typeof noteOrder>[0]),
  snapshot: () => void seed().catch(() => undefined),
};

export function startRemoteOrders(): void {
  onEvent(({ name, data }) => takers[name as StreamEventName]?.(data));
  isHosted.subscribe(() => void seed().catch(() => undefined));
  farm.subscribe(() => void seed().catch(() => undefined));
}

// Orders that this screen gave and the store has not shown yet: at most one per control point is on its way.

type Given = { target: SwitchState; at: number };
const given = signal<ReadonlyMap<string, Given>>(new Map());

/** When this screen last gave an order, `performance.now()`. */
export const lastOrderAt = () => lastAt;
let lastAt = Number.NEGATIVE_INFINITY;

export const orderUnderWay = (controlPointId: string): Given | null =>
  given.value.get(controlPointId) ?? null;

/** How an order goes to a farm that has its own gateway. */
type FromAfar = { expiresInS: number; isForced: boolean };

/** `forS`: holds for so many seconds, then the rules decide again; null: until something else is ordered or due. */
export type How = { forS?: number | null; fromAfar?: FromAfar | undefined };

/** An order that was taken. `version`: of the target that it made; null while its way to the farm is not over. */
type Taken = { version: number | null };

/** null when one is on its way already: a second press never queues a second order. */
export async function order(
  controlPointId: string,
  target: SwitchState,
  how: How = {},
): Promise<Taken | null> {
  if (given.value.has(controlPointId)) return null;
  lastAt = performance.now();
  given.value = new Map(given.value).set(controlPointId, { target, at: lastAt });
  try {
    const { pending, target_status, version, last_command_at } = await post(
      `/control-points/${controlPointId}/turn-${target === 'ON' ? 'on' : 'off'}`,
      bodyOf(how),
    );
    if (pending === undefined) noteOrdered(controlPointId, { target_status, version, last_command_at });
    else notePending(controlPointId, pending, serverNow());
    return { version: pending === undefined ? version : null };
  } finally {
    const next = new Map(given.value);
    next.delete(controlPointId);
    given.value = next;
  }
}

function bodyOf({ forS = null, fromAfar }: How): Record<string, unknown> | undefined {
  if (forS === null && fromAfar === undefined) return undefined;
  return {
    ...(forS === null ? {} : { for_s: forS }),
    ...(fromAfar === undefined ? {} : { expires_in_s: fromAfar.expiresInS }),
    ...(fromAfar?.isForced === true ? { force: true } : {}),
  };
}
