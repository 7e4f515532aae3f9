import { controlPoint } from '#contract/resources/control-points.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { audit } from '#core/audit.ts';
import { type Change, type Commit, purge, put, type Unit } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type { ControlView, ControlViews, Schedule } from '../control-view.ts';
import {
  type CameInTime,
  cameInTime,
  changesAfter,
  MARK_PREFIX,
  type Mark,
  markOf,
  NONE_IN_TIME,
  putMark,
  readMark,
  touchedPoints,
  voidApplied,
} from './merged-marks.ts';

type Arrivals = {
  /** Control points that a snapshot brings for the first time, and the rows that note it with them. */
  of: (unit: Unit) => { ids: string[]; changes: Change[] };
  /** From when a unit is decided until its commit failed or the farm is whole. */
  hold: (ids: readonly string[]) => void;
  letGo: (ids: readonly string[]) => void;
  /** The rows after which nothing is noted any more. */
  end: () => Change[];
  isHeld: (controlPointId: string) => boolean;
};

/** Without a word that the comparison is over, a farm that came is run after this long. */
const START_AFTER_MS = 120_000;

const ARRIVING_PREFIX = 'arriving:';

export type FollowMergedDeps = Pick<
  Kernel,
  'now' | 'newId' | 'idOf' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'guard' | 'log' | 'goFirst'
> & {
  /** Resolves when nothing that is decided here goes first; a merge begins then. */
  clearWay: () => Promise<void>;
  views: ControlViews & { refresh: (id: string) => Promise<ControlView | null> };
  monotonic: () => number;
  /** Of a farm that a gateway runs its control points' shadow is the gateway's to say: it has seen to that itself. */
  isRunByGateway: (farmId: string) => boolean;
  /** Marks that an earlier run left, oldest first. */
  storedMarks: () => Promise<{ id: string; value: string }[]>;
  /** Control points of farms that an earlier run had not got whole. */
  storedArrivals: () => Promise<string[]>;
};

export type FollowMerged = {
  /** Commits a unit that brings rows of the other instance, and then what belongs to them on this gateway. */
  commit: Commit;
  /** At start, before control looks at anything. */
  begin: () => Promise<void>;
  /** Does what an earlier run, or a disk that was full, left undone. */
  catchUp: () => Promise<void>;
  /** True while rows have come and what belongs to them is not here yet: control leaves the point alone for that moment. */
  isSettling: (controlPointId: string) => boolean;
};

/** What the other instance changed of the rules of control, taken over as if it had been changed here. */
export function createFollowMerged(deps: FollowMergedDeps): FollowMerged {
  const settling = new Map<string, number>();
  /** Left alone at the last look; they go first until the next: merges without a pause must not keep control off for good. */
  const leftAlone = new Map<string, () => void>();
  const arrivals = createArrivals(deps);

  function hold(ids: readonly string[], by: 1 | -1): void {
    for (const id of ids) {
      const count = (settling.get(id) ?? 0) + by;
      if (count > 0) settling.set(id, count);
      else settling.delete(id);
    }
  }

  async function follow(mark: Mark, isInTime: CameInTime): Promise<void> {
    let isRerun = false;
    await perform(deps, null, async () => {
      const views = Object.entries(mark.points).map(async ([id, before]) => {
        const guard = await deps.guard('control_point', id);
        const view = isRerun ? await deps.views.refresh(id) : deps.views.byId(id);
        if (view !== null && deps.isRunByGateway(view.row.farm_id)) return { guard, changes: [] };
        const following = { at: mark.at, isInTime, elsewhere };
        const late = view === null ? [] : voidApplied(view, before, following);
        const changes = changesAfter(id, view, before, following);
        return { guard, changes: [...changes, ...late.flatMap((of) => toldLate(view, of))] };
      });
      const points = await Promise.all(views);
      isRerun = true;
      const touched = points.filter(({ changes }) => changes.length > 0);
      return {
        answer: undefined,
        changes: [...touched.flatMap(({ changes }) => changes), purge(instanceValue, mark.id)],
        guards: touched.map(({ guard }) => guard),
      };
    });
  }

  function elsewhere(scheduleId: string): Schedule | null {
    return deps.views.byPart(scheduleId)?.schedules.find(({ id }) => id === scheduleId) ?? null;
  }

  function toldLate(view: ControlView | null, scheduleId: string): Change[] {
    if (view === null) return [];
    const { farm_id, id, cod } = view.row;
    return [
      audit(deps, {
        farm_id,
        entity_type: 'CONTROL_POINT',
        entity_id: id,
        entity_name: cod,
        action: 'update',
        user_id: null,
        details: { schedule_id: scheduleId, apply_now: 'TOO_LATE' },
      }),
    ];
  }

  function failed(error: unknown): void {
    deps.log.warn(
      { err: error },
      'what belongs to schedules and settings from the cloud could not be stored; it is tried again',
    );
  }

  async function letControlGoFirst(): Promise<void> {
    await deps.clearWay();
    // nobody looked for seconds: control stands still, and the other instance need not
    for (const id of leftAlone.keys()) seen(id);
  }

  function seen(id: string): void {
    leftAlone.get(id)?.();
    leftAlone.delete(id);
  }

  async function commitFollowed(plain: Unit) {
    await letControlGoFirst();
    const arriving = arrivals.of(plain);
    const unit = { ...plain, changes: [...plain.changes, ...arriving.changes] };
    arrivals.hold(arriving.ids);
    try {
      return await commitMarked(unit);
    } catch (error) {
      arrivals.letGo(arriving.ids);
      throw error;
    }
  }

  async function commitMarked(unit: Unit) {
    const views = touchedPoints(deps.views, unit).filter(({ row }) => !deps.isRunByGateway(row.farm_id));
    if (views.length === 0) return deps.commit(unit);
    const ids = views.map(({ row }) => row.id);
    const mark = markOf(`${MARK_PREFIX}${deps.newId()}`, deps.now(), views);
    hold(ids, 1);
    try {
      const committed = await deps.commit({ ...unit, changes: [...unit.changes, putMark(mark)] });
      // the rows are in: a failure from here on must not look like one of theirs
      await follow(mark, cameInTime(unit)).catch(failed);
      return committed;
    } finally {
      hold(ids, -1);
    }
  }

  /** The last slice of a comparison: every farm is whole. */
  async function commitSlice(unit: Unit) {
    const committed = await deps.commit(unit);
    if (committed.difference?.isDone !== true) return committed;
    const changes = arrivals.end();
    const ids = changes.flatMap((change) =>
      'id' in change ? [change.id.slice(ARRIVING_PREFIX.length)] : [],
    );
    if (changes.length > 0) await deps.commit({ changes, actor: null }).catch(failed);
    arrivals.letGo(ids);
    return committed;
  }

  async function catchUp(): Promise<void> {
    try {
      for (const stored of await deps.storedMarks()) {
        const mark = readMark(stored);
        // the commit that made it is still at work on it
        if (Object.keys(mark.points).some((id) => settling.has(id))) continue;
        await follow(mark, NONE_IN_TIME);
      }
    } catch (error) {
      failed(error);
    }
  }

  return {
    commit(unit) {
      if (unit.difference !== undefined) return commitSlice(unit);
      return unit.incoming === undefined && unit.snapshot === undefined
        ? deps.commit(unit)
        : commitFollowed(unit);
    },
    async begin() {
      arrivals.hold(await deps.storedArrivals());
      await catchUp();
    },
    catchUp,
    isSettling(id) {
      if (!settling.has(id)) seen(id);
      else if (!leftAlone.has(id) && deps.goFirst !== undefined) leftAlone.set(id, deps.goFirst());
      return settling.has(id) || arrivals.isHeld(id);
    },
  };
}

/**
 * A farm that comes to this gateway comes in pages: its control points may be here before their schedules, and without
 * those a look at the rules would stop its motors. So they are left alone until the whole farm is here.
 */
function createArrivals(deps: { monotonic: () => number; views: Pick<ControlViews, 'byId'> }): Arrivals {
  const heldSince = new Map<string, number>();
  return {
    of(unit) {
      const ids = (unit.snapshot?.rows ?? []).flatMap(({ entity, id }) =>
        entity === controlPoint.entity && deps.views.byId(id) === null ? [id] : [],
      );
      return {
        ids,
        changes: ids.map((id) => put(instanceValue, { id: `${ARRIVING_PREFIX}${id}`, value: '1' })),
      };
    },
    hold(ids) {
      for (const id of ids) heldSince.set(id, deps.monotonic());
    },
    letGo(ids) {
      for (const id of ids) heldSince.delete(id);
    },
    end: () => [...heldSince.keys()].map((id) => purge(instanceValue, `${ARRIVING_PREFIX}${id}`)),
    isHeld(id) {
      const since = heldSince.get(id);
      return since !== undefined && deps.monotonic() - since < START_AFTER_MS;
    },
  };
}
