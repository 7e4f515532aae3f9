import { createHash } from 'node:crypto';
import { numericId } from '#contract/resources/local-tables.ts';
import { type Change, insert } from './changes.ts';

export type NumericIdDeps = {
  /** The uuid that claimed a number, or null. */
  numericIdClaim: (number: string) => Promise<{ entity: string; uuid: string } | null>;
};

/**
 * The read-only number beside a UUID: the low 48 bits of SHA-256 of the UUID, so that two instances agree without
 * asking each other. A clash is rehashed with a counter; the earliest claim keeps the number.
 */
export async function claimNumericId(
  deps: NumericIdDeps,
  entity: 'user' | 'pond' | 'batch' | 'transfer',
  uuid: string,
): Promise<{ number: number; change: Change }> {
  for (let counter = 0; ; counter += 1) {
    const number = numberOf(uuid, counter);
    const claim = await deps.numericIdClaim(String(number));
    if (claim === null || claim.uuid === uuid) {
      return { number, change: insert(numericId, { id: String(number), entity, uuid }) };
    }
  }
}

export function numberOf(uuid: string, counter: number): number {
  const text = counter === 0 ? uuid.toLowerCase() : `${uuid.toLowerCase()}:${counter}`;
  return createHash('sha256').update(text).digest().readUIntBE(26, 6);
}
