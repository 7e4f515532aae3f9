import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Network } from '#core/network.ts';

// Addresses people type are called by this program, from inside its network: what may be called depends on where it runs.

export type AddressPolicy = {
  /** Why nothing may be sent to such an address; null: it may, as far as the text tells. */
  refusalOf: (url: string) => string | null;
  /** Resolves a name and refuses it, whole, when it leads where nothing may be sent. For `http` and `https` requests. */
  lookupFor: (protocol: 'http:' | 'https:') => LookupFunction;
};

/** A name led to an address that is not allowed. */
export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
}

type Subnet = readonly [network: string, bits: number];

const PRIVATE: readonly Subnet[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['::1', 128],
];
/** Neither private nor anybody on the internet: shared, reserved, documentation, multicast, and tunnels into IPv4. */
const SPECIAL: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['100.64.0.0', 10],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fec0::', 10],
  ['ff00::', 8],
];

/** No device of a farm is there: what a cloud tells its machines (169.254.169.254), "any address", many at once. */
const NOBODY: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
];

function listOf(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of subnets) list.addSubnet(network, bits, isIP(network) === 6 ? 'ipv6' : 'ipv4');
  return list;
}
const privateList = listOf(PRIVATE);
const closedList = listOf([...PRIVATE, ...SPECIAL]);
const nobodyList = listOf(NOBODY);

const loopbackList = listOf([
  ['127.0.0.0', 8],
  ['::1', 128],
]);

/** Whether probes may have that address: one of the farm's network, and of this box only where its owner named it. */
export function busPolicy(inside: readonly Network[]): (address: string) => boolean {
  const named = namedIn(inside);
  return (address) =>
    isIn(privateList, address) &&
    !isIn(nobodyList, address) &&
    (!isIn(loopbackList, address) || isIn(named, address));
}

function namedIn(inside: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { address, bits, family } of inside) list.addSubnet(address, bits, family);
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  const plain = plainOf(address);
  return list.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4');
}

/** Without zone, and an IPv4 address in IPv6 clothes as what it is. */
function plainOf(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (dotted !== undefined) return dotted;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(bare) ?? [];
  if (high === undefined || low === undefined) return bare;
  const bytes = [high, low].flatMap((half) => [
    Number.parseInt(half, 16) >> 8,
    Number.parseInt(half, 16) & 255,
  ]);
  return bytes.join('.');
}

const NOT_PUBLIC = 'leads to a private or reserved network, which this instance does not call';
const NOT_NAMED =
  'leads to this box or its network, of which only what its owner named (--outbound-networks) is called';

/**
 * gateway: https to public addresses, and https or http to what its owner named inside (`--outbound-networks`): accounts
 * are many, and whoever has one must not learn what stands beside the box. hosted: https to public addresses only.
 */
export function addressPolicy(
  role: 'gateway' | 'hosted',
  inside: readonly Network[] = [],
  resolve: typeof resolveName = resolveName,
): AddressPolicy {
  const named = namedIn(role === 'gateway' ? inside : []);
  const refusal = (protocol: string, address: string): string | null => {
    if (role === 'hosted') return isIn(closedList, address) ? NOT_PUBLIC : null;
    if (isIn(nobodyList, address)) return 'leads to an address that no device of a farm has';
    if (isIn(named, address)) return null;
    if (isIn(closedList, address)) return NOT_NAMED;
    return protocol === 'https:' ? null : 'must begin with https:// outside the network of the farm';
  };
  return {
    refusalOf(text) {
      const url = URL.parse(text);
      if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
        return 'must be a URL that begins with https://';
      if (url.username !== '' || url.password !== '') return 'must not carry a user or a password';
      if (role === 'hosted' && url.protocol !== 'https:') return 'must begin with https://';
      const host = url.hostname.replace(/^\[|\]$/g, '');
      return isIP(host) === 0 ? null : refusal(url.protocol, host);
    },
    lookupFor: (protocol) => (name, options, answer) => {
      resolve(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return answer(error, []);
        const why = found.map(({ address }) => refusal(protocol, address)).find((one) => one !== null);
        if (why !== undefined && why !== null) return answer(new ForbiddenAddress(why), []);
        const [first] = found;
        if (options.all || first === undefined) return answer(null, found);
        return answer(null, first.address, first.family);
      });
    },
  };
}
