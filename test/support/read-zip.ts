import { inflateRawSync } from 'node:zlib';

/** The files of an archive by its list of contents, as a strict program reads it. */
export function filesInZip(bytes: Uint8Array): Map<string, string> {
  const zip = Buffer.from(bytes);
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end === -1) throw new Error('the archive has no end');
  const files = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error('the list of contents is broken');
    const [packed, size] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)];
    const [named, extra, comment] = [
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
    ];
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + packed);
    const whole = zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : data;
    const name = zip.toString('utf8', at + 46, at + 46 + named);
    if (whole.length !== size) throw new Error(`${name} is shorter than it says`);
    files.set(name, whole.toString('utf8'));
    at += 46 + named + extra + comment;
  }
  return files;
}
