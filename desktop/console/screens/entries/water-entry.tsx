import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { componentWords } from '#words/components.ts';
import { entryWords } from '#words/entries.ts';
import { waterWords } from '#words/water.ts';
import { AmmoniaQuestion, useBasisLabel } from '../../components/ammonia.tsx';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { farm, mayRecord } from '../../data/farm-store.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { WATER } from '../../data/water.ts';
import { roundTime, sureOfWater, typeWater, waterDraft } from '../../data/water-draft.ts';
import { figure } from '../../i18n/format.ts';
import type { Judged } from '../../state/water-draft.ts';
import { DraftNote, EntryHead } from './entry-form.tsx';
import {
  FIRST,
  mayLeave,
  REST,
  RoundTimeFields,
  roundTimeFault,
  typedOf,
  useSendWater,
  useWaterRound,
} from './round-time.tsx';
import { isAmiss, JudgedNote, RowStanding, WaterGrid } from './water-grid.tsx';

const narrow = matchMedia('(max-width: 760px)');

/** A sheet like the one on paper where there is room and a keyboard; pond by pond with large keys on a phone. */
export function WaterEntry() {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  // a phone that is turned to and fro comes back to the pond where it was
  const [step, setStep] = useState<number | null>(null);
  useEffect(() => {
    const follow = (event: MediaQueryListEvent) => setNarrow(event.matches);
    narrow.addEventListener('change', follow);
    return () => narrow.removeEventListener('change', follow);
  }, []);
  // without a line nobody may know yet: what is written down then waits, and is judged where it arrives
  if (farm.value !== null && !mayRecord.value)
    return (
      <div class="page">
        <EntryHead title={entryWords().water} />
        <Empty text={componentWords().forbidden} />
      </div>
    );
  return isNarrow ? <WaterStepper step={step} onStep={setStep} /> : <WaterGrid />;
}

/** Two taps as near as this are one. */
const DOUBLE_TAP_MS = 400;

/** The round on a phone: one pond at a time, in walking order. */
function WaterStepper({ step, onStep }: { step: number | null; onStep: (step: number) => void }) {
  const words = entryWords();
  const known = usePonds();
  const { ponds } = known;
  const asked = new URLSearchParams(useSearch()).get('pond');
  if (ponds.length === 0) {
    return (
      <div class="page">
        <EntryHead title={words.water} />
        <Answer of={known}>{() => <Empty text={words.noPonds} />}</Answer>
      </div>
    );
  }
  // where one was asked to begin, else where something typed was left
  const first = [asked, ponds.find(({ id }) => waterDraft.value.has(id))?.cod].find((cod) => cod != null);
  const index =
    step ??
    Math.max(
      0,
      ponds.findIndex(({ cod }) => cod === first),
    );
  const pond = ponds[index];
  if (pond === undefined) {
    return (
      <div class="page">
        <EntryHead title={words.water} />
        <Empty text={words.done}>
          <Button big onClick={() => onStep(0)}>
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
      <RoundTimeFields key={pond.id} />
      <DraftNote />
      <PondStep
        key={pond.id}
        pond={pond}
        isNext={step !== null}
        onBack={index === 0 ? null : () => onStep(index - 1)}
        onNext={() => onStep(index + 1)}
      />
    </div>
  );
}

function PondStep({
  pond,
  isNext,
  onBack,
  onNext,
}: {
  pond: Pond;
  /** One came here from another pond of the round: its name stands on the screen, and its first field waits. */
  isNext: boolean;
  onBack: (() => void) | null;
  onNext: () => void;
}) {
  const words = entryWords();
  const { lastOf, judged: judgedOf } = useWaterRound();
  const last = lastOf(pond.id);
  const judged = judgedOf(pond.id);
  const { send, isBusy } = useSendWater();
  const shownAt = useRef(performance.now());
  const [isWhole, setWhole] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!isNext) return;
    scrollTo(0, 0);
    form.current?.querySelector('input')?.focus({ preventScroll: true });
  }, []);
  const inputs = (fields: readonly WaterField[]) =>
    fields.map((field) => (
      <WaterInput
        key={field}
        field={field}
        pondId={pond.id}
        judged={judged[field]}
        before={last?.[field] ?? null}
      />
    ));
  const isReady = mayLeave(judged) && roundTimeFault(roundTime.value) === null;
  const isTouched = waterDraft.value.has(pond.id);
  const save = async () => {
    if (await send([pond])) onNext();
  };
  return (
    <form
      noValidate
      ref={form}
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void save();
        // the second tap of two on the pond before is not meant for this one
        else if (!isTouched && performance.now() - shownAt.current > DOUBLE_TAP_MS) onNext();
      }}
    >
      <div class="row apart">
        <h2 class="step-pond">{pond.cod}</h2>
        <RowStanding pondId={pond.id} lastAt={last?.measurement_date} />
      </div>
      {inputs(FIRST)}
      <details onToggle={(event) => setWhole(event.currentTarget.open)}>
        <summary>+ {REST.map((field) => waterWords().short[field]).join(', ')}</summary>
        {/* what nobody opened is not drawn, and moves nothing */}
        {isWhole ? (
          <div class="stack">
            <AmmoniaQuestion />
            {inputs(REST)}
          </div>
        ) : null}
      </details>
      <div class="step-actions">
        <Button big disabled={onBack === null} onClick={() => onBack?.()}>
          {words.back}
        </Button>
        <Button big look="main" type="submit" busy={isBusy} unready={isTouched && !isReady}>
          {isTouched ? words.next : words.skip}
        </Button>
      </div>
    </form>
  );
}

function WaterInput({
  field,
  pondId,
  judged,
  before,
}: {
  field: WaterField;
  pondId: string;
  judged: Judged;
  before: number | null;
}) {
  const words = entryWords();
  const id = useId();
  const basis = useBasisLabel();
  const { unit, decimals } = WATER[field];
  return (
    <div class="step-field">
      <label for={id}>
        {waterWords().name[field]}{' '}
        {unit === '' ? null : (
          <span class="muted small">
            {unit} {field === 'ammonia' ? basis : ''}
          </span>
        )}
        {before === null ? null : (
          <span class="muted small"> · {words.lastValue(figure(before, decimals))}</span>
        )}
      </label>
      <input
        id={id}
        class="input"
        type="text"
        inputMode="decimal"
        autoComplete="off"
        enterKeyHint="next"
        aria-invalid={isAmiss(judged)}
        aria-describedby={`${id}-note`}
        value={typedOf(pondId)[field] ?? ''}
        onInput={(event) => typeWater(pondId, field, event.currentTarget.value)}
      />
      <JudgedNote
        id={`${id}-note`}
        judged={judged}
        last={before}
        field={field}
        onSure={() => sureOfWater(pondId, field)}
      />
    </div>
  );
}
