import { useState } from 'preact/hooks';
import type { FeedingJournal } from '#contract/resources/feeding.ts';
import { componentWords } from '#words/components.ts';
import { recordWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayCorrect, mayRecord, seesMoney } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, currencySign, dayAndTime, money, percent, quantity } from '../../i18n/format.ts';

type Feeding = FeedingJournal['feeding_records'][number];
const STEP = 30;

/** Every meal that was entered; closed until somebody looks for one. */
export function Feedings({ batchId }: { batchId: string }) {
  const words = recordWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>{words.feedings}</h2>
      </summary>
      {isOpen ? <Journal batchId={batchId} /> : null}
    </details>
  );
}

function Journal({ batchId }: { batchId: string }) {
  const words = recordWords();
  const [limit, setLimit] = useState(STEP);
  const journal = useGet<FeedingJournal>(`/feeding/batch/${batchId}`, { limit });
  const { ponds } = usePonds();
  return (
    <Answer
      of={journal}
      isEmpty={({ feeding_records }) => feeding_records.length === 0}
      empty={<Empty text={words.noFeedings} />}
    >
      {({ feeding_records: rows }) => (
        <div class="stack">
          <RecordTable<Feeding>
            label={words.feedings}
            keyOf={({ id }) => id}
            rows={rows.filter(({ id }) => !isLeaving(`/feeding/${id}`))}
            columns={[
              { name: words.when, of: (row) => dayAndTime(row.feed_date) },
              { name: words.pond, of: (row) => ponds.find(({ id }) => id === row.pond_id)?.cod ?? '' },
              { name: words.feedType, of: (row) => row.feed_type },
              { name: words.quantity, isNumber: true, of: (row) => quantity(row.quantity_kg, 2, 'kg') },
              { name: words.leftover, isNumber: true, of: (row) => percent(row.tray_leftover_percent) },
              ...(seesMoney.value
                ? [{ name: words.total, isNumber: true, of: (row: Feeding) => money(row.total_cost) }]
                : []),
            ]}
            actionsName={words.actions}
            actions={mayRecord.value ? (row) => (mayCorrect(row) ? <Actions row={row} /> : null) : undefined}
          />
          {rows.length < limit ? null : (
            <div>
              <Button onClick={() => setLimit(limit + STEP)}>{componentWords().more}</Button>
            </div>
          )}
        </div>
      )}
    </Answer>
  );
}

function Actions({ row }: { row: Feeding }) {
  const words = recordWords();
  return (
    <RowActions
      path={`/feeding/${row.id}`}
      label={words.theFeeding(dayAndTime(row.feed_date))}
      touches={BATCH_TOUCHES}
      fields={[
        { name: 'feed_date', label: words.when, kind: 'moment', first: row.feed_date },
        {
          name: 'quantity_kg',
          label: words.quantity,
          kind: 'figure',
          unit: 'kg',
          first: asTyped(row.quantity_kg),
        },
        { name: 'feed_type', label: words.feedType, kind: 'text', first: row.feed_type },
        ...(seesMoney.value
          ? [
              {
                name: 'cost_per_kg',
                label: words.costPerKg,
                kind: 'figure' as const,
                unit: currencySign.value,
                first: asTyped(row.cost_per_kg),
              },
            ]
          : []),
        {
          name: 'tray_leftover_percent',
          label: words.leftover,
          kind: 'figure',
          unit: '%',
          first: asTyped(row.tray_leftover_percent),
          isOptional: true,
        },
      ]}
    />
  );
}
