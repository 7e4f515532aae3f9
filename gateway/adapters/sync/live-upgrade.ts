import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '#core/errors.ts';
import { markProved } from '#core/unproved-connections.ts';
import type { GatewayCaller } from '../../sync/ports.ts';
import { callerOf, type GatewayByToken } from './hosted-http.ts';
import type { LiveSockets } from './live-sockets.ts';

const PATH = '/sync/v1/live';
const MAX_FRAME_BYTES = 1024 * 1024;
const BEAT_MS = 25_000;
/** Connections whose token is being looked at; a storm of them waits outside. */
const MOST_ENTERING = 256;

export type LiveUpgradeDeps = {
  sockets: LiveSockets;
  gatewayByToken: GatewayByToken;
  refused: (reason: string, source: string) => void;
  /** Where a request comes from. */
  sourceOf: (request: IncomingMessage) => string;
};

/** Takes the gateways' live connections from a server. Answers how to end them. */
export function attachLive(server: Server, deps: LiveUpgradeDeps): { stop: () => void } {
  // no compression: its windows would take far more memory than the few bytes of these frames
  const accepting = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const entering = { count: 0 };

  async function enter(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const caller = await callerOf(deps, request);
    if (socket.destroyed) return;
    markProved(socket);
    accepting.handleUpgrade(request, socket, head, (accepted) => take(caller, accepted));
  }

  function take(caller: GatewayCaller, accepted: WebSocket): void {
    const live = deps.sockets.open(caller, accepted);
    accepted.on('message', (data: Buffer, isBinary) => {
      live.message(isBinary ? '' : data.toString('utf8'));
    });
    accepted.on('pong', live.pong);
    accepted.on('close', live.closed);
    // what breaks a connection closes it, too
    accepted.on('error', () => undefined);
  }

  const listener = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.split('?')[0] !== PATH) {
      // another listener may want it; with none the connection would hang
      if (server.listenerCount('upgrade') === 1) refuse(socket, new AppError(404, 'There is nothing here'));
      return;
    }
    socket.on('error', () => undefined);
    if (entering.count >= MOST_ENTERING) return refuse(socket, busy());
    entering.count += 1;
    enter(request, socket, head)
      .catch((error: unknown) => {
        const expected = error instanceof AppError ? error : busy();
        deps.refused(`${expected.status} ${expected.extras.code ?? ''}`, deps.sourceOf(request));
        refuse(socket, expected);
      })
      .finally(() => {
        entering.count -= 1;
      });
  };
  server.on('upgrade', listener);
  const beat = setInterval(deps.sockets.beat, BEAT_MS);
  beat.unref();
  return {
    stop() {
      clearInterval(beat);
      server.off('upgrade', listener);
      deps.sockets.closeAll();
    },
  };
}

const busy = () =>
  new AppError(503, 'Too many gateways connect at once; please come again', {
    code: 'SYNC_BUSY',
    headers: { 'Retry-After': '5' },
  });

function refuse(socket: Duplex, { status, message, extras }: AppError): void {
  const body = JSON.stringify({ detail: message, code: extras.code });
  const headers = Object.entries(extras.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\n${headers.join('')}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
