import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '#contract/resources/passkeys.ts';
import { ApiError, post } from './api.ts';

// Passkeys at this station. The browser asks its person; what it answers goes to the instance as it is.

export type WhyNoPasskeys = 'plain' | 'address' | 'browser';

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
