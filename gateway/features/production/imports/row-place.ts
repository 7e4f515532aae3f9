import type * as z from 'zod';
import { localDay } from '#core/zone-clock.ts';
import type { Said } from './doubt-words.ts';
import { noteOf } from './import-words.ts';
import type { CellNote, Cells, RowFacts } from './ports.ts';

// Where and when a row is of, and what is told of one that is not accepted.

export const error = (
  { language }: RowFacts,
  column: string | null,
  sentence: string,
  said: Said = {},
): { errors: CellNote[] } => ({ errors: [noteOf(language, sentence, { ...said, column })] });

export function pondIn(cells: Cells, facts: RowFacts) {
  const ref = cells['pond'];
  if (ref === null || ref === undefined) return error(facts, 'pond', 'POND_REQUIRED');
  const pond = facts.pondBy(String(ref));
  if (pond === 'several') return error(facts, 'pond', 'POND_AMBIGUOUS', { cell: String(ref) });
  return pond ?? error(facts, 'pond', 'POND_UNKNOWN', { cell: String(ref) });
}

export function datedInBatch(cells: Cells, facts: RowFacts) {
  const ref = cells['batch'];
  if (ref === null || ref === undefined) return error(facts, 'batch', 'BATCH_REQUIRED');
  const batch = facts.batchBy(String(ref));
  if (batch === null) return error(facts, 'batch', 'BATCH_UNKNOWN', { cell: String(ref) });
  const at = momentIn(cells, facts);
  if (typeof at !== 'string') return at;
  if (localDay(at, facts.clock) < batch.start_date)
    return error(facts, 'date', 'BEFORE_BATCH_START', { day: batch.start_date });
  return { batchId: batch.id, at };
}

export function momentIn(cells: Cells, facts: RowFacts) {
  const at = cells['date'];
  if (typeof at !== 'string') return error(facts, 'date', 'REQUIRED');
  if (facts.latest !== null && at > facts.latest) return error(facts, 'date', 'IN_THE_FUTURE');
  return at;
}

/** Fields of the schema that have another name as a column. */
const COLUMN_OF: Readonly<Record<string, string>> = {
  pond_id: 'pond',
  batch_id: 'batch',
  measurement_date: 'date',
  feed_date: 'date',
  happened_at: 'date',
  amount: 'counter',
  text: 'notes',
};

export function invalid(
  { issues }: z.ZodError,
  cells: Cells,
  { language }: RowFacts,
): { errors: CellNote[] } {
  return {
    errors: issues.map((issue) => {
      const field = String(issue.path[0] ?? '');
      const column = COLUMN_OF[field] ?? field;
      const isMissing = issue.code === 'invalid_type' && (cells[column] ?? null) === null;
      const note = noteOf(language, isMissing ? 'REQUIRED' : sentenceOf(issue), {
        column: column === '' ? null : column,
        ...('maximum' in issue ? { value: Number(issue.maximum) } : {}),
        ...('minimum' in issue ? { value: Number(issue.minimum) } : {}),
      });
      // the schema's own sentence says more than that it is not accepted
      return language === 'en' && !isMissing ? { ...note, message: issue.message } : note;
    }),
  };
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_big':
      if (issue.origin === 'string') return 'TOO_LONG';
      return issue.inclusive === false ? 'LESS_THAN' : 'AT_MOST';
    case 'too_small':
      if (issue.origin === 'string') return 'REQUIRED';
      return issue.inclusive === false ? 'MORE_THAN' : 'AT_LEAST';
    case 'custom':
      return issue.path[0] === 'temperature' ? 'NO_PARAMETER' : 'INVALID';
    default:
      return 'INVALID';
  }
}
