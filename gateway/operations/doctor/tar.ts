import { gzipSync } from 'node:zlib';

export type BundleFile = { name: string; text: string };

const BLOCK = 512;
const NAME_BYTES = 100;

/** Files as one .tar.gz (POSIX ustar), which every system opens. Names are plain and shorter than 100 bytes. */
export function tarGz(files: readonly BundleFile[], madeAt: number): Buffer {
  const blocks = files.flatMap(({ name, text }) => {
    const content = Buffer.from(text);
    return [headerOf(name, content.length, madeAt), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  // two empty blocks end an archive
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}

function headerOf(name: string, bytes: number, madeAt: number): Buffer {
  if (Buffer.byteLength(name) >= NAME_BYTES) throw new Error(`${name} is too long a name for an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, width: number) =>
    header.write(value.toString(8).padStart(width - 1, '0'), at, 'ascii');
  header.write(name, 0, 'utf8');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(Math.floor(madeAt / 1000), 136, 12);
  // the sum is made with spaces in its own place
  header.fill(' ', 148, 156);
  header.write('0', 156, 'ascii');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}
