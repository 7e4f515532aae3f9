import { computed, signal } from '@preact/signals';
import type * as z from 'zod';
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '#contract/resources/passkeys.ts';
import type { userAnswer } from '#contract/resources/users.ts';
import { language } from '../i18n/language.ts';
import { ApiError, get, post, wireApi } from './api.ts';
import { noteServerTime, serverNow } from './clock.ts';

// Who is signed in stands in the token; their name and language have to be asked for, also when the gateway was away as
// the page came.

const RETRY_MS = 5_000;

/** Asks for their name and language until it is known; what comes back ends that. */
export function keepUserKnown(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const attempt = (): void => {
    loadUser().catch(() => {
      if (!isOver) timer = setTimeout(attempt, RETRY_MS);
    });
  };
  attempt();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

// Passkeys at this station. The browser asks its person; what it answers goes to the instance as it is.

type WhyNoPasskeys = 'plain' | 'address' | 'browser';

/**
 * Why this browser has no passkeys under the address that it stands at; null: it has. Browsers have them over https or at the
 * machine itself, under a name: never under a number.
 */
export function whyNoPasskeys(): WhyNoPasskeys | null {
  const { hostname } = location;
  if (!isSecureContext) return 'plain';
  if (/^[\d.]+$|^\[/.test(hostname)) return 'address';
  return 'PublicKeyCredential' in window ? null : 'browser';
}

// the library comes with the first use: the screens of the farm never wait for it
const library = () => import('@simplewebauthn/browser');

/** Has the browser ask for a passkey. */
export async function signWithPasskey(options: PasskeyRequestOptions): Promise<PasskeyAssertion> {
  const { startAuthentication } = await library();
  const { id, rawId, response } = await startAuthentication({ optionsJSON: options as never }).catch(
    notGiven,
  );
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id,
    rawId,
    type: 'public-key',
    response: { clientDataJSON, authenticatorData, signature, ...(userHandle ? { userHandle } : {}) },
  };
}

/** Has the browser make one. */
export async function makePasskey(options: PasskeyCreationOptions): Promise<PasskeyAttestation> {
  const { startRegistration } = await library();
  const { id, rawId, response } = await startRegistration({ optionsJSON: options as never }).catch(notGiven);
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return { id, rawId, type: 'public-key', response: { clientDataJSON, attestationObject, transports } };
}

/** The person chose nothing, or the device has nothing for this: browsers do not tell these apart, for nobody is to learn it. */
function notGiven(error: unknown): never {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError';
  throw new ApiError(0, { code: isKnown ? 'PASSKEY_KNOWN' : 'PASSKEY_NOT_GIVEN' });
}

/** For what asks for a proof of who is signed in. */
export const proveWithPasskey = async (): Promise<PasskeyAssertion> =>
  signWithPasskey(await post('/auth/passkeys/challenge'));

/** What came with the refusal of a password that asks for a passkey, too; null: it does not, or there is none for this address. */
export function optionsIn(error: unknown): PasskeyRequestOptions | null {
  const options = error instanceof ApiError ? error.body['passkey'] : undefined;
  return typeof options === 'object' && options !== null ? (options as PasskeyRequestOptions) : null;
}

// Who is signed in at this station. With "remember me" it outlives the window, else it ends with it. When it ends is told
// by the server's time, and only the server says that it has: the clock of a station may be anywhere.

export type User = z.infer<typeof userAnswer>;
type Kept = { token: string; expiresAt: number; remembered: boolean };

const KEY = 'session';

const kept = signal<Kept | null>(read());
export const user = signal<User | null>(null);
/** Why the last session ended, to be said on the login page. */
export const endedBy = signal<'expired' | 'left' | null>(null);

/** Nothing is open to who is signed in before there is a second factor. */
export const mustSetUp = signal(false);

export const isSignedIn = () => kept.value !== null;
export const token = () => kept.value?.token ?? null;
export const expiresAt = () => kept.value?.expiresAt ?? null;
/** Whether the session outlives the window. */
export const isRemembered = () => kept.value?.remembered ?? false;

/** Whose token it is; null: nobody's, or one that does not say so. */
export const userId = computed(() => claimsOf(token() ?? '')?.sub ?? null);

wireApi({
  token,
  language: () => language,
  signedOut: () => end('expired'),
  setUpFirst: () => {
    mustSetUp.value = true;
  },
  reached: (answer) => noteServerTime(answer.headers.get('date')),
});

function read(): Kept | null {
  return keptIn(sessionStorage) ?? keptIn(localStorage);
}

function keptIn(store: Storage): Kept | null {
  try {
    const found = JSON.parse(store.getItem(KEY) ?? 'null') as Kept | null;
    return found !== null && typeof found.token === 'string' ? found : null;
  } catch {
    store.removeItem(KEY);
    return null;
  }
}

function keep(session: Kept): void {
  kept.value = session;
  (session.remembered ? localStorage : sessionStorage).setItem(KEY, JSON.stringify(session));
}

type LoginAnswer = { access_token: string; expires_in: number; warnings?: { code: string }[] | undefined };

/** Answers whether the second factor was not asked for, because the gateway's clock is not to be trusted. */
export async function signIn(
  email: string,
  password: string,
  remembered: boolean,
  beside: { second_factor?: string; passkey?: PasskeyAssertion } = {},
): Promise<{ isSpared: boolean }> {
  const asked = { email, password, remember_me: remembered, ...beside };
  const answer = await post('/auth/login', asked);
  await begin(answer, remembered);
  return { isSpared: answer.warnings?.some(({ code }) => code === 'SECOND_FACTOR_SPARED') ?? false };
}

/** Without a password: the browser asks for a passkey, which says whose it is. */
export async function signInByPasskey(remembered: boolean): Promise<void> {
  const passkey = await signWithPasskey(await post('/auth/passkey/options'));
  await begin(await post('/auth/passkey', { passkey, remember_me: remembered }), remembered);
}

async function begin(answer: LoginAnswer, remembered: boolean): Promise<void> {
  endedBy.value = null;
  mustSetUp.value = false;
  keep({ token: answer.access_token, expiresAt: endOf(answer), remembered });
  await loadUser();
}

/** As the token itself says it, in the server's time; one that tells nothing holds from now on. */
function endOf({ access_token, expires_in }: LoginAnswer): number {
  const exp = claimsOf(access_token)?.exp;
  return exp === undefined ? serverNow() + expires_in * 1_000 : exp * 1_000;
}

function claimsOf(bearer: string): { sub?: string; exp?: number } | null {
  const claims = bearer.split('.')[1] ?? '';
  try {
    const { sub, exp } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as Record<
      string,
      unknown
    >;
    return {
      ...(typeof sub === 'string' ? { sub } : {}),
      ...(typeof exp === 'number' ? { exp } : {}),
    };
  } catch {
    return null;
  }
}

export async function loadUser(): Promise<void> {
  user.value = await get('/users/me');
}

export async function signOut(): Promise<void> {
  await post('/auth/logout').catch(() => undefined);
  end('left');
  forgetFarm();
}

/**
 * What a station keeps for itself, whoever sits there, and what was typed and not sent, under its person's id: that waits for the
 * person. All else in the browser is of a farm, and gone when its person leaves.
 */
const OF_STATION = new Set(
  'checklist currency density first-look keys language night-volume push sound-tested theme wall-order'.split(
    ' ',
  ),
);
const OF_PERSON = /^(round|hour round) /;

function forgetFarm(): void {
  for (const key of Object.keys(localStorage))
    if (!OF_STATION.has(key) && !OF_PERSON.test(key)) localStorage.removeItem(key);
}

/** The gateway does not take that token any more. One that was renewed meanwhile says nothing about the session. */
export function refused(bearer: string | null): void {
  if (bearer !== null && bearer === token()) end('expired');
}

/** The gateway knows this person, and may want a second factor of them first. */
export async function barred(bearer: string | null, answer: Response): Promise<void> {
  const said = (await answer.json().catch(() => null)) as { code?: unknown } | null;
  if (said?.code === 'SECOND_FACTOR_SET_UP' && bearer === token()) mustSetUp.value = true;
}

function end(why: 'expired' | 'left'): void {
  const ended = token();
  kept.value = null;
  user.value = null;
  mustSetUp.value = false;
  endedBy.value = why;
  // what another tab keeps there since is that tab's
  for (const store of [sessionStorage, localStorage])
    if (keptIn(store)?.token === ended) store.removeItem(KEY);
}

const RENEW_SHARE = 0.5;

/** A station that is looked at all night keeps its session: renewed when half of its time is over. */
export async function renewIfDue(): Promise<void> {
  const session = kept.value;
  if (session === null) return;
  const left = session.expiresAt - serverNow();
  const whole = session.remembered ? 30 * 86_400_000 : 3_600_000;
  if (left > whole * RENEW_SHARE) return;
  const answer = await post('/auth/renew').catch(() => null);
  // who left meanwhile stays signed out
  if (answer !== null && kept.value === session)
    keep({ ...session, token: answer.access_token, expiresAt: endOf(answer) });
}

// Tabs of one browser share a session that outlives the window: who leaves in one of them has left in all, and a tab that goes on
// with the token of somebody who left would show and send in their name, and put that token back where the next person's is.
const followOtherTabs = (): void => {
  const own = kept.value;
  if (own?.remembered !== true) return;
  const now = keptIn(localStorage);
  if (now?.token === own.token) return;
  if (now === null) end('left');
  else if (claimsOf(now.token)?.sub === userId.value) kept.value = now;
  else location.reload();
};
addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) followOtherTabs();
});
// one that slept heard nothing
addEventListener('pageshow', followOtherTabs);
document.addEventListener('visibilitychange', followOtherTabs);
