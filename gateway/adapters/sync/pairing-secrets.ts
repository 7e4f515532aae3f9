import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { placeOf } from '#core/network.ts';
import type { PairingSecrets } from '#features/cloud/pairing/ports.ts';
import { isSignedBy, type KeyPair, signText } from './ed25519.ts';

/** Neither look nor sound alike, in Portuguese and in English: no 0 O Q, 1 I L, 2 Z, 5 S, 8 B, G 6, M N, U V. */
const LETTERS = 'ACDEFHJKMPRTWXY34679';
const CODE_LENGTH = 8;
const WHOLE_CODE = new RegExp(`^[${LETTERS}]{${CODE_LENGTH}}$`);
const MAX_TOKEN = 600;

/**
 * Codes, nonces and tokens of the pairing on a hosted instance. They stand in no memory: each carries a seal under the
 * instance's secret, so that every process knows those of the others.
 */
export function pairingSecrets(secret: string, key: KeyPair): PairingSecrets {
  const seal = (what: string, text: string) =>
    createHmac('sha256', secret).update(`sync ${what} ${text}`).digest('base64url');
  const sealed = (what: string, fields: object) => {
    const text = Buffer.from(JSON.stringify(fields)).toString('base64url');
    return `${text}.${seal(what, text)}`;
  };
  function opened(what: string, token: string): Record<string, unknown> | null {
    const [text = '', mark = '', ...more] = token.length > MAX_TOKEN ? [] : token.split('.');
    if (more.length > 0 || !isSame(mark, seal(what, text))) return null;
    // our own seal stands on it, so it is what we wrote
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  }
  return {
    hostedKey: key.public_key,
    sign: (text) => signText(key, text),
    isSignedBy,
    newDeviceCode: () => randomBytes(32).toString('base64url'),
    newUserCode: () => Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
    normalUserCode(typed) {
      const code = typed.toUpperCase().replaceAll(/[\s-]/g, '');
      return WHOLE_CODE.test(code) ? code : null;
    },
    // eight letters could be found from a plain hash; under the secret they cannot
    userCodeHash: (code) => seal('user code', code),
    deviceCodeHash: (code) => createHash('sha256').update(code).digest('hex'),
    sourceHash: (source) => seal('source', placeOf(source)),
    newNonce: (gatewayId, nowMs) =>
      sealed('nonce', { g: gatewayId, at: nowMs, r: randomBytes(16).toString('base64url') }),
    readNonce(nonce) {
      const fields = opened('nonce', nonce);
      return fields === null ? null : { gatewayId: String(fields['g']), issuedAt: Number(fields['at']) };
    },
    newToken: ({ gatewayId, streamId, key: of, expiresAt, run }) =>
      sealed('token', { g: gatewayId, s: streamId, k: of, e: expiresAt, r: run }),
    readToken(token) {
      const fields = opened('token', token);
      if (fields === null) return null;
      const { g, s, k, e, r } = fields;
      const said = { gatewayId: String(g), streamId: Number(s), key: String(k), expiresAt: Number(e) };
      return typeof r === 'string' ? { ...said, run: r } : said;
    },
  };
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
