import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { SwitchState } from '#contract/words.ts';
import { controlWords } from '#words/control.ts';
import { useAiredPonds } from '../data/aired-ponds.ts';
import { ApiError } from '../data/api.ts';
import { now } from '../data/clock.ts';
import { type ControlPoint, controlPoints } from '../data/farm-store.ts';
import { farmWord, isFromAfar } from '../data/instance.ts';
import { isBlind } from '../data/live.ts';
import { type How, order } from '../data/orders.ts';
import { useOutcome } from '../data/outlook.ts';
import { userId } from '../data/session.ts';
import { age } from '../i18n/format.ts';
import { faultText } from './answer.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { CheckField, SelectField, TextField } from './field.tsx';
import { momentText } from './next-run.tsx';
import { BlindNote, HoldField, isCode, OffDialog, useHold } from './off-dialog.tsx';
import { codeOf } from './simulated.tsx';
import { toast } from './toast.tsx';

/** Minutes that an order may be on its way; the longest is what the interface takes. */
const MINUTES = [1, 2, 5, 10, 15] as const;

/**
 * Asks how an order is to go to a farm with its own gateway: by when it must be there, and whether it goes before what
 * people at the farm ordered. Where somebody there switched the motor off, that is said before the press; to start it
 * anyway is the safe direction and set so already, to stop it must be chosen and written out.
 */
function FromAfarDialog({
  point,
  target,
  onClose,
  onConfirm,
}: {
  point: ControlPoint;
  target: 'ON' | 'OFF';
  onClose: () => void;
  onConfirm: (how: How) => void;
}) {
  const words = controlWords();
  const aired = useAiredPonds(point) ?? [];
  const hold = useHold();
  const [minutes, setMinutes] = useState(1);
  const [chosen, setForced] = useState<boolean | null>(null);
  const [typed, setTyped] = useState('');
  const isHeld = useIsHeldAtFarm(point, target);
  const isForced = chosen ?? (target === 'ON' && isHeld);
  const mustType = isForced && target === 'OFF';
  const isReady = !mustType || isCode(typed, point.cod);
  const forS = target === 'OFF' ? hold.forS : null;
  const confirm = () => onConfirm({ forS, fromAfar: { expiresInS: minutes * 60, isForced } });
  const choice = (
    <>
      <Silence />
      {isHeld ? (
        <p class="note p3" data-held-at-farm>
          {words.heldAtFarm[target](momentText(point.last_command_at ?? ''))}
        </p>
      ) : null}
      <CheckField
        label={words.force}
        checked={isForced}
        onChange={(event) => setForced(event.currentTarget.checked)}
      />
      {mustType ? (
        <TextField
          label={words.typeToConfirm(point.cod)}
          hint={words.forceText}
          value={typed}
          autoComplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      <SelectField
        label={words.validFor}
        hint={words.validHint}
        value={String(minutes)}
        options={MINUTES.map((n) => ({ value: String(n), label: words.minutes(n) }))}
        onChange={(event) => setMinutes(Number(event.currentTarget.value))}
      />
    </>
  );
  if (target === 'OFF') {
    return (
      <OffDialog
        point={point}
        onClose={onClose}
        onConfirm={confirm}
        isReady={isReady}
        first={<HoldField point={point} hold={hold} isForced={isForced} />}
      >
        {choice}
      </OffDialog>
    );
  }
  return (
    <Dialog
      title={words.onTitle(codeOf(point))}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {words.leave}
          </Button>
          <Button big autofocus look="main" disabled={isBlind.value || !isReady} onClick={confirm}>
            {words.confirmOn}
          </Button>
        </>
      }
    >
      {aired.length === 0 ? null : <p>{words.offAirs(aired.map(({ cod }) => cod).join(', '))}</p>}
      {choice}
      <BlindNote />
    </Dialog>
  );
}

/** Whether people at the farm ordered otherwise, and that counts for more than an order from afar. */
function useIsHeldAtFarm(point: ControlPoint, target: 'ON' | 'OFF'): boolean {
  const first = useOutcome(point.id, { order: target }).data?.[0];
  // its order may not have come here yet: the row tells who gave the target
  const isOfFarm = point.target_origin === 'LOCAL' && point.target_status !== target;
  return first === undefined ? isOfFarm : first.cause === 'LOCAL_ORDER' && first.target !== target;
}

function Silence() {
  const since = farmWord.value?.silentSince ?? null;
  if (since === null) return null;
  return <p class="note p2">{controlWords().silent(age(now.value - since))}</p>;
}

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
