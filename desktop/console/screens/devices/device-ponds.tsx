import { deviceWords } from '#words/devices.ts';
import { Awaited, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { CheckField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { put } from '../../data/api.ts';
import { type ControlPoint, controlPoints, mayManage } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { type Pond, pondLine, usePonds } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';

/** Which ponds hang on this control point; a tick is saved at once. */
export function DevicePonds({ point }: { point: ControlPoint }) {
  const words = deviceWords();
  const { ponds, ...known } = usePonds();
  const free = ponds.filter(({ control_point_id }) => control_point_id === null);
  const assign = async (chosen: readonly Pond[], isHere: boolean) => {
    try {
      for (const { id } of chosen) await put(`/ponds/${id}`, { control_point_id: isHere ? point.id : null });
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
        <p>{pondLine(known.isSuccess ? own.map(({ cod }) => cod) : null, words.noPonds)}</p>
      </section>
    );
  }
  return (
    <section class="card stack">
      <h2>
        {point.cod}: {words.assign.toLowerCase()}
      </h2>
      {ponds.length > 0 ? null : known.data === undefined ? (
        <Awaited of={[known]} />
      ) : (
        <p class="muted">{words.noFarmPonds}</p>
      )}
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
              onChange={(event) => void assign([pond], event.currentTarget.checked)}
            />
          );
        })}
      </div>
      {free.length < 2 ? null : (
        <div>
          <WorkButton disabled={isBlind.value} work={() => assign(free, true)}>
            {words.assignAll(free.length)}
          </WorkButton>
        </div>
      )}
    </section>
  );
}
