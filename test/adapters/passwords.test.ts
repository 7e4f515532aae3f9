import { expect, test } from 'vitest';
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts';
import { takeTurns } from '#adapters/passwords/take-turns.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A line whose works end when the test says so. */
function aLine(bounds: { parallel: number; waiting: number; waitingPerSource: number }) {
  const line = takeTurns({ ...bounds, refuse: () => new Error('full') });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  return {
    started,
    join: (source: string) =>
      line(source, () => {
        started.push(source);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    async endOne() {
      ends.shift()?.();
      await tick();
    },
  };
}

test('a password fits its own hash and no other', async () => {
  const { hash, verify } = argon2Passwords();
  const digest = await hash('camarão-123', 'here');
  expect(digest).toMatch(/^\$argon2id\$v=19\$m=19456,p=1,t=2|^\$argon2id\$v=19\$m=19456,t=2,p=1/);
  expect(await verify(digest, 'camarão-123', 'here')).toBe(true);
  expect(await verify(digest, 'camarao-123', 'here')).toBe(false);
  expect(await verify(null, 'camarão-123', 'here')).toBe(false);
});

test('no more than the allowed number are worked on at once', async () => {
  const { started, join, endOne } = aLine({ parallel: 2, waiting: 10, waitingPerSource: 10 });
  const all = [join('a'), join('a'), join('a'), join('a')];
  await tick();
  expect(started).toHaveLength(2);
  await endOne();
  expect(started).toHaveLength(3);
  for (let i = 0; i < 3; i += 1) await endOne();
  await Promise.all(all);
});

test('a source that sends many keeps another waiting for one turn only', async () => {
  const { started, join, endOne } = aLine({ parallel: 1, waiting: 100, waitingPerSource: 100 });
  const all = [...Array.from({ length: 20 }, () => join('flood')), join('maria')];
  for (let i = 0; i < 21; i += 1) await endOne();
  await tick();
  expect(started.indexOf('maria')).toBeLessThanOrEqual(2);
  for (let i = 0; i < 21; i += 1) await endOne();
  await Promise.all(all);
});

test('who finds the line full is refused, and the line goes on', async () => {
  const { started, join, endOne } = aLine({ parallel: 1, waiting: 3, waitingPerSource: 2 });
  const all = [join('a'), join('a'), join('a')];
  await expect(join('a')).rejects.toThrow('full');
  all.push(join('b'));
  await expect(join('c')).rejects.toThrow('full');
  for (let i = 0; i < 4; i += 1) await endOne();
  await Promise.all(all);
  expect(started).toEqual(['a', 'a', 'b', 'a']);
});

test('a work that fails gives its place to the next', async () => {
  const line = takeTurns({ parallel: 1, waiting: 5, waitingPerSource: 5, refuse: () => new Error('full') });
  await expect(line('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await line('a', async () => 'done')).toBe('done');
});
