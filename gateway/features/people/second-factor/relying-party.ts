import type { NoPasskeys } from '#contract/resources/passkeys.ts';

/** Whom an authenticator signs for: the name of this instance, and the address that the browser stands at. */
export type RelyingParty = { id: string; origin: string };

export type OwnAddresses = {
  role: 'gateway' | 'hosted';
  publicUrl: string | null;
  /** Names of the box that its certificate has, the one to be told to people first. */
  names: () => readonly string[];
  httpsPort: number | null;
};

export type PartyFound =
  | { party: RelyingParty; whyNot: null; openAt: null }
  | { party: null; whyNot: NoPasskeys; openAt: string | null };

/**
 * The one rule where passkeys work. Browsers have them over https and at the machine itself, under a name, and for that name
 * alone. A hosted instance is its public URL, whatever a proxy makes of the Host header. A box is the name that it is asked by,
 * one of its own: what somebody else calls it is no name to bind a key to.
 */
export function relyingPartyAt(own: OwnAddresses, origin: string | null): PartyFound {
  const known = own.publicUrl === null ? null : new URL(own.publicUrl);
  if (own.role === 'hosted') {
    if (known === null) return no('unset', null);
    if (!isSecure(known)) return no('plain', null);
    return isNumber(known) ? no('address', null) : found(known);
  }
  const openAt = known !== null && isSecure(known) && !isNumber(known) ? known.origin : ownHttps(own);
  const asked = origin === null ? null : new URL(origin);
  if (asked === null) return no('name', openAt);
  if (known !== null && known.hostname === asked.hostname && isSecure(known) && !isNumber(known))
    return found(known);
  if (!isSecure(asked)) return no('plain', openAt);
  if (isNumber(asked)) return no('address', openAt);
  return asked.hostname === LOCAL || own.names().includes(asked.hostname) ? found(asked) : no('name', openAt);
}

const LOCAL = 'localhost';

const found = ({ hostname, origin }: URL): PartyFound => ({
  party: { id: hostname, origin },
  whyNot: null,
  openAt: null,
});
const no = (whyNot: NoPasskeys, openAt: string | null): PartyFound => ({ party: null, whyNot, openAt });

/** As browsers see it: without a certificate only the machine itself. */
const isSecure = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || hostname === LOCAL;
const isNumber = ({ hostname }: URL): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);

function ownHttps({ names, httpsPort }: OwnAddresses): string | null {
  const [name] = names();
  if (name === undefined || httpsPort === null) return null;
  return new URL(`https://${name}:${httpsPort}`).origin;
}
