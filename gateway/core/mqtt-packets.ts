export type FramingGuard = {
  maxPacketBytes: number;
  /** Called at the head of every packet with its control type (1 CONNECT … 14 DISCONNECT); false refuses it. */
  onPacket: (type: number) => boolean;
  /** A packet announced more bytes than allowed, or its length makes no sense. */
  onOversize: () => void;
};

const LENGTH_BYTES = 4;

/**
 * Follows the packets in the bytes of one connection, chunk by chunk; false refuses it. The parsers here have no largest packet:
 * they would buffer the 256 MiB a header may announce.
 */
export function watchPackets(guard: FramingGuard): (chunk: Buffer) => boolean {
  let skip = 0;
  let type = 0;
  let length = 0;
  let lengthBytes = -1; // -1: the next byte begins a packet

  function acceptsHeadByte(byte: number): boolean {
    if (lengthBytes === -1) {
      type = byte >> 4;
      length = 0;
      lengthBytes = 0;
      return true;
    }
    length += (byte & 0x7f) * 128 ** lengthBytes++;
    const isWhole = byte < 0x80;
    if (length + 1 + lengthBytes > guard.maxPacketBytes || (!isWhole && lengthBytes === LENGTH_BYTES)) {
      guard.onOversize();
      return false;
    }
    if (!isWhole) return true;
    skip = length;
    lengthBytes = -1;
    return guard.onPacket(type);
  }

  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (skip > 0) {
        const here = Math.min(skip, chunk.length - at);
        skip -= here;
        at += here;
      } else if (!acceptsHeadByte(chunk[at++] ?? 0)) return false;
    }
    return true;
  };
}
