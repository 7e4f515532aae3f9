import { NewestMap } from '#core/newest-map.ts';

/** How much may come at once, and how fast it refills. A burst of 0 means: no limit. */
export type Allowance = { burst: number; perMs: number };
export type Bucket = { tokens: number; at: number };

export const perMinute = (times: number): Allowance => ({ burst: times, perMs: times / 60_000 });
export const perSecond = (times: number, burst: number): Allowance => ({ burst, perMs: times / 1_000 });

export const fullBucket = (allowance: Allowance, now: number): Bucket => ({
  tokens: allowance.burst,
  at: now,
});

/** Takes one token; false when there is none. */
export function takeToken(bucket: Bucket, allowance: Allowance, now: number): boolean {
  if (allowance.burst === 0) return true;
  // A clock that is set back gives nothing, one that is set forward fills the bucket at most.
  const elapsedMs = Math.max(0, now - bucket.at);
  bucket.tokens = Math.min(allowance.burst, bucket.tokens + elapsedMs * allowance.perMs);
  bucket.at = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

/** Addresses remembered; the one not seen for longest is forgotten first. */
const MAX_ADDRESSES = 10_000;

/** How often one address may open a connection. */
export function createConnectRate(allowance: Allowance, now: () => number) {
  const bucketsByAddress = new NewestMap<string, Bucket>(MAX_ADDRESSES);
  return (address: string): boolean => {
    const bucket = bucketsByAddress.get(address) ?? fullBucket(allowance, now());
    bucketsByAddress.set(address, bucket);
    return takeToken(bucket, allowance, now());
  };
}
