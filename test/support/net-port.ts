import { once } from 'node:events';
import { connect } from 'node:net';
import { PortTrouble, type SerialLink } from '#adapters/serial/open-port.ts';

// Serial ports of a simulated board over the network: bytes as they are, or with DTR and RTS as RFC 2217 describes them,
// written from that page.

const IAC = 255;
const SE = 240;
const SB = 250;
const [WILL, DO] = [251, 253];
const [BINARY, COM_PORT] = [0, 44];
const [SET_BAUD, SET_CONTROL] = [1, 5];

/** Opens `rfc2217://…` or `socket://…`. Answers like a port of this machine, and notes each state of the lines. */
export async function openNetPort(path: string, baud: number): Promise<SerialLink & { moved: string[] }> {
  const hasLines = path.startsWith('rfc2217:');
  const { hostname, port } = new URL(path.replace(/^\w+:/, 'http:'));
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setNoDelay(true);
  const lost = new AbortController();
  socket.on('error', () => undefined);
  socket.on('close', () => lost.abort(new PortTrouble('unplugged', path, { message: 'input/output error' })));
  const listeners = new Set<(bytes: Buffer) => void>();
  const moved: string[] = [];
  const plainOf = hasLines ? createTelnetReader() : (bytes: Buffer) => bytes;
  socket.on('data', (bytes) => {
    const plain = plainOf(bytes);
    if (plain.length > 0) for (const listen of listeners) listen(plain);
  });
  const write = async (bytes: Uint8Array) => {
    lost.signal.throwIfAborted();
    if (!socket.write(bytes)) await once(socket, 'drain', { signal: lost.signal });
  };
  const command = (number: number, ...value: number[]) =>
    write(Uint8Array.of(IAC, SB, COM_PORT, number, ...doubled(value), IAC, SE));
  const setBaud = async (rate: number) => {
    if (!hasLines) return;
    const value = Buffer.alloc(4);
    value.writeUInt32BE(rate);
    await command(SET_BAUD, ...value);
  };
  if (hasLines) await write(Uint8Array.of(IAC, WILL, COM_PORT, IAC, DO, BINARY, IAC, WILL, BINARY));
  await setBaud(baud);
  return {
    path,
    moved,
    lost: lost.signal,
    write: (bytes) => write(hasLines ? Uint8Array.from(doubled([...bytes])) : bytes),
    drain: async () => undefined,
    onData(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    setBaud,
    async setLines({ dtr, rts }) {
      if (!hasLines) return false;
      moved.push(`${dtr ? 'D' : 'd'}${rts ? 'R' : 'r'}`);
      await command(SET_CONTROL, dtr ? 8 : 9);
      await command(SET_CONTROL, rts ? 11 : 12);
      return true;
    },
    async close() {
      if (socket.destroyed) return;
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    },
  };
}

const doubled = (bytes: readonly number[]) => bytes.flatMap((byte) => (byte === IAC ? [IAC, IAC] : [byte]));

/** Takes what the two ends of the telnet agree on out of a stream. */
function createTelnetReader(): (bytes: Buffer) => Buffer {
  let state: 'plain' | 'iac' | 'option' | 'sub' | 'subIac' = 'plain';
  return (bytes) => {
    const plain: number[] = [];
    for (const byte of bytes) {
      if (state === 'plain') {
        if (byte === IAC) state = 'iac';
        else plain.push(byte);
      } else if (state === 'iac') {
        if (byte === IAC) plain.push(IAC);
        state = byte === SB ? 'sub' : byte > SB && byte < IAC ? 'option' : 'plain';
      } else if (state === 'option') state = 'plain';
      else if (state === 'sub') state = byte === IAC ? 'subIac' : 'sub';
      else state = byte === SE ? 'plain' : 'sub';
    }
    return Buffer.from(plain);
  };
}
