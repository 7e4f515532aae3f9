import '../styles/tables.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { recordTableWords } from '#words/components.ts';
import { bulkWords } from '#words/tables.ts';
import type { PathOf } from '../data/api.ts';
import { removeLater } from '../data/corrections.ts';
import type { TableView } from '../data/table-views.ts';
import { figure } from '../i18n/format.ts';
import { codeOrder } from '../state/code-order.ts';
import { BulkBar, type BulkOf, ChooseAll, ChooseOne, useChoice } from './bulk-choice.tsx';
import { Button } from './button.tsx';
import { type CorrectedField, CorrectionDialog } from './correction-dialog.tsx';
import { Icon } from './icon.tsx';
import { SavedViews } from './saved-views.tsx';

export type Column<Row> = {
  name: string;
  isNumber?: boolean;
  isLong?: boolean;
  /** A phone leaves it out where it says nothing. */
  isNone?: (row: Row) => boolean;
  of: (row: Row) => ComponentChildren;
  /** What is behind the text: rows are sorted and found by it, and files hold it; null: not known, which stands last. */
  raw?: (row: Row) => string | number | null;
};

const NO_FILTERS: readonly string[] = [];

/** Below so many rows the eye finds faster. */
const WORTH_FINDING = 9;

/** Rows that were recorded, sorted and found as the reader asks, with what can be done to each at its end. */
export function RecordTable<Row>({
  label,
  address,
  columns,
  rows,
  keyOf,
  actions,
  actionsName,
  bulk,
  filters = NO_FILTERS,
  attributesOf,
  empty = null,
}: {
  label: string;
  /** Under this word the order and what is looked for stand in the page's address: whoever gets it sees the same. */
  address: string;
  /** The first one names the row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  actions?: ((row: Row) => ComponentChildren) | undefined;
  actionsName?: string;
  /** What can be done to several rows at once. */
  bulk?: BulkOf<Row> | undefined;
  /** Words of the page's address that choose the rows: a view that is kept keeps them, too. */
  filters?: readonly string[];
  attributesOf?: (row: Row) => Readonly<Record<`data-${string}`, string>>;
  /** In the place of the table while there are no rows. */
  empty?: ComponentChildren;
}) {
  const w = recordTableWords();
  const { order, found, chosen, sortBy, find, show } = useOrder(address, filters);
  const shown = shownOf(rows, columns, { found, order });
  const choice = useChoice(shown, keyOf);
  const views = (
    <SavedViews table={address} label={label} shown={{ order, found, filters: chosen }} onChosen={show} />
  );
  if (rows.length === 0 && empty !== null)
    return (
      <>
        {views}
        {empty}
      </>
    );
  return (
    <>
      {views}
      <div class="row no-print table-tools">
        {rows.length < WORTH_FINDING && found === '' ? null : (
          <input
            class="input find"
            type="search"
            aria-label={w.find(label)}
            placeholder={w.findHere}
            value={found}
            onInput={(event) => find(event.currentTarget.value)}
          />
        )}
        {rows.length < 2 ? null : (
          <select
            class="input phone-only"
            aria-label={w.orderOf(label)}
            value={String(order)}
            onChange={(event) => sortBy(Number(event.currentTarget.value))}
          >
            <option value="0" selected={order === 0}>
              {w.asTold}
            </option>
            {columns.flatMap(({ name, raw }, index) =>
              raw === undefined
                ? []
                : [index + 1, -index - 1].map((value) => (
                    <option key={value} value={String(value)} selected={order === value}>
                      {name} {value > 0 ? '↑' : '↓'}
                    </option>
                  )),
            )}
          </select>
        )}
        {found === '' ? null : (
          <span class="muted" role="status">
            {w.some(figure(shown.length), figure(rows.length))}
          </span>
        )}
        {bulk === undefined ? null : <ChooseAll choice={choice} />}
      </div>
      {/* a group, no landmark: its section often has the same name */}
      <div class="table-frame long" tabIndex={0} role="group" aria-label={label}>
        <table class="table stacks pairs">
          <thead>
            <tr>
              {bulk === undefined ? null : (
                <th scope="col" class="choose no-print">
                  <span class="visually-hidden">{bulkWords().item}</span>
                </th>
              )}
              {columns.map(({ name, isNumber, raw }, index) => (
                <th
                  key={name}
                  scope="col"
                  class={isNumber === true ? 'number' : ''}
                  {...(raw === undefined
                    ? {}
                    : { 'aria-sort': directionOf(order, index), 'data-name': name })}
                >
                  {raw === undefined ? (
                    name
                  ) : (
                    <button type="button" class="sort" onClick={() => sortBy(nextOrder(order, index))}>
                      {name}
                      <span aria-hidden="true">{SIGNS[directionOf(order, index)]}</span>
                    </button>
                  )}
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
            {shown.map((row) => (
              <tr key={keyOf(row)} {...attributesOf?.(row)}>
                {bulk === undefined ? null : (
                  <td class="choose no-print">
                    <ChooseOne choice={choice} row={row} name={bulk.nameOf(row)} />
                  </td>
                )}
                {columns.map(({ name, isNumber, isLong, isNone, of }, index) =>
                  index === 0 ? (
                    <th key={name} scope="row">
                      {of(row)}
                    </th>
                  ) : (
                    <td
                      key={name}
                      class={isNumber === true ? 'number' : isLong === true ? 'long' : ''}
                      data-label={name}
                      {...(isNone?.(row) === true ? { 'data-none': 'true' } : {})}
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
      {bulk === undefined ? null : <BulkBar choice={choice} bulk={bulk} />}
    </>
  );
}

/** The rows as the table of this address shows them, for what is made of it. */
export function useShownRows<Row>(
  address: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly Row[] {
  return shownOf(rows, columns, useOrder(address));
}

const shownOf = <Row,>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { found, order }: { found: string; order: number },
) => sorted(matching(rows, columns, found), columns, order);

const SIGNS = { ascending: ' ↑', descending: ' ↓', none: '' } as const;
/** `order`: the column's number counted from 1, negative for the greatest first; 0: as the rows came. */
const directionOf = (order: number, index: number): keyof typeof SIGNS =>
  order === index + 1 ? 'ascending' : order === -index - 1 ? 'descending' : 'none';
/** Up, down, and as it was. */
const nextOrder = (order: number, index: number): number =>
  order === index + 1 ? -index - 1 : order === -index - 1 ? 0 : index + 1;

function useOrder(address: string, filters: readonly string[] = NO_FILTERS) {
  const [asked, ask] = useSearchParams();
  const chosen: Record<string, string> = {};
  for (const name of filters) {
    const value = asked.get(name);
    if (value !== null) chosen[name] = value;
  }
  const keep = (wanted: Partial<Omit<TableView, 'name'>>) =>
    ask(
      (before) => {
        const next = new URLSearchParams(before);
        const set = (name: string, value: string | undefined) => {
          if (value === undefined) return;
          if (value === '') next.delete(name);
          else next.set(name, value);
        };
        set(`ordem-${address}`, wanted.order === 0 ? '' : wanted.order?.toString());
        set(`busca-${address}`, wanted.found);
        if (wanted.filters !== undefined) for (const name of filters) set(name, wanted.filters[name] ?? '');
        return next;
      },
      { replace: true },
    );
  const order = Number(asked.get(`ordem-${address}`) ?? '0');
  return {
    order: Number.isInteger(order) ? order : 0,
    found: asked.get(`busca-${address}`) ?? '',
    chosen,
    sortBy: (wanted: number) => keep({ order: wanted }),
    find: (text: string) => keep({ found: text }),
    show: ({ order: by, found: text, filters: those = {} }: Omit<TableView, 'name'>) =>
      keep({ order: by, found: text, filters: those }),
  };
}

function matching<Row>(rows: readonly Row[], columns: readonly Column<Row>[], text: string): readonly Row[] {
  const parts = plain(text).split(/\s+/).filter(Boolean);
  if (parts.length === 0) return rows;
  return rows.filter((row) => {
    const said = columns
      .map(({ of, raw }) => `${shownText(of(row))} ${raw?.(row) ?? ''}`)
      .map(plain)
      .join(' ');
    return parts.every((part) => said.includes(part));
  });
}

/** What is shown as a text; what is drawn is found by what is behind it. */
const shownText = (shown: ComponentChildren): string =>
  typeof shown === 'string' || typeof shown === 'number' ? String(shown) : '';
/** Without capitals and accents: a phone at the pond types neither. */
const plain = (text: string): string => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: number): readonly Row[] {
  const raw = columns[Math.abs(order) - 1]?.raw;
  if (raw === undefined) return rows;
  const sign = Math.sign(order);
  return rows.toSorted((a, b) => {
    const [one, other] = [raw(a), raw(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
    return sign * codeOrder(String(one), String(other));
  });
}

/** Correct and delete, each with ten seconds to take it back. */
export function RowActions({
  path,
  label,
  touches,
  fields,
}: {
  path: PathOf<'DELETE'>;
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
