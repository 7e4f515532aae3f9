import { useState } from 'preact/hooks';
import { useAiredPonds } from '../data/aired-ponds.ts';
import { now } from '../data/clock.ts';
import type { ControlPoint } from '../data/farm-store.ts';
import { farmWord } from '../data/instance.ts';
import { isBlind } from '../data/live.ts';
import type { FromAfar } from '../data/orders.ts';
import { age } from '../i18n/format.ts';
import { Button } from './button.tsx';
import { controlWords } from './control-words.ts';
import { Dialog } from './dialog.tsx';
import { CheckField, SelectField, TextField } from './field.tsx';
import { BlindNote, isCode, OffDialog } from './off-dialog.tsx';
import { codeOf } from './simulated.tsx';

/** Minutes that an order may be on its way; the longest is what the interface takes. */
const MINUTES = [1, 2, 5, 10, 15] as const;

/**
 * Asks how an order is to go to a farm with its own gateway: for how long it holds, and whether it goes before what was
 * ordered there meanwhile. That last one is off each time anew and must be written out.
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
  onConfirm: (how: FromAfar) => void;
}) {
  const words = controlWords();
  const aired = useAiredPonds(point) ?? [];
  const [minutes, setMinutes] = useState(1);
  const [isForced, setForced] = useState(false);
  const [typed, setTyped] = useState('');
  const isReady = !isForced || isCode(typed, point.cod);
  const confirm = () => onConfirm({ expiresInS: minutes * 60, isForced });
  const choice = (
    <>
      <Silence />
      <SelectField
        label={words.validFor}
        hint={words.validHint}
        value={String(minutes)}
        options={MINUTES.map((n) => ({ value: String(n), label: words.minutes(n) }))}
        onChange={(event) => setMinutes(Number(event.currentTarget.value))}
      />
      <CheckField
        label={words.force}
        checked={isForced}
        onChange={(event) => setForced(event.currentTarget.checked)}
      />
      {isForced ? (
        <TextField
          label={words.typeToConfirm(point.cod)}
          hint={words.forceText}
          value={typed}
          autoComplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
    </>
  );
  if (target === 'OFF') {
    return (
      <OffDialog point={point} onClose={onClose} onConfirm={confirm} isReady={isReady}>
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

function Silence() {
  const since = farmWord.value?.silentSince ?? null;
  if (since === null) return null;
  return <p class="note p2">{controlWords().silent(age(now.value - since))}</p>;
}
