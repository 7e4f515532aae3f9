import { useRef } from 'preact/hooks';
import '../../styles/batches.css';
import { useLocation, useSearch } from 'wouter-preact';
import { componentWords } from '#words/components.ts';
import { batchWords, stockingWords } from '#words/production.ts';
import { Awaited, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DateField, SelectField, TextField } from '../../components/field.tsx';
import { CountField, FigureField } from '../../components/figure-field.tsx';
import { toast } from '../../components/toast.tsx';
import { del } from '../../data/api.ts';
import { BATCH_TOUCHES, type Batch, useBatches } from '../../data/batches.ts';
import { useSend } from '../../data/corrections.ts';
import { mayManage } from '../../data/farm-store.ts';
import { useHalfFilled } from '../../data/half-filled.ts';
import { type Pond, usePondCards, usePonds } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { figure, percent, plainDay, quantity } from '../../i18n/format.ts';
import { BatchHead } from './batch-head.tsx';
import { useStocking } from './use-stocking.ts';

/** A new batch. What the last one had stands there already: mostly the count and the pond are new. */
export function Stocking() {
  const words = stockingWords();
  const [, go] = useLocation();
  return (
    <div class="page narrow">
      <BatchHead title={words.title} back="/lotes" />
      <StockingForm
        asked={new URLSearchParams(useSearch()).get('pond')}
        onSaved={({ batch_code }) => go(`/lotes/${encodeURIComponent(batch_code)}`)}
        onUndone={() => go('/lotes')}
      />
    </div>
  );
}

type Ends = { onSaved: (batch: { batch_code: string }) => void; onUndone: () => void };

/** `asked`: the code of the pond that it begins with. */
export function StockingForm({ asked, ...ends }: { asked: string | null } & Ends) {
  const words = stockingWords();
  const known = usePonds();
  const { ponds, isSuccess } = known;
  const cards = usePondCards();
  const active = useBatches('ACTIVE');
  const finished = useBatches('FINISHED');
  // what is in use, and which codes are taken, decides what may be stocked
  const isReady = isSuccess && cards.isSuccess && active.isSuccess && finished.isSuccess;
  const occupied = new Set(
    (cards.data?.ponds ?? []).filter(({ status }) => status === 'ACTIVE').map(({ pond_id }) => pond_id),
  );
  // empty ponds first: they are what one comes for
  const inOrder = ponds.toSorted((a, b) => Number(occupied.has(a.id)) - Number(occupied.has(b.id)));
  return (
    <>
      {!mayManage.value ? (
        <Empty text={componentWords().forbidden} />
      ) : !isReady ? (
        <Awaited of={[known, cards, active, finished]} />
      ) : inOrder.length === 0 ? (
        <Empty text={words.noPonds} />
      ) : (
        <Form
          ponds={inOrder}
          occupied={occupied}
          first={inOrder.find(({ cod }) => cod === asked) ?? inOrder[0]}
          known={[...active.batches, ...finished.batches]}
          ends={ends}
        />
      )}
    </>
  );
}

function Form({
  ponds,
  occupied,
  first,
  known,
  ends,
}: {
  ends: Ends;
  ponds: readonly Pond[];
  occupied: ReadonlySet<string>;
  first: Pond | undefined;
  known: readonly Batch[];
}) {
  const words = stockingWords();
  const form = useStocking({ ponds, occupied, first, known });
  const place = useRef<HTMLDivElement>(null);
  useHalfFilled(place);
  const { pond } = form;
  return (
    <form
      noValidate
      class="stack far"
      onSubmit={(event) => {
        event.preventDefault();
        if (form.isRight) form.setReviewing(true);
      }}
    >
      <fieldset class="card form-grid">
        <legend>{words.where}</legend>
        <SelectField
          label={words.pond}
          value={pond?.id ?? ''}
          options={ponds.map(({ id, cod, size_m2 }) => ({
            value: id,
            label: `${cod} · ${quantity(size_m2, 0, 'm²')} · ${occupied.has(id) ? words.inUse : words.free}`,
          }))}
          onChange={(event) => form.setPondId(event.currentTarget.value)}
        />
        <TextField
          needed
          label={words.code}
          hint={words.codeHint}
          value={form.code}
          maxLength={255}
          fault={form.codeFault}
          onInput={(event) => form.setCode(event.currentTarget.value)}
        />
      </fieldset>
      <fieldset class="card form-grid">
        <legend>{words.animals}</legend>
        <Known label={words.species} form={form} field="species" known={known} />
        <Known label={words.lineage} form={form} field="lineage" known={known} />
        <Known label={words.origin} form={form} field="larva_origin" known={known} />
        <CountField label={words.count} count={form.count} fault={form.faults.at('initial_count')} />
        <FigureField
          label={words.weight}
          unit="g"
          figure={form.weight}
          fault={form.faults.at('initial_avg_weight')}
        />
        {pond !== undefined && pond.size_m2 !== null && pond.size_m2 > 0 ? (
          <div class="field" role="status">
            <span class="label">{words.density}</span>
            <output class="value">
              {figure(form.density, 1)} <span class="unit">{words.perM2}</span>
            </output>
            <span class="hint">{words.area(quantity(pond.size_m2, 0, 'm²'))}</span>
          </div>
        ) : (
          <FigureField
            label={words.density}
            unit={words.perM2}
            hint={words.noArea}
            figure={form.typedDensity}
          />
        )}
      </fieldset>
      <fieldset class="card form-grid">
        <legend>{words.cycle}</legend>
        <DateField
          needed
          label={words.start}
          value={form.start}
          fault={form.startFault}
          onDay={form.setStart}
        />
        <DateField
          needed
          label={words.harvest}
          hint={form.days === null ? undefined : words.harvestDays(figure(form.days))}
          value={form.harvest}
          fault={form.harvestFault}
          onDay={form.setHarvest}
        />
        <FigureField label={words.survival} unit="%" figure={form.survival} />
        <TextField
          label={words.notes}
          value={form.notes}
          maxLength={2_000}
          onInput={(event) => form.setNotes(event.currentTarget.value)}
        />
      </fieldset>
      {form.doubts.map((doubt) => (
        <p key={doubt} class="note p2" role="status">
          ▲ {words.doubts[doubt]}
        </p>
      ))}
      <div ref={place}>
        <Button big look="main" type="submit" unready={!form.isRight}>
          {words.review}
        </Button>
      </div>
      {form.isReviewing ? <StockingSummary form={form} ends={ends} /> : null}
    </form>
  );
}

/** A word that mostly is one of those used before; they are offered. */
function Known({
  label,
  form,
  field,
  known,
}: {
  label: string;
  form: ReturnType<typeof useStocking>;
  field: 'species' | 'lineage' | 'larva_origin';
  known: readonly Batch[];
}) {
  const values = [...new Set(known.map((batch) => batch[field]))].toSorted((a, b) => a.localeCompare(b));
  return (
    <>
      <TextField
        needed
        label={label}
        list={`known-${field}`}
        value={form.words[field]}
        maxLength={255}
        fault={form.faults.at(field)}
        onInput={(event) => form.setWord(field, event.currentTarget.value)}
      />
      <datalist id={`known-${field}`}>
        {values.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}

/** Everything once more before it is saved, with what is unlikely. */
function StockingSummary({ form, ends }: { form: ReturnType<typeof useStocking>; ends: Ends }) {
  const words = stockingWords();
  const names = batchWords();
  const send = useSend();
  const alive = (form.count.value ?? 0) * ((form.survival.value ?? 0) / 100);
  const undo = (id: string) =>
    del(`/batches/${id}?force=true`).then(
      () => {
        refresh(...BATCH_TOUCHES);
        ends.onUndone();
        toast(words.undone, null, 4_000);
      },
      (error: unknown) => toast(faultText(error)),
    );
  const save = async () => {
    try {
      const batch = await send('/batches/', form.body());
      refresh(...BATCH_TOUCHES);
      ends.onSaved(batch);
      toast(words.done(batch.batch_code), { label: words.undo, run: () => void undo(batch.id) });
    } catch (error) {
      form.faults.tell(error);
      form.setReviewing(false);
      toast(faultText(error));
    }
  };
  const rows = [
    [words.pond, form.pond?.cod ?? ''],
    [words.code, form.code],
    [words.species, form.words.species],
    [words.lineage, form.words.lineage],
    [words.origin, form.words.larva_origin],
    [words.count, figure(form.count.value)],
    [words.weight, quantity(form.weight.value, 3, 'g')],
    [words.density, `${figure(form.density, 1)} ${words.perM2}`],
    [names.started, plainDay(form.start)],
    [words.harvest, plainDay(form.harvest)],
    [words.survival, percent(form.survival.value)],
    [words.harvested, figure(Math.round(alive))],
  ] as const;
  return (
    <Dialog
      title={words.summary}
      onClose={() => form.setReviewing(false)}
      actions={
        <>
          <Button big onClick={() => form.setReviewing(false)}>
            {words.back}
          </Button>
          <WorkButton big look="main" work={save}>
            {words.save}
          </WorkButton>
        </>
      }
    >
      <dl class="pairs">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {form.doubts.map((doubt) => (
        <p key={doubt} class="note p2">
          ▲ {words.doubts[doubt]}
        </p>
      ))}
    </Dialog>
  );
}
