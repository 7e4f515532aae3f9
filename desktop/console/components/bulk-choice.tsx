import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { bulkWords } from '#words/tables.ts';
import { isBlind } from '../data/live.ts';
import { Button } from './button.tsx';

// Several rows of a table, chosen to be changed together. What a search hides is not chosen: nobody changes what is out
// of sight.

export type BulkOf<Row> = {
  nameOf: (row: Row) => string;
  edit: (rows: readonly Row[], onClose: () => void) => ComponentChildren;
};

export type Choice<Row> = {
  isChosen: (row: Row) => boolean;
  toggle: (row: Row) => void;
  chosen: readonly Row[];
  shown: readonly Row[];
  chooseAll: (isAll: boolean) => void;
};

export function useChoice<Row>(shown: readonly Row[], keyOf: (row: Row) => string): Choice<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return {
    isChosen: (row) => keys.has(keyOf(row)),
    toggle: (row) => {
      const next = new Set(keys);
      if (!next.delete(keyOf(row))) next.add(keyOf(row));
      setKeys(next);
    },
    chosen: shown.filter((row) => keys.has(keyOf(row))),
    shown,
    chooseAll: (isAll) => setKeys(new Set(isAll ? shown.map(keyOf) : [])),
  };
}

export function ChooseAll<Row>({ choice }: { choice: Choice<Row> }) {
  const { chosen, shown, chooseAll } = choice;
  const isAll = shown.length > 0 && chosen.length === shown.length;
  return (
    <label class="choose-all no-print">
      <input
        type="checkbox"
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = !isAll && chosen.length > 0;
        }}
        onChange={() => chooseAll(!isAll)}
      />
      {bulkWords().chooseAll}
    </label>
  );
}

export function ChooseOne<Row>({ choice, row, name }: { choice: Choice<Row>; row: Row; name: string }) {
  return (
    <label>
      <input
        type="checkbox"
        aria-label={bulkWords().choose(name)}
        checked={choice.isChosen(row)}
        onChange={() => choice.toggle(row)}
      />
    </label>
  );
}

/** Stands below the table as long as anything is chosen, and opens what can be done to it. */
export function BulkBar<Row>({ choice, bulk }: { choice: Choice<Row>; bulk: BulkOf<Row> }) {
  const w = bulkWords();
  // as they were when it was opened: what is changed may leave the search
  const [edited, setEdited] = useState<readonly Row[] | null>(null);
  const close = () => {
    setEdited(null);
    choice.chooseAll(false);
  };
  return (
    <>
      {choice.chosen.length === 0 ? null : (
        <div class="row no-print bulk-bar" role="group" aria-label={w.chosen(choice.chosen.length)}>
          <strong class="grow">{w.chosen(choice.chosen.length)}</strong>
          <Button look="quiet" onClick={() => choice.chooseAll(false)}>
            {w.none}
          </Button>
          <Button look="main" disabled={isBlind.value} onClick={() => setEdited(choice.chosen)}>
            {w.change}
          </Button>
        </div>
      )}
      {edited === null ? null : bulk.edit(edited, close)}
    </>
  );
}
