import { useState } from 'preact/hooks';
import type { RecordLogAnswer } from '#contract/resources/logs.ts';
import type { MeasurementAnswer, WaterField } from '#contract/resources/water-quality.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { waterWords } from '../../components/water-words.ts';
import { componentWords } from '../../components/words.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { dayAndTime, quantity } from '../../i18n/format.ts';
import { pondWords } from './words.ts';

/** Says that a measurement is not as it was entered; who did that, when, and what it said before is one press away. */
export function CorrectionStory({ row }: { row: MeasurementAnswer }) {
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
  const entries = useGet<RecordLogAnswer[]>(`/logs/measurements/${id}`, { limit: 50 });
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

type Change = { field: string; before: unknown; after: unknown };

function changesOf({ details }: RecordLogAnswer): Change[] {
  const [before, after] = [partOf(details?.['before']), partOf(details?.['after'])];
  return Object.keys(before).map((field) => ({ field, before: before[field], after: after[field] }));
}

const partOf = (part: unknown): Readonly<Record<string, unknown>> =>
  typeof part === 'object' && part !== null ? { ...part } : {};

const isWater = (field: string): field is WaterField => Object.hasOwn(WATER, field);

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
