import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import {
  DOSE_UNITS,
  EXCHANGE_UNITS,
  MAY_LEAVE_RESIDUES,
  PRODUCT_KINDS,
} from '#contract/resources/farm-records.ts';
import { componentWords } from '#words/components.ts';
import { recordsWords } from '#words/records.ts';
import { Empty } from '../../components/answer.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../components/field.tsx';
import { CountField, FigureField, useCount, useFigure } from '../../components/figure-field.tsx';
import { useBatches } from '../../data/batches.ts';
import { controlPoints, farm, mayAttend, mayRecord } from '../../data/farm-store.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { percent, quantity } from '../../i18n/format.ts';
import { EntryHead, SaveButton, useSubmit, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { RECORD_TOUCHES } from './records.tsx';

/** Where something is written down: its path in the interface, and what people call it. */
export type Place = { path: string; name: string; pond: Pond | null };
/** animals: ponds and batches. */
type PlacesOf = 'ponds' | 'animals' | 'all';

export const TreatmentEntry = () => (
  <PlaceForm title={recordsWords().treatment} of="ponds">
    {(place) => <TreatmentForm place={place} />}
  </PlaceForm>
);

export const ExchangeEntry = () => (
  <PlaceForm title={recordsWords().exchange} of="ponds">
    {(place) => <ExchangeForm place={place} />}
  </PlaceForm>
);

export const NoteEntry = () => (
  <PlaceForm title={recordsWords().note} of="all">
    {(place) => <NoteForm place={place} />}
  </PlaceForm>
);

/** The place that was asked for stands there already; else somebody chooses: no treatment goes to another pond. */
export function PlaceForm({
  title,
  of,
  children,
}: {
  title: string;
  of: PlacesOf;
  children: (place: Place) => ComponentChildren;
}) {
  const words = recordsWords();
  const query = new URLSearchParams(useSearch());
  const places = usePlaces(of);
  const [chosen, setChosen] = useState<string | null>(null);
  const asked = query.get('pond') ?? query.get('batch') ?? query.get('ponto');
  const place =
    chosen === null ? places.find(({ code }) => code === asked) : places.find(({ path }) => path === chosen);
  // without a line nobody may know yet: what is written down then waits, and is judged where it arrives
  const isForbidden = farm.value !== null && !mayRecord.value && !(of === 'all' && mayAttend.value);
  return (
    <div class="page narrow">
      <EntryHead title={title} />
      {isForbidden ? (
        <Empty text={componentWords().forbidden} />
      ) : (
        <div class="card stack">
          <SelectField
            label={words.where}
            value={place?.path ?? ''}
            options={[
              ...(place === undefined ? [{ value: '', label: words.choose }] : []),
              ...places.map(({ path, name }) => ({ value: path, label: name })),
            ]}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
          {place === undefined ? null : (
            <div class="stack" key={place.path}>
              {children(place)}
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function usePlaces(of: PlacesOf): (Place & { code: string })[] {
  const words = recordsWords();
  const { ponds } = usePonds();
  const { batches } = useBatches();
  const ofPonds = ponds.map((pond) => ({
    path: `/ponds/${pond.id}`,
    code: pond.cod,
    name: words.pond(pond.cod),
    pond,
  }));
  if (of === 'ponds') return ofPonds;
  const ofBatches = batches.map(({ id, batch_code: code }) => ({
    path: `/batches/${id}`,
    code,
    name: words.batch(code),
    pond: null,
  }));
  if (of === 'animals') return [...ofPonds, ...ofBatches];
  return [
    ...(mayRecord.value || farm.value === null ? [...ofPonds, ...ofBatches] : []),
    ...[...controlPoints.value.values()]
      .filter(({ farm_id }) => farm_id === farm.value?.id)
      .map(({ id, cod }) => ({
        path: `/control-points/${id}`,
        code: cod,
        name: words.point(cod),
        pond: null,
      })),
  ];
}

export type Typed = { value: string; set: (value: string) => void };
export function useText(first = ''): Typed {
  const [value, set] = useState(first);
  return { value, set };
}

export const sentText = ({ value }: Typed) => (value.trim() === '' ? null : value.trim());

export function Line({
  label,
  typed,
  list,
  needed,
  hint,
}: {
  label: string;
  typed: Typed;
  list?: string;
  needed?: boolean;
  hint?: string;
}) {
  return (
    <TextField
      needed={needed}
      label={label}
      hint={hint}
      value={typed.value}
      maxLength={255}
      {...(list === undefined ? {} : { list })}
      onInput={(event) => typed.set(event.currentTarget.value)}
    />
  );
}

/** Only what somebody wrote is sent. */
export const told = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** A product that was used before brings its kind, unit and withdrawal period along. */
function TreatmentForm({ place }: { place: Place }) {
  const words = recordsWords();
  const submit = useSubmit();
  const when = useWhen();
  const known = useGet(farm.value === null ? null : `/farms/${farm.value.id}/products`);
  const [product, lot, reason, responsible] = [useText(), useText(), useText(), useText()];
  const [kind, setKind] = useState<string>('');
  const [unit, setUnit] = useState<string>('kg');
  const [isUnknown, setUnknown] = useState(false);
  const dose = useFigure();
  const days = useCount('', { isNeeded: false, mayBeZero: true, most: 365 });
  const isAsked = PRODUCT_KINDS.some((each) => each === kind && MAY_LEAVE_RESIDUES.includes(each));
  const choose = (name: string) => {
    product.set(name);
    const found = known.data?.find((each) => each.product.toLowerCase() === name.trim().toLowerCase());
    if (found === undefined) return;
    setKind(found.product_kind);
    setUnit(found.unit);
    if (found.withdrawal_days !== null) days.setText(String(found.withdrawal_days));
  };
  const save = () =>
    submit({
      path: `${place.path}/records`,
      label: `${place.name} · ${product.value.trim()} ${quantity(dose.value, 2, unit)}`,
      body: {
        kind: 'TREATMENT',
        product: product.value.trim(),
        product_kind: kind,
        amount: dose.value,
        unit,
        happened_at: when.instant(),
        withdrawal_days: isUnknown ? null : days.value,
        ...told({ product_lot: sentText(lot), text: sentText(reason), responsible: sentText(responsible) }),
      },
      touches: RECORD_TOUCHES,
    });
  return (
    <>
      <TextField
        needed
        label={words.product}
        value={product.value}
        maxLength={255}
        list="known-products"
        onInput={(event) => choose(event.currentTarget.value)}
      />
      <datalist id="known-products">
        {(known.data ?? []).map((each) => (
          <option key={each.product} value={each.product} />
        ))}
      </datalist>
      <SelectField
        label={words.productKind}
        value={kind}
        options={[
          ...(kind === '' ? [{ value: '', label: words.choose }] : []),
          ...PRODUCT_KINDS.map((each) => ({ value: each, label: words.productKinds[each] })),
        ]}
        onChange={(event) => setKind(event.currentTarget.value)}
      />
      <div class="form-grid">
        <FigureField label={words.dose} unit={unit} figure={dose} />
        <SelectField
          label={words.unit}
          value={unit}
          options={DOSE_UNITS.map((each) => ({ value: each, label: words.units[each] }))}
          onChange={(event) => setUnit(event.currentTarget.value)}
        />
      </div>
      {isUnknown ? null : (
        <CountField
          label={words.withdrawal}
          hint={words.withdrawalHint}
          count={{ ...days, isNeeded: isAsked }}
          fault={kind === 'MEDICATION' && days.value === 0 ? words.medicationWithout : null}
        />
      )}
      {isAsked ? (
        <CheckField
          label={words.unknownWithdrawal}
          checked={isUnknown}
          onChange={(event) => setUnknown(event.currentTarget.checked)}
        />
      ) : null}
      <Line label={words.lot} typed={lot} />
      <Line label={words.reason} typed={reason} />
      <Line label={words.responsible} typed={responsible} />
      <WhenFields when={when} />
      <SaveButton
        isRight={
          product.value.trim() !== '' &&
          kind !== '' &&
          dose.isRight &&
          when.isRight &&
          (isUnknown || (days.isRight && (days.value !== null || !isAsked)))
        }
        save={save}
      />
    </>
  );
}

/** More than that in one go is a new filling, or a slip. */
const LARGE_PERCENT = 50;

function ExchangeForm({ place }: { place: Place }) {
  const words = recordsWords();
  const submit = useSubmit();
  const when = useWhen();
  const amount = useFigure();
  const [unit, setUnit] = useState<(typeof EXCHANGE_UNITS)[number]>('percent');
  const [source, reason] = [useText(), useText()];
  const share = amount.value === null ? null : sharePercent(place.pond, amount.value, unit);
  const save = () =>
    submit({
      path: `${place.path}/records`,
      label: `${place.name} · ${words.exchange} ${quantity(amount.value, 1, words.units[unit])}`,
      body: {
        kind: 'WATER_EXCHANGE',
        amount: amount.value,
        unit,
        happened_at: when.instant(),
        ...told({ source: sentText(source), text: sentText(reason) }),
      },
      touches: RECORD_TOUCHES,
    });
  return (
    <>
      <div class="form-grid">
        <FigureField label={words.amount} unit={words.units[unit]} figure={amount} />
        <SelectField
          label={words.unit}
          value={unit}
          options={EXCHANGE_UNITS.map((each) => ({ value: each, label: words.exchangeUnits[each] }))}
          onChange={(event) =>
            setUnit(EXCHANGE_UNITS.find((each) => each === event.currentTarget.value) ?? unit)
          }
        />
      </div>
      {share !== null && share > LARGE_PERCENT ? (
        <p class="note p2" role="status">
          ▲ {words.large(percent(share, 0))}
        </p>
      ) : null}
      <Line label={words.source} typed={source} />
      <Line label={words.reason} typed={reason} />
      <WhenFields when={when} />
      <SaveButton isRight={amount.isRight && when.isRight} save={save} />
    </>
  );
}

/** Null: the size of the pond is not known. */
function sharePercent(
  pond: Pond | null,
  amount: number,
  unit: (typeof EXCHANGE_UNITS)[number],
): number | null {
  if (unit === 'percent') return amount;
  if (pond === null || pond.depth_m === null) return null;
  if (unit === 'cm') return amount / pond.depth_m;
  return pond.size_m2 === null ? null : (100 * amount) / (pond.size_m2 * pond.depth_m);
}

function NoteForm({ place }: { place: Place }) {
  const words = recordsWords();
  const submit = useSubmit();
  const when = useWhen();
  const text = useText();
  const save = () =>
    submit({
      path: `${place.path}/records`,
      label: `${place.name} · ${text.value.trim().slice(0, 40)}`,
      body: { kind: 'NOTE', text: text.value.trim(), happened_at: when.instant() },
      touches: RECORD_TOUCHES,
    });
  return (
    <>
      <TextArea
        needed
        label={words.text}
        value={text.value}
        rows={5}
        maxLength={10_000}
        onInput={(event) => text.set(event.currentTarget.value)}
      />
      <WhenFields when={when} />
      <SaveButton isRight={text.value.trim() !== '' && when.isRight} save={save} />
    </>
  );
}
