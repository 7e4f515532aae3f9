import { expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { type LogInDeps, logIn } from '#features/people/accounts/log-in.ts';
import type { Account } from '#features/people/accounts/ports.ts';
import type { AttemptLimit } from '#features/people/attempts.ts';

const anAccount = (fields: Partial<Account> = {}): Account => ({
  id: '019c0000-0000-7000-8000-000000000001',
  numeric_id: 1,
  email: 'maria@farm.test',
  email_key: 'maria@farm.test',
  name: 'Maria',
  phone_number: null,
  role: 'OWNER',
  is_active: true,
  password_hash: 'hash of camarao-123',
  password_version: 1,
  language: null,
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: null,
  rev: 1,
  ...fields,
});

/** A limit that always lets pass and writes down what it was told. */
function aLimit(): AttemptLimit & { told: string[] } {
  const told: string[] = [];
  const note = (word: string) => async (key: string) => void told.push(`${word} ${key}`);
  return {
    told,
    take: async (key) => {
      told.push(`take ${key}`);
      return null;
    },
    giveBack: note('give back'),
    forget: note('forget'),
  };
}

function theDeps(account: Account | null, fields: Partial<LogInDeps> = {}) {
  const verified: (string | null)[] = [];
  const nothing = () => undefined;
  const deps: LogInDeps = {
    now: () => 0,
    newId: () => 'token-1',
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    tokens: { sign: ({ sub, exp }) => `${sub} until ${exp}`, read: () => null },
    queries: { accountByEmail: async () => account },
    logins: { generationOf: async () => 0 },
    sessions: { begin: async () => [] },
    passwords: {
      verify: async (hash, password) => {
        verified.push(hash);
        return hash === `hash of ${password}`;
      },
      hash: async (password) => `hash of ${password}`,
      isOutdated: () => false,
    },
    hosted: null,
    secondFactor: {
      prove: async () => ({ isSpared: false, changes: [], guards: [], unsaved: nothing }),
      isOn: async () => false,
    },
    loginFailures: aLimit(),
    ...fields,
  };
  return { deps, verified };
}

const from = { source: '10.0.0.7', userAgent: null };
const input = { email: ' Maria@Farm.test', password: 'camarao-123', remember_me: false };

test('an unknown email costs the same check of a password as a known one', async () => {
  const unknown = theDeps(null);
  await expect(logIn(unknown.deps, input, from)).rejects.toMatchObject({ status: 401 });
  expect(unknown.verified).toEqual([null]);
  const known = theDeps(anAccount());
  await expect(logIn(known.deps, { ...input, password: 'x' }, from)).rejects.toMatchObject({
    status: 401,
  });
  expect(known.verified).toEqual(['hash of camarao-123']);
});

test('failures count for the email as compared and the place they come from', async () => {
  const limit = aLimit();
  await expect(logIn(theDeps(null, { loginFailures: limit }).deps, input, from)).rejects.toMatchObject({
    status: 401,
  });
  expect(limit.told).toEqual(['take 10.0.0.7 maria@farm.test']);
});

test('who waits is not even looked up', async () => {
  const { deps, verified } = theDeps(anAccount(), {
    loginFailures: { ...aLimit(), take: async () => 90_500 },
  });
  await expect(logIn(deps, input, from)).rejects.toMatchObject({
    status: 429,
    extras: { headers: { 'Retry-After': '91' } },
  });
  expect(verified).toEqual([]);
});

test('an attempt that could not be judged is not a failure', async () => {
  const limit = aLimit();
  const busy = new AppError(503, 'busy');
  const { deps } = theDeps(anAccount(), {
    loginFailures: limit,
    passwords: { verify: () => Promise.reject(busy), hash: async () => '', isOutdated: () => false },
  });
  await expect(logIn(deps, input, from)).rejects.toBe(busy);
  expect(limit.told).toEqual(['take 10.0.0.7 maria@farm.test', 'give back 10.0.0.7 maria@farm.test']);
});

test('an old hash is replaced at login, and the row as it was read is named', async () => {
  const { deps } = theDeps(anAccount({ rev: 7 }), {
    passwords: {
      verify: async () => true,
      hash: async (password) => `better hash of ${password}`,
      isOutdated: (hash) => hash === 'hash of camarao-123',
    },
  });
  const { changes } = await logIn(deps, input, from);
  expect(changes).toMatchObject([
    { op: 'update', expectRev: 7, set: { password_hash: 'better hash of camarao-123' } },
  ]);
});

test('a line that is full does not hinder a login with an old hash', async () => {
  const { deps } = theDeps(anAccount(), {
    passwords: {
      verify: async () => true,
      hash: () => Promise.reject(new AppError(503, 'busy')),
      isOutdated: () => true,
    },
  });
  expect(await logIn(deps, input, from)).toMatchObject({
    answer: { token_type: 'bearer' },
    changes: [],
  });
});
