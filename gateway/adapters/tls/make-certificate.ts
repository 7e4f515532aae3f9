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
import { isIPv4, isIPv6 } from 'node:net';
import type { CertificateFacts, CertificateMaker, Holder } from '#features/system/trust/ports.ts';

// As much of DER (ITU-T X.690) as a certificate needs. Each function answers one whole element: tag, length, content.

const element = (tag: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);

function lengthOf(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits: number[] = [];
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

const sequence = (...items: Uint8Array[]): Buffer => element(0x30, Buffer.concat(items));
const setOf = (item: Uint8Array): Buffer => element(0x31, item);
const octets = (bytes: Uint8Array): Buffer => element(0x04, bytes);
const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'));
const yes = (): Buffer => element(0x01, Buffer.from([0xff]));

/** `[n] { … }`, explicit. */
const tagged = (n: number, ...items: Uint8Array[]): Buffer => element(0xa0 | n, Buffer.concat(items));

/** `[n]` in place of the tag of a plain value. */
const marked = (n: number, bytes: Uint8Array): Buffer => element(0x80 | n, bytes);

/** Not negative, from its big-endian bytes; without needless zeros, and one where the sign would be taken for a minus. */
export function integer(bytes: Uint8Array): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = from === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(from));
  const [first = 0] = digits;
  return element(0x02, first < 0x80 ? digits : Buffer.concat([Buffer.from([0]), digits]));
}

const bits = (bytes: Uint8Array, unused = 0): Buffer =>
  element(0x03, Buffer.concat([Buffer.from([unused]), bytes]));

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(0x80 | (rest % 128));
  }
  return digits;
}

/** A time of a certificate: two digits of the year until 2049, then four (RFC 5280, 4.1.2.5). */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  const isShort = new Date(ms).getUTCFullYear() < 2050;
  return element(isShort ? 0x17 : 0x18, Buffer.from(`${isShort ? digits.slice(2) : digits}Z`));
}

/** The bytes of an IP address; null for what is none. */
export function addressBytes(address: string): Buffer | null {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  if (!isIPv6(address) || address.includes('%')) return null;
  const plain = address.replace(/\d+\.\d+\.\d+\.\d+$/, (four) => {
    const hex = Buffer.from(four.split('.').map(Number)).toString('hex');
    return `${hex.slice(0, 4)}:${hex.slice(4)}`;
  });
  const [head = '', tail] = plain.split('::');
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [before, after] = [words(head), words(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((word) => [word >> 8, word & 0xff]));
}

// Name constraints (RFC 5280, 4.2.1.10): what an authority may sign for. Its certificate is installed on phones, which
// would otherwise take its word for every site there is.

const NAME_CONSTRAINTS = '2.5.29.30';
/** `local` stands for every name below it, too. */
const LOCAL_HOST = 'local';
const LOCAL_NETWORKS: readonly (readonly [network: string, bits: number])[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['127.0.0.0', 8],
  ['fc00::', 7],
  ['fe80::', 10],
  ['::1', 128],
];

type Limits = { hosts: readonly string[]; networks: readonly Buffer[] };

/** The value of the extension: the given host names, everything under `.local`, and private networks. */
function nameLimits(hosts: readonly string[]): Buffer {
  const own = hosts.filter((host) => addressBytes(host) === null && !isBelow(host, LOCAL_HOST));
  const permitted = [
    ...[LOCAL_HOST, ...new Set(own)].map((host) => marked(2, Buffer.from(host, 'ascii'))),
    ...LOCAL_NETWORKS.map(([network, bits]) => marked(7, networkBytes(network, bits))),
  ];
  return sequence(tagged(0, ...permitted.map((name) => sequence(name))));
}

/** False: the authority may sign for every name there is, as those did that were made by earlier versions. */
const isLimited = (pem: string): boolean => limitsOf(pem) !== null;

/** True when a certificate below this authority may hold that name or address. */
function permits(pem: string, name: string): boolean {
  const limits = limitsOf(pem);
  if (limits === null) return true;
  const address = addressBytes(name);
  return address === null
    ? limits.hosts.some((host) => isBelow(name, host))
    : limits.networks.some((network) => isWithin(address, network));
}

const isBelow = (name: string, host: string): boolean => name === host || name.endsWith(`.${host}`);

/** Address and mask, one behind the other. */
function networkBytes(network: string, bits: number): Buffer {
  const address = addressBytes(network) ?? Buffer.alloc(0);
  const mask = address.map((_byte, at) => (0xff << (8 - Math.min(8, Math.max(0, bits - 8 * at)))) & 0xff);
  return Buffer.concat([address, mask]);
}

function isWithin(address: Buffer, network: Buffer): boolean {
  const [base, mask] = [network.subarray(0, address.length), network.subarray(address.length)];
  if (mask.length !== address.length) return false;
  return address.every((byte, at) => (byte & (mask[at] ?? 0)) === base[at]);
}

/** null: the certificate has no such extension. */
function limitsOf(pem: string): Limits | null {
  const [certificate] = elementsOf(new X509Certificate(pem).raw);
  const [content] = elementsOf(certificate?.content);
  const extensions = elementsOf(content?.content).find(({ tag }) => tag === 0xa3);
  const [list] = elementsOf(extensions?.content);
  const wanted = oid(NAME_CONSTRAINTS);
  const found = elementsOf(list?.content).find(({ content: one }) =>
    one.subarray(0, wanted.length).equals(wanted),
  );
  const [constraints] = elementsOf(elementsOf(found?.content).at(-1)?.content);
  if (constraints === undefined) return null;
  const permitted = elementsOf(constraints.content).find(({ tag }) => tag === 0xa0);
  const names = elementsOf(permitted?.content).flatMap(({ content: subtree }) => elementsOf(subtree));
  return {
    hosts: names.filter(({ tag }) => tag === 0x82).map((name) => name.content.toString('ascii')),
    networks: names.filter(({ tag }) => tag === 0x87).map((name) => name.content),
  };
}

type Element = { tag: number; content: Buffer };

/** The elements that stand one behind the other in those bytes; OpenSSL has read them before. */
function elementsOf(bytes: Buffer | undefined): Element[] {
  const found: Element[] = [];
  for (let at = 0; bytes !== undefined && at < bytes.length; ) {
    const [tag = 0, short = 0] = bytes.subarray(at, at + 2);
    const digits = short < 0x80 ? 0 : short & 0x7f;
    const length = digits === 0 ? short : bytes.readUIntBE(at + 2, digits);
    const from = at + 2 + digits;
    found.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return found;
}

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
