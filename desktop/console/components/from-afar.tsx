import { useState } from 'preact/hooks';
import { useAiredPonds } from '../data/aired-ponds.ts';
import { now } from '../data/clock.ts';
import type { ControlPoint } from '../data/farm-store.ts';
import { farmWord } from '../data/instance.ts';
import { isBlind } from '../data/live.ts';
import type { How } from '../data/orders.ts';
import { useOutcome } from '../data/outlook.ts';
import { age } from '../i18n/format.ts';
import { Button } from './button.tsx';
import { controlWords } from './control-words.ts';
import { Dialog } from './dialog.tsx';
import { CheckField, SelectField, TextField } from './field.tsx';
import { HoldField, useHold } from './hold-field.tsx';
import { momentText } from './next-run.tsx';
import { BlindNote, isCode, OffDialog } from './off-dialog.tsx';
import { codeOf } from './simulated.tsx';

/** Minutes that an order may be on its way; the longest is what the interface takes. */
const MINUTES = [1, 2, 5, 10, 15] as const;

/**
 * Asks how an order is to go to a farm with its own gateway: by when it must be there, and whether it goes before what
 * people at the farm ordered. Where somebody there switched the motor off, that is said before the press; to start it
 * anyway is the safe direction and set so already, to stop it must be chosen and written out.
 */
export function FromAfarDialog({
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
