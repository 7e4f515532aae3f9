import { expect, test } from 'vitest';
import { oneTimeCodes, recoveryCodes } from '#adapters/tokens/second-factor-codes.ts';
import { createProving } from '#features/people/second-factor/prove.ts';
import { codeAt } from '#test/authenticator.ts';

const NOW = Date.UTC(2026, 2, 2, 12);
const nothing = () => undefined;
const never = () => {
  throw new Error('nobody here has a passkey');
};
const UNCOUNTED = { take: async () => null, giveBack: async () => undefined, forget: async () => undefined };

/** A person whose second factor never changes, because the disk takes nothing. */
function onAFullDisk() {
  const secret = oneTimeCodes.newSecret();
  const papers = recoveryCodes.make();
  const { prove } = createProving({
    now: () => NOW,
    newId: () => 'id',
    idOf: (cause) => cause,
    guard: async (entity, id) => ({ entity, id, n: 0 }),
    clockQuality: () => 'trusted',
    commit: async () => ({ rows: [] }),
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    queries: {
      factorOf: async (id) => ({
        id,
        state: 'ON',
        sealed: secret,
        pending: null,
        used_steps: [],
        recovery_hashes: papers.map(recoveryCodes.hashOf),
        created_at: '',
        confirmed_at: '',
      }),
      passkeysOf: async () => [],
      passkeyByCredential: async () => null,
      standingOf: async () => ({ password_version: 1 }),
    },
    passkeys: { check: async () => null, optionsFor: async () => null, noteUse: () => never() },
    codes: oneTimeCodes,
    recovery: recoveryCodes,
    seal: { seal: (_id, text) => text, open: (_id, sealed) => sealed },
    notify: async () => [],
    clock: () => ({ trust: 'trusted', reason: 'synchronised' }),
    isAtFarm: () => true,
    wrongCodes: UNCOUNTED,
    guesses: UNCOUNTED,
  });
  return { prove, code: codeAt(secret, NOW), papers };
}

test('a code that let somebody in while the disk was full counts no more, nor does a recovery code', async () => {
  const { prove, code, papers } = onAFullDisk();
  for (const said of [code, papers[0] ?? '']) {
    const entered = await prove({ id: 'ana' }, { code: said, source: '10.0.0.7' });
    entered.unsaved();
    await expect(prove({ id: 'ana' }, { code: said, source: '10.0.0.7' })).rejects.toMatchObject({
      status: 401,
      extras: { code: 'SECOND_FACTOR_WRONG' },
    });
  }
  await expect(prove({ id: 'ana' }, { code: papers[1] ?? '', source: '10.0.0.7' })).resolves.toMatchObject({
    isSpared: false,
  });
});
