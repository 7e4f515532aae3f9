import type { SwitchState } from '#contract/words.ts';

/** Somebody's "turn on" or "turn off". `sequence` is the version it raised; `until` ends it (from `for_s`). */
export type ManualOrder = {
  id: string;
  at: number;
  sequence: number;
  target: SwitchState;
  origin: 'LOCAL' | 'REMOTE';
  until: number | null;
};

/** A schedule event that ends orders older than it. `endsOnlyOff`: a window for ON that was entered in its middle. */
export type EndingEvent = { at: number; endsOnlyOff: boolean };

// Rules of manual orders
// 1. Order of issue is `sequence`. Times only decide between equal sequences: the clock may have been set back between
//    two orders, and the later order is still the later wish.
// 2. A local order outranks a remote one, whichever came later: who stands at the pond sees what others do not. A
//    remote order given meanwhile is not lost; it holds as soon as no local one does.
// 3. Within a rank the latest order wins.
// 4. An order without `until` is a change of mind. It replaces for good every earlier order of its own rank or below,
//    timed ones included, and holds until the first schedule event strictly after it: an instant at which the schedule
//    that decides changes, also where the level stays the same (schedule-windows.ts, rule 5). (Given at 18:00:00 sharp,
//    it is the answer to what happened at 18:00, not undone by it.)
// 5. An order with `until` is a cover laid over everything below: it holds exactly until then, schedule events inside do
//    not end it, and afterwards all is as if it had never been: an earlier order without `until` holds again unless a
//    schedule event came after that order in the meantime, an earlier timed order holds for the rest of its own time.
// 6. What is over stays over: neither a replaced order nor one ended by a schedule event comes back as time goes on.
//    Changing or deleting a schedule takes its past events away, so the caller records what `endedOrders` names before
//    it stores such a change, and passes those orders no more.

/** Orders that no later order replaced, strongest first. */
export function standingOrders(orders: readonly ManualOrder[]): ManualOrder[] {
  const standing: ManualOrder[] = [];
  let replacedUpTo = -1;
  for (const order of [...orders].sort(latestFirst)) {
    const isReplaced = rankOf(order) <= replacedUpTo;
    if (!isReplaced) standing.push(order);
    if (order.until === null) replacedUpTo = Math.max(replacedUpTo, rankOf(order));
  }
  // A stable sort: within a rank the latest stays first.
  return standing.sort((a, b) => rankOf(b) - rankOf(a));
}

/** The order that decides at `now`, out of the standing ones; `latest` is the latest schedule event that counts. */
export function holdingOrder(
  standing: readonly ManualOrder[],
  now: number,
  latest: EndingEvent | null,
): ManualOrder | null {
  return standing.find((order) => isInForce(order, now, latest)) ?? null;
}

/** Orders that will never hold again; the caller may mark them ended and forget them. */
export function endedOrders(
  orders: readonly ManualOrder[],
  now: number,
  latest: EndingEvent | null,
): ManualOrder[] {
  const live = new Set(standingOrders(orders).filter((order) => isInForce(order, now, latest)));
  return orders.filter((order) => !live.has(order));
}

/**
 * When the last timed order stronger than `order` ended: from then on what lies under it decides again. -Infinity when
 * there was none. Null stands for the rules, which lie under every order.
 */
export function lastCoverEnd(
  standing: readonly ManualOrder[],
  order: ManualOrder | null,
  now: number,
): number {
  const covers = order === null ? standing : standing.slice(0, standing.indexOf(order));
  const ends = covers.map((cover) => cover.until ?? Number.NEGATIVE_INFINITY).filter((until) => until <= now);
  return Math.max(Number.NEGATIVE_INFINITY, ...ends);
}

function isInForce(order: ManualOrder, now: number, latest: EndingEvent | null): boolean {
  if (order.until !== null) return now < order.until;
  return latest === null || latest.at <= order.at || (latest.endsOnlyOff && order.target === 'ON');
}

function rankOf(order: ManualOrder): number {
  return order.origin === 'LOCAL' ? 1 : 0;
}

function latestFirst(a: ManualOrder, b: ManualOrder): number {
  return b.sequence - a.sequence || b.at - a.at || (a.id < b.id ? 1 : -1);
}
