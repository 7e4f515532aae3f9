import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { hostname } from 'node:os';
import type { RequestHandler } from 'express';
import { AppError } from '#core/errors.ts';
import type { Network } from '#core/network.ts';

const privateNetworks = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const) {
  privateNetworks.addSubnet(network, bits, 'ipv4');
}
privateNetworks.addSubnet('fc00::', 7, 'ipv6');
privateNetworks.addSubnet('fe80::', 10, 'ipv6');
privateNetworks.addAddress('::1', 'ipv6');

/** True for addresses of a farm's own network and of this machine. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '').replace(/%.*$/, '');
  return privateNetworks.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4');
}

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

/** Ends of names that nobody on the internet gives: of a home network's own. */
const LOCAL_ENDS = ['.local', '.localhost', '.lan', '.home.arpa', '.internal'];

/** A name as the Host header has it, without the port; null: it is none. */
function hostOf(header: string): string | null {
  const bracketed = /^\[([\da-f:.%]+)\](:\d{1,5})?$/i.exec(header)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  return /^([\w.-]{1,253}?)\.?(:\d{1,5})?$/.exec(header)?.[1]?.toLowerCase() ?? null;
}

/** Names of the box beside those that every network has. */
export const ownNamesOf = ({
  tlsNames,
  publicUrl,
}: {
  tlsNames: readonly string[];
  publicUrl: string | null;
}): string[] => [hostname(), ...tlsNames, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])];

/**
 * Is it asked for as itself? Whoever owns a name of the internet can have it point to a box on somebody's network: a page
 * under that name would be of one origin with the box, and a browser there would send it what it likes. Addresses, and
 * names that only the network itself gives, cannot be had so.
 */
export function isOwnHost(header: string, names: readonly string[]): boolean {
  const host = hostOf(header);
  if (host === null) return false;
  if (isIP(host) !== 0 || !host.includes('.')) return true;
  return LOCAL_ENDS.some((end) => host.endsWith(end)) || names.includes(host);
}

/**
 * Whether a WebSocket may be opened so. A browser opens one to any address for a page of anywhere, and only names that
 * page: none but a page of this box itself may. Programs and controllers name none.
 */
export function isOwnUpgrade(
  { headers: { host, origin }, rawHeaders, url }: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>,
  names: readonly string[],
): boolean {
  if (hostsIn(rawHeaders) > 1 || isForProxy(url)) return false;
  if (host !== undefined && !isOwnHost(host, names)) return false;
  return origin === undefined || (host !== undefined && URL.parse(origin)?.host === host.toLowerCase());
}

/** How many Host headers came: Node takes the first of them, and another program on the way may take the last. */
function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** An address with scheme and host is how a proxy is asked. */
const isForProxy = (url = ''): boolean => /^[a-z][a-z\d+.-]*:/i.test(url);

/** Refuses requests that say twice whom they ask, or ask as if this were a proxy: each may be read as meant for another. */
export const oneHost: RequestHandler = ({ rawHeaders, url }, _response, next) => {
  if (hostsIn(rawHeaders) > 1)
    return next(
      new AppError(400, 'Say once whom you ask: there is more than one Host', { code: 'BAD_REQUEST' }),
    );
  if (isForProxy(url))
    return next(
      new AppError(400, 'This is no proxy: ask for the path alone, and name the host in Host', {
        code: 'BAD_REQUEST',
      }),
    );
  next();
};

/** Refuses requests that ask for somebody else. */
export function ownHosts(names: readonly string[]): RequestHandler {
  const own = names.map((name) => name.toLowerCase());
  return ({ headers: { host } }, _response, next) => {
    if (host === undefined || isOwnHost(host, own)) return next();
    next(
      new AppError(421, 'This box has no such name; add it with --tls-names, or ask for its address', {
        code: 'WRONG_HOST',
      }),
    );
  };
}
