import type { HarvestAnswer } from '#contract/resources/batches.ts';
import { recordWords } from '#words/production.ts';
import { Awaited } from '../../components/answer.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayManage, seesMoney } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, currencySign, dayAndTime, figure, money, quantity } from '../../i18n/format.ts';

/** What was taken out while the batch goes on; nothing to see while nothing was. */
export function Harvests({ batchId }: { batchId: string }) {
  const words = recordWords();
  const harvests = useGet<HarvestAnswer[]>(`/batches/${batchId}/harvests`);
  if (harvests.data === undefined) return <Awaited of={[harvests]} />;
  const rows = harvests.data.filter(({ id }) => !isLeaving(`/batches/${batchId}/harvests/${id}`));
  if (rows.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{words.harvests}</h2>
      <RecordTable<HarvestAnswer>
        label={words.harvests}
        keyOf={({ id }) => id}
        rows={rows}
        columns={[
          { name: words.when, of: (row) => dayAndTime(row.harvest_date) },
          { name: words.count, isNumber: true, of: (row) => figure(row.quantity) },
          { name: words.weight, isNumber: true, of: (row) => quantity(row.weight_kg, 0, 'kg') },
          { name: words.mean, isNumber: true, of: (row) => quantity(row.average_weight_g, 1, 'g') },
          ...(!seesMoney.value
            ? []
            : [
                { name: words.price, isNumber: true, of: (row: HarvestAnswer) => money(row.price_per_kg) },
                { name: words.revenue, isNumber: true, of: (row: HarvestAnswer) => money(row.revenue) },
              ]),
        ]}
        actionsName={words.actions}
        actions={mayManage.value ? (row) => <Actions row={row} /> : undefined}
      />
    </section>
  );
}

function Actions({ row }: { row: HarvestAnswer }) {
  const words = recordWords();
  return (
    <RowActions
      path={`/batches/${row.batch_id}/harvests/${row.id}`}
      label={words.theHarvest(dayAndTime(row.harvest_date))}
      touches={BATCH_TOUCHES}
      fields={[
        { name: 'harvest_date', label: words.when, kind: 'moment', first: row.harvest_date },
        { name: 'quantity', label: words.count, kind: 'count', first: asTyped(row.quantity) },
        { name: 'weight_kg', label: words.weight, kind: 'figure', unit: 'kg', first: asTyped(row.weight_kg) },
        {
          name: 'price_per_kg',
          label: words.price,
          kind: 'figure',
          unit: currencySign.value,
          first: asTyped(row.price_per_kg),
          isOptional: true,
        },
        { name: 'notes', label: words.notes, kind: 'text', first: row.notes ?? '', isOptional: true },
      ]}
    />
  );
}
