import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '#core/errors.ts';

// The scheme of Stripe: `t=<seconds>,v1=<HMAC-SHA256 of "t.body" in hex>`, also used by the built-in provider.

/** How far the time of a signature may be from ours, as the SDK has it. */
export const TOLERANCE_S = 300;

export function signatureOf(raw: Uint8Array, secret: string, atMs: number): string {
  const at = Math.floor(atMs / 1000);
  return `t=${at},v1=${hmac(raw, secret, at)}`;
}

/** Throws 400 for a body that was not signed with this secret, or long ago; `nowMs` null: no clock to judge by. */
export function requireSignature(
  raw: Uint8Array,
  header: string | null,
  secret: string,
  nowMs: number | null,
): void {
  const parts = partsOf(header);
  const at = signedAt(parts);
  const signatures = parts.filter(([name]) => name === 'v1').map(([, value = '']) => Buffer.from(value));
  if (!Number.isSafeInteger(at)) throw wrongSignature();
  const expected = Buffer.from(hmac(raw, secret, at));
  const isOurs = signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  if (!isOurs) throw wrongSignature();
  if (nowMs !== null && Math.abs(nowMs / 1000 - at) > TOLERANCE_S) throw wrongSignature();
}

/** Throws 400 for a signature from further ahead than clocks differ: the library of Stripe looks at old ones alone. */
export function requireNotAhead(header: string | null, nowMs: number): void {
  if (signedAt(partsOf(header)) - nowMs / 1000 > TOLERANCE_S) throw wrongSignature();
}

const partsOf = (header: string | null): string[][] =>
  (header ?? '').split(',').map((part) => part.split('='));

const signedAt = (parts: readonly string[][]): number => Number(parts.find(([name]) => name === 't')?.[1]);

/** Says nothing of what was wrong, and nothing of the body: neither belongs into an answer or a log. */
export function wrongSignature(): AppError {
  return new AppError(400, 'The event is not signed by the payment provider, or too long ago', {
    code: 'INVALID_SIGNATURE',
  });
}

function hmac(raw: Uint8Array, secret: string, at: number): string {
  return createHmac('sha256', secret).update(`${at}.`).update(raw).digest('hex');
}
