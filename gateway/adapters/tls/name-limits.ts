import { X509Certificate } from 'node:crypto';
import { addressBytes, marked, oid, sequence, tagged } from './der.ts';

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
export function nameLimits(hosts: readonly string[]): Buffer {
  const own = hosts.filter((host) => addressBytes(host) === null && !isBelow(host, LOCAL_HOST));
  const permitted = [
    ...[LOCAL_HOST, ...new Set(own)].map((host) => marked(2, Buffer.from(host, 'ascii'))),
    ...LOCAL_NETWORKS.map(([network, bits]) => marked(7, networkBytes(network, bits))),
  ];
  return sequence(tagged(0, ...permitted.map((name) => sequence(name))));
}

/** False: the authority may sign for every name there is, as those did that were made by earlier versions. */
export const isLimited = (pem: string): boolean => limitsOf(pem) !== null;

/** True when a certificate below this authority may hold that name or address. */
export function permits(pem: string, name: string): boolean {
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
