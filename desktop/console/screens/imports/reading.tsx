import { useState } from 'preact/hooks';
import type { ImportLook, ImportReport } from '#contract/resources/imports.ts';
import { importWords } from '#words/imports.ts';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { asTyped, calendarDay, clockTime, farmZone, figure, plainDay } from '../../i18n/format.ts';
import { columnName } from './doubts.tsx';
import type { Answers } from './use-import.ts';

type Said = { said: Answers; say: (more: Partial<Answers>) => void };

/** How the file was read, column by column, and where a person says it otherwise. */
export function Reading({
  look,
  report,
  lacking,
  said,
  say,
}: Said & { look: ImportLook; report: ImportReport | undefined; lacking: readonly string[] }) {
  const words = importWords();
  const [isOpen, setOpen] = useState(false);
  const isWrong =
    look.twice.length > 0 ||
    lacking.length > 0 ||
    report?.errors.some(({ row }) => row === look.header_row) === true;
  const isCorrecting = isOpen || isWrong;
  const facts = [
    look.sheet,
    look.header_row === null ? null : words.headerAt(figure(look.header_row)),
    look.remembered === null ? null : words.remembered,
    report?.reading.logger == null ? null : words.logger(report.reading.logger),
    report?.reading.date_order == null ? null : words.orders[report.reading.date_order],
    report === undefined ? null : zoneOf(report.reading.utc_offset_minutes),
  ].filter((fact) => fact !== null);
  return (
    <section class="card stack" data-reading>
      <div class="row apart">
        <h2>{words.howRead}</h2>
        {isWrong ? null : (
          <Button aria-expanded={isCorrecting} onClick={() => setOpen(!isOpen)}>
            {isCorrecting ? words.corrected : words.correct}
          </Button>
        )}
      </div>
      <p class="muted">{facts.join(' · ')}</p>
      {look.twice.length > 0 ? (
        <p class="note p2" role="alert">
          {words.twice(look.twice.map(columnName).join(', '))}
        </p>
      ) : null}
      {lacking.length > 0 ? (
        <p class="note p2" role="alert">
          {words.missing(lacking.map(columnName).join(', '))}
        </p>
      ) : null}
      {isCorrecting ? <Correction {...{ look, said, say }} /> : <Columns {...{ look, report }} />}
    </section>
  );
}

function zoneOf(minutes: number | null): string {
  const words = importWords();
  if (minutes === null) return words.farmTime(farmZone.value);
  const amount = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  const text = `${two(Math.floor(amount / 60))}:${two(amount % 60)}`;
  return words.ownTime(minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '−' : '+'}${text}`);
}

function Columns({ look, report }: { look: ImportLook; report: ImportReport | undefined }) {
  const words = importWords();
  const marks = new Map(report?.reading.columns.map(({ position, decimal }) => [position, decimal]));
  return (
    <ul class="import-columns" aria-label={words.columns}>
      {look.columns.map(({ position, heading, column, unit, time, examples }) => {
        const mark = marks.get(position) ?? null;
        const own = look.fields.find((field) => field.column === column)?.units[0] ?? null;
        const facts = column === null ? [] : [time, unit ?? own, mark === null ? null : words.decimal[mark]];
        return (
          <li key={position}>
            <span>
              {heading || words.noHeading(figure(position))} <span aria-hidden="true">→</span>
              <span class="visually-hidden">{words.becomes}</span>{' '}
              {column === null ? (
                <span class="muted">{words.unread}</span>
              ) : (
                <strong>{columnName(column)}</strong>
              )}
            </span>
            <span class="muted small">
              {[...facts, examples.join(' / ')].filter((fact) => fact !== null && fact !== '').join(' · ')}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Correction({ look, said, say }: Said & { look: ImportLook }) {
  const words = importWords();
  const put = (position: number, is: string | null) => {
    const columns = new Map(said.columns);
    if (is === null) columns.delete(position);
    else columns.set(position, is);
    say({ columns, skip: new Map() });
  };
  return (
    <>
      <ul class="cards">
        {look.columns.map(({ position, heading, column, unit, examples }) => {
          const field = look.fields.find((each) => each.column === column);
          const name = heading || words.noHeading(figure(position));
          return (
            <li key={position} class="card stack">
              <div>
                <strong>{name}</strong>
                <p class="muted small">{examples.join(' · ')}</p>
              </div>
              <SelectField
                label={words.is}
                aria-label={`${words.is}: ${name}`}
                value={column ?? '-'}
                options={[
                  { value: '-', label: words.notRead },
                  ...look.fields.map((each) => ({ value: each.column, label: columnName(each.column) })),
                ]}
                onChange={(event) => put(position, event.currentTarget.value)}
              />
              {field === undefined || field.units.length < 2 ? null : (
                <SelectField
                  label={words.unit}
                  aria-label={`${words.unit}: ${name}`}
                  value={said.columns.get(position)?.split('@', 2)[1] ?? ''}
                  options={[
                    { value: '', label: unit ?? field.units[0] ?? words.proposedUnit },
                    ...field.units.map((each) => ({ value: each, label: each })),
                  ]}
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    put(position, value === '' ? null : `${field.column}@${value}`);
                  }}
                />
              )}
            </li>
          );
        })}
      </ul>
      <div class="form-grid">
        <SelectField
          label={words.decimalOf}
          value={said.decimal}
          options={[
            { value: '', label: words.byColumn },
            { value: 'comma', label: words.decimal.comma },
            { value: 'point', label: words.decimal.point },
          ]}
          onChange={({ currentTarget: { value } }) =>
            say({ decimal: value === 'comma' || value === 'point' ? value : '' })
          }
        />
      </div>
    </>
  );
}

/** The first rows as they stand in the file, and as they will stand here. */
export function Preview({ report }: { report: ImportReport }) {
  const words = importWords();
  const { preview, columns } = report.reading;
  const names = [...new Set(columns.map(({ column }) => column))].filter((column) => column !== 'time');
  if (preview.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{words.preview}</h2>
      <div class="table-frame" tabIndex={0} role="region" aria-label={words.preview}>
        <table class="table stacks pairs">
          <thead>
            <tr>
              <th scope="col">{words.row}</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {columnName(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.map(({ row, before, after }, index) => (
              // a row may become several
              <tr key={`${row} ${index}`}>
                <th scope="row">
                  {words.row} {figure(row)}
                </th>
                {names.map((name) => {
                  const of = columns.filter(({ column, time }) => column === name && time === null);
                  const stood = of.map(({ heading }) => before[heading] ?? '').join(' ');
                  return (
                    <td key={name} data-label={columnName(name)}>
                      <Became before={stood} after={shown(name, after[name] ?? null)} />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Became({ before, after }: { before: string; after: string }) {
  const words = importWords();
  if (before === after || before === '') return <>{after}</>;
  return (
    <span>
      <span class="muted">{before}</span> <span aria-hidden="true">→</span>
      <span class="visually-hidden">{words.becomes}</span> {after === '' ? '—' : after}
    </span>
  );
}

function shown(name: string, value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return asTyped(value);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return plainDay(value);
  if (name === 'date' || name.endsWith('_date')) {
    const time = clockTime(value);
    return time === '00:00' ? calendarDay(value) : `${calendarDay(value)} ${time}`;
  }
  return value;
}
