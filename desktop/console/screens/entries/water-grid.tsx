import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { entryWords } from '#words/entries.ts';
import { waterWords } from '#words/water.ts';
import { AmmoniaQuestion, useBasisLabel } from '../../components/ammonia.tsx';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { now } from '../../data/clock.ts';
import { entries } from '../../data/outbox.ts';
import { type Pond, usePondCards, usePonds } from '../../data/places.ts';
import { WATER } from '../../data/water.ts';
import { roundTime, sureOfWater, typeWater, waterDraft } from '../../data/water-draft.ts';
import { clockTime, figure } from '../../i18n/format.ts';
import type { Judged } from '../../state/water-draft.ts';
import { DraftNote, EntryHead } from './entry-form.tsx';
import {
  FIELDS,
  mayLeave,
  RoundTimeFields,
  roundTimeFault,
  typedOf,
  useSendWater,
  useWaterRound,
} from './round-time.tsx';

/** What was measured so long ago belongs to another round. */
const THIS_ROUND_MS = 3_600_000;

/** How far the measurement of a pond got: still here, with the gateway, or refused; then when it was measured last. */
export function RowStanding({ pondId, lastAt }: { pondId: string; lastAt: string | undefined }) {
  const words = entryWords();
  const entry = entries.value.findLast(
    ({ path, body }) => path === '/water-quality/' && body['pond_id'] === pondId,
  );
  if (entry === undefined || entry.state === 'saved') {
    const at = entry?.enteredAt ?? (lastAt === undefined ? null : Date.parse(lastAt));
    if (at === null || (entry === undefined && now.value - at > THIS_ROUND_MS)) return null;
    return (
      <span class="standing" data-standing="saved">
        <Icon name="check" size={16} />{' '}
        {entry === undefined ? words.measuredAt(clockTime(at)) : words.savedAt(clockTime(at))}
      </span>
    );
  }
  const isRefused = entry.state === 'refused';
  return (
    <Link class="standing" href="/lancar/fila" data-standing={entry.state}>
      <Icon name={isRefused ? 'close' : 'clock'} size={16} /> {words.state[entry.state]}
    </Link>
  );
}

/** Whether nothing lives in a pond, of the ponds of which that is known. */
function useIsEmpty(): (pond: Pond) => boolean {
  const cards = usePondCards().data?.ponds ?? [];
  const empty = cards.filter(({ active_batches }) => active_batches.length === 0);
  const ids = new Set(empty.map(({ pond_id }) => pond_id));
  return ({ id }) => ids.has(id);
}

/** The round on a wide screen: rows are ponds, columns are parameters; hands stay on the keys. */
export function WaterGrid() {
  const words = entryWords();
  const names = waterWords().short;
  const known = usePonds();
  const { ponds } = known;
  const isEmpty = useIsEmpty();
  const basis = useBasisLabel();
  const { lastOf, judged: judgedOf } = useWaterRound();
  const { send, isBusy } = useSendWater();
  /** The cell and the figure where Enter was told that it is unlikely: once more says that it is right. */
  const [askedAt, setAskedAt] = useState('');
  /** Cells that were skipped, as one writes a dash on paper; `row-column`. */
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const table = useRef<HTMLTableElement>(null);
  const rows = ponds.map((pond) => ({ pond, judged: judgedOf(pond.id) }));
  const ready = rows.filter(({ judged }) => mayLeave(judged)).map(({ pond }) => pond);
  const held = rows.filter(({ pond }) => waterDraft.value.has(pond.id) && !ready.includes(pond));
  const isUnclear = held.some(({ judged }) => Object.values(judged).some(({ is }) => is === 'unclear'));

  const focusCell = (row: number, column: number) =>
    table.current?.querySelector<HTMLInputElement>(`[data-cell="${row}-${column}"]`)?.focus();
  /** Behind the last pond the round begins anew with the next parameter. */
  const focusNext = (row: number, column: number) =>
    row + 1 < ponds.length ? focusCell(row + 1, column) : focusCell(0, column + 1);
  const isThere = ponds.length > 0;
  useEffect(() => {
    // one comes here to type
    if (isThere && isNothingFocused()) focusCell(0, 0);
  }, [isThere]);

  const onKey = (event: KeyboardEvent, { row, column }: { row: number; column: number }) => {
    const field = FIELDS[column];
    const at = rows[row];
    if (field === undefined || at === undefined) return;
    const here = at.judged[field];
    const asked = `${row}-${column} ${typedOf(at.pond.id)[field] ?? ''}`;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send(ready);
    } else if (event.key === 'Enter' && here.is === 'value' && here.isDoubtful && askedAt !== asked) {
      event.preventDefault();
      setAskedAt(asked);
    } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault();
      if (event.key === 'Enter' && askedAt === asked) sureOfWater(at.pond.id, field);
      if (event.key === 'Enter') focusNext(row, column);
      else focusCell(row + 1, column);
    } else if (event.key === 'ArrowUp') {
      event.preventDefault();
      focusCell(row - 1, column);
    } else if (event.key === '-') {
      event.preventDefault();
      // what is typed is not wiped by a slip of the finger
      if (here.is !== 'empty') return;
      setSkipped(new Set([...skipped, `${row}-${column}`]));
      focusNext(row, column);
    } else if (event.key === '*') {
      event.preventDefault();
      const above = ponds[row - 1];
      if (above !== undefined) typeWater(at.pond.id, field, typedOf(above.id)[field] ?? '');
    }
  };

  return (
    <div class="page">
      <EntryHead title={words.water}>
        <Button
          big
          look="main"
          busy={isBusy}
          unready={ready.length === 0 || roundTimeFault(roundTime.value) !== null}
          onClick={() => void send(ready)}
        >
          {words.saveRound} {ready.length > 0 ? `(${ready.length})` : ''}
        </Button>
      </EntryHead>
      <p class="muted small">{words.roundHint}</p>
      <RoundTimeFields />
      <DraftNote />
      <AmmoniaQuestion />
      {held.length === 0 ? null : (
        <p class="note p2" role="alert">
          {isUnclear ? words.unclear : words.lookFirst(held.map(({ pond }) => pond.cod).join(', '))}
        </p>
      )}
      <Answer of={known} isEmpty={(found) => found.length === 0} empty={<Empty text={words.noPonds} />}>
        {() => (
          <div class="table-frame round-frame">
            <table class="table round" ref={table}>
              <thead>
                <tr>
                  <th scope="col">{words.pond}</th>
                  {FIELDS.map((field) => (
                    <th key={field} scope="col">
                      {names[field]}{' '}
                      <span class="small">
                        {WATER[field].unit} {field === 'ammonia' ? basis : ''}
                      </span>
                    </th>
                  ))}
                  <th scope="col">{words.standing}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ pond, judged }, row) => (
                  <tr key={pond.id}>
                    <th scope="row">
                      {pond.cod}
                      {isEmpty(pond) ? <span class="cell-note muted">{words.emptyPond}</span> : null}
                    </th>
                    {FIELDS.map((field, column) => (
                      <td key={field}>
                        <WaterCell
                          pond={pond}
                          field={field}
                          place={`${row}-${column}`}
                          judged={judged[field]}
                          last={lastOf(pond.id)?.[field] ?? null}
                          isSkipped={skipped.has(`${row}-${column}`)}
                          onKey={(event) => onKey(event, { row, column })}
                        />
                      </td>
                    ))}
                    <td>
                      <RowStanding pondId={pond.id} lastAt={lastOf(pond.id)?.measurement_date} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answer>
    </div>
  );
}

const isNothingFocused = () =>
  document.activeElement === null || ['BODY', 'MAIN', 'A'].includes(document.activeElement.tagName);

/** One figure of the sheet, with what is to be said about it below. */
function WaterCell({
  pond,
  field,
  place,
  judged,
  last,
  isSkipped,
  onKey,
}: {
  pond: Pond;
  field: WaterField;
  /** `row-column`, where the keys find it. */
  place: string;
  judged: Judged;
  last: number | null;
  isSkipped: boolean;
  onKey: (event: KeyboardEvent) => void;
}) {
  const id = useId();
  const words = entryWords();
  return (
    <>
      <input
        class="input cell"
        type="text"
        inputMode="decimal"
        autoComplete="off"
        aria-label={`${pond.cod} ${waterWords().short[field]}`}
        aria-invalid={isAmiss(judged)}
        aria-describedby={id}
        data-cell={place}
        placeholder={isSkipped ? '–' : undefined}
        aria-placeholder={isSkipped ? words.notMeasured : undefined}
        value={typedOf(pond.id)[field] ?? ''}
        onInput={(event) => typeWater(pond.id, field, event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {judged.is === 'empty' && last !== null ? (
        <span class="cell-note muted">{words.lastValue(figure(last, WATER[field].decimals))}</span>
      ) : null}
      <JudgedNote
        id={id}
        judged={judged}
        last={last}
        field={field}
        isByKey
        onSure={() => sureOfWater(pond.id, field)}
      />
    </>
  );
}

export const isAmiss = (judged: Judged): boolean =>
  judged.is === 'unclear' || judged.is === 'impossible' || (judged.is === 'value' && judged.isDoubtful);

/** What a person should know about a figure just typed, at the figure itself; nothing while all is well. */
export function JudgedNote({
  id,
  judged,
  last,
  field,
  onSure,
  isByKey = false,
}: {
  id: string;
  judged: Judged;
  last: number | null;
  field: WaterField;
  /** Somebody says that an unlikely figure is right. */
  onSure: () => void;
  /** In a sheet that is gone through with Enter, which says it too; the button is for a finger. */
  isByKey?: boolean;
}) {
  const words = entryWords();
  if (judged.is === 'value' && judged.isDoubtful) {
    return (
      <span class="cell-note bad doubt" id={id} role="alert">
        <span>▲ {words.doubtful(told(judged.value, field), last === null ? null : told(last, field))}</span>
        <Button tabIndex={isByKey ? -1 : 0} onClick={onSure}>
          {words.isRight}
        </Button>
        {isByKey ? <span>{words.orEnter}</span> : null}
      </span>
    );
  }
  const note = noteOf(judged, last, field);
  return note === null ? null : (
    <span class={`cell-note ${isAmiss(judged) ? 'bad' : ''}`} id={id}>
      {note}
    </span>
  );
}

const told = (value: number, field: WaterField): string => figure(value, WATER[field].decimals);

function noteOf(judged: Judged, last: number | null, field: WaterField): string | null {
  const words = entryWords();
  switch (judged.is) {
    case 'empty':
      return null;
    case 'unclear':
      return words.unclear;
    case 'impossible':
      return words.outOfRange(figure(judged.low), figure(judged.high));
    case 'value':
      if (judged.raisesAlarm === null) return words.limitsUnknown;
      if (judged.raisesAlarm) return `▲ ${words.willAlarm}`;
      return judged.isBigChange && last !== null ? `▲ ${words.bigChange(told(last, field))}` : null;
  }
}
