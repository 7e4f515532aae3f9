import { useEffect, useState } from 'preact/hooks';
import { freeLotCode } from '#contract/lot-code.ts';
import type { BatchDetail, HarvestAnswer } from '#contract/resources/batches.ts';
import type { LotAnswer } from '#contract/resources/harvest-lots.ts';
import { lotWords } from '#words/harvest-lots.ts';
import { AllAnswered, Empty } from '../../components/answer.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { CountField, FigureField, useCount, useFigure } from '../../components/figure-field.tsx';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { clockTime, dayAndTime, isoDay, quantity } from '../../i18n/format.ts';
import { SaveButton, useSubmit, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { told } from '../records/record-entry.tsx';
import { useWithdrawalQuestion } from '../records/withdrawal.tsx';
import { ClassFields, LOT_TOUCHES, useClasses } from './lot-classes.tsx';

/** A lot of a harvest, as it is loaded; without a line it waits as any entry does. */
export function LotEntry({ batch }: { batch: BatchDetail }) {
  const words = lotWords();
  const harvests = useGet(`/batches/${batch.id}/harvests`);
  const lots = useGet(`/batches/${batch.id}/harvest-lots`);
  return (
    <AllAnswered of={[harvests, lots]}>
      {() => {
        const all = harvestsOf(batch, harvests.data ?? []);
        return all.length === 0 ? (
          <Empty text={words.noHarvest} />
        ) : (
          <LotForm batch={batch} harvests={all} lots={lots.data ?? []} />
        );
      }}
    </AllAnswered>
  );
}

type Choice = { id: string; at: string; kg: number | null; pondId: string | null };

/** The final harvest first, then the newest; '' is the id of the final one. */
const harvestsOf = (batch: BatchDetail, partial: readonly HarvestAnswer[]): Choice[] => [
  ...(batch.status === 'FINISHED' && batch.actual_harvest_date !== null
    ? [{ id: '', at: batch.actual_harvest_date, kg: batch.final_weight_kg, pondId: null }]
    : []),
  ...partial.map(({ id, harvest_date: at, weight_kg: kg, pond_id: pondId }) => ({ id, at, kg, pondId })),
];

const typed = (text: string) => (text.trim() === '' ? null : text.trim());

function LotForm({
  batch,
  harvests,
  lots,
}: {
  batch: BatchDetail;
  harvests: readonly Choice[];
  lots: readonly LotAnswer[];
}) {
  const words = lotWords();
  const submit = useSubmit();
  const { ponds } = usePonds();
  const when = useWhen();
  const [harvestId, setHarvest] = useState(harvests[0]?.id ?? '');
  const harvest = harvests.find(({ id }) => id === harvestId);
  useEffect(() => {
    if (harvest === undefined) return;
    when.setDay(isoDay(harvest.at));
    when.setTime(clockTime(harvest.at));
  }, [harvest?.id]);
  const [code, setCode] = useState('');
  const weight = useFigure();
  const [isByMean, setByMean] = useState(true);
  const [mean, count] = [
    useFigure('', { isNeeded: false, mayBeZero: false }),
    useCount('', { isNeeded: false }),
  ];
  const temperature = useFigure('', { isNeeded: false });
  const classes = useClasses();
  const withdrawal = useWithdrawalQuestion(batch, when.day);
  const [texts, setTexts] = useState({
    buyer: '',
    taxId: '',
    document: '',
    vehicle: '',
    driver: '',
    notes: '',
  });
  const proposed = freeLotCode(batch.batch_code, when.day, new Set(lots.map(({ lot_code }) => lot_code)));
  const isWithin = weight.value === null || classes.kg <= weight.value + 0.005;
  const isRight = [weight, mean, count, temperature, classes, when, withdrawal].every((each) => each.isRight);
  const field = (name: keyof typeof texts) => (
    <TextField
      label={words[name]}
      value={texts[name]}
      maxLength={name === 'notes' ? 1_000 : 255}
      onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
    />
  );
  const save = () =>
    submit({
      path: `/batches/${batch.id}/harvest-lots`,
      label: `${words.entry} · ${batch.batch_code} ${quantity(weight.value, 0, 'kg')}`,
      body: {
        harvested_at: when.instant(),
        weight_kg: weight.value,
        classes: classes.classes,
        ...told({
          harvest_id: typed(harvestId),
          lot_code: typed(code),
          average_weight_g: isByMean ? mean.value : null,
          count: isByMean ? null : count.value,
          buyer: typed(texts.buyer),
          buyer_tax_id: typed(texts.taxId),
          transport_document: typed(texts.document),
          vehicle: typed(texts.vehicle),
          driver: typed(texts.driver),
          loading_temperature_c: temperature.value,
          notes: typed(texts.notes),
        }),
      },
      touches: LOT_TOUCHES,
    });
  return (
    <section class="card stack" data-lot-entry>
      <SelectField
        label={words.harvest}
        value={harvestId}
        options={harvests.map(({ id, at, kg, pondId }) => ({
          value: id,
          label: [
            id === '' ? words.final : dayAndTime(at),
            kg === null ? null : quantity(kg, 0, 'kg'),
            ponds.find((pond) => pond.id === pondId)?.cod ?? null,
          ]
            .filter((part) => part !== null)
            .join(' · '),
        }))}
        onChange={(event) => setHarvest(event.currentTarget.value)}
      />
      <WhenFields when={when} />
      <TextField
        label={words.code}
        hint={words.codeHint}
        placeholder={proposed}
        value={code}
        maxLength={255}
        onInput={(event) => setCode(event.currentTarget.value)}
      />
      <FigureField label={words.weight} unit="kg" figure={weight} />
      <div class="form-grid">
        <SelectField
          label={words.toldAs}
          value={isByMean ? 'mean' : 'count'}
          options={[
            { value: 'mean', label: words.asMean },
            { value: 'count', label: words.asCount },
          ]}
          onChange={(event) => setByMean(event.currentTarget.value === 'mean')}
        />
        {isByMean ? (
          <FigureField label={words.mean} unit="g" figure={mean} />
        ) : (
          <CountField label={words.count} count={count} />
        )}
      </div>
      <ClassFields of={classes} weight={weight.value} />
      {field('buyer')}
      <div class="form-grid">
        {field('taxId')}
        {field('document')}
        {field('vehicle')}
        {field('driver')}
        <FigureField label={words.temperature} unit="°C" figure={temperature} />
      </div>
      {field('notes')}
      {withdrawal.question}
      <SaveButton isRight={isRight && isWithin} save={save} />
    </section>
  );
}
