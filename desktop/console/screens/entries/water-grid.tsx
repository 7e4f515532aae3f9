import { useEffect, useRef } from 'preact/hooks';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { waterWords } from '../../components/water-words.ts';
import { usePonds } from '../../data/places.ts';
import { WATER } from '../../data/water.ts';
import { typeWater, waterDraft } from '../../data/water-draft.ts';
import { DraftNote } from './draft-note.tsx';
import { EntryHead } from './entry-head.tsx';
import { JudgedNote } from './judged-note.tsx';
import { judgeTyped, mayLeave, typedOf, useLastWater, useSendWater } from './water-round.ts';
import { entryWords } from './words.ts';

const FIELDS: readonly WaterField[] = [
  'dissolved_oxygen',
  'temperature',
  'ph',
  'salinity',
  'ammonia',
  'nitrite',
  'alkalinity',
  'transparency',
];

/** The round on a wide screen: rows are ponds, columns are parameters; hands stay on the keys. */
export function WaterGrid() {
  const words = entryWords();
  const names = waterWords().short;
  const known = usePonds();
  const { ponds } = known;
  const lastOf = useLastWater();
  const { send, isBusy } = useSendWater(FIELDS);
  const table = useRef<HTMLTableElement>(null);
  const ready = ponds.filter(({ id }) => mayLeave(FIELDS, typedOf(id), lastOf(id)));
  const blocked = ponds.some(({ id }) => waterDraft.value.has(id) && !ready.some((pond) => pond.id === id));

  const focusCell = (row: number, column: number) =>
    table.current?.querySelector<HTMLInputElement>(`[data-cell="${row}-${column}"]`)?.focus();
  const isThere = ponds.length > 0;
  useEffect(() => {
    // one comes here to type
    if (isThere && isNothingFocused()) focusCell(0, 0);
  }, [isThere]);

  const onKey = (event: KeyboardEvent, at: { row: number; column: number }) => {
    const { row, column } = at;
    const field = FIELDS[column];
    const pond = ponds[row];
    if (field === undefined || pond === undefined) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send(ready);
    } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault();
      // behind the last pond the round begins anew with the next parameter
      if (row + 1 < ponds.length) focusCell(row + 1, column);
      else if (event.key === 'Enter') focusCell(0, column + 1);
    } else if (event.key === 'ArrowUp') {
      event.preventDefault();
      focusCell(row - 1, column);
    } else if (event.key === '*') {
      event.preventDefault();
      const above = ponds[row - 1];
      if (above !== undefined) typeWater(pond.id, field, typedOf(above.id)[field] ?? '');
    }
  };

  return (
    <div class="page">
      <EntryHead title={words.water}>
        <Button big look="main" busy={isBusy} disabled={ready.length === 0} onClick={() => void send(ready)}>
          {words.saveRound} {ready.length > 0 ? `(${ready.length})` : ''}
        </Button>
      </EntryHead>
      <p class="muted small">{words.roundHint}</p>
      <DraftNote />
      {blocked ? (
        <p class="note p2" role="alert">
          {words.unclear}
        </p>
      ) : null}
      <Answer of={known} isEmpty={(found) => found.length === 0} empty={<Empty text={words.noPonds} />}>
        {() => (
          <div class="table-frame">
            <table class="table round" ref={table}>
              <thead>
                <tr>
                  <th scope="col">{words.pond}</th>
                  {FIELDS.map((field) => (
                    <th key={field} scope="col">
                      {names[field]} <span class="small">{WATER[field].unit}</span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {ponds.map((pond, row) => (
                  <tr key={pond.id}>
                    <th scope="row">{pond.cod}</th>
                    {FIELDS.map((field, column) => {
                      const judged = judgeTyped(field, typedOf(pond.id), lastOf(pond.id));
                      return (
                        <td key={field}>
                          <input
                            class="input cell"
                            type="text"
                            inputMode="decimal"
                            autoComplete="off"
                            aria-label={`${pond.cod} ${names[field]}`}
                            aria-invalid={judged.is === 'unclear' || judged.is === 'impossible'}
                            data-cell={`${row}-${column}`}
                            value={typedOf(pond.id)[field] ?? ''}
                            onInput={(event) => typeWater(pond.id, field, event.currentTarget.value)}
                            onKeyDown={(event) => onKey(event, { row, column })}
                          />
                          <JudgedNote judged={judged} last={lastOf(pond.id)?.[field] ?? null} field={field} />
                        </td>
                      );
                    })}
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
