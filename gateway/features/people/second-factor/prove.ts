import { secondFactor } from '#contract/resources/local-tables.ts';
import type { PasskeyAssertion } from '#contract/resources/passkeys.ts';
import { type Change, update } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { NewestMap } from '#core/newest-map.ts';
import { tooManyAttempts } from '../attempts.ts';
import { type LoginRule, loginRule, type Proved, type ProveSecondFactor } from '../second-factor.ts';
import { tellSecondFactor } from './news.ts';
import { FOR, type Passkeys, type Used as UsedPasskey } from './passkeys.ts';
import type { SecondFactor, SecondFactorDeps } from './ports.ts';

/** What was right uses up, or counts. */
export type Used = { step: number } | { recovery: string } | UsedPasskey;

/** What somebody says besides the password, and what for: a passkey signs for one purpose. */
export type Said = {
  code: string | null;
  passkey?: PasskeyAssertion | undefined;
  purpose: string;
  source: string;
  origin: string | null;
};

/** A replay window and some: the clock of a box is set back at times. */
const KEPT_STEPS = 20;
const DAY_MS = 86_400_000;
/** While the disk is full each costs a password's hash; a code of an app is over long before it falls out. */
const MOST_SPENT = 50_000;
const NOTHING: Proved = { isSpared: false, changes: [], guards: [], unsaved: () => undefined };

export type Proving = {
  prove: ProveSecondFactor;
  isOn: (userId: string) => Promise<boolean>;
  /** Says what it uses up, counted against guessing. Throws 401 for what is wrong, 429 after too much of it. */
  judge: (factor: SecondFactor, said: Said, rule: LoginRule) => Promise<Used>;
  /** The factor without what was used up. */
  useUp: (factor: SecondFactor, used: Used) => Promise<Change[]>;
};

/** An app that was proved; a factor may be passkeys alone. */
export const hasApp = ({ state, sealed }: SecondFactor): boolean => state === 'ON' && sealed !== '';

export function createProving(
  deps: SecondFactorDeps & { passkeys: Pick<Passkeys, 'check' | 'noteUse' | 'optionsFor'> },
): Proving {
  /** Used codes that the disk did not take. */
  const spent = new NewestMap<string, true>(MOST_SPENT);

  function find(factor: SecondFactor, typed: string, rule: LoginRule): Used | null {
    if (!isOneTime(typed)) {
      const recovery = deps.recovery.find(factor.recovery_hashes, typed);
      return recovery === null || spent.has(`${factor.id} ${recovery}`) ? null : { recovery };
    }
    if (rule !== 'code' || factor.sealed === '') return null;
    const secret = deps.seal.open(factor.id, factor.sealed);
    if (secret === null) {
      deps.log.warn({ user_id: factor.id }, 'a second factor was sealed with another secret');
      return null;
    }
    const step = deps.codes.stepOf(secret, typed, deps.now());
    if (step === null || factor.used_steps.includes(step) || spent.has(`${factor.id} ${step}`)) return null;
    return { step };
  }

  async function judge(factor: SecondFactor, said: Said, rule: LoginRule): Promise<Used> {
    const attempt = `${said.source} ${factor.id}`;
    // counted before the code is looked at, so that guesses at the same moment count too
    const waitMs = await deps.wrongCodes.take(attempt);
    if (waitMs !== null) {
      await tellGuessed(factor.id);
      throw tooManyAttempts('Too many wrong codes', waitMs);
    }
    const used = await look(factor, said, rule);
    if (used === null) throw await refused(factor, said, rule, { code: 'SECOND_FACTOR_WRONG' });
    await deps.wrongCodes.forget(attempt);
    return used;
  }

  async function look(factor: SecondFactor, said: Said, rule: LoginRule): Promise<Used | null> {
    if (said.passkey !== undefined) {
      const { passkey, purpose, origin } = said;
      return deps.passkeys.check({ passkey, purpose, origin }, factor.id);
    }
    const typed = plain(said.code ?? '');
    if (!isOneTime(typed)) return find(factor, typed, rule);
    // a new password, which whoever guesses does not know, begins anew
    const standing = await deps.queries.standingOf(factor.id);
    const budget = `${factor.id} ${standing?.password_version}`;
    const waitMs = await deps.guesses.take(budget);
    if (waitMs !== null) {
      await deps.wrongCodes.giveBack(`${said.source} ${factor.id}`);
      await tellGuessed(factor.id);
      throw await refused(factor, said, rule, { code: 'SECOND_FACTOR_SPENT', waitMs });
    }
    const used = find(factor, typed, rule);
    // codes that are right do not count, nor do they forgive those that were not
    if (used !== null) await deps.guesses.giveBack(budget);
    return used;
  }

  async function tellGuessed(userId: string): Promise<void> {
    const cause = `${userId}:${Math.floor(deps.now() / DAY_MS)}`;
    const changes = await tellSecondFactor(deps, userId, 'guessed', { cause });
    await deps.commit({ changes, actor: null }).catch((error: unknown) => {
      deps.log.warn({ err: error, user_id: userId }, 'a person could not be told that the password is known');
    });
  }

  /** What is missing or wrong, with what would be taken instead. */
  async function refused(
    factor: SecondFactor,
    said: Omit<Said, 'code'>,
    rule: LoginRule,
    { code, waitMs }: { code: keyof typeof REFUSED; waitMs?: number },
  ): Promise<AppError> {
    const options = await deps.passkeys.optionsFor(factor.id, said);
    // they sign for one name alone: who stands at another address learns where
    const elsewhere = options === null ? await deps.queries.passkeysOf(factor.id) : [];
    const names = [...new Set(elsewhere.map(({ rp_id }) => rp_id))];
    const takesCodes = hasApp(factor) && rule === 'code' && code !== 'SECOND_FACTOR_SPENT';
    const say = [
      ...(takesCodes ? ['the code of your authenticator app'] : []),
      'a recovery code (second_factor)',
      ...(options === null ? [] : ['a passkey (passkey)']),
    ].join(', or ');
    const clock = hasApp(factor) && rule !== 'code' ? CLOCK : '';
    const wait = waitMs === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) };
    return new AppError(waitMs === undefined ? 401 : 429, `${REFUSED[code]}${clock}Say ${say}`, {
      code,
      headers: { 'WWW-Authenticate': 'Bearer', ...wait },
      more: {
        takes: [...(takesCodes ? ['totp'] : []), 'recovery', ...(options === null ? [] : ['passkey'])],
        judges_codes: rule === 'code',
        ...(options === null ? {} : { passkey: options }),
        ...(names.length === 0 ? {} : { passkeys_elsewhere: names }),
      },
    });
  }

  async function useUp(factor: SecondFactor, used: Used): Promise<Change[]> {
    const { id } = factor;
    if ('passkey' in used) return [deps.passkeys.noteUse(used)];
    if ('step' in used) {
      const used_steps = [...factor.used_steps, used.step].slice(-KEPT_STEPS);
      return [update(secondFactor, id, { used_steps })];
    }
    const recovery_hashes = factor.recovery_hashes.filter((hash) => hash !== used.recovery);
    const told = await tellSecondFactor(deps, id, 'recovery_used', { left: recovery_hashes.length });
    return [update(secondFactor, id, { recovery_hashes }), ...told];
  }

  return {
    judge,
    useUp,
    isOn: async (userId) => (await deps.queries.factorOf(userId))?.state === 'ON',
    async prove({ id }, { code, passkey, source, origin = null }) {
      if ((await deps.queries.factorOf(id))?.state !== 'ON') return NOTHING;
      const guards = [await deps.guard('second_factor', id)];
      // two logins with one code at the same moment: the guard lets one of them commit
      const factor = await deps.queries.factorOf(id);
      if (factor?.state !== 'ON') return NOTHING;
      const rule = loginRule(deps.clock(), { isAtFarm: deps.isAtFarm(source) });
      const said = { code: code?.trim() || null, passkey, purpose: FOR.secondFactor(id), source, origin };
      // a one-time code that cannot be judged is no reason to keep somebody out whom none would have let in; passkeys know
      // no time, so that who has those alone is asked for them by any clock
      const isJudged = passkey !== undefined || (said.code !== null && !/^[\d\s-]*$/.test(said.code));
      if (rule === 'spared' && hasApp(factor) && !isJudged) {
        deps.log.warn(
          { user_id: id, source },
          'signed in without the second factor: the clock is not trusted',
        );
        return { ...NOTHING, isSpared: true, changes: await tellSecondFactor(deps, id, 'spared') };
      }
      if (said.code === null && passkey === undefined)
        throw await refused(factor, said, rule, { code: 'SECOND_FACTOR' });
      const used = await judge(factor, said, rule);
      return {
        isSpared: false,
        guards,
        changes: await useUp(factor, used),
        unsaved() {
          if ('step' in used) spent.set(`${id} ${used.step}`, true);
          if ('recovery' in used) spent.set(`${id} ${used.recovery}`, true);
        },
      };
    },
  };
}

const plain = (code: string): string => code.replace(/[\s-]/g, '');
const isOneTime = (typed: string): boolean => /^\d{6}$/.test(typed);

const CLOCK = 'The clock here is not to be trusted, so the codes of an app cannot be judged. ';
const REFUSED = {
  SECOND_FACTOR: '',
  SECOND_FACTOR_WRONG: 'This does not count. ',
  SECOND_FACTOR_SPENT:
    'Too many wrong codes were said for this account, wherever they came from: no code of an app counts until the wait is over or the password is a new one. ',
};
