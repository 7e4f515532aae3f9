import { signal } from '@preact/signals';
import type { CommandEvent, StreamEventName } from '#contract/events/stream.ts';
import type { ControlPointAnswer, PendingOrder } from '#contract/resources/control-points.ts';
import { UNTOLD, WITHDRAWN } from '#contract/words.ts';
import { newerOrder, type RemoteOrder } from '../state/remote-order.ts';
import { get } from './api.ts';
import { serverNow } from './clock.ts';
import { controlPoints, farm, onEvent } from './farm-store.ts';
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
export function notePending(controlPointId: string, pending: PendingOrder, issuedAt: number): void {
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
  const points = await get<ControlPointAnswer[]>('/control-points/', { farm_id: shown.id });
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
