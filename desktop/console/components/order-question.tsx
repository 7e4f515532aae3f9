import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SwitchState } from '#contract/words.ts';
import { ApiError } from '../data/api.ts';
import { type ControlPoint, controlPoints } from '../data/farm-store.ts';
import { isFromAfar } from '../data/instance.ts';
import { type How, order } from '../data/orders.ts';
import { userId } from '../data/session.ts';
import { faultText } from './answer.tsx';
import { controlWords } from './control-words.ts';
import { FromAfarDialog } from './from-afar.tsx';
import { HoldField, useHold } from './hold-field.tsx';
import { OffDialog } from './off-dialog.tsx';
import { toast } from './toast.tsx';

const asked = signal<{ pointId: string; target: SwitchState } | null>(null);

/** Turns ON at once what is on this farm; before anything else it asks. */
export function orderOrAsk(pointId: string, target: SwitchState): void {
  const point = controlPoints.value.get(pointId);
  if (point === undefined) return;
  if (target === 'OFF' || isFromAfar(point.farm_id)) asked.value = { pointId, target };
  else void giveOrder(point, 'ON');
}

/**
 * The one question before a motor stops, and before any order to a farm with its own gateway: for the button of a row as
 * for what takes an order back. It stands beside the page: leaving the page does not answer it.
 */
export function OrderQuestion() {
  // what one person was asked is not for the next to answer
  useEffect(
    () => () => {
      asked.value = null;
    },
    [userId.value],
  );
  const question = asked.value;
  const point = question === null ? undefined : controlPoints.value.get(question.pointId);
  if (question === null || point === undefined) return null;
  const close = () => {
    asked.value = null;
  };
  const confirm = (how: How) => {
    close();
    void giveOrder(point, question.target, how);
  };
  if (isFromAfar(point.farm_id)) {
    return <FromAfarDialog point={point} target={question.target} onClose={close} onConfirm={confirm} />;
  }
  return <OffForDialog point={point} onClose={close} onConfirm={(forS) => confirm({ forS })} />;
}

/** Gives an order and says what became of it. For ten seconds it can be taken back, as its opposite would be given. */
async function giveOrder(point: ControlPoint, target: SwitchState, how: How = {}): Promise<void> {
  const words = controlWords();
  try {
    const taken = await order(point.id, target, how);
    if (taken === null) return;
    toast(words.ordered(point.cod, target === 'ON'), {
      label: words.undo,
      isControl: true,
      run: () => {
        const version = controlPoints.value.get(point.id)?.version ?? Number.POSITIVE_INFINITY;
        // somebody or something ordered since then: that is not this person's to undo
        if (taken.version !== null && version > taken.version) toast(words.overtaken(point.cod));
        else orderOrAsk(point.id, target === 'ON' ? 'OFF' : 'ON');
      },
    });
  } catch (error) {
    toast(orderFault(point.cod, error));
  }
}

/** Without an answer nobody knows whether an order was taken: that is said, and never that nothing happened. */
function orderFault(cod: string, error: unknown): string {
  const words = controlWords();
  return error instanceof ApiError ? `${words.refused}: ${faultText(error)}` : words.unsure(cod);
}

/** Asks for how long a motor is to be off, as it does before any motor stops. `forS` null: until something else comes. */
function OffForDialog({
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
