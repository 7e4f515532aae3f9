import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import { argon2Passwords, PASSWORD_COST, takeTurns } from '#adapters/passwords/argon2-passwords.ts';
import type { Passwords } from '#features/people/accounts/ports.ts';
import { hashBeside } from '#workers/hash/hash-process.ts';

/** What never comes fails; a machine that is busy elsewhere does not. */
const WAIT = { timeout: 60_000, interval: 2 };

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

const CHEAP = { memoryCost: 64, timeCost: 2 };

test('a password fits its own hash and no other', async () => {
  const { hash, verify } = argon2Passwords(CHEAP);
  const digest = await hash('camarão-123', 'here');
  expect(digest).toMatch(/^\$argon2id\$v=19\$m=64,(t=2,p=1|p=1,t=2)\$/);
  expect(await verify(digest, 'camarão-123', 'here')).toBe(true);
  expect(await verify(digest, 'camarão-123'.normalize('NFD'), 'here')).toBe(true);
  expect(await verify(digest, 'camarao-123', 'here')).toBe(false);
  expect(await verify(null, 'camarão-123', 'here')).toBe(false);
});

test('real passwords fill the memory of the second option of RFC 9106 at least as often, which is more than OWASP asks for', () => {
  const { memoryCost, timeCost } = PASSWORD_COST;
  expect(memoryCost).toBeGreaterThanOrEqual(64 * 1024);
  expect(timeCost).toBeGreaterThanOrEqual(3);
  const leastOfOwasp = [46 * 1024 * 1, 19 * 1024 * 2];
  expect(memoryCost * timeCost).toBeGreaterThan(Math.max(...leastOfOwasp));
});

test('real passwords are hashed in one lane: the other cores are left to aeration', async () => {
  expect(await argon2Passwords().hash('camarao-123', 'here')).toMatch(
    /^\$argon2id\$v=19\$m=69632,(t=3,p=1|p=1,t=3)\$/,
  );
});

test('a hash of less work than today is outdated, one of more is not', async () => {
  const today = argon2Passwords(CHEAP);
  const before = await argon2Passwords({ memoryCost: 32, timeCost: 2 }).hash('camarao-123', 'here');
  const ahead = await argon2Passwords({ memoryCost: 128, timeCost: 3 }).hash('camarao-123', 'here');
  expect([before, await today.hash('camarao-123', 'here'), ahead].map(today.isOutdated)).toEqual([
    true,
    false,
    false,
  ]);
  expect(await today.verify(before, 'camarao-123', 'here')).toBe(true);
  expect(await today.verify(before, 'camarao-124', 'here')).toBe(false);
});

test('a wrong password takes as long with an old hash as with none', async () => {
  // as shipped: below 32 MiB the C library asks the kernel for no new pages, which is half of the time
  const { verify } = argon2Passwords();
  const old = await argon2Passwords({ memoryCost: 19 * 1024, timeCost: 2 }).hash('camarao-123', 'here');
  // work, not time: other processes of this machine do not count
  const workOf = async (digest: string | null) => {
    const before = process.cpuUsage();
    await verify(digest, 'wrong-password', 'here');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // each pair right after another, and the one in the middle: a processor that is slow for a while does not decide
  const ratios: number[] = [];
  for (let n = 0; n < 7; n += 1) ratios.push((await workOf(old)) / (await workOf(null)));
  const ratio = ratios.toSorted((one, other) => one - other)[3];
  // without the rest of the work it would be a fifth
  expect(ratio).toBeGreaterThan(0.6);
  expect(ratio).toBeLessThan(1.7);
});

test('the hash of a code is always the same, on every instance', async () => {
  const here = await argon2Passwords(CHEAP).codeHash('ACDEFHJKMPRT', 'here');
  expect(here).toMatch(/^[0-9a-f]{64}$/);
  expect(await argon2Passwords().codeHash('ACDEFHJKMPRT', 'there')).toBe(here);
  expect(await argon2Passwords(CHEAP).codeHash('ACDEFHJKMPRW', 'here')).not.toBe(here);
});

test('who finds the line of passwords full is told when to come again', async () => {
  const { hash } = argon2Passwords(CHEAP, { parallel: 1, waiting: 2, waitingPerSource: 2 });
  const all = Array.from({ length: 6 }, () => hash('camarao-123', 'here'));
  const answers = await Promise.allSettled(all);
  const refused = answers.filter((one) => one.status === 'rejected');
  expect(refused).toHaveLength(3);
  expect(refused[0]?.reason).toMatchObject({
    status: 503,
    extras: { code: 'BUSY', headers: { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) } },
  });
});

test.runIf(process.platform === 'linux')('the threads that hash give way to everything else', async () => {
  await argon2Passwords(CHEAP).hash('camarao-123', 'here');
  await vi.waitFor(() => {
    const threads = readdirSync('/proc/self/task').filter(
      (thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === 'libuv-worker',
    );
    expect(threads.length).toBeGreaterThan(0);
    for (const thread of threads) expect(getPriority(Number(thread))).toBe(10);
  }, WAIT);
});

/** The processes that this one started, with the class in which each gets the processor. */
const started = (): { pid: number; policy: number }[] =>
  readdirSync('/proc/self/task')
    .flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    )
    .flatMap((pid) => {
      const stat = statOf(pid);
      return stat === null ? [] : { pid: Number(pid), policy: Number(stat.split(' ')[38]) };
    });

/** What stands behind its name; null once it has ended. */
function statOf(pid: string): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2);
  } catch {
    return null;
  }
}
const ONLY_WHEN_IDLE = 5;

describe.runIf(process.platform === 'linux')('a crowd that logs in', () => {
  const crowd = Array.from({ length: 8 }, (_, n) => `person-${n}`);
  const cost = { memoryCost: 4_096, timeCost: 2 };
  const patient = { answerWithinMs: 120_000 };

  async function loggedIn(passwords: Passwords, digest: string): Promise<boolean[]> {
    return Promise.all([
      ...crowd.map((who) => passwords.verify(digest, 'camarao-123', who)),
      passwords.verify(digest, 'camarao-124', 'guesser'),
    ]);
  }
  const ALL_BUT_THE_GUESSER = [...crowd.map(() => true), false];

  test('is served by a process that takes the processor from nobody, and that ends when it is not needed', async () => {
    const passwords = argon2Passwords(cost, { parallel: 1 }, hashBeside({ ...patient, unusedMs: 1_000 }));
    const digest = await passwords.hash('camarao-123', 'here');
    const before = started().map(({ pid }) => pid);
    const served = loggedIn(passwords, digest);
    const [beside] = await vi.waitFor(() => {
      const idle = started().filter(({ pid, policy }) => !before.includes(pid) && policy === ONLY_WHEN_IDLE);
      expect(idle).toHaveLength(1);
      return idle;
    }, WAIT);
    expect(await served).toEqual(ALL_BUT_THE_GUESSER);
    await vi.waitFor(() => expect(started().map(({ pid }) => pid)).not.toContain(beside?.pid), WAIT);
  });

  test('gets in although that process dies', async () => {
    const passwords = argon2Passwords(cost, { parallel: 1 }, hashBeside(patient));
    const digest = await passwords.hash('camarao-123', 'here');
    const before = started().map(({ pid }) => pid);
    const served = loggedIn(passwords, digest);
    const [beside] = await vi.waitFor(() => {
      const more = started().filter(({ pid }) => !before.includes(pid));
      expect(more).toHaveLength(1);
      return more;
    }, WAIT);
    process.kill(beside?.pid ?? 0, 'SIGKILL');
    expect(await served).toEqual(ALL_BUT_THE_GUESSER);
  });

  test('gets in although that process never gets the processor', async () => {
    const passwords = argon2Passwords(cost, { parallel: 1 }, hashBeside({ answerWithinMs: 1 }));
    const digest = await passwords.hash('camarao-123', 'here');
    expect(await loggedIn(passwords, digest)).toEqual(ALL_BUT_THE_GUESSER);
  });
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
