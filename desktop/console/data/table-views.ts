import { signal } from '@preact/signals';
import { farm } from './farm-store.ts';
import { userId } from './session.ts';

// How somebody likes to see a table: order, search and filters under a name, for one person on one farm, in this browser as the
// other settings of a station.

/** `filters`: words of the page's address that choose its rows; views of before have none. */
export type TableView = {
  name: string;
  order: number;
  found: string;
  filters?: Readonly<Record<string, string>>;
};

const KEPT = 'table-views';
const MOST = 12;

type All = Readonly<Record<string, readonly TableView[]>>;

function read(): All {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '{}');
    // written by this file alone
    return typeof kept === 'object' && kept !== null ? (kept as All) : {};
  } catch {
    return {};
  }
}

const all = signal<All>(read());
// another tab of the same person
addEventListener('storage', ({ key }) => {
  if (key === KEPT) all.value = read();
});

const keyOf = (table: string): string => `${userId.value ?? ''} ${farm.value?.id ?? ''} ${table}`;

export const viewsOf = (table: string): readonly TableView[] => all.value[keyOf(table)] ?? [];

function keep(table: string, views: readonly TableView[]): void {
  all.value = { ...read(), [keyOf(table)]: views };
  try {
    localStorage.setItem(KEPT, JSON.stringify(all.value));
  } catch {
    // a browser that keeps nothing shows them until the page is left
  }
}

/** One of the same name is replaced. */
export const keepView = (table: string, view: TableView): void =>
  keep(table, [...viewsOf(table).filter(({ name }) => name !== view.name), view].slice(-MOST));

export const forgetView = (table: string, name: string): void =>
  keep(
    table,
    viewsOf(table).filter((view) => view.name !== name),
  );
