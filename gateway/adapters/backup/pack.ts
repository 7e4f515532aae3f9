import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { constants, createZstdCompress } from 'node:zlib';
import type { Manifest } from './archive.ts';

/** Compressed bytes of description and database. */
export async function* pack(databaseFile: string, described: Manifest): AsyncGenerator<Buffer> {
  const text = Buffer.from(JSON.stringify(described));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  async function* plain() {
    yield Buffer.concat([length, text]);
    yield* createReadStream(databaseFile, { highWaterMark: 256 * 1024 });
  }
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const source = Readable.from(plain());
  source.on('error', (error) => compress.destroy(error));
  yield* source.pipe(compress);
}
