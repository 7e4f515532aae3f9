import { controlPoint, order } from '#contract/resources/control-points.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { perform } from '#core/use-case.ts';
import type { ControlView, ControlViews, Order } from '../control-view.ts';
import { BELIEVED_AHEAD_MS } from './control-facts.ts';

export type StampDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'log'> & {
  views: ControlViews & { refresh: (id: string) => Promise<ControlView | null> };
};

export type Stamps = {
  /** The clock was set by so many milliseconds; called right after. */
  follow: (steppedBy: number) => Promise<void>;
  /**
   * Looks once, at the first trusted look of a run, for what an earlier run stamped with a clock that was ahead, and
   * does what a step left undone.
   */
  look: () => Promise<void>;
};

/** By how much a stamp is to be moved; 0: it stays. */
type Shift = (stampedAt: number, id: string) => number;
type Moved = { id: string; to: string; shift: number };

/** Instants read a moment ago may lie a little ahead. */
const AHEAD_MS = 2_000;
/** Each for itself: whoever else changes a control point meanwhile makes only that one be decided again. */
const POINTS_AT_ONCE = 50;
/** Rows whose way back is known; whoever sets the clock decides how often it steps. */
const MOST_MOVED = 100_000;
/** Steps that wait while the disk takes nothing: a clock that steps every minute does so for half a day. */
const MOST_OWED = 1_000;

/**
 * Orders and schedules are compared by their times. What was given while the clock was an hour ahead lies in the future
 * once it is right again, and would keep tonight's aeration from starting until then. So it keeps its age instead: a
 * step back takes along what it left ahead, and a step forward after it (it was the step back that was wrong) brings
 * just that back. Stamps more than a day ahead count as long past anyway (control-facts).
 */
export function createStamps(deps: StampDeps): Stamps {
  /** What was moved in this run, by row: the stamp it got, and by how much. */
  const movedById = new NewestMap<string, { to: string; by: number }>(MOST_MOVED);
  let hasLooked = false;
  /** Steps that could not be followed to the end. What was moved already is not ahead any more: once more does no harm. */
  let owed: number[] = [];

  async function move(by: Shift): Promise<void> {
    const ids = [...deps.views.all()].map(({ row }) => row.id);
    let rows = 0;
    const failures: unknown[] = [];
    for (let from = 0; from < ids.length; from += POINTS_AT_ONCE) {
      const some = await Promise.allSettled(
        ids.slice(from, from + POINTS_AT_ONCE).map((id) => movePoint(id, by)),
      );
      for (const each of some) {
        if (each.status === 'fulfilled') rows += each.value;
        else failures.push(each.reason);
      }
    }
    if (rows > 0) deps.log.warn({ rows }, 'orders and schedules keep their age over a step of the clock');
    if (failures.length > 0) throw failures[0];
  }

  /** The number of rows moved. */
  async function movePoint(id: string, by: Shift): Promise<number> {
    let moved: Moved[] = [];
    let isRerun = false;
    const { committed } = await perform(deps, null, async () => {
      moved = [];
      const view = isRerun ? await deps.views.refresh(id) : deps.views.byId(id);
      isRerun = true;
      return { answer: undefined, changes: view === null ? [] : changesOf(view, by, moved) };
    });
    for (const each of moved) {
      movedById.set(each.id, { to: each.to, by: (movedById.get(each.id)?.by ?? 0) + each.shift });
    }
    return committed.rows.length;
  }

  function changesOf(view: ControlView, by: Shift, noted: Moved[]): Change[] {
    const { row } = view;
    const moved = (id: string, stamp: string) => {
      const shift = by(Date.parse(stamp), id);
      if (shift === 0) return null;
      const to = isoOf(Date.parse(stamp) + shift);
      noted.push({ id, to, shift });
      return { to, shift };
    };
    const base = moved(`base ${row.id}`, row.base_at);
    const command = row.last_command_at === null ? null : moved(`command ${row.id}`, row.last_command_at);
    const ofPoint = {
      ...(base === null ? {} : { base_at: base.to }),
      ...(command === null ? {} : { last_command_at: command.to }),
    };
    return [
      ...(base === null && command === null ? [] : [update(controlPoint, row, ofPoint)]),
      ...view.manualOrders.flatMap((given) => {
        if (given.hold_until !== null && view.endOf !== undefined) return shownAnew(view, given);
        const at = moved(given.id, given.issued_at);
        if (at === null) return [];
        const { hold_until } = given;
        const until = hold_until === null ? null : isoOf(Date.parse(hold_until) + at.shift);
        return [update(order, given, { issued_at: at.to, hold_until: until })];
      }),
      ...view.schedules.flatMap((rule) => {
        const from = moved(rule.id, rule.effective_from);
        return from === null ? [] : [update(schedule, rule, { effective_from: from.to })];
      }),
    ];
  }

  /** The end of a temporary order is counted without this clock; its row shows it by the clock as it is now. */
  function shownAnew(view: ControlView, given: Order): Change[] {
    const shown = Date.parse(given.hold_until ?? '');
    const until = view.endOf?.(given) ?? shown;
    const isOver = until <= deps.now() && shown <= deps.now();
    const shift = until - shown;
    if (isOver || Math.abs(shift) <= AHEAD_MS) return [];
    const issued_at = isoOf(Date.parse(given.issued_at) + shift);
    return [update(order, given, { issued_at, hold_until: isoOf(until) })];
  }

  const isAhead = (stampedAt: number) => {
    const aheadMs = stampedAt - deps.now();
    return aheadMs > AHEAD_MS && aheadMs <= BELIEVED_AHEAD_MS;
  };

  /** How far a step forward brings a row back that a step back had moved; it must not have changed since. */
  function backBy(steppedBy: number, id: string, stampedAt: number): number {
    const before = movedById.get(id);
    if (before === undefined || before.by >= 0 || Date.parse(before.to) !== stampedAt) return 0;
    return Math.min(steppedBy, -before.by);
  }

  /** One after the other: a step may come while the one before it is still followed. */
  let working: Promise<unknown> = Promise.resolve();
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    const done = working.then(act);
    working = done;
    return done;
  };

  async function followOwed(): Promise<void> {
    // `owed` is replaced, never changed: what comes meanwhile has its own turn
    for (const steppedBy of owed) {
      // after a far step stamps count as long past; only the ends of temporary orders are shown anew
      const isFar = Math.abs(steppedBy) > BELIEVED_AHEAD_MS;
      await move((stampedAt, id) => {
        if (isFar) return 0;
        return steppedBy > 0 ? backBy(steppedBy, id, stampedAt) : isAhead(stampedAt) ? steppedBy : 0;
      });
      owed = owed.slice(1);
    }
  }

  /** True when it was done. */
  async function trying(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      deps.log.warn(
        { err: error },
        'orders and schedules could not follow a step of the clock; it is tried again',
      );
      return false;
    }
  }

  return {
    async follow(steppedBy) {
      owed = [...owed, steppedBy].slice(-MOST_OWED);
      await inTurn(async () => void (await trying(followOwed)));
    },
    async look() {
      if (deps.clockQuality() !== 'trusted' || (hasLooked && owed.length === 0)) return;
      await inTurn(async () => {
        if (!(await trying(followOwed)) || hasLooked) return;
        // by how much that clock was wrong nobody knows: what it stamped was given just now at the latest
        hasLooked = await trying(() =>
          move((stampedAt) => (isAhead(stampedAt) ? deps.now() - stampedAt : 0)),
        );
      });
    },
  };
}
