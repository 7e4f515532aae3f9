import { secondFactor } from '#contract/resources/local-tables.ts';
import { tooManyAttempts } from '#core/attempts.ts';
import { update } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { type LoginRule, loginRule, type Proved, type ProveSecondFactor } from '#core/second-factor.ts';
import { tellSecondFactor } from './news.ts';
import type { SecondFactor, SecondFactorDeps } from './ports.ts';

/** What a code that was right uses up. */
export type Used = { step: number } | { recovery: string };

/** A replay window and some: the clock of a box is set back at times. */
const KEPT_STEPS = 20;
const DAY_MS = 86_400_000;
const NOTHING: Proved = { isSpared: false, changes: [], guards: [], unsaved: () => undefined };

export type Proving = {
  prove: ProveSecondFactor;
  isOn: (userId: string) => Promise<boolean>;
  /** Says what the code uses up, counted against guessing. Throws 401 for a wrong one, 429 after too many. */
  judge: (factor: SecondFactor, said: { code: string; source: string }, rule: LoginRule) => Promise<Used>;
};

export function createProving(deps: SecondFactorDeps): Proving {
  /** Used codes that the disk did not take. */
  const spent = new Set<string>();

  function find(factor: SecondFactor, code: string, rule: LoginRule): Used | null {
    const typed = code.replace(/[\s-]/g, '');
    if (!/^\d{6}$/.test(typed)) {
      const recovery = deps.recovery.find(factor.recovery_hashes, typed);
      return recovery === null || spent.has(`${factor.id} ${recovery}`) ? null : { recovery };
    }
    const secret = deps.seal.open(factor.id, factor.sealed);
    if (secret === null)
      deps.log.warn({ user_id: factor.id }, 'a second factor was sealed with another secret');
    if (rule !== 'code' || secret === null) return null;
    const step = deps.codes.stepOf(secret, typed, deps.now());
    if (step === null || factor.used_steps.includes(step) || spent.has(`${factor.id} ${step}`)) return null;
    return { step };
  }

  async function judge(
    factor: SecondFactor,
    { code, source }: { code: string; source: string },
    rule: LoginRule,
  ): Promise<Used> {
    const attempt = `${source} ${factor.id}`;
    // counted before the code is looked at, so that guesses at the same moment count too
    const waitMs = await deps.wrongCodes.take(attempt);
    if (waitMs !== null) {
      await tellGuessed(factor.id);
      throw tooManyAttempts('Too many wrong codes', waitMs);
    }
    const used = find(factor, code, rule);
    if (used === null) throw refused(rule, 'SECOND_FACTOR_WRONG');
    await deps.wrongCodes.forget(attempt);
    return used;
  }

  async function tellGuessed(userId: string): Promise<void> {
    const cause = `${userId}:${Math.floor(deps.now() / DAY_MS)}`;
    const changes = await tellSecondFactor(deps, userId, 'guessed', { cause });
    await deps.commit({ changes, actor: null }).catch((error: unknown) => {
      deps.log.warn({ err: error, user_id: userId }, 'a person could not be told that the password is known');
    });
  }

  return {
    judge,
    isOn: async (userId) => (await deps.queries.factorOf(userId))?.state === 'ON',
    async prove({ id }, { code, source }) {
      if ((await deps.queries.factorOf(id))?.state !== 'ON') return NOTHING;
      const guards = [await deps.guard('second_factor', id)];
      // two logins with one code at the same moment: the guard lets one of them commit
      const factor = await deps.queries.factorOf(id);
      if (factor?.state !== 'ON') return NOTHING;
      const rule = loginRule(deps.clock(), { isAtFarm: deps.isAtFarm(source) });
      const said = code?.trim() || null;
      // a one-time code that cannot be judged is no reason to keep somebody out whom none would have let in
      const isRecovery = said !== null && !/^[\d\s-]*$/.test(said);
      if (rule === 'spared' && !isRecovery) {
        deps.log.warn(
          { user_id: id, source },
          'signed in without the second factor: the clock is not trusted',
        );
        return { ...NOTHING, isSpared: true, changes: await tellSecondFactor(deps, id, 'spared') };
      }
      if (said === null) throw refused(rule, 'SECOND_FACTOR');
      const used = await judge(factor, { code: said, source }, rule);
      if ('step' in used) {
        const steps = [...factor.used_steps, used.step].slice(-KEPT_STEPS);
        return {
          isSpared: false,
          guards,
          changes: [update(secondFactor, id, { used_steps: steps })],
          unsaved: () => void spent.add(`${id} ${used.step}`),
        };
      }
      const left = factor.recovery_hashes.filter((hash) => hash !== used.recovery);
      return {
        isSpared: false,
        guards,
        changes: [
          update(secondFactor, id, { recovery_hashes: left }),
          ...(await tellSecondFactor(deps, id, 'recovery_used', { left: left.length })),
        ],
        unsaved: () => void spent.add(`${id} ${used.recovery}`),
      };
    },
  };
}

const SAY = {
  code: 'Say the code of your authenticator app, or a recovery code (second_factor)',
  recovery:
    'The clock here is not to be trusted, so the codes of an app cannot be judged; say a recovery code (second_factor)',
};

function refused(rule: LoginRule, code: 'SECOND_FACTOR' | 'SECOND_FACTOR_WRONG'): AppError {
  const say = rule === 'code' ? SAY.code : SAY.recovery;
  return new AppError(401, code === 'SECOND_FACTOR' ? say : `This code does not count. ${say}`, {
    code,
    headers: { 'WWW-Authenticate': 'Bearer' },
    more: { takes: rule === 'code' ? ['totp', 'recovery'] : ['recovery'] },
  });
}
