import { type Allowance, type Bucket, fullBucket, takeToken } from './token-bucket.ts';

/** Addresses remembered; the one not seen for longest is forgotten first. */
const MAX_ADDRESSES = 10_000;

/** How often one address may open a connection. */
export function createConnectRate(allowance: Allowance, now: () => number) {
  const bucketsByAddress = new Map<string, Bucket>();
  return (address: string): boolean => {
    const bucket = bucketsByAddress.get(address) ?? fullBucket(allowance, now());
    bucketsByAddress.delete(address);
    bucketsByAddress.set(address, bucket);
    for (const oldest of bucketsByAddress.keys()) {
      if (bucketsByAddress.size <= MAX_ADDRESSES) break;
      bucketsByAddress.delete(oldest);
    }
    return takeToken(bucket, allowance, now());
  };
}
