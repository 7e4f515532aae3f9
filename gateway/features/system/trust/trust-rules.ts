import type { Holder, Network, ServerRecord, TrustState, Validity } from './ports.ts';

const DAY = 24 * 3_600_000;
/** No clock before this program was written is right. */
const EARLIEST = Date.UTC(2026, 0, 1);
/** Far in the past: a console whose clock fell back years still finds the authority valid. */
const AUTHORITY_FROM = Date.UTC(2000, 0, 1);
const AUTHORITY_DAYS = 30 * 365;
/** Phones take at most 825 days between the two dates: one year back for wrong clocks, 13 months ahead. */
const SERVER_BACK_DAYS = 365;
const SERVER_AHEAD_DAYS = 397;
/** A box that is switched off for a season comes back with a certificate that holds. */
const SERVER_RENEW_DAYS = 130;
/** An authority so near its end announces the next one by itself. */
const AUTHORITY_RENEW_DAYS = 3 * 365;
/** From the announcement to the cross-over, and from there to the end of the former one. */
export const OVERLAP_DAYS = { crossOver: 30, retire: 365 } as const;
const MAX_NAMES = 64;
const MAX_RETIRED = 20;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})?(\.[a-z0-9_]([a-z0-9_-]{0,62})?)*$/;

export const authorityValidity = (now: number): Validity => ({
  notBefore: AUTHORITY_FROM,
  notAfter: Math.max(now, EARLIEST) + AUTHORITY_DAYS * DAY,
});

export function serverValidity(now: number): Validity {
  const from = Math.max(now, EARLIEST);
  return { notBefore: from - SERVER_BACK_DAYS * DAY, notAfter: from + SERVER_AHEAD_DAYS * DAY };
}

/** Dates of a rotation that nobody gave dates for. */
export function usualDates(now: number): { crossOverAt: number; retireAt: number } {
  const crossOverAt = now + OVERLAP_DAYS.crossOver * DAY;
  return { crossOverAt, retireAt: crossOverAt + OVERLAP_DAYS.retire * DAY };
}

export const isNearItsEnd = ({ notAfter }: Validity, now: number): boolean =>
  notAfter - now < AUTHORITY_RENEW_DAYS * DAY;

/** The state with the next authority announced, or with other dates for the one that is. */
export function announced(
  state: TrustState,
  next: Holder & { cross: string },
  { crossOverAt, retireAt }: { crossOverAt: number; retireAt: number },
): TrustState {
  const dates = {
    cross_over_at: new Date(crossOverAt).toISOString(),
    retire_at: new Date(retireAt).toISOString(),
  };
  return { ...state, revision: state.revision + 1, next: { ...next, ...dates } };
}

/** The next step that is due, one at a time; null while none is. */
export function stepDue(state: TrustState, now: number): TrustState | null {
  const { present, next, former } = state;
  if (former !== null && now >= Date.parse(former.retire_at)) {
    const retired = [...state.retired, former.certificate].slice(-MAX_RETIRED);
    return { ...state, revision: state.revision + 1, former: null, retired };
  }
  // two at a time are told apart; a third waits until the first is gone
  if (next === null || former !== null || now < Date.parse(next.cross_over_at)) return null;
  const { certificate, key, cross, retire_at } = next;
  return {
    ...state,
    revision: state.revision + 1,
    present: { certificate, key },
    next: null,
    // its key is not needed any more, and what is not kept cannot be stolen
    former: { certificate: present.certificate, cross, retire_at },
  };
}

/** What is sent behind the server's certificate, so that who pinned any authority in force finds it there. */
export const chainOf = ({ present, former }: TrustState): string[] =>
  former === null ? [present.certificate] : [former.cross, former.certificate];

/** Every authority in force, the one that signs first. */
export const bundleOf = ({ present, next, former }: TrustState): string[] =>
  [present.certificate, next?.certificate, former?.certificate].filter((one) => one !== undefined);

/** Names and addresses a certificate must hold, in a fixed order; what is no name is left out. */
export function namesOf({ hostname, addresses }: Network, extra: readonly string[]): string[] {
  const host = hostname.toLowerCase();
  const local = host.endsWith('.local') ? host : `${host.split('.')[0] ?? host}.local`;
  const wanted = [host, local, 'localhost', ...extra.map((name) => name.toLowerCase())].filter(
    (name) => HOST_NAME.test(name) || isAddress(name),
  );
  const lan = addresses.filter((address) => !isLinkLocal6(address)).toSorted();
  return [...new Set([...wanted, '127.0.0.1', '::1', ...lan])].slice(0, MAX_NAMES);
}

export const isName = (text: string): boolean => HOST_NAME.test(text.toLowerCase()) || isAddress(text);

/** It can only be called with the name of an interface, which no certificate can hold. */
const isLinkLocal6 = (address: string): boolean => /^fe[89ab]/i.test(address);
const isAddress = (text: string): boolean => /^\d+(\.\d+){3}$/.test(text) || text.includes(':');

export type Due = 'missing' | 'authority' | 'expires' | 'ahead' | 'names';

/** Why the server needs another certificate now; null: it does not. */
export function serverDue(
  record: (ServerRecord & Validity) | null,
  { chain, names, now }: { chain: readonly string[]; names: readonly string[]; now: number },
): Due | null {
  if (record === null) return 'missing';
  if (record.chain.join('') !== chain.join('')) return 'authority';
  if (record.notAfter - now < SERVER_RENEW_DAYS * DAY) return 'expires';
  // made while the clock ran far ahead
  if (now < record.notBefore) return 'ahead';
  // one too many does no harm, and an address that comes and goes would cost a certificate each time
  return names.every((name) => record.names.includes(name)) ? null : 'names';
}
