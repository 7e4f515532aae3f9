import { type RawData, WebSocket } from 'ws';
import { type HostedFrame, hostedFrame, MOST_SHAPE } from '#contract/sync/wire.ts';
import { isBeyond } from '#core/json-shape.ts';
import type { Log } from '#core/kernel.ts';
import { waitAfter } from '../../sync/gateway/outcomes.ts';
import type { LiveHandlers, LiveLine } from '../../sync/gateway/ports.ts';
import { HostedRefused, hostedAddress } from './ask-hosted.ts';

// The live socket: outbound, so that no farm opens a port. It carries orders and news that something waits; everything
// it says can be lost without harm, and nothing rests on it being up.

const PING_EVERY_MS = 25_000;
const DEAD_AFTER_MISSES = 2;
const HANDSHAKE_MS = 10_000;
const MAX_FRAME_BYTES = 65_536;
/** A socket that lives shorter was none. */
const STEADY_MS = 10_000;
/** More than this unsent means the line is stuck; what is true a minute later is sent then. */
const MAX_BEHIND_BYTES = 1_048_576;
const MOST_REFUSED_FRAMES = 20;

export type GatewaySocketDeps = {
  hostedUrl: () => Promise<string | null>;
  sessionToken: () => Promise<string>;
  forgetToken: () => void;
  monotonic: () => number;
  later: (ms: number, run: () => void) => () => void;
  random: () => number;
  log: Log;
};

type Life = {
  heard: LiveHandlers;
  socket: WebSocket | null;
  callOff: (() => void) | null;
  /** Tries in a row that nobody answered. */
  silent: number;
  /** Answers since the last line that held, none of which led to one. */
  useless: number;
};

export function gatewaySocket(deps: GatewaySocketDeps): LiveLine {
  const own = { life: null as Life | null };

  function open(heard: LiveHandlers): void {
    close();
    const life: Life = { heard, socket: null, callOff: null, silent: 0, useless: 0 };
    own.life = life;
    void connect(life);
  }

  function close(): void {
    const { life } = own;
    own.life = null;
    if (life === null) return;
    life.callOff?.();
    const { socket } = life;
    if (socket === null) return;
    if (socket.readyState === WebSocket.OPEN) life.heard.closed();
    // no farewell: a line that hangs would keep the program waiting for it
    socket.terminate();
  }

  const isCurrent = (life: Life) => own.life === life;

  async function connect(life: Life): Promise<void> {
    try {
      const [url, token] = [await deps.hostedUrl(), await deps.sessionToken()];
      if (!isCurrent(life)) return;
      const address = url === null ? null : hostedAddress(url);
      if (address === null || !address.ok)
        return again(life, { isUnreachable: false, retryAfterMs: 300_000 });
      follow(life, new WebSocket(liveUrl(address.url), socketOptions(token)));
    } catch (error) {
      again(life, { isUnreachable: !(error instanceof HostedRefused), retryAfterMs: null });
    }
  }

  function follow(life: Life, socket: WebSocket): void {
    life.socket = socket;
    const line = {
      openedAt: null as number | null,
      missed: 0,
      refused: 0,
      retryAfterMs: null as number | null,
    };
    let isAnswered = false;
    const stopPings = () => life.callOff?.();
    const ping = () => {
      if (line.missed >= DEAD_AFTER_MISSES) return socket.terminate();
      line.missed += 1;
      socket.ping();
      life.callOff = deps.later(PING_EVERY_MS, ping);
    };
    socket.on('unexpected-response', (_request, response) => {
      isAnswered = true;
      line.retryAfterMs = refusedFor(response.statusCode ?? 0, response.headers['retry-after']);
      if (response.statusCode === 401) deps.forgetToken();
      response.destroy();
      socket.terminate();
    });
    socket.on('open', () => {
      isAnswered = true;
      life.silent = 0;
      line.openedAt = deps.monotonic();
      if (!isCurrent(life)) return socket.terminate();
      life.callOff = deps.later(PING_EVERY_MS, ping);
      life.heard.opened();
    });
    const alive = () => {
      line.missed = 0;
      if (isCurrent(life)) life.heard.alive();
    };
    socket.on('pong', alive);
    socket.on('ping', alive);
    socket.on('message', (data, isBinary) => {
      alive();
      if (!isCurrent(life)) return;
      const frame = isBinary ? null : frameOf(data);
      if (frame !== null) return tell(life.heard, frame);
      line.refused += 1;
      if (line.refused === 1)
        deps.log.warn({}, 'a frame of the hosted instance was not understood; it is passed over');
      if (line.refused > MOST_REFUSED_FRAMES) socket.terminate();
    });
    // always followed by `close`
    socket.on('error', (error) => deps.log.debug({ err: error }, 'the live socket failed'));
    socket.on('close', () => {
      stopPings();
      if (!isCurrent(life)) return;
      const livedMs = line.openedAt === null ? 0 : deps.monotonic() - line.openedAt;
      if (livedMs >= STEADY_MS) life.useless = 0;
      if (line.openedAt !== null) life.heard.closed();
      again(life, { isUnreachable: !isAnswered || livedMs >= STEADY_MS, retryAfterMs: line.retryAfterMs });
    });
  }

  function again(life: Life, trouble: { isUnreachable: boolean; retryAfterMs: number | null }): void {
    if (!isCurrent(life)) return;
    life.socket = null;
    // a long night without the hosted instance says nothing of how it is once it is there
    life.silent = trouble.isUnreachable ? life.silent + 1 : 0;
    if (!trouble.isUnreachable) life.useless += 1;
    const failures = trouble.isUnreachable ? life.silent : life.useless;
    const [from, to] = waitAfter({ failures, ...trouble });
    life.callOff = deps.later(from + deps.random() * (to - from), () => void connect(life));
  }

  return {
    open,
    close,
    send(frame) {
      const socket = own.life?.socket ?? null;
      if (socket === null || socket.readyState !== WebSocket.OPEN) return false;
      if (socket.bufferedAmount > MAX_BEHIND_BYTES) {
        socket.terminate();
        return false;
      }
      socket.send(JSON.stringify(frame));
      return true;
    },
  };
}

function liveUrl({ href }: URL): string {
  return `${href.replace(/^http/, 'ws').replace(/\/+$/, '')}/sync/v1/live`;
}

function socketOptions(token: string) {
  return {
    headers: { Authorization: `Bearer ${token}` },
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_FRAME_BYTES,
    followRedirects: false,
    perMessageDeflate: false,
  };
}

/** How long a refused handshake keeps the gateway away; null: its own back-off. */
function refusedFor(status: number, retryAfter: string | undefined): number | null {
  const seconds = Number(retryAfter ?? Number.NaN);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  // unpaired: the requests beside the socket find out what is true
  return status === 403 ? 300_000 : null;
}

function frameOf(data: RawData): HostedFrame | null {
  try {
    // text frames of at most MAX_FRAME_BYTES arrive as one buffer
    const bytes = data as Buffer;
    if (isBeyond(bytes, MOST_SHAPE)) return null;
    const parsed = hostedFrame.safeParse(JSON.parse(bytes.toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function tell(heard: LiveHandlers, frame: HostedFrame): void {
  switch (frame.is) {
    case 'command':
      return heard.command(frame);
    case 'still':
      return heard.still(frame);
    case 'poke':
      return heard.poke(frame.head);
    case 'pause':
      return heard.pause(frame.ms);
    case 'revoked':
      return heard.revoked();
  }
}
