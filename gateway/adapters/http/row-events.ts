import {
  type ChangedKind,
  controlPointEventOf,
  type SnapshotEvent,
  type StreamEventName,
} from '#contract/events/stream.ts';
import { alert } from '#contract/resources/alerts.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { notification } from '#contract/resources/notifications.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import type { ChangedFor } from '#core/tell-changed.ts';

/**
 * An event as it goes over the line. null: for every farm, for every person. `isForOperators`: only for those who may act
 * on that farm; without a farm, on any.
 */
export type RowEvent = {
  farmId: string | null;
  userId: string | null;
  isForOperators?: boolean;
  text: string;
};

type Told = { name: StreamEventName; data: unknown; farmId: string | null; userId: string | null };

export type RowEventDeps = {
  farmOfControlPoint: (id: string) => Promise<string | null>;
  farmOfPond: (id: string) => Promise<string | null>;
  /** The newest open alerts of these episodes, of those that are not over. */
  openOfEpisodes: (
    farmIds: readonly string[],
    episodeIds: readonly string[],
  ) => Promise<SnapshotEvent['alerts']>;
  onError: (error: unknown) => void;
};

/** Tells what a committed unit means for those who watch. */
export function rowEventsOf(deps: RowEventDeps, committed: Committed, tell: (event: Told) => void): void {
  for (const { after, rev, hidden } of rowsOf(committed, controlPoint)) {
    const data = controlPointEventOf(after, { rev, deleted: hidden });
    tell({ name: 'control_point', data, farmId: after.farm_id, userId: null });
  }
  for (const { after, rev, hidden } of rowsOf(committed, order)) {
    const tellOrder = (farmId: string | null) => {
      if (farmId === null) return;
      const data = { ...after, farm_id: farmId, rev, deleted: hidden };
      tell({ name: 'order', data, farmId, userId: null });
    };
    const beside = rowsOf(committed, controlPoint).find((row) => row.id === after.control_point_id);
    if (beside) tellOrder(beside.after.farm_id);
    else deps.farmOfControlPoint(after.control_point_id).then(tellOrder, deps.onError);
  }
  for (const { after, rev, hidden } of rowsOf(committed, alert)) {
    tell({ name: 'alert', data: { ...after, rev, deleted: hidden }, farmId: after.farm_id, userId: null });
  }
  tellWhatGoesOn(deps, committed, tell);
  for (const { after, rev, hidden } of rowsOf(committed, measurement)) {
    const tellMeasurement = (farmId: string | null) => {
      if (farmId === null) return;
      const data = { ...after, farm_id: farmId, rev, deleted: hidden };
      tell({ name: 'measurement', data, farmId, userId: null });
    };
    deps.farmOfPond(after.pond_id).then(tellMeasurement, deps.onError);
  }
  for (const { after, rev, hidden } of rowsOf(committed, notification)) {
    const data = { ...after, rev, deleted: hidden };
    tell({ name: 'notification', data, farmId: after.farm_id, userId: after.user_id });
  }
}

/**
 * An alert may end while its episode goes on: its measurement was corrected. Viewers know an episode by its newest alone,
 * so they are told which one that is now.
 */
function tellWhatGoesOn(deps: RowEventDeps, committed: Committed, tell: (event: Told) => void): void {
  const ended = rowsOf(committed, alert).filter(
    ({ before, after, hidden }) => before?.status === 'ACTIVE' && (hidden || after.status !== 'ACTIVE'),
  );
  if (ended.length === 0) return;
  const farmIds = [...new Set(ended.map(({ after }) => after.farm_id))];
  const episodeIds = [...new Set(ended.map(({ after }) => after.episode_id))];
  deps.openOfEpisodes(farmIds, episodeIds).then((rows) => {
    for (const data of rows) tell({ name: 'alert', data, farmId: data.farm_id, userId: null });
  }, deps.onError);
}

const EVERY_MS = 1000;

type Place = { to: ChangedFor; kinds: Set<ChangedKind> };

/**
 * Gathers what changed: the first word goes out at once, what follows within a second goes together at its end. So each
 * kind is told once a second at most to the same people, and the last word always comes.
 */
export function gatherChanged(deps: {
  later: (ms: number, run: () => void) => void;
  tell: (to: ChangedFor, kinds: ChangedKind[]) => void;
}): { add: (kind: ChangedKind, to: ChangedFor) => void; forget: () => void } {
  /** Those who were told within the last second, and what is to be told them at its end. */
  const resting = new Map<string, Place>();
  function rest(key: string, place: Place): void {
    deps.later(EVERY_MS, () => {
      const kinds = [...place.kinds];
      place.kinds.clear();
      if (kinds.length === 0) return void resting.delete(key);
      deps.tell(place.to, kinds);
      rest(key, place);
    });
  }
  return {
    add(kind, to) {
      const key = keyOf(to);
      const known = resting.get(key);
      if (known !== undefined) return void known.kinds.add(kind);
      const place: Place = { to, kinds: new Set() };
      resting.set(key, place);
      deps.tell(to, [kind]);
      rest(key, place);
    },
    /** While nobody listens nothing is kept: who comes next begins with a snapshot. */
    forget() {
      for (const { kinds } of resting.values()) kinds.clear();
    },
  };
}

function keyOf(to: ChangedFor): string {
  if (typeof to === 'string') return to;
  return 'userId' in to ? `user ${to.userId}` : `${to.who} ${to.farmId}`;
}
