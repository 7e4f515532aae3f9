import { open } from 'node:fs/promises';

/** What a file begins with, whatever it is called: an archive, or what Excel wrote before these. */
const SIGNS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
] as const;

export async function isWorkbook(path: string): Promise<boolean> {
  const handle = await open(path, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return SIGNS.some((sign) => sign.every((byte, at) => buffer[at] === byte));
  } finally {
    await handle.close();
  }
}
