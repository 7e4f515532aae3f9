import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Kernel } from '#core/kernel.ts';
import type { AttemptLimit } from '#features/people/attempts.ts';
import type { Challenges, PasskeyReader } from '#features/people/second-factor/ports.ts';

/** EdDSA, ES256, RS256 (COSE). */
export const ALGORITHMS = [-8, -7, -257];

/** Some 25 MB, which a box has only for whom it uses passkeys: loaded with the first one. */
const library = () =>
  Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')] as const);

/** What authenticators send, judged by SimpleWebAuthn. All of it was bounded in length before. */
export const passkeyReader: PasskeyReader = {
  challengeIn(clientDataJSON) {
    try {
      const said = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as unknown;
      if (typeof said !== 'object' || said === null || !('challenge' in said)) return null;
      return typeof said.challenge === 'string' ? said.challenge : null;
    } catch {
      return null;
    }
  },
  async readAttestation(said, { challenge, party }) {
    const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }] = await library();
    try {
      const { attestationObject } = said.response;
      const attested = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
      // none was asked for: a chain of certificates would be fetched for and followed, for nothing
      const isPlain = attested.get('fmt') === 'none';
      if (!isPlain && (attested.get('fmt') !== 'packed' || attested.get('attStmt').get('x5c') !== undefined))
        return null;
      const { transports = [], ...response } = said.response;
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: { ...said, response: { ...response, transports: [] }, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        // a key without a PIN may be the second factor; a sign-in without a password asks for more
        requireUserVerification: false,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (!verified) return null;
      const { id, publicKey, counter } = registrationInfo.credential;
      return {
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports,
      };
    } catch {
      // the library throws for whatever is wrong; the caller is told one thing only
      return null;
    }
  },
  async readAssertion(said, { challenge, party, publicKey, mustVerifyUser }) {
    const [{ verifyAuthenticationResponse }] = await library();
    try {
      const { userHandle, ...response } = said.response;
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          ...said,
          response: { ...response, ...(userHandle ? { userHandle } : {}) },
          clientExtensionResults: {},
        },
        expectedChallenge: challenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: mustVerifyUser,
        // how often it signed is judged by the caller, who tells the person
        credential: { id: said.id, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 },
      });
      return verified ? { counter: authenticationInfo.newCounter } : null;
    } catch {
      return null;
    }
  },
};

const LIVES_MS = 5 * 60_000;
/** Longer than any challenge lives, by any clock that counts them. */
export const NOTED_S = 15 * 60;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const SEAL_BYTES = 16;

/**
 * Challenges that nothing is kept of until they are redeemed: 128 random bits and the time, sealed for one purpose. Nobody
 * fills a memory by asking for many, and whichever process of an instance made one, another redeems it. Those that were
 * redeemed are noted in `once`.
 */
export function passkeyChallenges({
  secret,
  once,
  now,
  elapsedSince,
}: Pick<Kernel, 'now' | 'elapsedSince'> & {
  /** null: of this run alone, as its notes are. */
  secret: string | null;
  once: Pick<AttemptLimit, 'take'>;
}): Challenges {
  const key =
    secret === null ? randomBytes(32) : Buffer.from(hkdfSync('sha256', secret, '', 'passkey challenges', 32));
  const sealOf = (head: Uint8Array, purpose: string) =>
    createHmac('sha256', key).update(head).update(purpose).digest().subarray(0, SEAL_BYTES);
  return {
    issue(purpose) {
      const time = Buffer.alloc(TIME_BYTES);
      time.writeUIntBE(Math.floor(now()), 0, TIME_BYTES);
      const head = Buffer.concat([randomBytes(RANDOM_BYTES), time]);
      return Buffer.concat([head, sealOf(head, purpose)]).toString('base64url');
    },
    async redeem(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url');
      if (bytes.length !== RANDOM_BYTES + TIME_BYTES + SEAL_BYTES) return false;
      const head = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES);
      if (!timingSafeEqual(bytes.subarray(head.length), sealOf(head, purpose))) return false;
      if (elapsedSince(head.readUIntBE(RANDOM_BYTES, TIME_BYTES)) > LIVES_MS) return false;
      // by what it says, not by how it was written
      return (await once.take(bytes.toString('base64url'))) === null;
    },
  };
}
