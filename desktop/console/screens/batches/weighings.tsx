import type { BiometryJournal } from '#contract/resources/biometries.ts';
import { batchWords, recordWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
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
  const journal = useGet<BiometryJournal>(`/biometries/batch/${batchId}`, { limit: 100 });
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
            keyOf={({ id }) => id}
            rows={biometries.filter(({ id }) => !isLeaving(`/biometries/${id}`))}
            columns={[
              { name: words.when, of: (row) => calendarDay(row.measurement_date) },
              { name: words.day, isNumber: true, of: (row) => figure(row.measurement_day) },
              {
                name: words.pond,
                of: ({ pond_id: id }) =>
                  id === null ? words.wholeBatch : (ponds.find((pond) => pond.id === id)?.cod ?? ''),
              },
              { name: words.sample, isNumber: true, of: (row) => figure(row.sample_size) },
              { name: words.weight, isNumber: true, of: (row) => quantity(row.average_weight_g, 2, 'g') },
              { name: words.cv, isNumber: true, of: (row) => percent(row.coefficient_variation, 1) },
            ]}
            actionsName={recordWords().actions}
            actions={mayRecord.value ? (row) => (mayCorrect(row) ? <Actions row={row} /> : null) : undefined}
          />
        )}
      </Answer>
    </details>
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
