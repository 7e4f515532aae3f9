import type { OrderTimes } from '../control-view.ts';

export type OrderEndsDeps = {
  /** Milliseconds since 1970, as shown now; a step of the clock moves them. */
  now: () => number;
  monotonic: () => number;
  clockQuality: () => 'trusted' | 'estimated';
  /** The time that an earlier run last went by and wrote, ms since 1970; null: none did. */
  shownTime: number | null;
};

export type OrderEnds = {
  /** Orders that the database held when this run began: what is left of them was left at the last write at most. */
  seeStored: (orders: Iterable<OrderTimes>) => void;
  /** Orders given or changed since. */
  see: (orders: Iterable<OrderTimes>) => void;
  /** It is over now, whatever is left of it here. */
  end: (orderId: string) => void;
  forget: (ids: Iterable<string>) => void;
  /** ms since 1970 by the time shown now; null: the order has no end of its own. */
  endOf: (order: OrderTimes) => number | null;
};

type Counted = {
  holdUntil: string;
  /** On the monotonic clock. */
  endsAt: number;
  /** Of a run whose clock was trusted: its end is known by the clock too, once that is trusted again. */
  isByClock: boolean;
};

/**
 * Ends of temporary orders, counted on the clock that only grows: a step of the wall clock in either direction neither
 * shortens nor lengthens one, and what is over stays over. `hold_until` of the row is how the end is shown.
 *
 * Over a restart what is left is at most what was left when the time was last written (`shownTime`), and at most what the
 * order was given for: a clock that is behind lengthens nothing.
 */
export function createOrderEnds(deps: OrderEndsDeps): OrderEnds {
  const countedById = new Map<string, Counted>();
  const clock = { wasTrusted: false };

  function count(order: OrderTimes, leftMs: (until: number) => number, isStored: boolean): void {
    const { id, issued_at, hold_until } = order;
    if (hold_until === null) return void countedById.delete(id);
    const known = countedById.get(id);
    if (known?.holdUntil === hold_until) return;
    const until = Date.parse(hold_until);
    const givenFor = Math.max(0, until - Date.parse(issued_at));
    const endsAt = deps.monotonic() + Math.min(givenFor, leftMs(until));
    countedById.set(id, {
      holdUntil: hold_until,
      // an end only ever comes nearer
      endsAt: known === undefined ? endsAt : Math.min(known.endsAt, endsAt),
      isByClock: known?.isByClock ?? (isStored && order.clock_quality === 'trusted'),
    });
  }

  /** The first trusted time of this run tells how long the program was away. */
  function lookAtClock(): void {
    if (clock.wasTrusted || deps.clockQuality() !== 'trusted') return;
    clock.wasTrusted = true;
    for (const counted of countedById.values()) {
      if (!counted.isByClock) continue;
      const leftMs = Date.parse(counted.holdUntil) - deps.now();
      counted.endsAt = Math.min(counted.endsAt, deps.monotonic() + leftMs);
    }
  }

  return {
    seeStored(orders) {
      const from = Math.max(deps.now(), deps.shownTime ?? Number.NEGATIVE_INFINITY);
      for (const order of orders) count(order, (until) => until - from, true);
    },
    see(orders) {
      const now = deps.now();
      for (const order of orders) count(order, (until) => until - now, false);
    },
    end(orderId) {
      const counted = countedById.get(orderId);
      if (counted !== undefined) counted.endsAt = Math.min(counted.endsAt, deps.monotonic());
    },
    forget(ids) {
      for (const id of ids) countedById.delete(id);
    },
    endOf(order) {
      lookAtClock();
      const counted = countedById.get(order.id);
      if (counted === undefined) return order.hold_until === null ? null : Date.parse(order.hold_until);
      return Math.round(deps.now() + (counted.endsAt - deps.monotonic()));
    },
  };
}
