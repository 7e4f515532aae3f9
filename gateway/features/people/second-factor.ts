import type { PasskeyAssertion } from '#contract/resources/passkeys.ts';
import type { Change, GuardSeen } from '#core/changes.ts';
import type { ClockState } from '#core/clock-trust.ts';

// Whatever turns a password into a login asks here, after the password was right: the interface's login, and a hosted
// instance that vouches for somebody at a gateway. Nobody learns of a second factor without knowing the password.

/**
 * `code`: a one-time code or a recovery code is asked for. `recovery`: recovery codes only. `spared`: the password is
 * enough, for control alone, and it is told.
 */
export type LoginRule = 'code' | 'recovery' | 'spared';

/**
 * The one rule about a clock that is wrong. A one-time code is the time in other words: by a clock that nobody trusts, or
 * that a person set by a watch, right codes are refused and old ones taken, so none is judged. Recovery codes know no time
 * and always count. On the farm's own network a box lets its people in to control by the right password all the same:
 * after a power cut without internet the motors come before the second factor, since shrimp die within hours. From
 * outside nobody is spared, and a hosted instance spares nobody.
 */
export function loginRule(
  clock: Pick<ClockState, 'trust' | 'reason'>,
  { isAtFarm }: { isAtFarm: boolean },
): LoginRule {
  if (clock.trust === 'trusted' && clock.reason !== 'set_by_operator') return 'code';
  return isAtFarm ? 'spared' : 'recovery';
}

/** What a second factor made of a login whose password was right. */
export type Proved = {
  /** It was let in without: for control alone. */
  isSpared: boolean;
  changes: Change[];
  guards: GuardSeen[];
  /** To be called when the changes could not be stored: a code that was used stays used as long as the process lives. */
  unsaved: () => void;
};

/** What somebody says besides the password. */
export type SaidBeside = {
  code: string | null;
  passkey?: PasskeyAssertion | undefined;
  source: string;
  /** Address under which this instance is seen; absent: nobody can use a passkey there. */
  origin?: string;
};

/** Throws 401 SECOND_FACTOR when a code is missing, 401 SECOND_FACTOR_WRONG for a wrong one, 429 after too many. */
export type ProveSecondFactor = (account: { id: string }, said: SaidBeside) => Promise<Proved>;

/** Who signed in by a passkey alone. Throws 401 for one that opens no account here. */
export type ProvePasskey = (
  said: Required<Pick<SaidBeside, 'source' | 'origin'>> & { passkey: PasskeyAssertion },
) => Promise<{ userId: string } & Pick<Proved, 'changes' | 'guards'>>;
