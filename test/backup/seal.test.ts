import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import fc from 'fast-check';
import { pack as tarPack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { type Manifest, pack, unpack } from '#adapters/backup/archive.ts';
import { ageIdentity, newRecoveryKey, readRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { seal, sealedFor, unseal } from '#adapters/backup/seal.ts';
import { drawsOf } from '#test/turn.ts';

const key = newRecoveryKey();
const AT = '2026-03-02T12:00:00.000Z';

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}
const sealed = (plain: Buffer) => all(seal([plain], { publicKey: key.publicKey, madeAt: AT }));
const opened = (bytes: Buffer, by = key) => all(unseal(Readable.from([bytes]), by));

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
      { numRuns: drawsOf(100) },
    );
    await expect(opened(Buffer.concat([bytes, bytes.subarray(0, 9)]))).rejects.toThrow(/damaged/);
  });

  it('reveals nothing of the farm without the key', async () => {
    const bytes = await sealed(Buffer.from('Fazenda Norte'.repeat(100)));
    expect(bytes.includes('Fazenda')).toBe(false);
    expect(bytes.includes(key.text.slice(0, 4))).toBe(false);
  });
});

const FARM = Buffer.alloc(4_096, 'Fazenda Norte ');
const MANIFEST: Manifest = {
  format: 1,
  made_at: AT,
  gateway_id: 'b1',
  migrations: ['0001_core.sql'],
  sync_epoch: 1,
  target_epoch: null,
  core_seq: 7,
  farms: 1,
  control_points: 2,
  schedules: 3,
  users: 1,
  logs: 9,
  bytes: 4_096,
};

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;
const tools = ['age', 'zstd', 'tar'];

describe('a backup', () => {
  it.skipIf(!tools.every(isThere))('opens with age, zstd and tar, without this program', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'age-'));
    try {
      const database = join(folder, 'copy.db');
      const big = Buffer.alloc(3_000_000, 'ponds and nights, ');
      writeFileSync(database, big);
      const options = { publicKey: key.publicKey, madeAt: AT };
      writeFileSync(join(folder, 'farm.backup'), await all(seal(pack(database, MANIFEST), options)));
      writeFileSync(join(folder, 'key.txt'), `${ageIdentity(key)}\n`);
      execFileSync(
        'sh',
        ['-c', 'age --decrypt --identity key.txt farm.backup | zstd --decompress --quiet | tar --extract'],
        { cwd: folder },
      );
      expect(readFileSync(join(folder, 'farm.db')).equals(big)).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8'))).toEqual(MANIFEST);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('in the form of the first versions still opens, with its own paper', async () => {
    const old = readFileSync(join(import.meta.dirname, 'first-form.backup'));
    const paper = readRecoveryKey('33F5-C6WE-SNXM-PGTY-SZYG-6J5R-GA7W-9CYB');
    expect(await sealedFor([old])).toEqual({ madeAt: AT, keyId: paper.id });
    const { manifest, database } = await unpack(unseal([old], paper));
    expect(manifest).toEqual(MANIFEST);
    expect((await all(database)).equals(FARM)).toBe(true);
    await expect(opened(old)).rejects.toThrow(/does not open the backup/);
    for (const at of [9, 40, old.length - 1]) {
      const broken = Buffer.from(old);
      broken.writeUInt8(broken.readUInt8(at) ^ 1, at);
      await expect(opened(broken, paper)).rejects.toThrow(/backup/);
    }
  });

  it('says in its beginning, for everybody, when it was made and for which key', async () => {
    expect(await sealedFor([(await sealed(FARM)).subarray(0, 400)])).toEqual({ madeAt: AT, keyId: key.id });
    await expect(sealedFor([Buffer.from('age-encryption.org/v1\n-> X25519 abc\n')])).rejects.toThrow(
      /damaged/,
    );
    await expect(sealedFor([Buffer.from('PK\x03\x04 an archive of photographs')])).rejects.toThrow(
      /not a backup/,
    );
    const endless = async function* () {
      yield Buffer.from('age-encryption.org/v1\n');
      for (;;) yield Buffer.alloc(65_536, 'x');
    };
    await expect(all(unseal(endless(), key))).rejects.toThrow(/damaged/);
  });

  it('that holds more than it describes is damaged before it fills a card', async () => {
    const [archive, compress] = [tarPack(), createZstdCompress()];
    archive.entry({ name: 'backup.json' }, JSON.stringify(MANIFEST));
    archive.entry({ name: 'farm.db' }, Buffer.alloc(64 * 1024 * 1024));
    archive.finalize();
    const bomb = await all(archive.pipe(compress));
    expect(bomb.length).toBeLessThan(20_000);
    let given = 0;
    const { database } = await unpack([bomb]);
    const read = async () => {
      for await (const chunk of database) given += chunk.length;
    };
    await expect(read()).rejects.toThrow(/damaged/);
    expect(given).toBeLessThanOrEqual(MANIFEST.bytes);
  });

  it('whose archive goes on for ever before or behind what it holds is damaged', async () => {
    const archive = tarPack();
    archive.entry({ name: 'long', pax: { comment: 'x'.repeat(400_000) } }, '');
    archive.finalize();
    // without the entry that it is told of
    const header = (await all(Readable.from(archive))).subarray(0, -1_024 - 512);
    const folder = mkdtempSync(join(tmpdir(), 'pack-'));
    try {
      writeFileSync(join(folder, 'copy.db'), FARM);
      const whole = await all(
        Readable.from([await all(pack(join(folder, 'copy.db'), MANIFEST))]).pipe(createZstdDecompress()),
      );
      for (const [first, again] of [
        [Buffer.alloc(0), header],
        [whole, Buffer.alloc(65_536)],
      ] as const) {
        async function* endless() {
          yield first;
          for (let n = 0; n < 200; n += 1) yield again;
        }
        const read = async () => {
          const { database } = await unpack(Readable.from(endless()).pipe(createZstdCompress()));
          await all(database);
        };
        await expect(read()).rejects.toThrow(/^the backup is damaged; use an older one$/);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('whose packed archive is cut off or has a flipped bit is damaged, never half a database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pack-'));
    try {
      writeFileSync(join(folder, 'copy.db'), FARM);
      const packed = await all(pack(join(folder, 'copy.db'), MANIFEST));
      const read = async (bytes: Buffer) => {
        const { manifest, database } = await unpack([bytes]);
        return JSON.stringify(manifest) + (await all(database)).toString();
      };
      const whole = JSON.stringify(MANIFEST) + FARM.toString();
      expect(await read(packed)).toBe(whole);
      let refused = 0;
      for (let at = 0; at < packed.length; at += 1) {
        const flipped = Buffer.from(packed);
        flipped.writeUInt8(flipped.readUInt8(at) ^ 4, at);
        for (const bytes of [packed.subarray(0, at), flipped]) {
          // a bit that carries nothing, as of the empty block at the end, may be wrong
          const said = await read(bytes).catch((error: Error) => error.message);
          if (said !== whole) expect(said).toMatch(/damaged/);
          refused += said === whole ? 0 : 1;
        }
      }
      expect(refused).toBeGreaterThan(packed.length * 1.8);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
