import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { BatchDetail } from '#contract/resources/batches.ts';
import { faultText } from '../../components/answer.tsx';
import { BeforeAfter } from '../../components/before-after.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { useSend } from '../../data/corrections.ts';
import { refresh } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { isSameCode } from './harvest-final.tsx';
import { harvestWords } from './harvest-words.ts';

/** A batch that brings no harvest: why, and its code, before it leaves production. */
export function AbortDialog({ batch, onClose }: { batch: BatchDetail; onClose: () => void }) {
  const words = harvestWords();
  const send = useSend();
  const [, go] = useLocation();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const abort = async () => {
    try {
      await send(`/batches/${batch.id}/abort`, { reason: reason.trim() });
      refresh(...BATCH_TOUCHES);
      go(`/lotes/${encodeURIComponent(batch.batch_code)}`);
      toast(words.finishedToast(batch.batch_code));
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <Dialog
      title={words.abortTitle(batch.batch_code)}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {words.cancel}
          </Button>
          <WorkButton
            big
            look="danger"
            disabled={reason.trim() === '' || !isSameCode(typed, batch.batch_code)}
            work={abort}
          >
            {words.abort}
          </WorkButton>
        </>
      }
    >
      <p>{words.abortText}</p>
      <BeforeAfter
        rows={[
          { name: words.status, before: words.active, after: words.lost },
          { name: words.population, before: figure(batch.current_population), after: '0' },
        ]}
      />
      <TextField
        label={words.reason}
        value={reason}
        maxLength={2_000}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <TextField
        label={words.typeCode(batch.batch_code)}
        value={typed}
        autoComplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </Dialog>
  );
}
