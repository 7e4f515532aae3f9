import { useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toast.tsx';
import { waterWords } from '../../components/water-words.ts';
import { takeBack } from '../../data/outbox.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { WATER } from '../../data/water.ts';
import { figure } from '../../i18n/format.ts';
import { EntryHead } from './entry-head.tsx';
import { JudgedNote } from './judged-note.tsx';
import { enterWater, judgeTyped, mayLeave, type Typed, useLastWater } from './water-round.ts';
import { entryWords } from './words.ts';

const FIRST: readonly WaterField[] = ['dissolved_oxygen', 'temperature', 'ph', 'salinity'];
const REST: readonly WaterField[] = ['ammonia', 'nitrite', 'alkalinity', 'transparency'];
const FIELDS = [...FIRST, ...REST];

/** The round on a phone: one pond at a time, in walking order. */
export function WaterStepper() {
  const words = entryWords();
  const { ponds } = usePonds();
  const asked = new URLSearchParams(useSearch()).get('pond');
  const [at, setAt] = useState<number | null>(null);
  const index =
    at ??
    Math.max(
      0,
      ponds.findIndex(({ cod }) => cod === asked),
    );
  const pond = ponds[index];
  if (ponds.length === 0) return <div class="page" aria-busy="true" />;
  if (pond === undefined) {
    return (
      <div class="page">
        <EntryHead title={words.water} />
        <Empty text={words.done}>
          <Button big onClick={() => setAt(0)}>
            {words.again}
          </Button>
        </Empty>
      </div>
    );
  }
  return (
    <div class="page">
      <EntryHead title={words.water}>
        <span class="muted">{words.of(index + 1, ponds.length)}</span>
      </EntryHead>
      <PondStep
        key={pond.id}
        pond={pond}
        onBack={index === 0 ? null : () => setAt(index - 1)}
        onNext={() => setAt(index + 1)}
      />
    </div>
  );
}

function PondStep({ pond, onBack, onNext }: { pond: Pond; onBack: (() => void) | null; onNext: () => void }) {
  const words = entryWords();
  const last = useLastWater()(pond.id);
  const [typed, setTyped] = useState<Typed>({});
  const isReady = mayLeave(FIELDS, typed, last);
  const isTouched = Object.values(typed).some((text) => text !== '');
  const save = async () => {
    const { id } = await enterWater(pond, FIELDS, typed);
    toast(words.saved(1), {
      label: words.undo,
      run: () => void takeBack(id).then((done) => (done ? toast(words.takenBack, null, 3_000) : undefined)),
    });
    onNext();
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void save();
        else if (!isTouched) onNext();
      }}
    >
      <h2 class="step-pond">{pond.cod}</h2>
      {FIRST.map((field) => (
        <WaterInput key={field} field={field} typed={typed} last={last} onType={setTyped} />
      ))}
      <details>
        <summary>+ {REST.map((field) => waterWords().short[field]).join(', ')}</summary>
        <div class="stack">
          {REST.map((field) => (
            <WaterInput key={field} field={field} typed={typed} last={last} onType={setTyped} />
          ))}
        </div>
      </details>
      <div class="step-actions">
        <Button big disabled={onBack === null} onClick={() => onBack?.()}>
          {words.back}
        </Button>
        <Button big look="main" type="submit" disabled={isTouched && !isReady}>
          {isTouched ? words.next : words.skip}
        </Button>
      </div>
    </form>
  );
}

function WaterInput({
  field,
  typed,
  last,
  onType,
}: {
  field: WaterField;
  typed: Typed;
  last: ReturnType<ReturnType<typeof useLastWater>>;
  onType: (typed: Typed) => void;
}) {
  const words = entryWords();
  const name = waterWords().name[field];
  const { unit, decimals } = WATER[field];
  const judged = judgeTyped(field, typed, last);
  const before = last?.[field] ?? null;
  return (
    <label class="step-field">
      <span>
        {name} {unit === '' ? null : <span class="muted small">{unit}</span>}
        {before === null ? null : (
          <span class="muted small"> · {words.lastValue(figure(before, decimals))}</span>
        )}
      </span>
      <input
        class="input"
        type="text"
        inputMode="decimal"
        autoComplete="off"
        enterKeyHint="next"
        aria-invalid={judged.is === 'unclear' || judged.is === 'impossible'}
        value={typed[field] ?? ''}
        onInput={(event) => onType({ ...typed, [field]: event.currentTarget.value })}
      />
      <JudgedNote judged={judged} last={before} field={field} />
    </label>
  );
}
