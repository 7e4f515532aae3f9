import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Network } from '#core/network.ts';
import { isPrivateAddress } from './private-address.ts';

export type ClientAddresses = {
  /** Who sent a request: the other end of its connection, or, behind proxies that are trusted, whom they name. */
  of: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
  /** True for addresses of a farm's own network; never for a proxy, which stands there for the whole world. */
  isNear: (address: string) => boolean;
  /** True for a proxy that is trusted. */
  isProxy: (address: string) => boolean;
};

/** An address or a network (10.0.0.0/8); null for anything else. A network of everybody is none. */
export function parseNetwork(text: string): Network | null {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  // how node shows IPv4 where both are heard: it is compared as IPv4
  if (version === 0 || /^::ffff:/i.test(address)) return null;
  const whole = version === 6 ? 128 : 32;
  const size = bits === undefined ? whole : Number(bits);
  if (size < 1 || size > whole) return null;
  return { address, family: version === 6 ? 'ipv6' : 'ipv4', bits: size };
}

/**
 * Reads X-Forwarded-For from the right, as far as the proxies in `trusted` wrote it: what stands left of that, anybody may
 * have written. What cannot be read counts as the proxy that handed it on. A private address behind a public one is of
 * another network than ours: who is there is known by the public one, so no header makes a stranger look near.
 */
export function clientAddresses(
  trusted: readonly Network[],
  /** Hears of a neighbour that names others and is not believed. */
  ignored: (proxy: string) => void = () => undefined,
): ClientAddresses {
  const proxies = new BlockList();
  for (const { address, bits, family } of trusted) proxies.addSubnet(address, bits, family);
  const isProxy = (address: string) =>
    trusted.length > 0 && isIP(address) !== 0 && proxies.check(address, familyOf(address));
  return {
    of({ headers, socket }) {
      let known = plain(socket.remoteAddress ?? '');
      if (!isProxy(known)) {
        if (headers['x-forwarded-for'] !== undefined && isPrivateAddress(known)) ignored(known);
        return known;
      }
      for (const hop of hopsOf(headers)) {
        const next = plain(hop);
        if (isIP(next) === 0 || (isPrivateAddress(next) && !isPrivateAddress(known))) break;
        known = next;
        if (!isProxy(known)) break;
      }
      return known;
    },
    isNear: (address) => isPrivateAddress(address) && !isProxy(plain(address)),
    isProxy: (address) => isProxy(plain(address)),
  };
}

/** The nearest first. */
function hopsOf(headers: IncomingMessage['headers']): string[] {
  const given = headers['x-forwarded-for'] ?? [];
  return [given]
    .flat()
    .flatMap((line) => line.split(','))
    .toReversed();
}

/** `::ffff:192.168.1.7` is 192.168.1.7, and the interface it came through is no part of an address. */
const plain = (address: string): string =>
  address
    .trim()
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '');

const familyOf = (address: string): Network['family'] => (address.includes(':') ? 'ipv6' : 'ipv4');
