import { expect, test } from 'vitest';
import { commitListeners } from '#adapters/sql/database.ts';
import { alert } from '#contract/resources/alerts.ts';
import { farm } from '#contract/resources/farms.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { pond } from '#contract/resources/ponds.ts';
import { type Committed, onTables, rowsOf } from '#core/changes.ts';

const changed = (...tables: string[]): Committed => ({
  rows: tables.map((table) => ({
    table,
    id: `one of ${table}`,
    before: null,
    after: {},
    rev: 1,
    hidden: false,
  })),
});

function aDatabase() {
  const failed: string[] = [];
  const listeners = commitListeners((error) => failed.push(String(error)));
  return { ...listeners, failed };
}

test('a reaction to ponds is not woken by what changes elsewhere', () => {
  const { onRows, tell } = aDatabase();
  const heard: string[][] = [];
  onRows(onTables([pond], (committed) => heard.push(rowsOf(committed, pond).map(({ id }) => id))));

  tell(changed('farms', 'alerts'));
  expect(heard).toEqual([]);
  tell(changed('farms', 'ponds'));
  expect(heard).toEqual([['one of ponds']]);
});

test('reactions are told in the order in which they were wired, whatever wakes them', () => {
  const { onCommit, onRows, tell } = aDatabase();
  const order: string[] = [];
  onRows(onTables([pond], () => order.push('first')));
  onCommit(() => order.push('second'));
  onRows(onTables([farm, pond], () => order.push('third')));

  tell(changed('ponds', 'farms'));
  expect(order).toEqual(['first', 'second', 'third']);
});

test('a reaction that looks at a table which does not wake it is a fault that is told', () => {
  const { onRows, tell, failed } = aDatabase();
  onRows(onTables([pond], (committed) => void rowsOf(committed, alert)));
  const heard: number[] = [];
  onRows(
    onTables([pond], (committed) => heard.push(rowsOf(committed, logEntry).length), {
      alsoReads: [logEntry],
    }),
  );

  tell(changed('ponds', 'logs'));
  expect(failed).toEqual([expect.stringContaining('alerts is read by a listener that does not declare it')]);
  expect(heard).toEqual([1]);
});

test('a reaction that was ended hears nothing any more', () => {
  const { onRows, tell } = aDatabase();
  const heard: string[] = [];
  const stop = onRows(onTables([pond], () => heard.push('pond')));

  stop();
  tell(changed('ponds'));
  expect(heard).toEqual([]);
});
