import { useState } from 'preact/hooks';
import type { BatchDetail } from '#contract/resources/batches.ts';
import { Answer, Awaited, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { componentWords } from '../../components/words.ts';
import { useBatchByCode } from '../../data/batches.ts';
import { mayManage } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import '../../styles/batches.css';
import { AbortDialog } from './abort-dialog.tsx';
import { BatchHead } from './batch-head.tsx';
import { FinalHarvest } from './harvest-final.tsx';
import { PartialHarvest } from './harvest-partial.tsx';
import { harvestWords } from './harvest-words.ts';
import { batchWords } from './words.ts';

/** Taking animals out: a part of them, or all and with that the end of the batch. */
export function Harvest({ params }: { params: Readonly<Record<string, string>> }) {
  const words = harvestWords();
  const code = decodeURIComponent(params['code'] ?? '');
  const { batch, isSure, answers } = useBatchByCode(code);
  const detail = useGet<BatchDetail>(batch === undefined ? null : `/batches/${batch.id}`);
  return (
    <div class="page narrow">
      <BatchHead title={words.title(code)} back={`/lotes/${encodeURIComponent(code)}`} />
      {!mayManage.value ? (
        <Empty text={componentWords().forbidden} />
      ) : batch === undefined ? (
        isSure ? (
          <Empty text={batchWords().unknown(code)} />
        ) : (
          <Awaited of={answers} />
        )
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
