import '../../styles/batches.css';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { BatchDetail } from '#contract/resources/batches.ts';
import { componentWords } from '#words/components.ts';
import { lotWords } from '#words/harvest-lots.ts';
import { batchWords, harvestWords } from '#words/production.ts';
import { Answer, Awaited, BeforeAfter, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { BATCH_TOUCHES, useBatchByCode } from '../../data/batches.ts';
import { useSend } from '../../data/corrections.ts';
import { mayManage } from '../../data/farm-store.ts';
import { refresh, useGet } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { BatchHead } from './batch-head.tsx';
import { FinalHarvest, isSameCode } from './harvest-final.tsx';
import { PartialHarvest } from './harvest-partial.tsx';
import { LotEntry } from './lot-entry.tsx';
import { LotTracePage } from './lot-trace.tsx';

/** Taking animals out: a part of them, or all and with that the end of the batch. */
export function Harvest({ params }: { params: Readonly<Record<string, string>> }) {
  const words = harvestWords();
  const code = decodeURIComponent(params['code'] ?? '');
  const lot = params['lot'];
  const { batch, isSure, answers } = useBatchByCode(code);
  const detail = useGet(batch === undefined ? null : `/batches/${batch.id}`);
  const back = `/lotes/${encodeURIComponent(code)}`;
  if (lot !== undefined && lot !== 'lote')
    return (
      <div class="page">
        <BatchHead title={lotWords().traceTitle(code)} back={back} />
        <LotTracePage lotId={lot} />
      </div>
    );
  return (
    <div class="page narrow">
      <BatchHead title={lot === undefined ? words.title(code) : lotWords().entry} back={back} />
      {!mayManage.value ? (
        <Empty text={componentWords().forbidden} />
      ) : batch === undefined ? (
        isSure ? (
          <Empty text={batchWords().unknown(code)} />
        ) : (
          <Awaited of={answers} />
        )
      ) : lot !== undefined ? (
        <Answer of={detail}>{(known) => <LotEntry batch={known} />}</Answer>
      ) : batch.status !== 'ACTIVE' ? (
        <Empty text={words.notActive} />
      ) : (
        <Answer of={detail}>{(known) => <Choice batch={known} />}</Answer>
      )}
    </div>
  );
}

function Choice({ batch }: { batch: BatchDetail }) {
  const words = harvestWords();
  const [kind, setKind] = useState<'partial' | 'final'>('partial');
  const [isLost, setLost] = useState(false);
  return (
    <>
      <fieldset class="choices">
        <legend class="visually-hidden">{words.which}</legend>
        {(['partial', 'final'] as const).map((choice) => (
          <label key={choice}>
            <input type="radio" name="kind" checked={kind === choice} onChange={() => setKind(choice)} />
            {words[choice]}
          </label>
        ))}
      </fieldset>
      {kind === 'partial' ? <PartialHarvest batch={batch} /> : <FinalHarvest batch={batch} />}
      <div>
        <Button look="quiet" onClick={() => setLost(true)}>
          {words.abort}
        </Button>
      </div>
      {isLost ? <AbortDialog batch={batch} onClose={() => setLost(false)} /> : null}
    </>
  );
}

/** A batch that brings no harvest: why, and its code, before it leaves production. */
function AbortDialog({ batch, onClose }: { batch: BatchDetail; onClose: () => void }) {
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
            unready={reason.trim() === '' || !isSameCode(typed, batch.batch_code)}
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
        needed
        label={words.reason}
        value={reason}
        maxLength={2_000}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <TextField
        needed
        label={words.typeCode(batch.batch_code)}
        value={typed}
        fault={
          typed === '' || isSameCode(typed, batch.batch_code)
            ? null
            : componentWords().otherText(batch.batch_code)
        }
        autoComplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </Dialog>
  );
}
