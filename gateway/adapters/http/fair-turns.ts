import type { IncomingMessage, ServerResponse } from 'node:http';
import { STRICT_HEADERS } from './request-frame.ts';

// Thousands of requests that are ready at the same moment would be handled in one turn of the event loop, and the reports
// of controllers, timers and orders would wait for all of them. So a turn of the loop handles requests for some
// milliseconds; the others wait, each source in a line of its own, and the lines take turns. What goes on with requests
// begun before counts to a turn: where their answers, new connections and reports fill it, little is begun in it.

export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export type FairTurns = {
  handle: Handle;
  /** Where a request comes from. */
  sourceOf: (request: IncomingMessage) => string;
  refused: (reason: string, source: string) => void;
  bounds?: Partial<TurnBounds>;
};
export type TurnBounds = {
  /** How long one turn of the loop handles requests, ms, with all else that it did. */
  sliceMs: number;
  /** How long it does so even where all else filled it. */
  leastMs: number;
  /** Requests of one source that wait; more are answered 503. */
  mostPerSource: number;
  /** Requests of all sources that wait. */
  most: number;
};

const BOUNDS: TurnBounds = { sliceMs: 4, leastMs: 0.5, mostPerSource: 128, most: 4_096 };
/** How many requests one turn may begin: a request that is answered at once takes some tenths of a millisecond. */
const STEPS = 32;
/** What controllers ask, and who looks whether this program lives: before the pages of people, one by one. */
const CONTROL = /^\/(?:api\/v1\/(?:devices|iot|control-points|aerators)\/|healthz|readyz)/;

type Waiting = { request: IncomingMessage; response: ServerResponse };
type Line = { source: string; waiting: Waiting[] };

/** Handles requests in turns. What comes while the loop has time is handled at once. */
export function fairTurns({ handle, sourceOf, refused, bounds }: FairTurns): Handle {
  const { sliceMs, leastMs, mostPerSource, most } = { ...BOUNDS, ...bounds };
  const control = createLines();
  const others = createLines();
  let turnBegan: number | null = null;
  let isControlNext = true;

  const isAny = () => control.count() + others.count() > 0;
  const hasTime = (began: number) => performance.now() - began < sliceMs;

  function endOfTurn(): void {
    turnBegan = null;
    if (!isAny()) return;
    const activeBefore = activeMs();
    let until: number | null = null;
    // each in an immediate of its own, so that what it goes on with before it waits counts to its time
    for (let n = 0; n < STEPS; n += 1)
      setImmediate(() => {
        const now = performance.now();
        turnBegan ??= now;
        until ??= now + Math.max(leastMs, sliceMs - (activeMs() - activeBefore));
        if (now < until) handleNext();
      });
    setImmediate(endOfTurn);
  }

  function handleNext(): void {
    const [first, second] = isControlNext ? [control, others] : [others, control];
    isControlNext = !isControlNext;
    const next = first.take() ?? second.take();
    // who went meanwhile needs no answer
    if (next !== null && !next.response.closed) handle(next.request, next.response);
  }

  return (request, response) => {
    if (turnBegan === null) {
      turnBegan = performance.now();
      if (!isAny()) setImmediate(endOfTurn);
    }
    if (!isAny() && hasTime(turnBegan)) return handle(request, response);
    const lines = CONTROL.test(request.url ?? '') ? control : others;
    const source = sourceOf(request);
    if (control.count() + others.count() < most && lines.add(source, { request, response }, mostPerSource))
      return;
    refused('too_many_waiting', source);
    refuse(response);
  };
}

/** How long the loop has worked since it began, ms: all but its waiting for something to do. */
const activeMs = () => performance.eventLoopUtilization().active;

/** What a socket takes without delay. */
const PIECE_BYTES = 65_536;

/** Ends an answer with those bytes, piece by piece: megabytes for hundreds of readers fill no turn of the loop. */
export function endInPieces(
  response: Pick<ServerResponse, 'write' | 'end'>,
  bytes: Buffer,
  inTurn: (work: () => void) => void,
): void {
  let from = 0;
  function next(): void {
    const piece = bytes.subarray(from, from + PIECE_BYTES);
    from += piece.length;
    if (from >= bytes.length) return void response.end(piece);
    // who went takes no more
    response.write(piece, (error) => {
      if (!error) inTurn(next);
    });
  }
  inTurn(next);
}

/** Lines of sources; the next is taken from each in turn. */
function createLines() {
  const lines = new Map<string, Line>();
  let ring: Line[] = [];
  let at = 0;
  let count = 0;
  return {
    count: () => count,
    add(source: string, one: Waiting, mostPerSource: number): boolean {
      const line = lines.get(source) ?? { source, waiting: [] };
      if (line.waiting.length >= mostPerSource) return false;
      if (line.waiting.length === 0) {
        lines.set(source, line);
        ring.push(line);
      }
      line.waiting.push(one);
      count += 1;
      return true;
    },
    take(): Waiting | null {
      while (count > 0) {
        if (at >= ring.length) {
          // a round is over: who has nothing left stands in it no more
          ring = ring.filter((line) => lines.get(line.source) === line);
          at = 0;
        }
        const line = ring[at];
        at += 1;
        const next = line?.waiting.shift();
        if (line === undefined || next === undefined) continue;
        if (line.waiting.length === 0) lines.delete(line.source);
        count -= 1;
        return next;
      }
      return null;
    },
  };
}

function refuse(response: ServerResponse): void {
  const body = JSON.stringify({
    detail: 'Too many requests wait for this instance; please try again in a moment',
    code: 'TOO_BUSY',
  });
  response.writeHead(503, {
    ...STRICT_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Retry-After': '2',
  });
  response.end(body);
}
