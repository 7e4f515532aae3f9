import type { Socket } from 'node:net';
import { createBoundedConnections } from '#core/bounded-connections.ts';

// Handshakes are the one thing a stranger can make the gateway compute for: they wait in line, address by address, and
// never take more than about half of the time of the event loop, so that orders and schedules go on beside a flood.

export type GateBounds = {
  /** Connections before and within their handshake; the oldest give way, of the address that holds most. */
  maxOpen: number;
  maxOpenPerSource: number;
  /** Handshakes begun and not finished; most of such a time is spent by the other side. */
  maxUnderWay: number;
  /** So that one address cannot hold all places with handshakes it does not finish. */
  maxUnderWayPerSource: number;
  /** Handshakes begun before the event loop turns. */
  perTurn: number;
  /** For the first byte to come. */
  firstByteMs: number;
  /** For the rest, from when its turn came. */
  handshakeMs: number;
  /** A handshake gives way to one that waits after so long. A small controller computes for some seconds. */
  patienceMs: number;
};

/** Two hundred controllers may come at once, also from behind one address; a small controller computes for seconds. */
export const GATE_BOUNDS: GateBounds = {
  maxOpen: 2_000,
  maxOpenPerSource: 500,
  maxUnderWay: 400,
  maxUnderWayPerSource: 250,
  perTurn: 4,
  firstByteMs: 10_000,
  handshakeMs: 15_000,
  patienceMs: 5_000,
};

export type GateRefusal = 'tls_full' | 'tls_silent' | 'tls_timeout';

export type GateDeps = {
  monotonic: () => number;
  /** Calls `run` after so many milliseconds; answers the way to call it off. */
  later: (ms: number, run: () => void) => () => void;
  bounds?: Partial<GateBounds>;
};

export type Handshake = {
  socket: Socket;
  source: string;
  /** Begins the handshake; calls the given function once when it is over, however it ended. */
  begin: (over: () => void) => void;
  refused: (why: GateRefusal) => void;
};

export type HandshakeGate = {
  admit: (handshake: Handshake) => void;
  /** Connections before and within their handshake. */
  open: () => number;
  /** Handshakes begun since the start. */
  begun: () => number;
};

type Waiting = Handshake & { callOff: () => void };
type Source = { open: number; underWay: number; line: Waiting[] };
type UnderWay = { handshake: Handshake; since: number };

export function createHandshakeGate(deps: GateDeps): HandshakeGate {
  const bounds = { ...GATE_BOUNDS, ...deps.bounds };
  const sources = new Map<string, Source>();
  const counts = { open: 0, underWay: 0, begun: 0 };
  /** Oldest first. */
  const underWay = new Set<UnderWay>();
  const connections = createBoundedConnections<Handshake>({
    bounds: { most: bounds.maxOpen, mostPerSource: bounds.maxOpenPerSource },
    end: (handshake) => cut(handshake, 'tls_full'),
  });
  let isPumping = false;
  let isRoomAwaited = false;

  function admit(handshake: Handshake): void {
    const { socket, source } = handshake;
    const from = sources.get(source) ?? { open: 0, underWay: 0, line: [] };
    sources.set(source, from);
    counts.open += 1;
    from.open += 1;
    const stopWaiting = deps.later(bounds.firstByteMs, () => cut(handshake, 'tls_silent'));
    const waiting: Waiting = { ...handshake, callOff: stopWaiting };
    let hasLeft = false;
    // a handshake that fails ends twice: with its socket and with its TLS
    const left = () => {
      if (hasLeft) return;
      hasLeft = true;
      connections.remove(handshake);
      waiting.callOff();
      const place = from.line.indexOf(waiting);
      if (place !== -1) from.line.splice(place, 1);
      counts.open -= 1;
      from.open -= 1;
      if (from.open === 0) sources.delete(source);
    };
    socket.once('close', left);
    connections.add(handshake, source);
    // nothing is computed for a connection that says nothing; what it said waits in the socket
    socket.once('readable', () => {
      if (socket.destroyed) return;
      waiting.callOff();
      waiting.callOff = () => undefined;
      from.line.push(waiting);
      pump();
    });
    waiting.begin = (over) => {
      // from here on it counts as under way, and the socket belongs to the handshake
      handshake.begin(() => {
        socket.off('close', left);
        left();
        over();
      });
    };
  }

  function cut({ socket, refused }: Handshake, why: GateRefusal): void {
    refused(why);
    socket.destroy();
  }

  /** Begins what may begin, in turns of the event loop, with as much rest between as the last turn took. */
  function pump(): void {
    if (isPumping) return;
    isPumping = true;
    const turn = () => {
      const startedAt = deps.monotonic();
      let left = bounds.perTurn;
      for (; left > 0; left -= 1) {
        const next = takeNext();
        if (next === null) break;
        beginOne(next);
      }
      if (left === bounds.perTurn) {
        isPumping = false;
        return;
      }
      // by then the handshakes have been computed, and whatever else was waiting has had its turn
      setImmediate(() => deps.later(Math.max(1, Math.ceil(deps.monotonic() - startedAt)), turn));
    };
    turn();
  }

  function beginOne(next: Waiting): void {
    const from = sources.get(next.source);
    if (from === undefined) return;
    counts.underWay += 1;
    counts.begun += 1;
    from.underWay += 1;
    const stopWaiting = deps.later(bounds.handshakeMs, () => cut(next, 'tls_timeout'));
    const begun = { handshake: next, since: deps.monotonic() };
    underWay.add(begun);
    next.begin(() => {
      stopWaiting();
      underWay.delete(begun);
      counts.underWay -= 1;
      from.underWay -= 1;
      pump();
    });
  }

  /** The address that was served longest ago comes first. */
  function takeNext(): Waiting | null {
    if (counts.underWay >= bounds.maxUnderWay) {
      makeRoom();
      return null;
    }
    for (const [source, from] of sources) {
      if (from.line.length === 0 || from.underWay >= bounds.maxUnderWayPerSource) continue;
      const next = from.line.shift();
      if (next === undefined) continue;
      sources.delete(source);
      sources.set(source, from);
      return next;
    }
    return null;
  }

  /** The oldest handshake has had its time when another one waits. */
  function makeRoom(): void {
    const [oldest] = underWay;
    if (isRoomAwaited || oldest === undefined) return;
    if (![...sources.values()].some(({ line }) => line.length > 0)) return;
    const left = oldest.since + bounds.patienceMs - deps.monotonic();
    if (left <= 0) return cut(oldest.handshake, 'tls_timeout');
    isRoomAwaited = true;
    deps.later(left, () => {
      isRoomAwaited = false;
      pump();
    });
  }

  return { admit, open: () => counts.open, begun: () => counts.begun };
}
