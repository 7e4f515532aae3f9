import type { ControlPoint } from '../data/farm-store.ts';
import { HoldField, useHold } from './hold-field.tsx';
import { OffDialog } from './off-dialog.tsx';

/** Asks for how long a motor is to be off, as it does before any motor stops. `forS` null: until something else comes. */
export function OffForDialog({
  point,
  onClose,
  onConfirm,
}: {
  point: ControlPoint;
  onClose: () => void;
  onConfirm: (forS: number | null) => void;
}) {
  const hold = useHold();
  return (
    <OffDialog
      point={point}
      onClose={onClose}
      onConfirm={() => onConfirm(hold.forS)}
      first={<HoldField point={point} hold={hold} />}
    />
  );
}
