import { once } from 'node:events';
import { realpath, stat } from 'node:fs/promises';
import type { SerialPort } from 'serialport';

export type PortFault = 'not_found' | 'busy' | 'denied' | 'unplugged' | 'failed';

/** A serial port that cannot be opened or is gone. The message is the system's own. */
export class PortTrouble extends Error {
  readonly fault: PortFault;
  readonly port: string;

  constructor(fault: PortFault, port: string, options: { message: string; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.name = 'PortTrouble';
    this.fault = fault;
    this.port = port;
  }
}

/** What the driver says, by its words: it gives no codes. */
export function asPortTrouble(error: unknown, port: string): PortTrouble {
  if (error instanceof PortTrouble) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PortTrouble(faultOf(message), port, { message, cause: error });
}

function faultOf(message: string): PortFault {
  if (/no such file|ENOENT|File not found|no such device/i.test(message)) return 'not_found';
  if (/permission denied|access denied|EACCES|EPERM/i.test(message)) return 'denied';
  if (/cannot lock|temporarily unavailable|busy|EBUSY|EAGAIN|in use/i.test(message)) return 'busy';
  if (/input\/output|EIO|ENXIO|disconnected|bad file descriptor|not open/i.test(message)) return 'unplugged';
  return 'failed';
}

/** One opened serial port, held alone. */
export type SerialLink = {
  readonly path: string;
  /** Resolves when the driver has taken the bytes. Rejects with PortTrouble. */
  write: (bytes: Uint8Array) => Promise<void>;
  /** Resolves when the bytes have left the machine. */
  drain: () => Promise<void>;
  /** Several may listen; answers what takes the listener off again. */
  onData: (listener: (bytes: Buffer) => void) => () => void;
  setBaud: (baud: number) => Promise<void>;
  /**
   * DTR and RTS, true is asserted (low at the pin). Answers false where the port has no such lines (a pseudo-terminal):
   * nothing is reset there.
   */
  setLines: (lines: { dtr: boolean; rts: boolean }) => Promise<boolean>;
  /** Set off with a PortTrouble when the cable is pulled, and when the link is closed. */
  readonly lost: AbortSignal;
  close: () => Promise<void>;
};

/** A board that is reset or asleep answers nothing, but its USB bridge takes bytes at once. */
const CLOSE_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 500;

/** How a character goes over the line; without it 8 bits, no parity, one stop bit. */
type Framing = { parity: 'none' | 'even' | 'odd'; stopBits: 1 | 2 };

/** Opens a port for nobody else. Throws PortTrouble. The driver is loaded with the first port. */
export async function openPort(path: string, baud: number, framing?: Framing): Promise<SerialLink> {
  const { SerialPort: Port } = await import('serialport');
  const port = new Port({
    path,
    baudRate: baud,
    dataBits: 8,
    ...framing,
    autoOpen: false,
    lock: true,
    highWaterMark: 65_536,
  });
  // an 'error' nobody hears ends the process
  const lost = new AbortController();
  const lose = (error: unknown) => lost.abort(asPortTrouble(error, path));
  port.on('error', lose);
  port.on('close', (error: unknown) =>
    lose(error ?? new PortTrouble('unplugged', path, { message: 'the port was closed' })),
  );
  await new Promise<void>((resolve, reject) => {
    port.open((error) => (error === null ? resolve() : reject(asPortTrouble(error, path))));
  });
  const unwatch = await watchNode(path, () =>
    lose(new PortTrouble('unplugged', path, { message: 'the device is gone' })),
  );
  lost.signal.addEventListener('abort', unwatch, { once: true });
  return {
    path,
    lost: lost.signal,
    write: (bytes) => writeTo(port, { path, lost: lost.signal }, bytes),
    drain: () =>
      untilLost(
        lost.signal,
        calling((done) => port.drain(done), path),
      ),
    onData(listener) {
      port.on('data', listener);
      return () => void port.off('data', listener);
    },
    setBaud: (baudRate) => calling((done) => port.update({ baudRate }, done), path),
    setLines: (lines) =>
      new Promise((resolve) => port.set(lines, (error) => resolve(error === null || error === undefined))),
    async close() {
      unwatch();
      if (!port.isOpen) return;
      const closed = once(port, 'close', { signal: AbortSignal.timeout(CLOSE_WITHIN_MS) });
      port.close();
      // a pulled port may never say that it closed
      await closed.catch(() => undefined);
    },
  };
}

/**
 * Tells when the device leaves the system. The driver itself does not when the cable is pulled while it reads: the system
 * answers such a read with nothing, and the driver reads again, for ever. Where devices have no files (Windows) it has to
 * do without.
 */
async function watchNode(path: string, gone: () => void): Promise<() => void> {
  const node = await realpath(path).catch(() => null);
  if (node === null) return () => undefined;
  const timer = setInterval(() => {
    stat(node).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENODEV' || error.code === 'ENXIO') gone();
    });
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function writeTo(port: SerialPort, link: { path: string; lost: AbortSignal }, bytes: Uint8Array) {
  link.lost.throwIfAborted();
  if (port.write(bytes)) return;
  await untilLost(link.lost, once(port, 'drain'));
}

function calling(call: (done: (error: Error | null | undefined) => void) => void, path: string) {
  return new Promise<void>((resolve, reject) => {
    call((error) => (error === null || error === undefined ? resolve() : reject(asPortTrouble(error, path))));
  });
}

/** What is awaited, unless the port is lost first. */
async function untilLost(lost: AbortSignal, awaited: Promise<unknown>): Promise<void> {
  lost.throwIfAborted();
  let listener: (() => void) | undefined;
  const gone = new Promise<never>((_, reject) => {
    listener = () => reject(lost.reason);
    lost.addEventListener('abort', listener, { once: true });
  });
  try {
    await Promise.race([awaited, gone]);
  } finally {
    if (listener) lost.removeEventListener('abort', listener);
  }
}
