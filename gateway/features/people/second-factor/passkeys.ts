import { passkey } from '#contract/resources/local-tables.ts';
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '#contract/resources/passkeys.ts';
import { type Change, update } from '#core/changes.ts';
import { AppError, conflict } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { tooManyAttempts } from '../attempts.ts';
import type { ProvePasskey } from '../second-factor.ts';
import { tellSecondFactor } from './news.ts';
import type { Passkey, PasskeyDeps } from './ports.ts';
import type { RelyingParty } from './relying-party.ts';

// Ceremonies of WebAuthn: a challenge goes out for one purpose, and what was signed comes back. An instance keeps public keys
// alone; nothing of them is synchronised.

/** What a challenge is good for; a login and its renewals are one session. */
export const FOR = {
  /** Without a password, whoever it will turn out to be. */
  signIn: 'sign-in',
  /** After the right password of this account. */
  secondFactor: (userId: string) => `second factor ${userId}`,
  adding: (sessionId: string) => `adding ${sessionId}`,
  /** By who is signed in, before something is taken off. */
  proving: (sessionId: string) => `proving ${sessionId}`,
};

export type Used = { passkey: Passkey; counter: number };
type Said = { passkey: PasskeyAssertion; purpose: string; origin: string | null };

const TIMEOUT_MS = 5 * 60_000;
const DAY_MS = 86_400_000;

export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys(deps: PasskeyDeps) {
  /** Of requests that are being decided: one that is decided anew, because of somebody else, has redeemed its challenge. */
  const redeemed = new WeakMap<object, Promise<boolean>>();

  async function challengeOf(
    said: PasskeyAssertion | PasskeyAttestation,
    purpose: string,
  ): Promise<string | null> {
    const challenge = deps.reader.challengeIn(said.response.clientDataJSON);
    if (challenge === null) return null;
    const known = redeemed.get(said) ?? deps.challenges.redeem(challenge, purpose);
    redeemed.set(said, known);
    return (await known) ? challenge : null;
  }

  function requireParty(origin: string | null): RelyingParty {
    const { party, openAt } = deps.partyAt(origin);
    if (party !== null) return party;
    const where = openAt === null ? '' : `, as ${openAt} is`;
    throw conflict(`Passkeys work under a name and over https only${where}`, 'PASSKEYS_NOT_HERE');
  }

  async function requireChallenge(source: string): Promise<void> {
    const waitMs = await deps.challengesFrom.take(source);
    if (waitMs !== null) throw tooManyAttempts('Too many challenges for passkeys from this address', waitMs);
  }

  const requestOptions = (
    party: RelyingParty,
    purpose: string,
    allowed: readonly Passkey[],
  ): PasskeyRequestOptions => ({
    challenge: deps.challenges.issue(purpose),
    rpId: party.id,
    timeout: TIMEOUT_MS,
    userVerification: purpose === FOR.signIn ? 'required' : 'preferred',
    allowCredentials: allowed.map(named),
  });

  /** What a person's passkeys are asked for; null: none of them works under this address, or too much was asked from there. */
  async function optionsFor(
    userId: string,
    { purpose, origin, source }: { purpose: string; origin: string | null; source: string },
  ): Promise<PasskeyRequestOptions | null> {
    const { party } = deps.partyAt(origin);
    if (party === null) return null;
    const usable = (await deps.queries.passkeysOf(userId)).filter(({ rp_id }) => rp_id === party.id);
    if (usable.length === 0 || (await deps.challengesFrom.take(source)) !== null) return null;
    return requestOptions(party, purpose, usable);
  }

  /** The passkey that signed, of this person; null: of nobody, or it signed something else. */
  async function check(
    { passkey: said, purpose, origin }: Said,
    userId: string | null,
  ): Promise<Used | null> {
    const { party } = deps.partyAt(origin);
    const challenge = await challengeOf(said, purpose);
    if (party === null || challenge === null) return null;
    const known = await deps.queries.passkeyByCredential(said.id);
    if (known === null || known.rp_id !== party.id) return null;
    if (userId !== null && known.user_id !== userId) return null;
    const { userHandle } = said.response;
    // what names an account by itself must name this one
    if (userId === null || userHandle) if (userHandle !== handleOf(known.user_id)) return null;
    const signed = await deps.reader.readAssertion(said, {
      challenge,
      party,
      publicKey: known.public_key,
      mustVerifyUser: userId === null,
    });
    if (signed === null) return null;
    const { counter } = signed;
    if ((counter > 0 || known.counter > 0) && counter <= known.counter) {
      await tellCopied(known);
      throw new AppError(
        401,
        `The passkey ${known.name} signed with a lower count than before, as a copy would: it is refused, and you were told. Sign in another way, remove it and make another one`,
        { code: 'PASSKEY_COPIED', headers: CHALLENGE_HEADERS },
      );
    }
    return { passkey: known, counter };
  }

  async function tellCopied({ id, user_id, name }: Passkey): Promise<void> {
    const cause = `${id}:${Math.floor(deps.now() / DAY_MS)}`;
    const changes = await tellSecondFactor(deps, user_id, 'passkey_copied', { cause, name });
    await deps.commit({ changes, actor: null }).catch((error: unknown) => {
      deps.log.warn({ err: error, user_id }, 'a person could not be told that a passkey may be copied');
    });
  }

  const noteUse = ({ passkey: { id }, counter }: Used): Change =>
    update(passkey, id, { counter, last_used_at: isoOf(deps.now()) });

  const prove: ProvePasskey = async ({ passkey: said, source, origin }) => {
    const attempt = `${source} ${said.id}`;
    // counted before it is looked at, as wrong codes are
    const waitMs = await deps.wrongCodes.take(attempt);
    if (waitMs !== null) throw tooManyAttempts('Too many refused passkeys', waitMs);
    const owner = (await deps.queries.passkeyByCredential(said.id))?.user_id;
    const guards = owner === undefined ? [] : [await deps.guard('second_factor', owner)];
    const used = await check({ passkey: said, purpose: FOR.signIn, origin }, null);
    if (used === null || (await deps.queries.standingOf(used.passkey.user_id)) === null)
      throw passkeyRefused();
    await deps.wrongCodes.forget(attempt);
    return { userId: used.passkey.user_id, changes: [noteUse(used)], guards };
  };

  return {
    check,
    noteUse,
    optionsFor,
    prove,
    /** For a sign-in without a password; says nothing of who has one. Throws 409 where there are none, 429 after too many. */
    async signInOptions({
      origin,
      source,
    }: {
      origin: string;
      source: string;
    }): Promise<PasskeyRequestOptions> {
      const party = requireParty(origin);
      await requireChallenge(source);
      return requestOptions(party, FOR.signIn, []);
    },
    /** For a new one of a person. Throws 409 where there are none, 429 after too many. */
    async creationOptions(
      account: { id: string; email: string; name: string },
      from: { sessionId: string; origin: string; source: string },
    ): Promise<PasskeyCreationOptions> {
      const party = requireParty(from.origin);
      await requireChallenge(from.source);
      const known = await deps.queries.passkeysOf(account.id);
      return {
        challenge: deps.challenges.issue(FOR.adding(from.sessionId)),
        rp: { id: party.id, name: party.id },
        user: { id: handleOf(account.id), name: account.email, displayName: account.name },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key' as const, alg })),
        timeout: TIMEOUT_MS,
        excludeCredentials: known.filter(({ rp_id }) => rp_id === party.id).map(named),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        attestation: 'none',
      };
    },
    /** What a new credential says; null: it was made for something else, or too long ago. */
    async read(said: PasskeyAttestation, { sessionId, origin }: { sessionId: string; origin: string }) {
      const party = requireParty(origin);
      const challenge = await challengeOf(said, FOR.adding(sessionId));
      if (challenge === null) return null;
      const made = await deps.reader.readAttestation(said, { challenge, party });
      return made === null ? null : { ...made, rpId: party.id };
    },
  };
}

const CHALLENGE_HEADERS = { 'WWW-Authenticate': 'Bearer' };

function passkeyRefused(): AppError {
  return new AppError(
    401,
    'This passkey opens no account here, or it was asked too long ago; try again, or sign in with your password',
    { code: 'PASSKEY_REFUSED', headers: CHALLENGE_HEADERS },
  );
}

/** What an authenticator knows the account by: its id, which says nothing of the person. */
const handleOf = (userId: string): string => Buffer.from(userId, 'ascii').toString('base64url');

const named = ({ credential_id, transports }: Passkey) => ({
  id: credential_id,
  type: 'public-key' as const,
  transports,
});
