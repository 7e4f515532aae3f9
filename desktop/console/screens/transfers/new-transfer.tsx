import { useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import type { BatchDetail } from '#contract/resources/batches.ts';
import type { TransferAnswer } from '#contract/resources/transfers.ts';
import { formWords } from '#words/entries.ts';
import { transferWords } from '#words/production.ts';
import { Answer, Awaited, BeforeAfter, Empty, faultText } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, del, newUuid } from '../../data/api.ts';
import { BATCH_TOUCHES, useBatches } from '../../data/batches.ts';
import { useSend } from '../../data/corrections.ts';
import { type Pond, usePondCards, usePonds } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { figure, quantity, readCount } from '../../i18n/format.ts';
import { equalShares, rest } from '../../state/typed-value.ts';
import { SaveButton, useWhen, WhenFields } from '../entries/entry-form.tsx';

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
  const detail = useGet(batch === undefined ? null : `/batches/${batch.id}`);
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

type Destination = {
  key: string;
  pondId: string;
  text: string;
  count: number | null;
  fault: string | null;
};

const blank = (): Destination => ({ key: newUuid(), pondId: '', text: '', count: null, fault: null });

/** Animals of one pond to several: what is typed, what there is, and one transfer for each destination. */
function useTransfer(batch: BatchDetail) {
  const words = transferWords();
  const badFigure = formWords().badFigure;
  const [, go] = useLocation();
  const [sourceId, setSourceId] = useState(batch.ponds[0]?.pond_id ?? batch.pond_id);
  const [rows, setRows] = useState<readonly Destination[]>(() => [blank()]);
  const [reason, setReason] = useState('');
  const [told, setTold] = useState<{ row: number | null; text: string } | null>(null);
  const send = useSend();
  const when = useWhen();
  const weight = useFigure('', { isNeeded: false, most: 1_000 });
  const available = batch.ponds.find(({ pond_id }) => pond_id === sourceId)?.population ?? 0;
  const moved = rows.reduce((sum, { count }) => sum + (count ?? 0), 0);

  const withText = (row: Destination, text: string): Destination => {
    const count = readCount(text);
    const isBad = Number.isNaN(count) || count === 0;
    return { ...row, text, count: isBad ? null : count, fault: isBad ? badFigure : null };
  };
  const setAt = (key: string, change: (row: Destination) => Destination) =>
    setRows(rows.map((row) => (row.key === key ? change(row) : row)));

  const bodyOf = (row: Destination) => ({
    batch_id: batch.id,
    source_pond_id: sourceId,
    destination_pond_id: row.pondId,
    quantity: row.count,
    transfer_date: when.instant(),
    ...(weight.value === null ? {} : { average_weight: weight.value }),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  });

  const sendAll = async (): Promise<TransferAnswer[]> => {
    const stored: TransferAnswer[] = [];
    for (const [index, row] of rows.entries()) {
      try {
        stored.push(await send('/transfers/', bodyOf(row)));
      } catch (error) {
        const isAtRow = error instanceof ApiError && error.status < 500;
        const text = faultText(error);
        setTold({
          row: isAtRow ? index : null,
          text: stored.length > 0 ? words.partly(stored.length, rows.length, text) : text,
        });
        break;
      }
    }
    return stored;
  };

  const undo = async (stored: readonly TransferAnswer[]) => {
    try {
      for (const { id } of stored) await del(`/transfers/${id}`);
      toast(words.undone, null, 4_000);
    } catch (error) {
      toast(faultText(error));
    }
    refresh(...BATCH_TOUCHES);
  };

  return {
    sourceId,
    setSourceId,
    available,
    moved,
    missing: Math.max(0, moved - available),
    rows,
    add: () => setRows([...rows, blank()]),
    remove: (key: string) => setRows(rows.filter((row) => row.key !== key)),
    change: (key: string, change: Partial<Pick<Destination, 'pondId' | 'text'>>) =>
      setAt(key, (row) => ({
        ...(change.text === undefined ? row : withText(row, change.text)),
        pondId: change.pondId ?? row.pondId,
      })),
    takeRest: (key: string) =>
      setAt(key, (row) =>
        withText(
          row,
          String(
            rest(
              available,
              rows.filter((other) => other.key !== key).map(({ count }) => count),
            ),
          ),
        ),
      ),
    splitEvenly: () => {
      const shares = equalShares(available, rows.length);
      setRows(rows.map((row, index) => withText(row, String(shares[index] ?? 0))));
    },
    reason,
    setReason,
    when,
    weight,
    faultRow: told?.row ?? null,
    fault: told?.text ?? null,
    whole: told !== null && told.row === null ? told.text : null,
    isRight:
      rows.every(({ pondId, count }) => pondId !== '' && count !== null) &&
      moved > 0 &&
      moved <= available &&
      weight.isRight &&
      when.isRight,
    save: async () => {
      setTold(null);
      const stored = await sendAll();
      if (stored.length > 0) refresh(...BATCH_TOUCHES);
      if (stored.length < rows.length) {
        // what is stored is not sent again
        setRows(rows.slice(stored.length));
        return;
      }
      go('/transferencias/historico');
      toast(words.done(figure(moved)), { label: words.undo, run: () => void undo(stored) });
    },
  };
}
