import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import type { CertificateFacts, CertificateMaker, Holder } from '#features/system/trust/ports.ts';
import {
  addressBytes,
  bits,
  integer,
  marked,
  octets,
  oid,
  sequence,
  setOf,
  tagged,
  time,
  utf8,
  yes,
} from './der.ts';
import { isLimited, nameLimits, permits } from './name-limits.ts';

// X.509 certificates (RFC 5280) with EC P-256 keys. node:crypto reads certificates but makes none, and the libraries
// that do bring more code than all of the rest here; every certificate is checked by OpenSSL in the tests.

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const ORGANISATION = 'Shrimp farm gateway';
const KEY_CERT_SIGN_AND_CRL = bits(Buffer.from([0x06]), 1);
const DIGITAL_SIGNATURE = bits(Buffer.from([0x80]), 7);
/** Longest common name (RFC 5280, upper bounds). */
const MAX_COMMON_NAME = 64;

export const certificateMaker: CertificateMaker = {
  authority(names, validity) {
    const keys = newKeys();
    const subject = authorityName(keys.publicKey);
    const certificate = issue({
      ...validity,
      subject,
      publicKey: keys.publicKey,
      by: { name: subject, privateKey: keys.privateKey, publicKey: keys.publicKey },
      extensions: authorityExtensions(keys.publicKey, names, 1),
    });
    return { certificate, key: pemOfKey(keys.privateKey) };
  },

  cross(of, by, { names, ...validity }) {
    const publicKey = publicKeyOf(of);
    return issue({
      ...validity,
      subject: authorityName(publicKey),
      publicKey,
      by: issuerOf(by),
      extensions: authorityExtensions(publicKey, names, 0),
    });
  },

  server({ names, commonName }, by, validity) {
    const keys = newKeys();
    const certificate = issue({
      ...validity,
      subject: nameOf(commonName.slice(0, MAX_COMMON_NAME)),
      publicKey: keys.publicKey,
      by: issuerOf(by),
      extensions: [
        extension('2.5.29.19', sequence(), { isCritical: true }),
        extension('2.5.29.15', DIGITAL_SIGNATURE, { isCritical: true }),
        extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
        extension('2.5.29.17', sequence(...names.map(alternativeName))),
        extension('2.5.29.14', octets(keyIdOf(keys.publicKey))),
      ],
    });
    return { certificate, key: pemOfKey(keys.privateKey) };
  },

  facts: certificateFacts,
  permits,
  isPair: isPairOf,
};

type Keys = { publicKey: KeyObject; privateKey: KeyObject };
type Issuer = Keys & { name: Buffer };
type ToIssue = {
  subject: Buffer;
  publicKey: KeyObject;
  by: Issuer;
  notBefore: number;
  notAfter: number;
  extensions: Buffer[];
};

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pemOfKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicKeyOf = ({ key }: Holder): KeyObject => createPublicKey(createPrivateKey(key));

function issuerOf({ key }: Holder): Issuer {
  const privateKey = createPrivateKey(key);
  const publicKey = createPublicKey(privateKey);
  return { privateKey, publicKey, name: authorityName(publicKey) };
}

function issue({ subject, publicKey, by, notBefore, notAfter, extensions }: ToIssue): string {
  const authorityKeyId = extension('2.5.29.35', sequence(marked(0, keyIdOf(by.publicKey))));
  const content = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    ECDSA_SHA256,
    by.name,
    sequence(time(notBefore), time(notAfter)),
    subject,
    spkiOf(publicKey),
    tagged(3, sequence(...extensions, authorityKeyId)),
  );
  const signature = sign('sha256', content, { key: by.privateKey, dsaEncoding: 'der' });
  return pemOf(sequence(content, ECDSA_SHA256, bits(signature)));
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Two authorities of one box have different names: a verifier that goes by names must not take one for the other. */
function authorityName(publicKey: KeyObject): Buffer {
  return nameOf(`Farm authority ${keyIdOf(publicKey).toString('hex').slice(0, 12)}`);
}

function nameOf(commonName: string): Buffer {
  const part = (type: string, text: string) => setOf(sequence(oid(type), utf8(text)));
  return sequence(part('2.5.4.10', ORGANISATION), part('2.5.4.3', commonName));
}

/**
 * `pathLength`: how many further authorities it may sign below it. One for a root, because at a rotation the former one
 * vouches for the next (`cross`), and that stands between the box and who pinned the former; none for that one.
 *
 * The names it may sign for are not marked critical, against RFC 5280: who knows the extension keeps to it either way
 * (OpenSSL, browsers, phones), and small controllers' libraries (mbedTLS, BearSSL) do not know it. They pin, read every
 * certificate that the box sends, the root too (device protocol, 9.2.2), and refuse one with a critical part unknown to them.
 */
function authorityExtensions(publicKey: KeyObject, names: readonly string[], pathLength: number): Buffer[] {
  return [
    extension('2.5.29.19', sequence(yes(), integer(Buffer.from([pathLength]))), { isCritical: true }),
    extension('2.5.29.15', KEY_CERT_SIGN_AND_CRL, { isCritical: true }),
    extension('2.5.29.14', octets(keyIdOf(publicKey))),
    extension('2.5.29.30', nameLimits(names)),
  ];
}

function extension(id: string, value: Buffer, { isCritical } = { isCritical: false }): Buffer {
  return sequence(oid(id), ...(isCritical ? [yes()] : []), octets(value));
}

function alternativeName(name: string): Buffer {
  const address = addressBytes(name);
  return address === null ? marked(2, Buffer.from(name, 'ascii')) : marked(7, address);
}

const spkiOf = (publicKey: KeyObject): Buffer => publicKey.export({ type: 'spki', format: 'der' });

/** RFC 5280, 4.2.1.2 (1): SHA-1 of the key's bits, which for P-256 are the last 65 bytes. It names, it does not protect. */
function keyIdOf(publicKey: KeyObject): Buffer {
  return createHash('sha1').update(spkiOf(publicKey).subarray(-65)).digest();
}

/** What stands in a certificate. Throws for what is none. */
function certificateFacts(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  return {
    pin: createHash('sha256')
      .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64'),
    fingerprint: certificate.fingerprint256,
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    isLimited: isLimited(pem),
  };
}

/** True when the private key belongs to the certificate; false also for what is no key or no certificate. */
function isPairOf({ certificate, key }: { certificate: string; key: string }): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    // unreadable: whoever asks says so
    return false;
  }
}
