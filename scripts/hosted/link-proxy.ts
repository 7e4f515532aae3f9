import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

// A bad line to the farm, as a TCP proxy on this machine: it delays, it is narrow, it breaks, or it swallows what is
// sent and tells nobody.

export type Line = {
  /** Time for a byte to go there and back. */
  roundTripMs: number;
  /** In each direction, for all connections together; null: as fast as the machine. */
  bytesPerSecond: number | null;
};

export type LinkProxy = {
  port: number;
  /** From now on the line is like this; what is under way keeps its time. */
  set(line: Partial<Line>): void;
  /** Breaks every connection and refuses new ones until `restore`. */
  cut(): void;
  /**
   * Half open: connections stay and new ones are taken, but no byte arrives, in either direction. Those that lost
   * bytes break at `restore`, as after a router that forgot them.
   */
  swallow(): void;
  restore(): void;
  /** Connections now, and all that ever were; bytes that arrived on the far side and came back. */
  counts(): { open: number; connections: number; bytesThere: number; bytesBack: number };
  close(): Promise<void>;
};

/** More than this waits in the sender, as it would behind a real line. */
const MOST_WAITING_BYTES = 256 * 1024;

type State = {
  line: Line;
  mode: 'whole' | 'cut' | 'swallowing';
  connections: number;
  bytesThere: number;
  bytesBack: number;
};

/** When the line in one direction is free again; shared by all connections. */
type Direction = { name: 'bytesThere' | 'bytesBack'; freeAt: number };

type Pair = { near: Socket; far: Socket; hasLost: boolean; timers: Set<NodeJS.Timeout> };

export async function openLinkProxy(
  target: { port: number; host?: string },
  line: Partial<Line> = {},
  listen: { port: number } = { port: 0 },
): Promise<LinkProxy> {
  const state: State = {
    line: { roundTripMs: 0, bytesPerSecond: null, ...line },
    mode: 'whole',
    connections: 0,
    bytesThere: 0,
    bytesBack: 0,
  };
  const there: Direction = { name: 'bytesThere', freeAt: 0 };
  const back: Direction = { name: 'bytesBack', freeAt: 0 };
  const pairs = new Set<Pair>();

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (state.mode === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: target.port, host: target.host ?? '127.0.0.1', allowHalfOpen: true });
    const pair: Pair = { near, far, hasLost: false, timers: new Set() };
    pairs.add(pair);
    state.connections += 1;
    const end = () => breakPair(pair, pairs);
    for (const socket of [near, far]) socket.setNoDelay(true).on('error', end).on('close', end);
    // a connection costs a round trip before its first byte sets out
    const opensAt = performance.now() + state.line.roundTripMs;
    pump({ from: near, to: far, direction: there, opensAt, pair, state });
    pump({ from: far, to: near, direction: back, opensAt: 0, pair, state });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(listen.port, '127.0.0.1', resolve);
  });

  return {
    // listening on a port, not on a pipe
    port: (server.address() as AddressInfo).port,
    set(change) {
      Object.assign(state.line, change);
    },
    cut() {
      state.mode = 'cut';
      for (const pair of pairs) breakPair(pair, pairs);
    },
    swallow() {
      state.mode = 'swallowing';
    },
    restore() {
      state.mode = 'whole';
      for (const pair of pairs) if (pair.hasLost) breakPair(pair, pairs);
    },
    counts: () => ({
      open: pairs.size,
      connections: state.connections,
      bytesThere: state.bytesThere,
      bytesBack: state.bytesBack,
    }),
    async close() {
      for (const pair of pairs) breakPair(pair, pairs);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Pump = {
  from: Socket;
  to: Socket;
  direction: Direction;
  opensAt: number;
  pair: Pair;
  state: State;
};

function pump({ from, to, direction, opensAt, pair, state }: Pump): void {
  let waiting = 0;
  /** Bytes of one connection never overtake each other, whatever became of the line meanwhile. */
  let lastAt = 0;
  /** Timers of the same moment fire in any order, so each delivers what is next, not what it was set for. */
  const underWay: (() => void)[] = [];

  function later(bytes: number, deliver: () => void): void {
    const now = performance.now();
    const { roundTripMs, bytesPerSecond } = state.line;
    if (bytesPerSecond !== null) {
      direction.freeAt = Math.max(direction.freeAt, now) + (bytes / bytesPerSecond) * 1_000;
    }
    const sentAt = Math.max(bytesPerSecond === null ? now : direction.freeAt, opensAt);
    lastAt = Math.max(sentAt + roundTripMs / 2, lastAt);
    underWay.push(deliver);
    const timer = setTimeout(
      () => {
        pair.timers.delete(timer);
        const next = underWay.shift();
        if (state.mode === 'swallowing') pair.hasLost = true;
        else next?.();
      },
      Math.ceil(lastAt - now),
    );
    pair.timers.add(timer);
  }

  from.on('data', (chunk: Buffer) => {
    waiting += chunk.length;
    if (waiting > MOST_WAITING_BYTES) from.pause();
    later(chunk.length, () => {
      state[direction.name] += chunk.length;
      to.write(chunk);
      waiting -= chunk.length;
      if (waiting <= MOST_WAITING_BYTES) from.resume();
    });
  });
  from.on('end', () => later(0, () => to.end()));
}

function breakPair(pair: Pair, pairs: Set<Pair>): void {
  if (!pairs.delete(pair)) return;
  for (const timer of pair.timers) clearTimeout(timer);
  // what is written already is on its way; the rest is lost
  for (const socket of [pair.near, pair.far]) socket.destroy();
}
