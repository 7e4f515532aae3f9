import { useState } from 'preact/hooks';
import type { LossAnswer, MortalityAnswer } from '#contract/resources/losses.ts';
import { photoWords } from '#words/photos.ts';
import { batchWords, recordWords } from '#words/production.ts';
import { Awaited } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import type { CorrectedField } from '../../components/correction-dialog.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayCorrect, mayRecord } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, dayAndTime, figure, percent, quantity } from '../../i18n/format.ts';
import { causeOptions } from '../entries/mortality-entry.tsx';
import { Photos } from '../photos/photos.tsx';

const pathOf = ({ batch_id, id }: LossAnswer) => `/batches/${batch_id}/losses/${id}` as const;
const percentOf = ({ severity }: LossAnswer) => (severity === null ? null : severity * 100);

/** What died and was told of; nothing to see while nothing was. */
export function Losses({ batchId }: { batchId: string }) {
  const words = recordWords();
  const { ponds } = usePonds();
  const losses = useGet(`/batches/${batchId}/losses`);
  const mortality = useGet(`/batches/${batchId}/mortality`);
  if (losses.data === undefined || mortality.data === undefined) return <Awaited of={[losses, mortality]} />;
  const rows = losses.data.filter((row) => !isLeaving(pathOf(row)));
  if (rows.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{words.losses}</h2>
      <RecordTable<LossAnswer>
        label={words.losses}
        address="perdas"
        keyOf={({ id }) => id}
        rows={rows}
        columns={[
          { name: words.when, of: (row) => dayAndTime(row.lost_at), raw: (row) => row.lost_at },
          {
            name: words.pond,
            of: ({ pond_id: id }) =>
              id === null ? batchWords().wholeBatch : (ponds.find((pond) => pond.id === id)?.cod ?? ''),
          },
          {
            name: words.dead,
            isNumber: true,
            of: (row) => figure(row.dead_count),
            raw: (row) => row.dead_count,
          },
          {
            name: words.weight,
            isNumber: true,
            of: (row) => quantity(row.dead_weight_kg, 1, 'kg'),
            raw: (row) => row.dead_weight_kg,
          },
          { name: words.cause, of: causeOf, raw: causeOf },
          { name: words.shareOfLiving, isNumber: true, of: (row) => percent(percentOf(row), 1) },
          {
            name: words.whatHappened,
            of: (row) => row.event_description ?? '',
            raw: (row) => row.event_description,
          },
        ]}
        actionsName={words.actions}
        actions={(row) => (
          <>
            <LossPhotos row={row} />
            {mayRecord.value && mayCorrect(row) ? <Actions row={row} /> : null}
          </>
        )}
      />
      <ByCause of={mortality.data} />
    </section>
  );
}

const causeOf = ({ cause }: Pick<LossAnswer, 'cause'>): string =>
  cause === null ? recordWords().causeNotKnown : recordWords().causes[cause];

/** Sums; a weight that nobody knows is said, and is in none. */
function ByCause({ of: mortality }: { of: MortalityAnswer }) {
  const words = recordWords();
  const weighed = ({ dead_weight_kg: kg, not_weighed: rest }: MortalityAnswer['by_cause'][number]) =>
    [
      ...(kg === null ? [] : [quantity(kg, 1, 'kg')]),
      ...(rest === 0 ? [] : [words.notWeighed(figure(rest))]),
    ].join(' · ');
  return (
    <>
      <p>{words.mortalitySum(figure(mortality.dead_count), figure(mortality.losses))}</p>
      <RecordTable<MortalityAnswer['by_cause'][number]>
        label={words.byCause}
        address="causas"
        keyOf={({ cause }) => cause ?? ''}
        rows={mortality.by_cause}
        columns={[
          { name: words.cause, of: causeOf, raw: causeOf },
          {
            name: words.dead,
            isNumber: true,
            of: (row) => figure(row.dead_count),
            raw: (row) => row.dead_count,
          },
          { name: words.losses, isNumber: true, of: (row) => figure(row.losses), raw: (row) => row.losses },
          { name: words.weighedKg, isNumber: true, of: weighed, raw: (row) => row.dead_weight_kg },
        ]}
      />
    </>
  );
}

function LossPhotos({ row }: { row: LossAnswer }) {
  const words = photoWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button aria-label={words.lossPhotos(dayAndTime(row.lost_at))} onClick={() => setOpen(true)}>
        {words.title}
      </Button>
      {isOpen ? (
        <Dialog title={words.lossPhotos(dayAndTime(row.lost_at))} onClose={() => setOpen(false)}>
          <Photos plain path={`${pathOf(row)}/photos`} mayAdd={mayRecord.value} />
        </Dialog>
      ) : null}
    </>
  );
}

function Actions({ row }: { row: LossAnswer }) {
  const words = recordWords();
  return (
    <RowActions
      path={pathOf(row)}
      label={words.theLoss(dayAndTime(row.lost_at))}
      touches={BATCH_TOUCHES}
      fields={[
        { name: 'lost_at', label: words.when, kind: 'moment', first: row.lost_at },
        howMany(row),
        {
          name: 'cause',
          label: words.cause,
          kind: 'choice',
          isOptional: true,
          first: row.cause ?? '',
          options: causeOptions(),
        },
        {
          name: 'event_description',
          label: words.whatHappened,
          kind: 'text',
          first: row.event_description ?? '',
        },
      ]}
    />
  );
}

/** By the way it was told. */
function howMany(row: LossAnswer): CorrectedField {
  const words = recordWords();
  switch (row.told_as) {
    case 'severity':
      return {
        name: 'severity',
        label: words.shareOfLiving,
        kind: 'share',
        unit: '%',
        first: asTyped(percentOf(row)),
      };
    case 'dead_count':
      return { name: 'dead_count', label: words.dead, kind: 'count', first: asTyped(row.dead_count) };
    case 'dead_weight_kg':
      return {
        name: 'dead_weight_kg',
        label: words.weight,
        kind: 'figure',
        unit: 'kg',
        first: asTyped(row.dead_weight_kg),
      };
  }
}
