import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { attemptLimit, isLoopback } from '#adapters/http/attempt-limit.ts';

// the library reads the clock of the machine by itself
beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 2, 1, 12) }));
afterEach(() => void vi.useRealTimers());

test('attempts beyond the limit wait until the window has passed since the first', async () => {
  const limit = attemptLimit({ attempts: 2, windowS: 900 });
  expect([await limit.take('pair'), await limit.take('pair')]).toEqual([null, null]);
  vi.advanceTimersByTime(300_000);
  expect(await limit.take('pair')).toBe(600_000);
  expect(await limit.take('another pair')).toBeNull();
  vi.advanceTimersByTime(600_000);
  expect(await limit.take('pair')).toBeNull();
});

test('an attempt given back does not count, and a forgotten key begins anew', async () => {
  const limit = attemptLimit({ attempts: 1, windowS: 900 });
  await limit.take('pair');
  await limit.giveBack('pair');
  expect(await limit.take('pair')).toBeNull();
  expect(await limit.take('pair')).toBe(900_000);
  await limit.forget('pair');
  expect(await limit.take('pair')).toBeNull();
});

test('a clock set back by years makes nobody wait longer than the window', async () => {
  const limit = attemptLimit({ attempts: 1, windowS: 900 });
  await limit.take('pair');
  vi.setSystemTime(Date.UTC(2000, 0, 1));
  expect(await limit.take('pair')).toBe(900_000);
});

test('exempt keys are never counted', async () => {
  const limit = attemptLimit({ attempts: 1, windowS: 900, isExempt: isLoopback });
  for (const source of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    expect([await limit.take(source), await limit.take(source)]).toEqual([null, null]);
  expect([await limit.take('192.168.1.5'), await limit.take('192.168.1.5')]).toEqual([null, 900_000]);
});
