import { useState } from 'preact/hooks';
import type { TransferAnswer } from '#contract/resources/transfers.ts';
import { componentWords } from '#words/components.ts';
import { transferWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { BATCH_TOUCHES, useBatches } from '../../data/batches.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayManage } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, dayAndTime, figure, quantity } from '../../i18n/format.ts';

const STEP = 50;

/** Every move, newest first; the farm's own only. */
export function TransferHistory() {
  const words = transferWords();
  const [limit, setLimit] = useState(STEP);
  const page = useGet('/batch-transfers/', { limit });
  const { ponds } = usePonds();
  const known = [useBatches('ACTIVE'), useBatches('FINISHED'), useBatches('ABORTED')].flatMap(
    ({ batches }) => batches,
  );
  const codOf = (id: number) => ponds.find(({ numeric_id }) => numeric_id === id)?.cod;
  const codeOf = ({ batch_id }: TransferAnswer) =>
    known.find(({ numeric_id }) => numeric_id === batch_id)?.batch_code ?? '';
  const wayOf = (row: TransferAnswer) =>
    `${codOf(row.source_pond_id) ?? ''} → ${codOf(row.destination_pond_id) ?? ''}`;
  return (
    <Answer of={page} isEmpty={({ items }) => items.length === 0} empty={<Empty text={words.none} />}>
      {({ items, total }) => (
        <>
          <RecordTable<TransferAnswer>
            label={words.tabs.history}
            address="transferencias"
            keyOf={({ id }) => String(id)}
            rows={items
              .filter(({ source_pond_id }) => codOf(source_pond_id) !== undefined)
              .filter(({ id }) => !isLeaving(`/transfers/${id}`))}
            columns={[
              {
                name: words.when,
                of: ({ transfer_date }) => dayAndTime(transfer_date),
                raw: ({ transfer_date }) => transfer_date,
              },
              { name: words.batch, of: codeOf, raw: codeOf },
              { name: words.way, of: wayOf, raw: wayOf },
              {
                name: words.quantity,
                isNumber: true,
                of: (row) => figure(row.quantity),
                raw: (row) => row.quantity,
              },
              {
                name: words.meanWeight,
                isNumber: true,
                of: (row) => quantity(row.average_weight, 2, 'g'),
                raw: (row) => row.average_weight,
              },
              {
                name: words.biomass,
                isNumber: true,
                of: (row) => quantity(row.biomass_transferred, 0, 'kg'),
                raw: (row) => row.biomass_transferred,
              },
              {
                name: words.reason,
                isLong: true,
                of: (row) => (
                  <>
                    {row.reason}
                    {row.contested ? <p class="small">▲ {words.contested}</p> : null}
                  </>
                ),
                raw: (row) => row.reason,
              },
            ]}
            actionsName={words.actions}
            actions={mayManage.value ? (row) => <Actions row={row} way={wayOf(row)} /> : undefined}
          />
          {total > limit ? (
            <Button onClick={() => setLimit(limit + STEP)}>{componentWords().more}</Button>
          ) : null}
        </>
      )}
    </Answer>
  );
}

function Actions({ row, way }: { row: TransferAnswer; way: string }) {
  const words = transferWords();
  return (
    <RowActions
      path={`/transfers/${row.id}`}
      label={words.row(way)}
      touches={BATCH_TOUCHES}
      fields={[
        { name: 'transfer_date', label: words.when, kind: 'moment', first: row.transfer_date },
        { name: 'quantity', label: words.quantity, kind: 'count', first: asTyped(row.quantity) },
        {
          name: 'average_weight',
          label: words.weight,
          kind: 'figure',
          unit: 'g',
          first: asTyped(row.average_weight),
          isOptional: true,
        },
        {
          name: 'reason',
          label: words.reason,
          kind: 'text',
          first: row.reason ?? '',
          isOptional: true,
        },
      ]}
    />
  );
}
