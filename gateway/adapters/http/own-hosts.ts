import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { AppError } from '#core/errors.ts';

/** Ends of names that nobody on the internet gives: of a home network's own. */
const LOCAL_ENDS = ['.local', '.localhost', '.lan', '.home.arpa', '.internal'];

/** A name as the Host header has it, without the port; null: it is none. */
function hostOf(header: string): string | null {
  const bracketed = /^\[([\da-f:.%]+)\](:\d{1,5})?$/i.exec(header)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  return /^([\w.-]{1,253}?)\.?(:\d{1,5})?$/.exec(header)?.[1]?.toLowerCase() ?? null;
}

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
