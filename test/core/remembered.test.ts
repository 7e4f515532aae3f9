import { expect, test } from 'vitest';
import { remembered } from '#core/newest-map.ts';

function aMemory(limit = 100) {
  let at = 0;
  const asked: string[] = [];
  const memory = remembered<string>({ monotonic: () => at, ttlMs: 5_000, limit });
  return {
    memory,
    asked,
    advance: (ms: number) => {
      at += ms;
    },
    get: (key: string) =>
      memory.get(key, async () => {
        asked.push(key);
        return `${key} at ${at}`;
      }),
  };
}

test('within the time to live the database is asked once', async () => {
  const { asked, advance, get } = aMemory();
  expect(await get('maria')).toBe('maria at 0');
  advance(4_999);
  expect(await get('maria')).toBe('maria at 0');
  advance(1);
  expect(await get('maria')).toBe('maria at 5000');
  expect(asked).toEqual(['maria', 'maria']);
});

test('what was read before a commit is not remembered after it', async () => {
  const { memory, get } = aMemory();
  let answer = (_value: string): void => undefined;
  const reading = memory.get(
    'maria',
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  memory.forget('maria');
  answer('old password');
  expect(await reading).toBe('old password');
  expect(await get('maria')).toBe('maria at 0');
});

test('what a commit told counts at once', async () => {
  const { memory, get } = aMemory();
  await get('token');
  memory.set('token', 'logged out');
  expect(await get('token')).toBe('logged out');
});

test('it never holds more than its limit', async () => {
  const { asked, get } = aMemory(2);
  for (const key of ['a', 'b', 'c', 'c', 'b', 'a']) await get(key);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
});
