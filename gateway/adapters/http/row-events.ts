import { controlPointEventOf, type StreamEventName } from '#contract/events/stream.ts';
import { alert } from '#contract/resources/alerts.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { notification } from '#contract/resources/notifications.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type Committed, rowsOf } from '#core/changes.ts';

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

/** Tells what a committed unit means for those who watch. */
export function rowEventsOf(
  deps: {
    farmOfControlPoint: (id: string) => Promise<string | null>;
    farmOfPond: (id: string) => Promise<string | null>;
    onError: (error: unknown) => void;
  },
  committed: Committed,
  tell: (event: Told) => void,
): void {
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
