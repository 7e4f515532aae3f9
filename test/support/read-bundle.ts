import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

/** Text of each file in a .tar.gz, by its name. */
export function readBundle(packed: Uint8Array): Map<string, string> {
  const bytes = gunzipSync(packed);
  const files = new Map<string, string>();
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const textOf = (from: number, length: number) =>
      bytes
        .subarray(at + from, at + from + length)
        .toString('utf8')
        .replace(/\0.*$/s, '');
    const length = Number.parseInt(textOf(124, 12), 8);
    files.set(textOf(0, 100), bytes.subarray(at + BLOCK, at + BLOCK + length).toString('utf8'));
    at += BLOCK + Math.ceil(length / BLOCK) * BLOCK;
  }
  return files;
}
