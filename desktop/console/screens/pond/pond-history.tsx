import { useState } from 'preact/hooks';
import type { RecordLogAnswer } from '#contract/resources/logs.ts';
import type { MeasurementAnswer, WaterField } from '#contract/resources/water-quality.ts';
import { componentWords } from '#words/components.ts';
import { pondWords } from '#words/pond.ts';
import { waterWords } from '#words/water.ts';
import { ammoniaTwin } from '../../components/ammonia.tsx';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Column, RecordTable, RowActions } from '../../components/record-table.tsx';
import { isLeaving } from '../../data/corrections.ts';
import { mayCorrect, mayRecord } from '../../data/farm-store.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { asTyped, dayAndTime, figure, percent, quantity } from '../../i18n/format.ts';

type Change = { field: string; before: unknown; after: unknown };

const partOf = (part: unknown): Readonly<Record<string, unknown>> =>
  typeof part === 'object' && part !== null ? { ...part } : {};

const isWater = (field: string): field is WaterField => Object.hasOwn(WATER, field);

const PAGE = 50;
const COLUMNS: readonly WaterField[] = [
  'dissolved_oxygen',
  'temperature',
  'ph',
  'salinity',
  'ammonia',
  'nitrite',
  'alkalinity',
  'transparency',
];

const pathOf = (id: string) => `/water-quality/${id}` as const;

/** Every measurement, newest first; a slip is corrected or deleted where it stands. */
export function PondHistory({ pond }: { pond: Pond }) {
  const words = pondWords();
  const more = componentWords().more;
  const [limit, setLimit] = useState(PAGE);
  const journal = useGet(`/water-quality/pond/${pond.id}`, { limit });
  return (
    <>
      <h2>{words.measured}</h2>
      <Answer
        of={journal}
        isEmpty={({ measurements }) => measurements.length === 0}
        empty={<Empty text={words.noMeasurements} />}
      >
        {({ measurements }) => (
          <>
            <RecordTable<MeasurementAnswer>
              label={words.measured}
              address="medicoes"
              keyOf={({ id }) => id}
              rows={measurements.filter(({ id }) => !isLeaving(pathOf(id)))}
              columns={[
                {
                  name: words.when,
                  of: (row) => (
                    <>
                      {dayAndTime(row.measurement_date)}{' '}
                      <span class="muted small">{words.source[row.source]}</span>
                      <CorrectionStory row={row} />
                    </>
                  ),
                  raw: ({ measurement_date }) => measurement_date,
                },
                ...COLUMNS.map(columnOf),
                { name: words.notes, isLong: true, of: notesOf, isNone: isUnnoted, raw: notesOf },
              ]}
              actionsName={words.actions}
              actions={
                mayRecord.value ? (row) => (mayCorrect(row) ? <Actions row={row} /> : null) : undefined
              }
            />
            {measurements.length < limit ? null : (
              <Button onClick={() => setLimit(limit + PAGE)}>{more}</Button>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

const notesOf = ({ notes }: MeasurementAnswer) => notes;
const isUnnoted = ({ notes }: MeasurementAnswer) => notes === null || notes === '';

function columnOf(field: WaterField): Column<MeasurementAnswer> {
  return {
    name: waterWords().short[field],
    isNumber: true,
    isNone: (row) => row[field] === null,
    raw: (row) => row[field],
    of: (row) => (
      <>
        {figure(row[field], WATER[field].decimals)}
        {field === 'dissolved_oxygen' && row.oxygen_saturation_percent !== null ? (
          <div class="muted small">{percent(row.oxygen_saturation_percent)}</div>
        ) : null}
        {field === 'ammonia' && row.ammonia_as !== null ? (
          <div class="muted small">{ammoniaTwin(row.ammonia_as)}</div>
        ) : null}
      </>
    ),
  };
}

function Actions({ row }: { row: MeasurementAnswer }) {
  const words = pondWords();
  return (
    <RowActions
      path={pathOf(row.id)}
      label={words.theMeasurement(dayAndTime(row.measurement_date))}
      touches={['ponds', 'water-quality', 'dashboard', 'alerts', 'logs']}
      fields={[
        { name: 'measurement_date', label: words.when, kind: 'moment', first: row.measurement_date },
        ...COLUMNS.map((field) => ({
          name: field,
          label: waterWords().name[field],
          kind: 'figure' as const,
          ...(WATER[field].unit === '' ? {} : { unit: WATER[field].unit }),
          first: asTyped(row[field]),
          isOptional: true,
        })),
        { name: 'notes', label: words.notes, kind: 'text', first: row.notes ?? '', isOptional: true },
      ]}
    />
  );
}

/** Says that a measurement is not as it was entered; who did that, when, and what it said before is one press away. */
function CorrectionStory({ row }: { row: MeasurementAnswer }) {
  const words = pondWords();
  const [isOpen, setOpen] = useState(false);
  if (row.updated_at === null) return null;
  return (
    <>
      <button type="button" class="text-button" onClick={() => setOpen(true)}>
        {words.corrected(dayAndTime(row.updated_at))}
      </button>
      {isOpen ? (
        <Dialog
          title={words.story(dayAndTime(row.measurement_date))}
          onClose={() => setOpen(false)}
          actions={
            <Button big onClick={() => setOpen(false)}>
              {componentWords().close}
            </Button>
          }
        >
          <Story id={row.id} />
        </Dialog>
      ) : null}
    </>
  );
}

function Story({ id }: { id: string }) {
  const words = pondWords();
  const entries = useGet(`/logs/measurements/${id}`, { limit: 50 });
  return (
    <Answer of={entries} isEmpty={(found) => found.length === 0} empty={<p>{words.noStory}</p>}>
      {(found) => (
        <ul class="stack">
          {found.map((entry) => (
            <li key={entry.id}>
              <strong>{dayAndTime(entry.timestamp)}</strong> · {entry.user_name ?? words.somebody}
              <ul>
                {changesOf(entry).map(({ field, before, after }) => (
                  <li key={field}>
                    {nameOf(field)}: {told(field, before)} → {told(field, after)}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </Answer>
  );
}

function changesOf({ details }: RecordLogAnswer): Change[] {
  const [before, after] = [partOf(details?.['before']), partOf(details?.['after'])];
  return Object.keys(before).map((field) => ({ field, before: before[field], after: after[field] }));
}

function nameOf(field: string): string {
  const words = pondWords();
  if (isWater(field)) return waterWords().name[field];
  return field === 'measurement_date' ? words.when : field === 'notes' ? words.notes : field;
}

function told(field: string, value: unknown): string {
  if (isWater(field) && typeof value === 'number') {
    const { decimals, unit } = WATER[field];
    return quantity(value, decimals, unit);
  }
  if (typeof value !== 'string' || value === '') return '—';
  return field === 'measurement_date' ? dayAndTime(value) : value;
}
