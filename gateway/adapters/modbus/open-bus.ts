import { lookup } from 'node:dns/promises';
import { realpath } from 'node:fs/promises';
import { connect, isIP } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { ProbeTroubleCode } from '#contract/resources/probes.ts';
import type {
  BusAddress,
  BusLink,
  BusOpened,
  Patience,
  RegisterRead,
  WordsRead,
} from '#features/equipment/probes/ports.ts';
import { asPortTrouble, openPort, type PortFault, type SerialLink } from '../serial/open-port.ts';
import { type FrameRead, rtuAnswer, rtuRequest, tcpAnswer, tcpRequest } from './frames.ts';

/** Bytes to and from the other end of a cable or a connection. */
type ByteLink = {
  write: (bytes: Uint8Array) => void;
  /** One listener at a time. */
  listen: (onBytes: (bytes: Uint8Array) => void, onClose: () => void) => void;
  close: () => Promise<void>;
};

type ByteLinkOpened = { is: 'open'; link: ByteLink } | { is: 'trouble'; code: ProbeTroubleCode };

const CONNECT_MS = 3_000;

type Found = { is: 'port'; path: string } | { is: 'trouble'; code: ProbeTroubleCode };

// Merely opening some files of /dev does harm (a watchdog starts to count), so only what is a serial port is opened.
const SERIAL_PORTS = [
  /^\/dev\/tty(USB|ACM|AMA|S|AP|O|THS|LP|SC|XR|XRUSB|mxc|RS485-?|SC16IS)\w*$/,
  /^\/dev\/pts\/\d+$/,
  /^\/dev\/(cu|tty)\.[\w.-]+$/,
  /^(\\\\\.\\)?COM\d{1,3}$/i,
];

const TROUBLE: Readonly<Record<PortFault, ProbeTroubleCode>> = {
  not_found: 'PORT_NOT_FOUND',
  busy: 'PORT_BUSY',
  denied: 'PORT_DENIED',
  unplugged: 'PORT_NOT_FOUND',
  failed: 'NOT_A_SERIAL_PORT',
};

const linkOf = (port: SerialLink): ByteLink => ({
  // a port that is lost says so by `lost`
  write: (bytes) => void port.write(bytes).catch(() => undefined),
  listen(onBytes, onClose) {
    port.onData(onBytes);
    if (port.lost.aborted) onClose();
    else port.lost.addEventListener('abort', onClose, { once: true });
  },
  close: port.close,
});

type OpenBusDeps = {
  /** Milliseconds that only grow. */
  monotonic: () => number;
  isOnFarmNetwork: (address: string) => boolean;
};

/** The line is turned round: probes with slow drivers miss a request that comes sooner after their answer. */
const TURN_ROUND_MS = 20;
/** Turns of the event loop in which whatever came while this process stood still is heard. */
const LAST_TURNS = 10;
/** What one answer can be, with an echo and some noise before it. */
const MOST_BYTES = 1_024;
/** Waiting that ends so much late was none: the program stood still, and what came meanwhile is still to be heard. */
const STOOD_STILL_MS = 50;
const MOST_WAITS = 3;

/**
 * Opens a bus. Its link reads registers one request at a time, at least 3.5 characters (and 20 ms) after whatever was
 * last heard on the line. An RTU answer does not say which registers it holds: a unit that may still owe one is asked
 * for others only when that has come or will not come any more. Answers why when it does not open.
 */
export async function openBus(deps: OpenBusDeps, address: BusAddress): Promise<BusOpened> {
  const opened = await (address.kind === 'serial' ? openSerial(address) : openSocket(deps, address));
  if (opened.is === 'trouble') return opened;
  return { is: 'open', link: createBusLink(deps, opened.link, address) };
}

type Waiting = { bytes: Uint8Array; look: () => void };
/** An answer that may still come, and until when, monotonic ms. */
type Owed = { read: RegisterRead; until: number };

function createBusLink({ monotonic }: OpenBusDeps, line: ByteLink, address: BusAddress): BusLink {
  const state = { isOpen: true, transaction: 0, quietAt: 0, sentAt: 0, waiting: null as Waiting | null };
  const owedByUnit = new Map<number, Owed>();
  const ended = new AbortController();
  let queue: Promise<unknown> = Promise.resolve();
  const gapMs = address.kind === 'tcp' ? 0 : gapOf(address);

  line.listen((bytes) => {
    state.quietAt = monotonic() + gapMs;
    const { waiting } = state;
    if (waiting === null) return;
    waiting.bytes = joined(waiting.bytes, bytes);
    waiting.look();
  }, hangUp);

  function hangUp(): void {
    state.isOpen = false;
    ended.abort();
    state.waiting?.look();
  }

  /**
   * What comes meanwhile is nobody's, and dropped; also what came while this process stood still, and would else be
   * heard only behind the next request, and taken for its answer.
   */
  async function quiet(until: number): Promise<void> {
    const waitMs = until - monotonic();
    if (waitMs > 0) await pause(waitMs, undefined, { signal: ended.signal }).catch(() => undefined);
    for (let turns = 0; turns < LAST_TURNS; turns += 1) await turn();
  }

  /** The last answer to this unit's requests that was not heard, while it may still come. */
  function owedBy({ unitId }: RegisterRead): Owed | null {
    const owed = owedByUnit.get(unitId) ?? null;
    if (owed === null || owed.until > monotonic()) return owed;
    owedByUnit.delete(unitId);
    return null;
  }

  async function once(read: RegisterRead, timeoutMs: number): Promise<WordsRead> {
    await quiet(state.quietAt);
    if (!state.isOpen) return trouble('UNPLUGGED');
    state.transaction = (state.transaction + 1) & 0xffff;
    const { transaction } = state;
    const answerIn = (bytes: Uint8Array): FrameRead =>
      address.kind === 'tcp' ? tcpAnswer(bytes, read, transaction) : rtuAnswer(bytes, read);
    const heard = new Promise<WordsRead>((resolve) => {
      const waiting: Waiting = { bytes: new Uint8Array(0), look: () => undefined };
      const end = (result: WordsRead) => {
        clearTimeout(timer);
        state.waiting = null;
        resolve(result);
      };
      const wait = (left: number): NodeJS.Timeout => {
        const due = performance.now() + timeoutMs;
        return setTimeout(() => {
          if (left > 1 && performance.now() - due > STOOD_STILL_MS) timer = wait(left - 1);
          else end(trouble(waiting.bytes.length === 0 ? 'NO_ANSWER' : 'GARBLED'));
        }, timeoutMs);
      };
      let timer = wait(MOST_WAITS);
      waiting.look = () => {
        if (!state.isOpen) return end(trouble('UNPLUGGED'));
        const frame = answerIn(waiting.bytes);
        if (frame.is === 'words') end(frame);
        else if (frame.is === 'exception') end(trouble('REFUSED', frame.exception));
        else if (waiting.bytes.length > MOST_BYTES) end(trouble('GARBLED'));
      };
      state.waiting = waiting;
    });
    line.write(address.kind === 'tcp' ? tcpRequest(read, transaction) : rtuRequest(read));
    state.sentAt = monotonic();
    state.quietAt = state.sentAt + gapMs;
    return heard;
  }

  async function patiently(read: RegisterRead, { timeoutMs, tries, lateMs }: Patience): Promise<WordsRead> {
    // the request itself takes its time on a slow line
    const onLineMs = address.kind === 'tcp' ? 0 : sendingMs(address, 13 + read.count * 2);
    const owed = owedBy(read);
    if (owed !== null && !isSameRead(owed.read, read)) await quiet(owed.until);
    for (let attempt = 1; ; attempt += 1) {
      const wasOwed = owedBy(read) !== null;
      const result = await once(read, timeoutMs + onLineMs);
      const isHeard = result.is === 'words' || result.code === 'REFUSED';
      // what was heard may have been owed from before, and its own answer comes now; over TCP each names its request
      if (address.kind === 'tcp' || (isHeard && !wasOwed)) owedByUnit.delete(read.unitId);
      else owedByUnit.set(read.unitId, { read, until: state.sentAt + onLineMs + lateMs });
      // who refuses has understood; asking again changes nothing
      const isFinal = result.is === 'words' || result.code === 'REFUSED' || result.code === 'UNPLUGGED';
      if (isFinal || attempt >= tries) return result;
    }
  }

  return {
    read(read, patience) {
      const result = queue.then(() => patiently(read, patience));
      queue = result.catch(() => undefined);
      return result;
    },
    isOpen: () => state.isOpen,
    async close() {
      hangUp();
      await line.close();
    },
  };
}

const isSameRead = (a: RegisterRead, b: RegisterRead): boolean =>
  a.functionCode === b.functionCode && a.address === b.address && a.count === b.count;

const trouble = (code: Extract<WordsRead, { is: 'trouble' }>['code'], exception: number | null = null) =>
  ({ is: 'trouble', code, exception }) as const;

const bitsPerCharacter = ({ parity, stopBits }: BusAddress) => 9 + (parity === 'none' ? 0 : 1) + stopBits;

const sendingMs = (address: BusAddress, bytes: number) =>
  (bytes * bitsPerCharacter(address) * 1_000) / address.baud;

function gapOf(address: BusAddress): number {
  return Math.max(TURN_ROUND_MS, sendingMs(address, 3.5));
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Opens a serial port for this program alone. */
async function openSerial({ device, baud, parity, stopBits }: BusAddress): Promise<ByteLinkOpened> {
  const found = await portOf(device ?? '');
  if (found.is === 'trouble') return found;
  try {
    const port = await openPort(found.path, baud, { parity, stopBits: stopBits === 2 ? 2 : 1 });
    return { is: 'open', link: linkOf(port) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND')
      return { is: 'trouble', code: 'SERIAL_MISSING' };
    return { is: 'trouble', code: TROUBLE[asPortTrouble(error, found.path).fault] };
  }
}

async function portOf(device: string): Promise<Found> {
  if (/^(\\\\\.\\)?COM\d{1,3}$/i.test(device)) return { is: 'port', path: device };
  try {
    // names by id are links to the port
    const path = await realpath(device);
    const isPort = SERIAL_PORTS.some((pattern) => pattern.test(path));
    return isPort ? { is: 'port', path } : { is: 'trouble', code: 'NOT_A_SERIAL_PORT' };
  } catch {
    return { is: 'trouble', code: 'PORT_NOT_FOUND' };
  }
}

/** Connects to a probe or a serial server on the farm network; what a name leads to is checked, too. */
async function openSocket(
  { isOnFarmNetwork }: { isOnFarmNetwork: (address: string) => boolean },
  { host, port }: BusAddress,
): Promise<ByteLinkOpened> {
  const address = await addressOf(host ?? '');
  if (address === null) return { is: 'trouble', code: 'UNREACHABLE' };
  if (!isOnFarmNetwork(address)) return { is: 'trouble', code: 'NOT_ON_FARM_NETWORK' };
  const socket = connect({ host: address, port, noDelay: true, timeout: CONNECT_MS });
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('timeout', () => resolve(false));
    socket.once('close', () => resolve(false));
    // 'close' follows
    socket.on('error', () => undefined);
  });
  if (!isConnected) {
    socket.destroy();
    return { is: 'trouble', code: 'UNREACHABLE' };
  }
  socket.setTimeout(0);
  // a serial server that lost its power says nothing
  socket.setKeepAlive(true, 30_000);
  return {
    is: 'open',
    link: {
      write: (bytes) => void socket.write(bytes),
      listen(onBytes, onClose) {
        socket.on('data', onBytes);
        socket.once('close', onClose);
        if (socket.destroyed) onClose();
      },
      close: () =>
        new Promise((resolve) => {
          if (socket.closed) return resolve();
          socket.once('close', () => resolve());
          socket.destroy();
        }),
    },
  };
}

async function addressOf(host: string): Promise<string | null> {
  if (isIP(host) !== 0) return host;
  // a name server that does not answer is not waited for
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), CONNECT_MS);
  });
  const found = lookup(host).then(
    ({ address }) => address,
    () => null,
  );
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls `turn` again and again, each time after the milliseconds it answered. `stop` wakes it from its rest and resolves
 * when the last turn is over. A turn must not reject.
 */
export function keepTurning(turn: () => Promise<number>): { stop: () => Promise<void> } {
  const state = { isStopped: false, wake: () => undefined as void };
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      state.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async () => {
    while (!state.isStopped) {
      const ms = await turn();
      // at least once through the event loop: control comes first
      if (!state.isStopped) await rest(Math.max(1, ms));
    }
  };
  const done = run();
  return {
    async stop() {
      state.isStopped = true;
      state.wake();
      await done;
    },
  };
}
