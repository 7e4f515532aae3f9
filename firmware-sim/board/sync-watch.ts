// A loader's client begins with SYNC: on a wire without DTR and RTS those words stand for the reset it asked for.

const SYNC_START = [0xc0, 0x00, 0x08, 0x24, 0x00];

export type SyncWatch = {
  /** The bytes from the SYNC frame's beginning on, or null while none began. */
  look(bytes: Uint8Array): Uint8Array | null;
  reset(): void;
};

export function createSyncWatch(): SyncWatch {
  let matched = 0;
  return {
    look: (bytes) => {
      for (const [index, byte] of bytes.entries()) {
        // A new delimiter begins the search anew.
        if (byte === SYNC_START[matched]) matched += 1;
        else matched = byte === SYNC_START[0] ? 1 : 0;
        if (matched < SYNC_START.length) continue;
        matched = 0;
        return Uint8Array.from([...SYNC_START, ...bytes.subarray(index + 1)]);
      }
      return null;
    },
    reset: () => {
      matched = 0;
    },
  };
}
