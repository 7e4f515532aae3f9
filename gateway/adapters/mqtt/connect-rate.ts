import { NewestMap } from '#core/newest-map.ts';
import { type Allowance, type Bucket, fullBucket, takeToken } from './token-bucket.ts';

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
