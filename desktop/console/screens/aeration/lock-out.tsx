import { useState } from 'preact/hooks';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { del, post } from '../../data/api.ts';
import type { ControlPoint } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { pointWords } from './point-words.ts';

/** A tag on the switch: while somebody's hands are in the motor nothing may start it. */
export function LockOut({ point }: { point: ControlPoint }) {
  const words = pointWords();
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const lock = async () => {
    try {
      await post(`/control-points/${point.id}/lock-out`, { reason });
      setAsking(false);
      setReason('');
    } catch (error) {
      setFault(faultText(error));
    }
  };
  const unlock = () =>
    del(`/control-points/${point.id}/lock-out`).catch((error: unknown) => toast(faultText(error)));
  return (
    <section class="card stack">
      <h2>{words.lockOut}</h2>
      <p class="muted">{words.lockOutText}</p>
      {point.locked_out ? (
        <div class="row apart">
          <p>{words.lockedSince(dayAndTime(point.updated_at), point.lock_out_reason ?? '')}</p>
          <WorkButton big disabled={isBlind.value} work={unlock}>
            {words.unlock}
          </WorkButton>
        </div>
      ) : (
        <div>
          <Button big disabled={isBlind.value} onClick={() => setAsking(true)}>
            {words.lock}
          </Button>
        </div>
      )}
      {isAsking ? (
        <Dialog
          title={words.lockOut}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button big onClick={() => setAsking(false)}>
                {words.cancel}
              </Button>
              <WorkButton big look="danger" disabled={reason.trim() === ''} work={lock}>
                {words.lock}
              </WorkButton>
            </>
          }
        >
          <TextField
            label={words.lockReason}
            value={reason}
            maxLength={255}
            fault={fault}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </Dialog>
      ) : null}
    </section>
  );
}
