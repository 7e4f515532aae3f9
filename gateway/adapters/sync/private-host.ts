import { isIP } from 'node:net';

// Unencrypted is allowed where nobody else listens: on this machine and on a farm's own network.

const PRIVATE_V4 = [/^127\./, /^10\./, /^192\.168\./, /^172\.(1[6-9]|2\d|3[01])\./, /^169\.254\./];
const PRIVATE_V6 = [/^::1$/, /^f[cd]/, /^fe[89ab]/];

/** Whether http:// to that address stays private. Names count only where they cannot be anything else. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(host) === 4) return PRIVATE_V4.some((range) => range.test(host));
  if (isIP(host) === 6) return PRIVATE_V6.some((range) => range.test(host));
  return (
    host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local') || !host.includes('.')
  );
}

/** The address of a hosted instance, or a sentence why it will not do. */
export function hostedAddress(url: string): { ok: true; url: URL } | { ok: false; why: string } {
  const parsed = URL.parse(url);
  if (parsed === null) return { ok: false, why: `${url} is not an address` };
  if (parsed.protocol === 'https:') return { ok: true, url: parsed };
  if (parsed.protocol === 'http:' && isPrivateHost(parsed.hostname)) return { ok: true, url: parsed };
  return { ok: false, why: `${url} must be https://; http:// is for addresses of this network alone` };
}
