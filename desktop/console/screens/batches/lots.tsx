import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { LotAnswer, SizeClass } from '#contract/resources/harvest-lots.ts';
import { lotWords } from '#words/harvest-lots.ts';
import { AllAnswered, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Column, RecordTable, RowActions } from '../../components/record-table.tsx';
import { toast } from '../../components/toast.tsx';
import type { Batch } from '../../data/batches.ts';
import { correct, isLeaving } from '../../data/corrections.ts';
import { mayManage, seesMoney } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, dayAndTime, figure, money, quantity } from '../../i18n/format.ts';
import { ClassFields, LOT_TOUCHES, useClasses } from './lot-classes.tsx';

/** Lots of the harvests of a batch: what went to whom, and the way back to the hatchery. */
export function Lots({ batch }: { batch: Batch }) {
  const words = lotWords();
  const lots = useGet(`/batches/${batch.id}/harvest-lots`);
  const harvests = useGet(`/batches/${batch.id}/harvests`);
  const isHarvested = batch.status === 'FINISHED' || (harvests.data ?? []).length > 0;
  // what could not be read may have lots: only a batch that has none for sure shows nothing
  const isUnread = [lots, harvests].some(({ data, isError }) => data === undefined && isError);
  if (!isUnread && !isHarvested && (lots.data ?? []).length === 0) return null;
  const path = `/lotes/${encodeURIComponent(batch.batch_code)}/despesca`;
  return (
    <section class="card stack" data-lots>
      <h2>{words.lots}</h2>
      {mayManage.value && isHarvested ? (
        <div class="no-print">
          <Link class="button" href={`${path}/lote`}>
            {words.add}
          </Link>
        </div>
      ) : null}
      <AllAnswered of={[lots, harvests]}>
        {() => {
          const known = lots.data ?? [];
          const rows = known.filter(({ id }) => !isLeaving(`/harvest-lots/${id}`));
          return rows.length === 0 ? <p class="muted">{words.none}</p> : <Rows rows={rows} path={path} />;
        }}
      </AllAnswered>
    </section>
  );
}

export const classText = ({ pieces_min: least, pieces_max: most, weight_kg: kg }: SizeClass): string =>
  `${least === null || most === null ? lotWords().notGraded : `${figure(least)}/${figure(most)}`}: ${quantity(kg, 1, 'kg')}`;

function Rows({ rows, path }: { rows: readonly LotAnswer[]; path: string }) {
  const words = lotWords();
  const columns: Column<LotAnswer>[] = [
    { name: words.code, of: ({ lot_code }) => lot_code, raw: ({ lot_code }) => lot_code },
    {
      name: words.when,
      of: ({ harvested_at: at }) => dayAndTime(at),
      raw: ({ harvested_at: at }) => at,
    },
    {
      name: words.weight,
      isNumber: true,
      of: ({ weight_kg: kg }) => quantity(kg, 0, 'kg'),
      raw: ({ weight_kg: kg }) => kg,
    },
    {
      name: words.mean,
      isNumber: true,
      of: ({ average_weight_g: g }) => quantity(g, 1, 'g'),
      raw: ({ average_weight_g: g }) => g,
    },
    { name: words.classes, isLong: true, of: ({ classes }) => classes.map(classText).join(' · ') },
    { name: words.buyer, of: ({ buyer }) => buyer ?? '', raw: ({ buyer }) => buyer },
    ...(seesMoney.value
      ? [
          {
            name: words.revenue,
            isNumber: true,
            of: (row: LotAnswer) => money(row.revenue),
            raw: (row: LotAnswer) => row.revenue,
          },
        ]
      : []),
  ];
  return (
    <RecordTable<LotAnswer>
      label={words.lots}
      address="lotes-despesca"
      keyOf={({ id }) => id}
      rows={rows}
      columns={columns}
      actionsName={words.actions}
      actions={(row) => <Actions row={row} path={path} />}
    />
  );
}

function Actions({ row, path }: { row: LotAnswer; path: string }) {
  const words = lotWords();
  const [isOpen, setOpen] = useState(false);
  const text = (name: string, label: string, first: string | null) =>
    ({ name, label, kind: 'text', first: first ?? '', isOptional: true }) as const;
  return (
    <>
      <Link class="button quiet" href={`${path}/${row.id}`} aria-label={words.traceOf(row.lot_code)}>
        {words.trace}
      </Link>
      {mayManage.value ? (
        <>
          <Button look="quiet" aria-label={words.correctClasses(row.lot_code)} onClick={() => setOpen(true)}>
            {words.classes}
          </Button>
          <RowActions
            path={`/harvest-lots/${row.id}`}
            label={words.thisLot(row.lot_code)}
            touches={LOT_TOUCHES}
            fields={[
              { name: 'lot_code', label: words.code, kind: 'text', first: row.lot_code },
              { name: 'harvested_at', label: words.when, kind: 'moment', first: row.harvested_at },
              {
                name: 'weight_kg',
                label: words.weight,
                kind: 'figure',
                unit: 'kg',
                first: asTyped(row.weight_kg),
              },
              {
                name: 'average_weight_g',
                label: words.mean,
                kind: 'figure',
                unit: 'g',
                first: asTyped(row.average_weight_g),
                isOptional: true,
              },
              text('buyer', words.buyer, row.buyer),
              text('buyer_tax_id', words.taxId, row.buyer_tax_id),
              text('transport_document', words.document, row.transport_document),
              text('vehicle', words.vehicle, row.vehicle),
              text('driver', words.driver, row.driver),
              {
                name: 'loading_temperature_c',
                label: words.temperature,
                kind: 'figure',
                unit: '°C',
                first: asTyped(row.loading_temperature_c),
                isOptional: true,
              },
              text('notes', words.notes, row.notes),
            ]}
          />
        </>
      ) : null}
      {isOpen ? <ClassesDialog row={row} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function ClassesDialog({ row, onClose }: { row: LotAnswer; onClose: () => void }) {
  const words = lotWords();
  const classes = useClasses(row.classes);
  const save = async () => {
    try {
      await correct({
        path: `/harvest-lots/${row.id}`,
        label: words.thisLot(row.lot_code),
        touches: LOT_TOUCHES,
        body: { classes: classes.classes },
        before: { classes: row.classes },
      });
      onClose();
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <Dialog
      title={words.correctClasses(row.lot_code)}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {words.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            unready={!classes.isRight || classes.kg > row.weight_kg + 0.005}
            work={save}
          >
            {words.save}
          </WorkButton>
        </>
      }
    >
      <ClassFields of={classes} weight={row.weight_kg} />
    </Dialog>
  );
}
