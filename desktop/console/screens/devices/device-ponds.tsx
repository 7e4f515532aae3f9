import { faultText } from '../../components/answer.tsx';
import { CheckField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { put } from '../../data/api.ts';
import { type ControlPoint, controlPoints, mayManage } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { deviceWords } from './device-words.ts';

/** Which ponds hang on this control point; a tick is saved at once. */
export function DevicePonds({ point }: { point: ControlPoint }) {
  const words = deviceWords();
  const { ponds } = usePonds();
  const assign = async (pond: Pond, isHere: boolean) => {
    try {
      await put(`/ponds/${pond.id}`, { control_point_id: isHere ? point.id : null });
    } catch (error) {
      toast(faultText(error));
    }
    refresh('ponds');
  };
  if (!mayManage.value) {
    const own = ponds.filter(({ control_point_id }) => control_point_id === point.id);
    return (
      <section class="card stack">
        <h2>{words.assign}</h2>
        <p>{own.length === 0 ? words.noPonds : own.map(({ cod }) => cod).join(', ')}</p>
      </section>
    );
  }
  return (
    <section class="card stack">
      <h2>{words.assign}</h2>
      {ponds.length === 0 ? <p class="muted">{words.noFarmPonds}</p> : null}
      <div class="check-grid">
        {ponds.map((pond) => {
          const elsewhere =
            pond.control_point_id === null || pond.control_point_id === point.id
              ? undefined
              : controlPoints.value.get(pond.control_point_id)?.cod;
          return (
            <CheckField
              key={`${pond.id} ${pond.control_point_id ?? ''}`}
              label={elsewhere === undefined ? pond.cod : `${pond.cod} (${words.assignedTo(elsewhere)})`}
              checked={pond.control_point_id === point.id}
              disabled={isBlind.value}
              onChange={(event) => void assign(pond, event.currentTarget.checked)}
            />
          );
        })}
      </div>
    </section>
  );
}
