import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import type { BatchDetail } from '#contract/resources/batches.ts';
import type { Right } from '#contract/rights.ts';
import { componentWords } from '#words/components.ts';
import { entryWords, formWords } from '#words/entries.ts';
import { Answer, Awaited, Empty } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { DateField, SelectField, TextField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { type Batch, useBatches } from '../../data/batches.ts';
import { now } from '../../data/clock.ts';
import { farm, mayOn } from '../../data/farm-store.ts';
import { useHalfFilled } from '../../data/half-filled.ts';
import { type Entry, enter, takeBack, type Wanted } from '../../data/outbox.ts';
import { usePondCards, usePonds, usePondsByBatch } from '../../data/places.ts';
import { TIME } from '../../data/schedules.ts';
import { clearWater, putWaterBack, waterDraft } from '../../data/water-draft.ts';
import { clockTime, instantAt, isoDay } from '../../i18n/format.ts';

export function EntryHead({ title, children }: { title: string; children?: ComponentChildren }) {
  const words = entryWords();
  return (
    <div class="page-head">
      <div class="row nowrap">
        <Link href="/lancar" class="button quiet" aria-label={words.title}>
          <Icon name="back" />
        </Link>
        <h1>{title}</h1>
      </div>
      {children}
    </div>
  );
}

/**
 * A form about one batch: of the pond or batch that was asked for, else the first. Where what was asked for is not known
 * (yet, or any more) none is chosen: feed must not be written down for another pond.
 */
export function EntryForm({
  title,
  right = 'record',
  children,
}: {
  title: string;
  right?: Right;
  children: (batch: Batch) => ComponentChildren;
}) {
  const words = formWords();
  const known = useBatches();
  const { batch, isAwaited, cards, asked, choose } = useChosen(known.batches);
  const { ponds } = usePonds();
  const places = usePondsByBatch();
  const placeOf = ({ id, pond_id }: Batch) =>
    places.get(id)?.join(' · ') ?? ponds.find((pond) => pond.id === pond_id)?.cod ?? '';
  const options = known.batches.map((each) => ({
    value: each.id,
    label: `${placeOf(each)} · ${each.batch_code}`,
  }));
  // without a line nobody may know yet: what is written down then waits, and is judged where it arrives
  if (farm.value !== null && !mayOn(farm.value.id, right)) {
    return (
      <div class="page narrow">
        <EntryHead title={title} />
        <Empty text={componentWords().forbidden} />
      </div>
    );
  }
  return (
    <div class="page narrow">
      <EntryHead title={title} />
      <Answer of={known} isEmpty={(found) => found.length === 0} empty={<Empty text={words.noBatch} />}>
        {() =>
          isAwaited ? (
            <Awaited of={[cards]} />
          ) : (
            <div class="card stack">
              {batch === undefined ? (
                <p class="note p2" role="status">
                  {asked === '' ? words.gone : words.notThere(asked)}
                </p>
              ) : null}
              <SelectField
                label={words.batch}
                value={batch?.id ?? ''}
                options={batch === undefined ? [{ value: '', label: words.choose }, ...options] : options}
                onChange={(event) => choose(event.currentTarget.value)}
              />
              {batch === undefined ? null : (
                <div class="stack" key={batch.id}>
                  {children(batch)}
                </div>
              )}
            </div>
          )
        }
      </Answer>
    </div>
  );
}

/** The batch the form is about. Once it is known it stays, whatever the lists say later: what is typed belongs to it. */
function useChosen(batches: readonly Batch[]) {
  const search = useSearch();
  const query = new URLSearchParams(search);
  const [pond, code] = [query.get('pond'), query.get('batch')];
  const cards = usePondCards();
  const places = usePondsByBatch();
  const [chosen, setChosen] = useState({ search, id: '' });
  const found =
    code !== null
      ? batches.find(({ batch_code }) => batch_code === code)
      : pond !== null
        ? batches.find(({ id }) => places.get(id)?.includes(pond))
        : batches[0];
  const isSettled = chosen.search === search && chosen.id !== '';
  const batch = isSettled ? batches.find(({ id }) => id === chosen.id) : found;
  useEffect(() => {
    if (batch !== undefined && batch.id !== chosen.id) setChosen({ search, id: batch.id });
  }, [batch?.id, search]);
  return {
    batch,
    cards,
    asked: code ?? pond ?? '',
    isAwaited: batch === undefined && code === null && pond !== null && cards.isPending,
    choose: (id: string) => setChosen({ search, id }),
  };
}

/** One pond of a batch in several, that of the page first; null: all of them. */
export function useOnePond(ponds: BatchDetail['ponds'] = []) {
  const asked = new URLSearchParams(useSearch()).get('pond');
  const { ponds: known } = usePonds();
  const [chosen, setChosen] = useState<string | null>(null);
  const options = ponds.map((pond) => ({
    ...pond,
    cod: known.find(({ id }) => id === pond.pond_id)?.cod ?? '',
  }));
  const id = chosen ?? options.find(({ cod }) => cod === asked)?.pond_id ?? '';
  const pond = options.length < 2 ? undefined : options.find(({ pond_id }) => pond_id === id);
  return { options, pond: pond ?? null, choose: setChosen };
}

/** Only where there is a choice; `all`: what none of them stands for. */
export function OnePondField({ of, all }: { of: ReturnType<typeof useOnePond>; all: string }) {
  if (of.options.length < 2) return null;
  return (
    <SelectField
      label={formWords().pond}
      value={of.pond?.pond_id ?? ''}
      options={[
        { value: '', label: all },
        ...of.options.map(({ pond_id, cod }) => ({ value: pond_id, label: cod })),
      ]}
      onChange={(event) => of.choose(event.currentTarget.value)}
    />
  );
}

export function WhenFields({ when }: { when: ReturnType<typeof useWhen> }) {
  const words = formWords();
  return (
    <div class="form-grid">
      <DateField label={words.when} value={when.day} onDay={when.setDay} />
      <TextField
        label={words.time}
        inputMode="numeric"
        value={when.time}
        fault={when.fault}
        onInput={(event) => when.setTime(event.currentTarget.value)}
      />
    </div>
  );
}

export function SaveButton({
  isRight,
  save,
  label,
}: {
  isRight: boolean;
  save: () => Promise<void>;
  label?: string;
}) {
  const words = formWords();
  const place = useRef<HTMLDivElement>(null);
  const halfFilled = useHalfFilled(place);
  const leave = () => {
    halfFilled.isSaved();
    return save();
  };
  return (
    <div class="save" ref={place}>
      <WorkButton big look="main" unready={!isRight} work={leave}>
        {label ?? words.save}
      </WorkButton>
    </div>
  );
}

/** What was typed a minute ago is the round itself; what is older was left here, and that is said. */
const LEFT_MS = 15 * 60_000;

/** Tells of a round that was left and came back, with the way to be rid of it. */
export function DraftNote() {
  const words = entryWords();
  const draft = waterDraft.value;
  const oldest = Math.min(...[...draft.values()].map(({ at }) => at));
  if (now.value - oldest < LEFT_MS || draft.size === 0) return null;
  const clear = () => {
    clearWater(draft);
    toast(words.cleared, { label: words.undo, run: () => putWaterBack(draft) });
  };
  return (
    <p class="note" role="status">
      <span class="grow">{words.draftSince(clockTime(oldest))}</span>
      <Button onClick={clear}>{words.clearDraft}</Button>
    </p>
  );
}

type Told = {
  /** What is said once they are on their way. */
  text: string;
  /** Hears which were taken back. */
  onTakenBack?: (entries: readonly Entry[]) => void;
};

/**
 * Puts entries on their way, one press at a time: a key that is held, or a second tap, does nothing while the first is
 * still being kept. Says so with the way back, and when this browser cannot keep them. False: it was such a second press.
 */
export function useEnter() {
  const running = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const put = async (wanted: readonly Wanted[], told: Told): Promise<boolean> => {
    if (running.current || wanted.length === 0) return false;
    running.current = true;
    setBusy(true);
    try {
      const entered = await enter(...wanted);
      const words = entryWords();
      const isKept = entered.every((entry) => entry.isKept !== false);
      toast(isKept ? told.text : `${told.text}. ▲ ${words.noStorage}`, {
        label: words.undo,
        run: () => void takeAllBack(entered, told.onTakenBack),
      });
      return true;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { put, isBusy };
}

async function takeAllBack(entered: readonly Entry[], onTakenBack: Told['onTakenBack']): Promise<void> {
  const words = entryWords();
  const taken: Entry[] = [];
  for (const entry of entered) if (await takeBack(entry.id)) taken.push(entry);
  onTakenBack?.(taken);
  const late = entered.length - taken.length;
  if (late === 0) toast(words.takenBack, null, 3_000);
  else toast(words.tooLate(taken.length, late));
}

/** Day and time by the farm's clock, now to begin with. */
export function useWhen() {
  const words = formWords();
  const [day, setDay] = useState(() => isoDay(now.value));
  const [time, setTime] = useState(() => clockTime(now.value));
  const isRight = TIME.test(time) && day !== '';
  return {
    day,
    setDay,
    time,
    setTime,
    isRight,
    fault: TIME.test(time) ? null : words.badTime,
    instant: () => instantAt(day, time),
  };
}

/** Puts an entry on its way, says so with the way back, and returns to the choice of entries. */
export function useSubmit(): (entry: Wanted) => Promise<void> {
  const words = formWords();
  const { put } = useEnter();
  const [, go] = useLocation();
  return async (entry) => {
    if (await put([entry], { text: words.queued(entry.label) })) go('/lancar');
  };
}
