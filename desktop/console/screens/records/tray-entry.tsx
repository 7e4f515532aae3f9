import '../../styles/batches.css';
import { useState } from 'preact/hooks';
import { MOST_TRAYS, type TrayReading } from '#contract/resources/feed-trays.ts';
import { trayWords } from '#words/trays.ts';
import { Button } from '../../components/button.tsx';
import { isBlind } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { figure, percent } from '../../i18n/format.ts';
import { SaveButton, useSubmit, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { Line, type Place, PlaceForm, sentText, told, useText } from './record-entry.tsx';
import { RECORD_TOUCHES } from './records.tsx';

/** What is left is judged by eye: steps of the table, and full. */
const STEPS = [0, 5, 10, 25, 50, 75, 100] as const;
/** Rows of a pond whose trays nobody wrote down before; one that is not pressed is not sent. */
const ROWS_AT_FIRST = 4;

/** All trays of a pond at one look, a press each. */
export const TrayEntry = () => (
  <PlaceForm title={trayWords().title} of="ponds">
    {(place) => <TrayForm place={place} />}
  </PlaceForm>
);

function TrayForm({ place }: { place: Place }) {
  const last = useGet(`/ponds/${place.pond?.id ?? ''}/records`, { kind: 'FEED_TRAYS', limit: 1 });
  if (!isBlind.value && !last.isFetched) return <div class="skeleton" aria-busy="true" />;
  return <Rows place={place} known={last.data?.[0]?.trays ?? []} />;
}

const first = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** `known`: the trays of the last look: one of them that nobody looks at now is sent as not seen. */
function Rows({ place, known }: { place: Place; known: readonly TrayReading[] }) {
  const words = trayWords();
  const submit = useSubmit();
  const when = useWhen();
  const [numbers, setNumbers] = useState<readonly number[]>(() =>
    known.length === 0 ? first(ROWS_AT_FIRST) : known.map(({ tray }) => tray).toSorted((a, b) => a - b),
  );
  const [left, setLeft] = useState<ReadonlyMap<number, number>>(new Map());
  const [text, who] = [useText(), useText()];
  const choose = (tray: number, share: number | null) => {
    const next = new Map(left);
    if (share === null) next.delete(tray);
    else next.set(tray, share);
    setLeft(next);
  };
  const last = numbers.at(-1) ?? 0;
  const fewer = () => {
    choose(last, null);
    setNumbers(numbers.slice(0, -1));
  };
  const isKnown = (tray: number) => known.some((each) => each.tray === tray);
  const sent = numbers.filter((tray) => left.has(tray) || isKnown(tray));
  const mean = [...left.values()].reduce((sum, each) => sum + each, 0) / left.size;
  const save = () =>
    submit({
      path: `${place.path}/records`,
      label: `${place.name} · ${words.mean(figure(left.size), percent(mean, 0))}`,
      body: {
        kind: 'FEED_TRAYS',
        trays: sent.map((tray) => ({ tray, left_percent: left.get(tray) ?? null })),
        happened_at: when.instant(),
        ...told({ text: sentText(text), responsible: sentText(who) }),
      },
      touches: RECORD_TOUCHES,
    });
  return (
    <>
      <p class="muted small">{words.hint}</p>
      {numbers.map((tray) => (
        <Tray key={tray} tray={tray} left={left.get(tray) ?? null} choose={(share) => choose(tray, share)} />
      ))}
      <div class="row">
        <Button
          why={numbers.every((tray) => left.has(tray)) ? words.allSaid : null}
          onClick={() => setLeft(new Map(numbers.map((tray) => [tray, left.get(tray) ?? 0])))}
        >
          {words.othersEaten}
        </Button>
        <Button
          why={numbers.length >= MOST_TRAYS ? words.most(figure(MOST_TRAYS)) : null}
          onClick={() => setNumbers([...numbers, last + 1])}
        >
          {words.more}
        </Button>
        <Button why={numbers.length < 2 ? words.least : null} onClick={fewer}>
          {words.fewer}
        </Button>
      </div>
      <Line label={words.remark} typed={text} />
      <Line label={words.who} typed={who} />
      <WhenFields when={when} />
      <SaveButton isRight={left.size > 0 && when.isRight} save={save} />
    </>
  );
}

function Tray({
  tray,
  left,
  choose,
}: {
  tray: number;
  left: number | null;
  choose: (left: number | null) => void;
}) {
  const words = trayWords();
  const name = words.one(String(tray));
  return (
    <fieldset class="choices trays">
      <legend>{name}</legend>
      {[null, ...STEPS].map((share) => (
        <label key={share}>
          <input type="radio" name={name} checked={left === share} onChange={() => choose(share)} />
          {share === null ? words.unseen : share === 0 ? words.eaten : percent(share)}
        </label>
      ))}
    </fieldset>
  );
}
