import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readlinkSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';

// A serial port without hardware: a pseudo-terminal whose one end a program opens like /dev/ttyUSB0.

export type Pty = {
  /** What a client opens, e.g. /dev/pts/7. It may be closed and opened again as often as one likes. */
  path: string;
  /** Towards the client. Dropped like the bytes of a line nobody listens to once a megabyte waits, or any for five seconds. */
  write(bytes: Uint8Array): void;
  /** Bytes of the client; answers the way to stop listening. */
  onData(listen: (bytes: Uint8Array) => void): () => void;
  /** Pulls the cable: a client that has the port open sees it hang up. */
  close(): Promise<void>;
};

const MAX_WAITING_BYTES = 1_048_576;
/** A client that has read nothing for so long does not read. */
const UNREAD_MS = 5_000;
const ASKED_AGAIN_MS = 10;

/**
 * Opens a pseudo-terminal in raw mode (no echo, no line ends changed). Modem lines do not exist on one.
 * Throws an Error with one sentence where this machine offers none.
 */
export async function openPty(): Promise<Pty> {
  const pair = await openPair();
  const { master, masterFd, path } = pair;
  // Held open, so that the last client to leave does not hang up the simulator's end.
  const held = leftOpen(path) ?? openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const listeners = new Set<(bytes: Uint8Array) => void>();
  master.on('data', (bytes: Buffer) => {
    for (const listen of listeners) listen(bytes);
  });
  // A pulled cable ends in an error of the pending read; 'close' follows and tells the same.
  master.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => master.once('close', () => resolve()));
  const sender = createSender(masterFd);
  let isOpen = true;
  const close = async () => {
    if (isOpen) {
      isOpen = false;
      listeners.clear();
      sender.stop();
      closeSync(held);
      master.destroy();
    }
    await closed;
  };
  try {
    await makeRaw(path);
  } catch (cause) {
    await close();
    throw new Error(`the pseudo-terminal ${path} could not be set to raw mode: is stty installed?`, {
      cause,
    });
  }
  return {
    path,
    write: sender.send,
    onData: (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    close,
  };
}

/**
 * Writes to a descriptor that does not block. The stream of the library would: it asks again without a pause, and holds
 * the whole program, as soon as nobody reads the other end.
 */
function createSender(fd: number) {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let unreadSince: number | null = null;
  let again: NodeJS.Timeout | undefined;
  const drop = () => {
    waiting = [];
    waitingBytes = 0;
  };
  const pump = () => {
    again = undefined;
    try {
      for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
        const sent = writeSync(fd, first);
        waitingBytes -= sent;
        if (sent < first.length) waiting[0] = first.subarray(sent);
        else waiting.shift();
        unreadSince = null;
      }
    } catch (error) {
      unreadSince ??= performance.now();
      // full, for the moment; anything else is a cable that was pulled
      const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (isFull && performance.now() - unreadSince < UNREAD_MS) again = setTimeout(pump, ASKED_AGAIN_MS);
      else drop();
    }
  };
  let isStopped = false;
  return {
    send: (bytes: Uint8Array) => {
      if (isStopped || waitingBytes + bytes.length > MAX_WAITING_BYTES) return;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (again === undefined) pump();
    },
    stop: () => {
      isStopped = true;
      clearTimeout(again);
      drop();
    },
  };
}

async function openPair(): Promise<{ master: Socket; masterFd: number; path: string }> {
  // The module's types leave out `open`; it stands in its code and its own documentation.
  let module: { default?: unknown };
  try {
    module = await import('@lydell/node-pty');
  } catch (cause) {
    throw new Error(
      'a simulated serial port needs the package @lydell/node-pty, which a production install leaves out: run "npm install" in a development copy.',
      { cause },
    );
  }
  const opener = module.default;
  if (!canOpen(opener)) throw new Error('this system offers no pseudo-terminals: use --tcp or --rfc2217.');
  const { master, slave, ptsName, _fd } = opener.open({ encoding: null });
  // Left alone, the library reads this end itself and swallows what belongs to the client.
  slave.on('error', () => undefined);
  slave.destroy();
  return { master, masterFd: _fd, path: ptsName };
}

type Opener = {
  open(options: { encoding: null }): { master: Socket; slave: Socket; ptsName: string; _fd: number };
};

function canOpen(module: unknown): module is Opener {
  return typeof module === 'object' && module !== null && 'open' in module && process.platform !== 'win32';
}

/** The descriptor the library opened and, having wrapped it, forgets to close: nobody else knows the path yet. */
function leftOpen(path: string): number | null {
  if (process.platform !== 'linux') return null;
  for (const name of readdirSync('/proc/self/fd')) {
    try {
      if (readlinkSync(`/proc/self/fd/${name}`) === path) return Number(name);
    } catch {
      // The descriptor that listed the folder is closed by now.
    }
  }
  return null;
}

async function makeRaw(path: string): Promise<void> {
  const which = process.platform === 'darwin' ? '-f' : '-F';
  await promisify(execFile)('stty', [which, path, 'raw', '-echo']);
}
