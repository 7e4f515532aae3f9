import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

// An authenticator without a device, with the browser before it: written from WebAuthn Level 3, sections 6.1 and 6.5, and
// RFC 9052, so that what the program judges was not made by the library that judges it.

type Head = { major: number; n: number };

function headOf({ major, n }: Head): Buffer {
  if (n < 24) return Buffer.from([(major << 5) | n]);
  if (n < 256) return Buffer.from([(major << 5) | 24, n]);
  return Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
}

const numberOf = (n: number) => (n < 0 ? headOf({ major: 1, n: -1 - n }) : headOf({ major: 0, n }));
const bytesOf = (bytes: Buffer) => Buffer.concat([headOf({ major: 2, n: bytes.length }), bytes]);
const textOf = (text: string) => Buffer.concat([headOf({ major: 3, n: text.length }), Buffer.from(text)]);
const mapOf = (pairs: [Buffer, Buffer][]) =>
  Buffer.concat([headOf({ major: 5, n: pairs.length }), ...pairs.flat()]);

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

function newKey(algorithm: Algorithm): { privateKey: KeyObject; cose: Buffer } {
  const fields = (publicKey: KeyObject) => {
    const jwk = publicKey.export({ format: 'jwk' });
    return (name: 'x' | 'y' | 'n' | 'e') => bytesOf(Buffer.from(jwk[name] ?? '', 'base64url'));
  };
  const head = (kty: number, alg: number): [Buffer, Buffer][] => [
    [numberOf(1), numberOf(kty)],
    [numberOf(3), numberOf(alg)],
  ];
  if (algorithm === 'ES256') {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const of = fields(publicKey);
    const own: [Buffer, Buffer][] = [
      [numberOf(-1), numberOf(1)],
      [numberOf(-2), of('x')],
      [numberOf(-3), of('y')],
    ];
    return { privateKey, cose: mapOf([...head(2, -7), ...own]) };
  }
  if (algorithm === 'EdDSA') {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const own: [Buffer, Buffer][] = [
      [numberOf(-1), numberOf(6)],
      [numberOf(-2), fields(publicKey)('x')],
    ];
    return { privateKey, cose: mapOf([...head(1, -8), ...own]) };
  }
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const of = fields(publicKey);
  const own: [Buffer, Buffer][] = [
    [numberOf(-1), of('n')],
    [numberOf(-2), of('e')],
  ];
  return { privateKey, cose: mapOf([...head(3, -257), ...own]) };
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

type Asked = { challenge: string };
/** What somebody changes who does not play fair. */
type Bent = {
  origin?: string;
  rpId?: string;
  type?: string;
  verified?: boolean;
  counter?: number;
  userHandle?: string | null;
};

export type SoftPasskey = ReturnType<typeof aSoftPasskey>;

/** One key for `origin`, whose name it signs for. It counts its signatures. */
export function aSoftPasskey(origin: string, algorithm: Algorithm = 'ES256') {
  const { privateKey, cose } = newKey(algorithm);
  const id = randomBytes(32);
  const own = { counter: 0, userHandle: '' };

  const clientData = ({ challenge }: Asked, type: string, bent: Bent) =>
    Buffer.from(
      JSON.stringify({
        type: bent.type ?? type,
        challenge,
        origin: bent.origin ?? origin,
        crossOrigin: false,
      }),
    );
  function authenticatorData(bent: Bent, attested: Buffer | null): Buffer {
    const flags = 0x01 | (bent.verified === false ? 0 : 0x04) | (attested === null ? 0 : 0x40);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(bent.counter ?? own.counter);
    const name = sha256(bent.rpId ?? new URL(origin).hostname);
    return Buffer.concat([name, Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  }
  const head = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' };

  return {
    id: head.id,
    /** What navigator.credentials.create() answers. */
    create(options: Asked & { user: { id: string } }, bent: Bent = {}) {
      own.userHandle = options.user.id;
      const length = Buffer.from([id.length >> 8, id.length & 255]);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cose]);
      const attestationObject = mapOf([
        [textOf('fmt'), textOf('none')],
        [textOf('attStmt'), mapOf([])],
        [textOf('authData'), bytesOf(authenticatorData(bent, attested))],
      ]);
      return {
        ...head,
        response: {
          clientDataJSON: clientData(options, 'webauthn.create', bent).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    /** What navigator.credentials.get() answers. */
    get(options: Asked, bent: Bent = {}) {
      own.counter += 1;
      const client = clientData(options, 'webauthn.get', bent);
      const data = authenticatorData(bent, null);
      const signed = Buffer.concat([data, sha256(client)]);
      const userHandle = bent.userHandle === undefined ? own.userHandle : bent.userHandle;
      return {
        ...head,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign(algorithm === 'EdDSA' ? null : 'sha256', signed, privateKey).toString('base64url'),
          ...(userHandle === null ? {} : { userHandle }),
        },
      };
    },
  };
}
