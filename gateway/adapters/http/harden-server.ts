import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { type ConnectionBounds, createBoundedConnections, PROVED } from '#core/bounded-connections.ts';
import { oneATurn } from '#core/one-a-turn.ts';
import { STRICT_HEADERS } from './request-frame.ts';

/** For `createServer`: what cannot be set afterwards. */
export const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: 16_384,
  // how often the time limits below are looked at: thousands that came in some seconds do not end at one moment
  connectionsCheckingInterval: 1_000,
};

/** Hears of a request that was refused: status and code, and the address it came from. */
export type Refused = (reason: string, source: string) => void;

const ANSWERS: Readonly<Record<string, { status: string; detail: string; code: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: 'Address and headers of the request are larger than 16 KiB',
    code: 'HEADERS_TOO_LARGE',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    detail: 'The request did not arrive in time; please try again',
    code: 'REQUEST_TIMEOUT',
  },
};
const MALFORMED = { status: '400 Bad Request', detail: 'The request could not be read', code: 'BAD_REQUEST' };

/** Bounds what slow, silent and broken clients may take, so that they cannot keep controllers out. */
export function hardenServer(server: Server, refused: Refused = () => {}): Server {
  server.headersTimeout = 15_000;
  // 1 MiB in two minutes is what the worst line of a farm still does
  server.requestTimeout = 120_000;
  // longer than the heartbeat interval: a controller keeps its connection from one report to the next
  server.keepAliveTimeout = 75_000;
  // a reader that takes nothing for so long does not come back; event streams beat far more often
  server.timeout = 120_000;
  server.maxHeadersCount = 100;
  server.maxConnections = 10_000;
  const inTurn = oneATurn();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = () => answerUnreadable(error, socket as Socket, refused);
    // all that ran out of time since the last look are told in one turn of the loop
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') inTurn(answer);
    else answer();
  });
  return server;
}

/** Requests that never reach the routes are answered in the same words as all others. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, refused: Refused): void {
  // an answer on its way must not be mixed with ours; Node's own handler looks at the same field
  const { _httpMessage: onItsWay = null } = socket as Socket & { _httpMessage?: object | null };
  if (error.code === 'ECONNRESET' || !socket.writable || onItsWay !== null) {
    socket.destroy();
    return;
  }
  const { status, detail, code } = ANSWERS[error.code ?? ''] ?? MALFORMED;
  const body = JSON.stringify({ detail, code });
  refused(`${status.slice(0, 3)} ${code}`, socket.remoteAddress ?? '');
  const headers = {
    ...STRICT_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Far more than browsers of a farm open, and far less than a server may hold. */
const UNPROVED: ConnectionBounds = { most: 2_000, mostPerSource: 400 };
/** A farm's controllers have one each. With the others it is less than the server takes, so that there is always room. */
const PROVED_ONES: ConnectionBounds = { most: 7_500, mostPerSource: 400 };

/**
 * Bounds connections. One that says nothing, or asks for nothing but what anybody may see, gives way where many come; and of those
 * on which somebody has shown who it is, those of whoever holds most: so no number of them keeps a controller out, and neither
 * does an account.
 */
export function boundConnections(
  server: Server,
  deps: {
    /** Behind a proxy there are many: it bounds them itself. */
    isProxy: (address: string) => boolean;
    refused: (reason: string, source: string) => void;
    unproved?: ConnectionBounds;
    proved?: ConnectionBounds;
  },
): Server {
  const bounded = (bounds: ConnectionBounds, reason: string) =>
    createBoundedConnections<Socket>({
      bounds,
      end(socket) {
        deps.refused(reason, sourceOf(socket));
        socket.destroy();
      },
    });
  const unproved = bounded(deps.unproved ?? UNPROVED, 'unproved_evicted');
  const proved = bounded(deps.proved ?? PROVED_ONES, 'proved_evicted');
  return server.on('connection', (socket: Socket) => {
    const source = sourceOf(socket);
    if (deps.isProxy(source)) return;
    socket.once('close', () => {
      unproved.remove(socket);
      proved.remove(socket);
    });
    socket.once(PROVED, (who: string | null) => {
      unproved.remove(socket);
      if (who !== null && !socket.destroyed) proved.add(socket, who);
    });
    unproved.add(socket, source);
  });
}

const sourceOf = ({ remoteAddress }: Socket): string => remoteAddress?.replace(/^::ffff:/, '') ?? 'unknown';
