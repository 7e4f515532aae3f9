import { useState } from 'preact/hooks';
import type { BiometryJournal } from '#contract/resources/biometries.ts';
import { componentWords } from '#words/components.ts';
import { batchWords, recordWords } from '#words/production.ts';
import { weightWords } from '#words/weights.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { SizeHistogram } from '../../components/size-histogram.tsx';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayCorrect, mayRecord } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, calendarDay, figure, percent, quantity } from '../../i18n/format.ts';

type Weighing = BiometryJournal['biometries'][number];

export function Weighings({ batchId }: { batchId: string }) {
  const words = batchWords();
  const { ponds } = usePonds();
  const journal = useGet(`/biometries/batch/${batchId}`, { limit: 100 });
  return (
    <details>
      <summary>
        <h3>{words.weighings}</h3>
      </summary>
      <Answer
        of={journal}
        isEmpty={({ biometries }) => biometries.length === 0}
        empty={<Empty text={words.neverWeighed} />}
      >
        {({ biometries }) => (
          <RecordTable<Weighing>
            label={words.weighings}
            address="pesagens"
            keyOf={({ id }) => id}
            rows={biometries.filter(({ id }) => !isLeaving(`/biometries/${id}`))}
            columns={[
              {
                name: words.when,
                of: (row) => calendarDay(row.measurement_date),
                raw: (row) => row.measurement_date,
              },
              {
                name: words.day,
                isNumber: true,
                of: (row) => figure(row.measurement_day),
                raw: (row) => row.measurement_day,
              },
              {
                name: words.pond,
                of: ({ pond_id: id }) =>
                  id === null ? words.wholeBatch : (ponds.find((pond) => pond.id === id)?.cod ?? ''),
              },
              {
                name: words.sample,
                isNumber: true,
                of: (row) => figure(row.sample_size),
                raw: (row) => row.sample_size,
              },
              {
                name: words.weight,
                isNumber: true,
                of: (row) => quantity(row.average_weight_g, 2, 'g'),
                raw: (row) => row.average_weight_g,
              },
              {
                name: words.cv,
                isNumber: true,
                of: (row) => percent(row.coefficient_variation, 1),
                raw: (row) => row.coefficient_variation,
              },
              { name: weightWords().column, of: (row) => <Sizes row={row} /> },
            ]}
            actionsName={recordWords().actions}
            actions={mayRecord.value ? (row) => (mayCorrect(row) ? <Actions row={row} /> : null) : undefined}
          />
        )}
      </Answer>
    </details>
  );
}

/** The single weights are asked for when somebody wants to see them: a list of weighings would be long with them. */
function Sizes({ row }: { row: Weighing }) {
  const w = weightWords();
  const [isOpen, setOpen] = useState(false);
  const detail = useGet(isOpen ? `/biometries/${row.id}` : null);
  // a spread that nobody measured has no single weights
  if (row.coefficient_variation === null) return '—';
  const title = w.open(calendarDay(row.measurement_date));
  return (
    <>
      <Button look="quiet" aria-label={title} onClick={() => setOpen(true)}>
        <Icon name="report" size={18} />
      </Button>
      {isOpen ? (
        <Dialog
          title={title}
          onClose={() => setOpen(false)}
          actions={<Button onClick={() => setOpen(false)}>{componentWords().close}</Button>}
        >
          <Answer of={detail}>
            {({ individual_weights_g: weights }) =>
              weights === null ? <p class="muted">{w.notSingle}</p> : <SizeHistogram weights={weights} />
            }
          </Answer>
        </Dialog>
      ) : null}
    </>
  );
}

function Actions({ row }: { row: Weighing }) {
  const words = recordWords();
  return (
    <RowActions
      path={`/biometries/${row.id}`}
      label={words.theWeighing(calendarDay(row.measurement_date))}
      touches={BATCH_TOUCHES}
      fields={[
        { name: 'measurement_date', label: words.when, kind: 'moment', first: row.measurement_date },
        { name: 'sample_size', label: words.sample, kind: 'count', first: asTyped(row.sample_size) },
        {
          name: 'total_weight_g',
          label: words.sampleWeight,
          kind: 'figure',
          unit: 'g',
          first: asTyped(row.total_weight_g),
        },
        { name: 'notes', label: words.notes, kind: 'text', first: row.notes ?? '', isOptional: true },
      ]}
    />
  );
}
