import { describe, expect, test } from 'vitest';
import { idempotentAnswer } from '#contract/resources/local-tables.ts';
import { user } from '#contract/resources/users.ts';
import { insert, update } from '#core/changes.ts';
import type { Caller, Route } from '#core/route.ts';
import { writeBudget } from '#core/write-budget.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function aDay({ hasFarm = true } = {}) {
  const clock = { ms: 0 };
  const { admit, counted } = writeBudget({
    monotonic: () => clock.ms,
    hasFarm: () => Promise.resolve(hasFarm),
  });
  const commit = counted(() => Promise.resolve({ rows: [] }));
  const caller = (role = 'OWNER') => ({ userId: 'ana', role, scopes: null }) as unknown as Caller;
  const ask = (tag: string, method = 'POST', role?: string) =>
    admit({ tag, method, path: '/x', access: { who: 'account' } } as unknown as Route, caller(role)).then(
      () => 'goes on',
      (error: Error) => error.message,
    );
  /** In rows of a size that the machine of the test does not have to make room for. */
  const write = (bytes: number) => {
    const rows = Math.ceil(bytes / 1_000_000);
    const name = 'x'.repeat(bytes / rows / 2);
    return commit({
      actor: 'ana',
      changes: Array.from({ length: rows }, () => update(user, 'ana', { name })),
    });
  };
  return { clock, commit, ask, write };
}

describe('the bytes that an account writes in a day', () => {
  test('of a farm with a hundred ponds are a whole season of records, one by one, and the spreadsheets of it', async () => {
    const day = aDay();
    const notes = 'sem vento, água verde clara, bandejas vazias';
    const reading = { temperature: 28.4, dissolved_oxygen: 5.1, ph: 8.1, salinity: 31, ammonia: 0.1 };
    const ids = {
      pond_id: '019cb0a5-0000-7000-8000-000000000000',
      created_by: '019cb0a5-0000-7000-8000-000000000000',
    };
    const at = '2026-03-01T12:00:00.000Z';
    const row = { id: ids.pond_id, ...ids, ...reading, notes, created_at: at, measurement_date: at };
    const record = { op: 'insert', resource: user, row, ifAbsent: false } as never;
    const answer = insert(idempotentAnswer, {
      id: 'a'.repeat(64),
      body_hash: 'b'.repeat(64),
      status: 201,
      answer: JSON.stringify(row),
      created_at: at,
      user_id: ids.created_by,
      tag: null,
    });
    // eight records of each pond on each of 120 days, a tenth of them by hand today, the rest from files
    const records = 100 * 120 * 8;
    for (let n = 0; n < records / 10; n += 1) await day.commit({ actor: 'ana', changes: [record, answer] });
    for (let n = 0; n < records; n += 500)
      await day.commit({ actor: 'ana', changes: Array.from({ length: 500 }, () => record) });
    expect(await day.ask('Water quality')).toBe('goes on');
  });

  test('are refused when they are too many, in plain words, until a day after the first', async () => {
    const day = aDay();
    for (let n = 0; n < 6; n += 1) await day.write(100_000_000);
    expect(await day.ask('Ponds')).toMatch(/512 MB within a day.*control, alerts and devices go on.*24 h/);
    day.clock.ms = DAY_MS - MINUTE_MS;
    expect(await day.ask('Ponds')).toMatch(/1 h$/);
    day.clock.ms = DAY_MS;
    expect(await day.ask('Ponds')).toBe('goes on');
  });

  test('never keep anybody from switching, answering an alarm, signing in, deleting or reading', async () => {
    const day = aDay({ hasFarm: false });
    await day.write(5_000_000);
    expect(await day.ask('Addresses')).toMatch(/4 MB.*without a farm/);
    for (const tag of ['Aerators', 'Alerts', 'Auth', 'Control points', 'Schedules', 'Siren', 'Sync'])
      expect([tag, await day.ask(tag)]).toEqual([tag, 'goes on']);
    for (const method of ['GET', 'DELETE']) expect(await day.ask('Addresses', method)).toBe('goes on');
    expect(await day.ask('Addresses', 'POST', 'ADMIN')).toBe('goes on');
  });

  test('of orders and registers are bounded, too, where no person comes', async () => {
    const day = aDay();
    for (let n = 0; n < 10; n += 1) await day.write(100_000_000);
    for (const tag of ['Aerators', 'Control points', 'Schedules'])
      expect([tag, await day.ask(tag)]).toEqual([tag, 'goes on']);
    for (let n = 0; n < 300_000; n += 1) await day.write(2);
    expect(await day.ask('Aerators')).toMatch(/1024 MB within a day.*schedules, alerts and devices go on/);
    expect(await day.ask('Aerators', 'DELETE')).toBe('goes on');
    day.clock.ms = DAY_MS;
    expect(await day.ask('Aerators')).toBe('goes on');
  });
});
