import { useState } from 'preact/hooks';
import { pointWords } from '#words/aeration.ts';
import { componentWords } from '#words/components.ts';
import { faultText } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { BlindNote, OffDialog } from '../../components/off-dialog.tsx';
import { del, post } from '../../data/api.ts';
import type { ControlPoint } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { nameOf } from '../../data/people.ts';
import { dayAndTime } from '../../i18n/format.ts';

/** A tag on the switch: while somebody's hands are in the motor nothing may start it. */
export function LockOut({ point }: { point: ControlPoint }) {
  const words = pointWords();
  const [asks, setAsks] = useState<'lock' | 'unlock' | null>(null);
  const close = () => setAsks(null);
  return (
    <section class="card stack">
      <h2>{words.lockOut}</h2>
      <p class="muted">{words.lockOutText}</p>
      {point.locked_out ? (
        <div class="row apart">
          <p data-locked>{lockedText(point)}</p>
          <Button big disabled={isBlind.value} onClick={() => setAsks('unlock')}>
            {words.unlock}
          </Button>
        </div>
      ) : (
        <div>
          <Button big disabled={isBlind.value} onClick={() => setAsks('lock')}>
            {words.lock}
          </Button>
        </div>
      )}
      {asks === 'lock' ? <Lock point={point} onClose={close} /> : null}
      {asks === 'unlock' ? (
        <ConfirmDialog
          title={words.unlockTitle(point.cod)}
          label={words.unlock}
          isReady={!isBlind.value}
          work={() => del(`/control-points/${point.id}/lock-out`)}
          onClose={close}
        >
          <p>{lockedText(point)}</p>
          <p>{words.unlockText}</p>
          <BlindNote />
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

/** A lock-out stops the motor: it is asked for as any stop is, and besides who works on it. */
function Lock({ point, onClose }: { point: ControlPoint; onClose: () => void }) {
  const words = pointWords();
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const lock = async () => {
    setBusy(true);
    try {
      await post(`/control-points/${point.id}/lock-out`, { reason });
      onClose();
    } catch (error) {
      setFault(faultText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <OffDialog
      point={point}
      words={{ title: words.lockTitle(point.cod), confirm: words.lock, leave: componentWords().cancel }}
      isReady={!isBusy && reason.trim() !== ''}
      onClose={onClose}
      onConfirm={() => void lock()}
    >
      <TextField
        label={words.lockReason}
        value={reason}
        maxLength={255}
        fault={fault}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </OffDialog>
  );
}

function lockedText({ lock_out_at, lock_out_by, lock_out_reason }: ControlPoint): string {
  const words = pointWords();
  const by = nameOf(lock_out_by);
  const at = lock_out_at === null ? '—' : dayAndTime(lock_out_at);
  return words.lockedSince(by === null ? at : words.by(at, by), lock_out_reason ?? '');
}
