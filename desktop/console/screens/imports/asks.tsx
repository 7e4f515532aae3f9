import type { ImportLook, ImportReport } from '#contract/resources/imports.ts';
import { importWords } from '#words/imports.ts';
import { Button } from '../../components/button.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { useBatches } from '../../data/batches.ts';
import { usePonds } from '../../data/places.ts';
import { currencySign } from '../../i18n/format.ts';
import { type Answers, GIVEN_FOR, type Given } from './use-import.ts';

type Props = {
  look: ImportLook;
  report: ImportReport | undefined;
  said: Answers;
  say: (more: Partial<Answers>) => void;
};

/** What the file does not tell: said once for all its rows. */
export function Asks({ look, report, said, say }: Props) {
  const words = importWords();
  const wrong = (column: string, code: string) =>
    report?.errors.some((error) => error.column === column && error.code === code) === true;
  const wanted = new Set<Given>(
    [
      ...look.missing.map((column) => GIVEN_FOR[column]),
      wrong('cost_per_kg', 'REQUIRED') || said.given.cost_per_kg !== undefined ? 'cost_per_kg' : undefined,
      report?.errors.some(({ code }) => code === 'SALINITY_NEEDED') === true ||
      said.given.salinity !== undefined
        ? 'salinity'
        : undefined,
    ].filter((given) => given !== undefined) as Given[],
  );
  const questions = report?.questions ?? [];
  const isMarkAsked =
    said.decimal !== '' || report?.errors.some(({ code }) => code === 'AMBIGUOUS_NUMBER') === true;
  const isOrderAsked =
    questions.some(({ answer_with }) => answer_with === 'date_order') || said.dateOrder !== '';
  if (wanted.size === 0 && !isOrderAsked && !isMarkAsked) return null;
  const give = (name: Given, value: string) =>
    say({ given: { ...said.given, [name]: value }, skip: new Map() });
  const order = questions.find(({ answer_with }) => answer_with === 'date_order');
  return (
    <section class="card stack" data-asks>
      <h2>{words.forAll}</h2>
      {isOrderAsked ? (
        <div class="stack">
          <p>
            <strong>{words.dateOrder}</strong>
          </p>
          {order === undefined ? null : (
            <p>
              {words.orderAsked(
                order.proposed === 'month_first' ? words.orders.month_first : words.orders.day_first,
              )}
            </p>
          )}
          <Choice
            label={words.dateOrder}
            options={[
              ['day_first', words.orders.day_first],
              ['month_first', words.orders.month_first],
            ]}
            chosen={said.dateOrder}
            choose={(dateOrder) => say({ dateOrder, skip: new Map() })}
          />
        </div>
      ) : null}
      {isMarkAsked ? (
        <div class="stack">
          <p>
            <strong>{words.decimalOf}</strong>
          </p>
          <Choice
            label={words.decimalOf}
            options={[
              ['comma', words.decimal.comma],
              ['point', words.decimal.point],
            ]}
            chosen={said.decimal}
            choose={(decimal) => say({ decimal, skip: new Map() })}
          />
        </div>
      ) : null}
      <div class="form-grid">
        {[...wanted].map((name) => (
          <GivenField
            key={name}
            name={name}
            value={said.given[name] ?? ''}
            give={(value) => give(name, value)}
          />
        ))}
      </div>
    </section>
  );
}

function Choice<Value extends string>({
  label,
  options,
  chosen,
  choose,
}: {
  label: string;
  options: readonly (readonly [Value, string])[];
  chosen: string;
  choose: (value: Value) => void;
}) {
  return (
    <div class="row" role="group" aria-label={label}>
      {options.map(([value, text]) => (
        <Button
          key={value}
          look={chosen === value ? 'main' : 'plain'}
          aria-pressed={chosen === value}
          onClick={() => choose(value)}
        >
          {text}
        </Button>
      ))}
    </div>
  );
}

function GivenField({ name, value, give }: { name: Given; value: string; give: (value: string) => void }) {
  const words = importWords();
  const onInput = (event: { currentTarget: HTMLInputElement }) => give(event.currentTarget.value);
  switch (name) {
    case 'batch_id':
      return <BatchField value={value} give={give} />;
    case 'pond_id':
      return <PondField value={value} give={give} />;
    case 'feed_type':
      return <TextField needed label={words.feedType} value={value} maxLength={100} onInput={onInput} />;
    case 'meter':
      return <TextField needed label={words.meter} value={value} maxLength={255} onInput={onInput} />;
    case 'species':
      return <TextField needed label={words.species} value={value} maxLength={100} onInput={onInput} />;
    case 'initial_avg_weight':
      return <DecimalField needed label={words.initialWeight} unit="g" value={value} onInput={onInput} />;
    case 'sample_size':
      return (
        <DecimalField needed label={words.sampleSize} inputMode="numeric" value={value} onInput={onInput} />
      );
    case 'cost_per_kg':
      return (
        <DecimalField
          needed
          label={words.price}
          hint={words.priceHint}
          unit={currencySign.value}
          value={value}
          onInput={onInput}
        />
      );
    case 'salinity':
      return (
        <DecimalField
          needed
          label={words.salinity}
          hint={words.salinityHint}
          unit="ppt"
          value={value}
          onInput={onInput}
        />
      );
  }
}

function BatchField({ value, give }: { value: string; give: (value: string) => void }) {
  const words = importWords();
  const batches = [useBatches('ACTIVE'), useBatches('FINISHED'), useBatches('ABORTED')].flatMap(
    (found) => found.batches,
  );
  return (
    <SelectField
      needed
      label={words.whichBatch}
      value={value}
      options={[
        { value: '', label: words.choose },
        ...batches.map(({ id, batch_code }) => ({ value: id, label: batch_code })),
      ]}
      onChange={(event) => give(event.currentTarget.value)}
    />
  );
}

function PondField({ value, give }: { value: string; give: (value: string) => void }) {
  const words = importWords();
  const { ponds } = usePonds();
  return (
    <SelectField
      needed
      label={words.whichPond}
      value={value}
      options={[
        { value: '', label: words.choose },
        ...ponds.map(({ id, cod }) => ({ value: id, label: cod })),
      ]}
      onChange={(event) => give(event.currentTarget.value)}
    />
  );
}
