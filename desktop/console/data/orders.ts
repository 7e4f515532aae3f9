import { signal } from '@preact/signals';
import type * as z from 'zod';
import type { orderAnswer } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { post } from './api.ts';
import { serverNow } from './clock.ts';
import { noteOrdered } from './farm-store.ts';
import { notePending } from './remote-orders.ts';

// Orders that this screen gave and the store has not shown yet: at most one per control point is on its way.

type Given = { target: SwitchState; at: number };
const given = signal<ReadonlyMap<string, Given>>(new Map());

/** When this screen last gave an order, `performance.now()`. */
export const lastOrderAt = () => lastAt;
let lastAt = Number.NEGATIVE_INFINITY;

export const orderUnderWay = (controlPointId: string): Given | null =>
  given.value.get(controlPointId) ?? null;

/** How an order goes to a farm that has its own gateway. */
export type FromAfar = { expiresInS: number; isForced: boolean };

/** `forS`: holds for so many seconds, then the rules decide again; null: until something else is ordered or due. */
export type How = { forS?: number | null; fromAfar?: FromAfar | undefined };

/** An order that was taken. `version`: of the target that it made; null while its way to the farm is not over. */
export type Taken = { version: number | null };

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
    const { pending, target_status, version, last_command_at } = await post<z.infer<typeof orderAnswer>>(
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
