import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newRecoveryKey, readRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { seal, unseal } from '#adapters/backup/seal.ts';

const key = newRecoveryKey();
const AT = '2026-03-02T12:00:00.000Z';

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}
const sealed = (plain: Buffer) => all(seal([plain], { publicKey: key.publicKey, madeAt: AT }));
const opened = (bytes: Buffer, by = key) => all(unseal(Readable.from([bytes]), by.privateKey, by.publicKey));

describe('a recovery key', () => {
  it('is read back however it is typed', () => {
    expect(key.text).toMatch(/^([0-9A-Z]{4}-){7}[0-9A-Z]{4}$/);
    const typed = ` ${key.text.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `;
    expect(readRecoveryKey(typed).publicKey).toBe(key.publicKey);
  });

  it('with one wrong letter is refused, and named as what it is', () => {
    const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    for (let at = 0; at < key.text.length; at += 1) {
      const right = key.text.charAt(at);
      if (right === '-') continue;
      const wrong = letters.charAt((letters.indexOf(right) + 1) % letters.length);
      const typed = `${key.text.slice(0, at)}${wrong}${key.text.slice(at + 1)}`;
      expect(() => readRecoveryKey(typed)).toThrow(/a letter of the recovery key is wrong/);
    }
    expect(() => readRecoveryKey('1234')).toThrow(/8 groups of 4/);
  });
});

describe('a sealed file', () => {
  it('gives back what was sealed, of any length', async () => {
    for (const length of [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]) {
      const plain = Buffer.alloc(length, 7);
      expect((await opened(await sealed(plain))).equals(plain)).toBe(true);
    }
  });

  it('opens with its own key alone', async () => {
    const bytes = await sealed(Buffer.from('farm'));
    await expect(opened(bytes, newRecoveryKey())).rejects.toThrow(/does not open the backup/);
  });

  it('with any bit flipped, or cut off anywhere, or made longer, gives out nothing false', async () => {
    const plain = Buffer.alloc(600_000, 3);
    const bytes = await sealed(plain);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const flipped = Buffer.from(bytes);
        flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
        await expect(opened(flipped)).rejects.toThrow(/backup/);
        await expect(opened(bytes.subarray(0, at))).rejects.toThrow(/damaged or not complete|backup/);
      }),
      { numRuns: 100 },
    );
    await expect(opened(Buffer.concat([bytes, bytes.subarray(0, 9)]))).rejects.toThrow(/damaged/);
  });

  it('reveals nothing of the farm without the key', async () => {
    const bytes = await sealed(Buffer.from('Fazenda Norte'.repeat(100)));
    expect(bytes.includes('Fazenda')).toBe(false);
    expect(bytes.includes(key.text.slice(0, 4))).toBe(false);
  });
});
