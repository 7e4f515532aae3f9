import { useState } from 'preact/hooks';
import type { ImportReport, RowNote } from '#contract/resources/imports.ts';
import { columnNames, importWords } from '#words/imports.ts';
import { waterWords } from '#words/water.ts';
import { Button } from '../../components/button.tsx';
import { figure } from '../../i18n/format.ts';
import { plainSentence } from '../../i18n/plain-sentence.ts';
import type { Answers } from './use-import.ts';

type Said = { said: Answers; say: (more: Partial<Answers>) => void };

const FIRST = 10;

/** Rows that cannot come in, rows that are unlikely, and rows that a person leaves out. */
export function Doubts({ report, said, say }: Said & { report: ImportReport }) {
  const words = importWords();
  const { errors, warnings, notes } = report;
  const wrongRows = [...new Set(rowsOf(report, errors).map(({ row }) => row))];
  const leaveOut = (rows: readonly number[]) => {
    const all = [...errors, ...warnings];
    const more = rows.map((row) => [row, all.filter((note) => note.row === row)] as const);
    say({ skip: new Map([...said.skip, ...more]) });
  };
  const putBack = (row: number) => say({ skip: new Map([...said.skip].filter(([each]) => each !== row)) });
  const leave = (row: number) => (
    <Button aria-label={words.leaveOutRow(figure(row))} onClick={() => leaveOut([row])}>
      {words.leaveOut}
    </Button>
  );
  return (
    <>
      {errors.length === 0 ? null : (
        <section class="card stack" data-rows="errors">
          <h2>{words.errors}</h2>
          <p class="muted">{words.errorsHint}</p>
          {wrongRows.length > 1 ? (
            <div>
              <Button onClick={() => leaveOut(wrongRows)}>
                {words.leaveAllOut(figure(wrongRows.length))}
              </Button>
            </div>
          ) : null}
          <Notes
            notes={errors}
            total={report.errors_total}
            act={(row) => (isRow(report, row) ? leave(row) : null)}
          />
        </section>
      )}
      {warnings.length === 0 ? null : (
        <section class="card stack" data-rows="warnings">
          <h2>{words.warnings}</h2>
          <p class="muted">{words.warningsHint}</p>
          <Notes notes={warnings} total={report.warnings_total} act={leave} />
        </section>
      )}
      {said.skip.size === 0 ? null : (
        <section class="card stack" data-rows="skipped">
          <h2>{words.outside}</h2>
          <Notes
            notes={[...said.skip].flatMap(([row, [note]]) => (note === undefined ? [] : [{ ...note, row }]))}
            total={said.skip.size}
            act={(row) => (
              <Button aria-label={words.putBackRow(figure(row))} onClick={() => putBack(row)}>
                {words.putBack}
              </Button>
            )}
          />
        </section>
      )}
      {notes.length === 0 ? null : (
        <details class="card">
          <summary>
            {words.notes} ({figure(report.notes_total)})
          </summary>
          <Notes notes={notes} total={report.notes_total} act={() => null} />
        </details>
      )}
    </>
  );
}

/** What is said of the header is about a whole column, which a person corrects instead. */
const isRow = ({ reading }: ImportReport, row: number): boolean => row !== reading.header_row;
const rowsOf = (report: ImportReport, notes: readonly RowNote[]) =>
  notes.filter(({ row }) => isRow(report, row));

function Notes({
  notes,
  total,
  act,
}: {
  notes: readonly RowNote[];
  total: number;
  act: (row: number) => preact.ComponentChildren;
}) {
  const words = importWords();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? notes : notes.slice(0, FIRST);
  return (
    <>
      <ul class="import-notes">
        {shown.map(({ row, column, code, message }, index) => (
          <li key={`${row} ${column} ${code} ${index}`} class="row apart nowrap">
            <span class="grow">
              <strong>
                {words.row} {figure(row)}
              </strong>
              {column === null ? '' : ` · ${columnName(column)}`}: {plainSentence(message)}
            </span>
            {shown.findIndex((note) => note.row === row) === index ? act(row) : null}
          </li>
        ))}
      </ul>
      {isWhole || notes.length <= FIRST ? null : (
        <div>
          <Button onClick={() => setWhole(true)}>{words.showAll(figure(notes.length))}</Button>
        </div>
      )}
      {isWhole && total > notes.length ? (
        <p class="muted small">{words.firstOnly(figure(notes.length), figure(total))}</p>
      ) : null}
    </>
  );
}

export function columnName(column: string): string {
  const known: Readonly<Record<string, string>> = { ...waterWords().name, ...columnNames() };
  return known[column] ?? column;
}
