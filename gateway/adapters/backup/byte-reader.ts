import { BackupTrouble } from './backup-trouble.ts';

export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export const damaged = (cause?: unknown): BackupTrouble =>
  new BackupTrouble('the backup file is damaged or not complete; use an older one', cause, 'DAMAGED');

export const wrongKey = (sealedFor: string, given: string): BackupTrouble =>
  new BackupTrouble(
    `this recovery key does not open the backup: it was sealed for the key ${sealedFor}, this one is ${given}`,
    undefined,
    'KEY_WRONG',
  );

export type ByteReader = ReturnType<typeof createByteReader>;

/** Takes exact numbers of bytes from a stream of chunks; a stream that ends before is a damaged backup. */
export function createByteReader(source: Bytes) {
  const chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let held: Buffer = Buffer.alloc(0);

  async function fill(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (done === true) return false;
    held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, value]);
    return true;
  }
  async function peek(bytes: number): Promise<Buffer> {
    while (held.length < bytes) if (!(await fill())) throw damaged();
    return held.subarray(0, bytes);
  }
  return {
    /** The next bytes, which stay to be taken. */
    peek,
    async take(bytes: number): Promise<Buffer> {
      const taken = await peek(bytes);
      held = held.subarray(bytes);
      return taken;
    },
    /** All up to and with a mark, which stays to be taken; null: the mark is not within so many bytes. */
    async peekTo(mark: string, most: number): Promise<Buffer | null> {
      for (;;) {
        const at = held.subarray(0, most).indexOf(mark);
        if (at >= 0) return held.subarray(0, at + mark.length);
        if (held.length >= most || !(await fill())) return null;
      }
    },
    async isAtEnd(): Promise<boolean> {
      while (held.length === 0) if (!(await fill())) return true;
      return false;
    },
    async *rest(): AsyncGenerator<Buffer> {
      if (held.length > 0) yield held;
      held = Buffer.alloc(0);
      while (await fill()) {
        yield held;
        held = Buffer.alloc(0);
      }
    },
  };
}
