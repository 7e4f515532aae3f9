import { controlPoint, order } from '#contract/resources/control-points.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { type Change, update } from '#core/changes.ts';
import type { ControlView, ControlViews, Order } from '#core/control-view.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { BELIEVED_AHEAD_MS } from './control-facts.ts';

export type StampDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit' | 'log'> & { views: ControlViews };

export type Stamps = {
  /** The clock was set by so many milliseconds; called right after. */
  follow: (steppedBy: number) => Promise<void>;
  /** Looks once, at the first trusted look of a run, for what an earlier run stamped with a clock that was ahead. */
  look: () => Promise<void>;
};

/** Instants read a moment ago may lie a little ahead. */
const AHEAD_MS = 2_000;
const ROWS_A_COMMIT = 200;

/**
 * Orders and schedules are compared by their times. What was given while the clock was an hour ahead lies in the future
 * once it is right again, and would keep tonight's aeration from starting until then. So it keeps its age instead: a
 * step back takes along what it left ahead, and a step forward after it (it was the step back that was wrong) brings
 * just that back. Stamps more than a day ahead count as long past anyway (control-facts).
 */
export function createStamps(deps: StampDeps): Stamps {
  /** What was moved in this run, by row: the stamp it got, and by how much. */
  const movedById = new Map<string, { to: string; by: number }>();
  let hasLooked = false;

  async function move(by: (stampedAt: number, id: string) => number): Promise<void> {
    const changes = [...deps.views.all()].flatMap((view) => changesOf(view, by));
    for (let from = 0; from < changes.length; from += ROWS_A_COMMIT) {
      await deps.commit({ changes: changes.slice(from, from + ROWS_A_COMMIT), actor: null });
    }
    if (changes.length > 0) {
      deps.log.warn({ rows: changes.length }, 'orders and schedules keep their age over a step of the clock');
    }
  }

  function changesOf(view: ControlView, by: (stampedAt: number, id: string) => number): Change[] {
    const { row } = view;
    const moved = (id: string, stamp: string) => {
      const shift = by(Date.parse(stamp), id);
      if (shift === 0) return null;
      const to = isoOf(Date.parse(stamp) + shift);
      movedById.set(id, { to, by: (movedById.get(id)?.by ?? 0) + shift });
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

  async function trying(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      // what is left ahead is found by the next look
      hasLooked = false;
      deps.log.warn(
        { err: error },
        'orders and schedules could not follow a step of the clock; it is tried again',
      );
    }
  }

  return {
    follow: (steppedBy) =>
      trying(async () => {
        const isFar = Math.abs(steppedBy) > BELIEVED_AHEAD_MS;
        await move((stampedAt, id) => {
          if (isFar) return 0;
          return steppedBy > 0 ? backBy(steppedBy, id, stampedAt) : isAhead(stampedAt) ? steppedBy : 0;
        });
      }),
    async look() {
      if (hasLooked || deps.clockQuality() !== 'trusted') return;
      hasLooked = true;
      // by how much that clock was wrong nobody knows: what it stamped was given just now at the latest
      await trying(() => move((stampedAt) => (isAhead(stampedAt) ? deps.now() - stampedAt : 0)));
    },
  };
}
