import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { TransferAnswer, transferPage } from '#contract/resources/transfers.ts';
import { componentWords } from '#words/components.ts';
import { transferWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { RowActions } from '../../components/record-table.tsx';
import { BATCH_TOUCHES, useBatches } from '../../data/batches.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayManage } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, dayAndTime, figure, quantity } from '../../i18n/format.ts';

type Page = z.infer<typeof transferPage>;
const STEP = 50;

/** Every move, newest first; the farm's own only. */
export function TransferHistory() {
  const words = transferWords();
  const [limit, setLimit] = useState(STEP);
  const page = useGet<Page>('/batch-transfers/', { limit });
  const { ponds } = usePonds();
  const known = [useBatches('ACTIVE'), useBatches('FINISHED'), useBatches('ABORTED')].flatMap(
    ({ batches }) => batches,
  );
  const codOf = (id: number) => ponds.find(({ numeric_id }) => numeric_id === id)?.cod;
  return (
    <Answer of={page} isEmpty={({ items }) => items.length === 0} empty={<Empty text={words.none} />}>
      {({ items, total }) => (
        <>
          <div class="table-frame" tabIndex={0} role="region" aria-label={words.tabs.history}>
            <table class="table stacks pairs">
              <thead>
                <tr>
                  <th scope="col">{words.when}</th>
                  <th scope="col">{words.batch}</th>
                  <th scope="col">{words.way}</th>
                  <th scope="col" class="number">
                    {words.quantity}
                  </th>
                  <th scope="col" class="number">
                    {words.meanWeight}
                  </th>
                  <th scope="col" class="number">
                    {words.biomass}
                  </th>
                  <th scope="col">{words.reason}</th>
                  {mayManage.value ? (
                    <th scope="col" class="acts">
                      {words.actions}
                    </th>
                  ) : null}
                </tr>
              </thead>
              <tbody>
                {items
                  .filter(({ source_pond_id }) => codOf(source_pond_id) !== undefined)
                  .filter(({ id }) => !isLeaving(`/transfers/${id}`))
                  .map((row) => (
                    <Row
                      key={row.id}
                      row={row}
                      code={known.find(({ numeric_id }) => numeric_id === row.batch_id)?.batch_code ?? ''}
                      way={`${codOf(row.source_pond_id) ?? ''} → ${codOf(row.destination_pond_id) ?? ''}`}
                    />
                  ))}
              </tbody>
            </table>
          </div>
          {total > limit ? (
            <Button onClick={() => setLimit(limit + STEP)}>{componentWords().more}</Button>
          ) : null}
        </>
      )}
    </Answer>
  );
}

function Row({ row, code, way }: { row: TransferAnswer; code: string; way: string }) {
  const words = transferWords();
  return (
    <tr>
      <th scope="row">{dayAndTime(row.transfer_date)}</th>
      <td data-label={words.batch}>{code}</td>
      <td data-label={words.way}>{way}</td>
      <td class="number" data-label={words.quantity}>
        {figure(row.quantity)}
      </td>
      <td class="number" data-label={words.meanWeight}>
        {quantity(row.average_weight, 2, 'g')}
      </td>
      <td class="number" data-label={words.biomass}>
        {quantity(row.biomass_transferred, 0, 'kg')}
      </td>
      <td class="long" data-label={words.reason}>
        {row.reason}
        {row.contested ? <p class="small">▲ {words.contested}</p> : null}
      </td>
      {mayManage.value ? (
        <td class="acts">
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
        </td>
      ) : null}
    </tr>
  );
}
