import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { recordTableWords } from '#words/components.ts';
import { removeLater } from '../data/corrections.ts';

import { Button } from './button.tsx';
import { type CorrectedField, CorrectionDialog } from './correction-dialog.tsx';
import { Icon } from './icon.tsx';

/** Rows that were recorded, with what can be done to each at its end. */
export function RecordTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  actions,
  actionsName,
}: {
  label: string;
  /** The first one names the row. */
  columns: readonly {
    name: string;
    isNumber?: boolean;
    isLong?: boolean;
    of: (row: Row) => ComponentChildren;
  }[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  actions?: ((row: Row) => ComponentChildren) | undefined;
  actionsName?: string;
}) {
  return (
    <div class="table-frame long" tabIndex={0} role="region" aria-label={label}>
      <table class="table stacks pairs">
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber === true ? 'number' : ''}>
                {name}
              </th>
            ))}
            {actions === undefined ? null : (
              <th scope="col" class="acts">
                <span class="visually-hidden">{actionsName}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, isNumber, isLong, of }, index) =>
                index === 0 ? (
                  <th key={name} scope="row">
                    {of(row)}
                  </th>
                ) : (
                  <td
                    key={name}
                    class={isNumber === true ? 'number' : isLong === true ? 'long' : ''}
                    data-label={name}
                  >
                    {of(row)}
                  </td>
                ),
              )}
              {actions === undefined ? null : <td class="acts">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Correct and delete, each with ten seconds to take it back. */
export function RowActions({
  path,
  label,
  touches,
  fields,
}: {
  path: string;
  label: string;
  touches: readonly string[];
  fields: readonly CorrectedField[];
}) {
  const w = recordTableWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" aria-label={w.edit(label)} onClick={() => setOpen(true)}>
        <Icon name="edit" size={18} />
      </Button>
      <Button look="quiet" aria-label={w.remove(label)} onClick={() => removeLater({ path, label, touches })}>
        <Icon name="trash" size={18} />
      </Button>
      {isOpen ? (
        <CorrectionDialog
          title={w.edit(label)}
          row={{ path, label, touches }}
          fields={fields}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}
