import type { Origin, SwitchState } from '#contract/words.ts';
import { isoOf } from '#core/kernel.ts';
import type { WantedState } from './wanted-state.ts';

/** What a control point should do, in the words of an order. */
export type Wish = {
  target: SwitchState;
  origin: Origin;
  reason: string;
  /** End of the order that holds again, ms; null: until something else decides. */
  holdUntil: number | null;
  details: Record<string, unknown>;
};

export function asWish(wanted: WantedState, now: number): Wish {
  const { target, cause } = wanted;
  switch (cause.kind) {
    case 'lock_out':
      return { target, origin: 'SAFETY', reason: 'locked out', holdUntil: null, details: {} };
    case 'safety':
      return {
        target,
        origin: 'SAFETY',
        reason: cause.demand.reason,
        holdUntil: null,
        details: { demand: cause.demand.kind, ...cause.demand.details },
      };
    case 'order':
      return {
        target,
        origin: cause.order.origin,
        reason: 'an order of a person holds again',
        // told anew it must not last longer than it was given for
        holdUntil: cause.order.until,
        details: { order_id: cause.order.id },
      };
    case 'schedule':
      return {
        target,
        origin: 'SCHEDULE',
        reason: 'schedule',
        holdUntil: null,
        details: {
          schedule_id: cause.event.schedule_id,
          // a window may have been entered in its middle, or an order have covered its start
          due_at: isoOf(wanted.since),
          late_s: Math.round((now - wanted.since) / 1000),
        },
      };
    case 'base':
      return {
        target,
        origin: 'SCHEDULE',
        reason: 'no order and no schedule says otherwise',
        holdUntil: null,
        details: {},
      };
  }
}
