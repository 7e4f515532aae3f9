import { useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import type { BatchDetail } from '#contract/resources/batches.ts';
import { formWords } from '#words/entries.ts';
import { transferWords } from '#words/production.ts';
import { Answer, Awaited, BeforeAfter, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { FigureField } from '../../components/figure-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { useBatches } from '../../data/batches.ts';
import { type Pond, usePondCards, usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { figure, quantity } from '../../i18n/format.ts';
import { SaveButton, WhenFields } from '../entries/entry-form.tsx';
import { type Destination, useTransfer } from './use-transfer.ts';

export function NewTransfer() {
  const words = transferWords();
  const known = useBatches();
  const { batches, isSuccess } = known;
  const asked = new URLSearchParams(useSearch()).get('batch');
  const [chosen, setChosen] = useState<string | null>(null);
  // what was asked for and is not there is no reason to move animals of another batch
  const batch =
    chosen !== null
      ? batches.find(({ id }) => id === chosen)
      : asked !== null
        ? batches.find(({ batch_code }) => batch_code === asked)
        : batches[0];
  const detail = useGet<BatchDetail>(batch === undefined ? null : `/batches/${batch.id}`);
  if (batches.length === 0) return isSuccess ? <Empty text={words.noBatch} /> : <Awaited of={[known]} />;
  const options = batches.map(({ id, batch_code }) => ({ value: id, label: batch_code }));
  return (
    <div class="stack far narrow-form">
      <SelectField
        label={words.batch}
        value={batch?.id ?? ''}
        options={batch === undefined ? [{ value: '', label: formWords().choose }, ...options] : options}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {batch === undefined ? null : (
        <Answer of={detail}>{(told) => <Form key={told.id} batch={told} />}</Answer>
      )}
    </div>
  );
}

function Form({ batch }: { batch: BatchDetail }) {
  const words = transferWords();
  const { ponds } = usePonds();
  const cards = usePondCards();
  const form = useTransfer(batch);
  const codOf = (id: string) => ponds.find((pond) => pond.id === id)?.cod ?? '';
  /** Another batch that swims there already. */
  const otherIn = (pondId: string) =>
    cards.data?.ponds
      .find(({ pond_id }) => pond_id === pondId)
      ?.active_batches.find(({ id }) => id !== batch.id)?.batch_number ?? null;
  const populationOf = (id: string) => batch.ponds.find(({ pond_id }) => pond_id === id)?.population ?? 0;
  const filled = form.rows.filter(({ pondId, count }) => pondId !== '' && count !== null);
  return (
    <section class="card stack far">
      <SelectField
        label={words.from}
        value={form.sourceId}
        hint={words.available(figure(form.available))}
        options={batch.ponds.map(({ pond_id, population }) => ({
          value: pond_id,
          label: `${codOf(pond_id)} (${figure(population)})`,
        }))}
        onChange={(event) => form.setSourceId(event.currentTarget.value)}
      />
      {form.rows.map((row, index) => (
        <DestinationRow
          key={row.key}
          row={row}
          ponds={ponds.filter(
            ({ id }) =>
              id !== form.sourceId &&
              !form.rows.some((other) => other.key !== row.key && other.pondId === id),
          )}
          mixesWith={row.pondId === '' ? null : otherIn(row.pondId)}
          fault={index === form.faultRow ? form.fault : null}
          onChange={(change) => form.change(row.key, change)}
          onAll={() => form.takeRest(row.key)}
          onRemove={form.rows.length > 1 ? () => form.remove(row.key) : null}
        />
      ))}
      <div class="row">
        <Button onClick={form.add}>{words.add}</Button>
        {form.rows.length > 1 ? <Button onClick={form.splitEvenly}>{words.split}</Button> : null}
      </div>
      {form.missing > 0 ? (
        <p class="note p2" role="alert">
          ▲ {words.tooMany(figure(form.missing))}
        </p>
      ) : null}
      <WhenFields when={form.when} />
      <div class="form-grid">
        <FigureField
          label={words.weight}
          unit="g"
          hint={words.weightHint(quantity(batch.average_weight_g, 2, 'g'))}
          figure={form.weight}
        />
        <TextField
          needed
          label={words.reason}
          value={form.reason}
          onInput={(event) => form.setReason(event.currentTarget.value)}
        />
      </div>
      <BeforeAfter
        rows={[
          {
            name: codOf(form.sourceId),
            before: figure(form.available),
            after: figure(Math.max(0, form.available - form.moved)),
          },
          ...filled.map(({ pondId, count }) => ({
            name: codOf(pondId),
            before: figure(populationOf(pondId)),
            after: figure(populationOf(pondId) + (count ?? 0)),
          })),
        ]}
      />
      {form.whole === null ? null : (
        <p class="note p2" role="alert">
          {form.whole}
        </p>
      )}
      <SaveButton isRight={form.isRight} label={words.save} save={form.save} />
    </section>
  );
}

/** One pond that animals go to, and how many. */
function DestinationRow({
  row,
  ponds,
  mixesWith,
  fault,
  onChange,
  onAll,
  onRemove,
}: {
  row: Destination;
  ponds: readonly Pond[];
  mixesWith: string | null;
  fault: string | null;
  onChange: (change: Partial<Pick<Destination, 'pondId' | 'text'>>) => void;
  onAll: () => void;
  onRemove: (() => void) | null;
}) {
  const words = transferWords();
  return (
    <div class="destination">
      <SelectField
        needed
        label={words.to}
        value={row.pondId}
        hint={mixesWith === null ? undefined : `▲ ${words.mixes(mixesWith)}`}
        options={[
          { value: '', label: words.choose },
          ...ponds.map(({ id, cod, size_m2 }) => ({
            value: id,
            label: `${cod} · ${quantity(size_m2, 0, 'm²')}`,
          })),
        ]}
        onChange={(event) => onChange({ pondId: event.currentTarget.value })}
      />
      <DecimalField
        label={words.quantity}
        inputMode="numeric"
        value={row.text}
        hint={row.count !== null && row.text.trim().length > 3 ? `= ${figure(row.count)}` : undefined}
        fault={row.fault ?? fault}
        onInput={(event) => onChange({ text: event.currentTarget.value })}
      />
      <div class="row nowrap destination-acts">
        <Button onClick={onAll}>{words.all}</Button>
        {onRemove === null ? null : (
          <Button look="quiet" aria-label={words.remove} onClick={onRemove}>
            <Icon name="close" size={18} />
          </Button>
        )}
      </div>
    </div>
  );
}
