import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type GatewayFrame, gatewayFrame, type HostedFrame, MOST_SHAPE } from '#contract/sync/wire.ts';
import { markProved } from '#core/bounded-connections.ts';
import { AppError } from '#core/errors.ts';
import { isBeyond } from '#core/json-shape.ts';
import type { Log } from '#core/kernel.ts';
import { type Upgrade as AnyUpgrade, refuseUpgrade, takeUpgrades } from '#core/upgrades.ts';
import type { Bus, BusMessage, GatewayCaller, HostedLiveParts } from '../../sync/ports.ts';
import { callerOf, type GatewayByToken } from './hosted-http.ts';

type Upgrade = AnyUpgrade<IncomingMessage, Duplex>;

/** Frames a gateway may send at once and in the long run; a farm at its busiest sends a few a second. */
const BURST = 100;
const FRAMES_PER_S = 20;
/** A gateway that takes nothing for so long that this waits is not there. */
const MOST_UNSENT_BYTES = 1024 * 1024;
/** Bytes of frames that wait for the one that is taken: while the database is slow nobody's fill the memory. */
const MOST_UNTAKEN_BYTES = 2 * 1024 * 1024;
/** Beats, s, after which each line is proved. */
const TURNS = 25;
/** Proofs after which the head of the feed is said again, five minutes: a sentence between two processes may get lost. */
const HEAD_EVERY_BEATS = 12;
/** Pings without an answer after which a line is dead. */
const MISSES = 2;
/** Frames with which a gateway answers one order: the question, and how far it got. */
const ANSWERS_AN_ORDER = 4;

const CLOSE = { newer: 4001, revoked: 4003, tooFast: 4008, malformed: 4007, stopping: 1001 } as const;

export type LiveSocketsDeps = {
  parts: HostedLiveParts;
  /** `report` and `outage`: what a gateway tells of itself. */
  told: (caller: GatewayCaller, frame: Extract<GatewayFrame, { is: 'report' | 'outage' }>) => Promise<void>;
  /** How far the feed of a stream goes; null: that gateway is paired no longer. */
  headOf: (streamId: number) => Promise<number | null>;
  /** Whether another start of the gateway signed in since. */
  isOvertaken: (caller: GatewayCaller) => Promise<boolean>;
  bus: Bus;
  now: () => number;
  monotonic: () => number;
  log: Log;
  refused: (reason: string) => void;
};

type Live = {
  id: string;
  openedAtMs: number;
  caller: GatewayCaller;
  socket: Pick<WebSocket, 'send' | 'close' | 'ping' | 'terminate' | 'bufferedAmount' | 'readyState'>;
  misses: number;
  beats: number;
  tokens: number;
  tokensAt: number;
  /** Sends what waits, one look at a time. */
  commanding: { isRunning: boolean; isWanted: boolean };
  /** Frames are taken one after another: what was said first counts first. */
  taking: { isRunning: boolean; waiting: string[]; bytes: number };
};

const OPEN = 1;

/** The live sockets of this process: one per gateway, the newest, also among the processes of the instance. */
export function createLiveSockets(deps: LiveSocketsDeps) {
  const byStream = new Map<number, Live>();
  const streamByGateway = new Map<string, number>();
  const counts = { framesIn: 0, framesOut: 0, opened: 0 };
  const state = { turn: 0 };
  const isCurrent = (live: Live) => byStream.get(live.caller.streamId) === live;

  function send(live: Live, frame: HostedFrame): void {
    if (live.socket.readyState !== OPEN) return;
    if (live.socket.bufferedAmount > MOST_UNSENT_BYTES) return live.socket.terminate();
    counts.framesOut += 1;
    live.socket.send(JSON.stringify(frame));
  }

  function drop(live: Live, code: number, reason: string): void {
    forget(live);
    live.socket.close(code, reason);
  }

  function forget(live: Live): void {
    live.taking.waiting = [];
    if (!isCurrent(live)) return;
    byStream.delete(live.caller.streamId);
    streamByGateway.delete(live.caller.gatewayId);
    deps.bus.unfollow(live.caller.streamId);
    deps.parts.connected(live.caller.streamId, false);
  }

  async function sendCommands(live: Live): Promise<void> {
    live.commanding.isWanted = true;
    if (live.commanding.isRunning) return;
    live.commanding.isRunning = true;
    try {
      while (live.commanding.isWanted && live.socket.readyState === OPEN) {
        live.commanding.isWanted = false;
        for (const frame of await deps.parts.commandsToSend(live.caller.streamId)) {
          live.tokens += ANSWERS_AN_ORDER;
          send(live, frame);
        }
      }
    } finally {
      live.commanding.isRunning = false;
    }
  }

  const unheard = deps.bus.hear((message, from) => {
    if (message.is === 'gap') return everySocket(greet);
    const live = 'streamId' in message ? byStream.get(message.streamId) : undefined;
    if (live !== undefined) follow(live, message, from);
    else if (message.is === 'rows') void lookAtGateways(message);
  });

  function follow(live: Live, message: BusMessage, from: 'here' | 'elsewhere'): void {
    if (message.is === 'command') sendCommands(live).catch(failed);
    if (message.is === 'stream') send(live, { is: 'poke', head: message.head });
    // its sentence may come after ours was said: a gateway that reconnects is faster than the bus
    if (message.is === 'socket' && from === 'elsewhere' && message.openedAtMs > live.openedAtMs)
      drop(live, CLOSE.newer, 'a newer connection of this gateway took over');
  }

  /** A gateway that was unpaired hears of it now, not when its token ends. */
  async function lookAtGateways({ rows }: Extract<BusMessage, { is: 'rows' }>): Promise<void> {
    for (const { table, id } of rows) {
      const live = table === 'gateways' ? byStream.get(streamByGateway.get(id) ?? -1) : undefined;
      if (live !== undefined) await greet(live, { isNew: false }).catch(failed);
    }
  }

  /** Tells where the feed stands, and orders that wait; ends the connection of a gateway that is paired no longer. */
  async function greet(live: Live, { isNew }: { isNew: boolean } = { isNew: true }): Promise<void> {
    const head = await deps.headOf(live.caller.streamId);
    if (head === null) {
      send(live, { is: 'revoked' });
      return drop(live, CLOSE.revoked, 'this gateway was unpaired');
    }
    if (!isNew) {
      if (!(await deps.isOvertaken(live.caller))) return;
      return drop(live, CLOSE.newer, 'another start of this gateway signed in');
    }
    send(live, { is: 'poke', head });
    await sendCommands(live);
  }

  function everySocket(run: (live: Live) => Promise<void>): void {
    for (const live of byStream.values()) run(live).catch(failed);
  }

  const failed = (error: unknown) =>
    deps.log.warn({ err: error }, 'a live connection to a gateway could not be served');

  /** What a connection had told and was not taken when it ended is not kept: its gateway tells it again. */
  async function takeWaiting(live: Live): Promise<void> {
    const { taking } = live;
    if (taking.isRunning) return;
    taking.isRunning = true;
    for (
      let text = taking.waiting.shift();
      text !== undefined && isCurrent(live);
      text = taking.waiting.shift()
    ) {
      await take(live, text).catch(failed);
      taking.bytes -= text.length;
    }
    taking.isRunning = false;
  }

  async function take(live: Live, text: string): Promise<void> {
    const said = parsed(text);
    if (said === undefined) {
      deps.refused('frame malformed');
      return drop(live, CLOSE.malformed, 'a frame was not JSON, or nested too deeply');
    }
    const frame = gatewayFrame.safeParse(said);
    // a newer gateway may say more than this version understands
    if (!frame.success) return deps.refused('frame not understood');
    const { streamId } = live.caller;
    if (frame.data.is === 'ask_still') {
      const { id, ask } = frame.data;
      send(live, { is: 'still', id, ask, left_ms: await deps.parts.still(streamId, id) });
    } else if (frame.data.is === 'command_state') await deps.parts.commandState(streamId, frame.data);
    else if (frame.data.is === 'live') deps.parts.live(streamId, frame.data);
    else await deps.told(live.caller, frame.data);
  }

  return {
    /** Takes over an accepted connection. Answers what its events are handed to. */
    open(caller: GatewayCaller, socket: Live['socket']) {
      const live: Live = {
        id: randomUUID(),
        openedAtMs: deps.now(),
        caller,
        socket,
        misses: 0,
        beats: 0,
        tokens: BURST,
        tokensAt: deps.monotonic(),
        commanding: { isRunning: false, isWanted: false },
        taking: { isRunning: false, waiting: [], bytes: 0 },
      };
      const older = byStream.get(caller.streamId);
      byStream.set(caller.streamId, live);
      streamByGateway.set(caller.gatewayId, caller.streamId);
      counts.opened += 1;
      // what was sent over an older one, that nobody knows to be dead yet, may not have come either
      deps.parts.connected(caller.streamId, true);
      older?.socket.close(CLOSE.newer, 'a newer connection of this gateway took over');
      const { id: socketId, openedAtMs } = live;
      deps.bus.tell({ is: 'socket', streamId: caller.streamId, socket: socketId, openedAtMs });
      // what was said before it is followed stands in the database by then
      deps.bus
        .follow(caller.streamId)
        .then(() => greet(live))
        .catch(failed);
      return {
        message: (text: string) => {
          counts.framesIn += 1;
          // it goes on sending until it hears that it was ended
          if (!isCurrent(live)) return;
          if (!hasToken(live, deps.monotonic()) || live.taking.bytes + text.length > MOST_UNTAKEN_BYTES) {
            deps.refused('frames too fast');
            return drop(live, CLOSE.tooFast, 'too many frames');
          }
          live.taking.waiting.push(text);
          live.taking.bytes += text.length;
          void takeWaiting(live);
        },
        pong: () => {
          live.misses = 0;
        },
        closed: () => forget(live),
      };
    },
    /**
     * Called every second: proves the lines whose turn it is, each every 25 seconds, and ends those that are dead. Thousands at
     * once would hold up orders for a tenth of a second.
     */
    beat(): void {
      state.turn = (state.turn + 1) % TURNS;
      for (const live of byStream.values()) {
        if (live.caller.streamId % TURNS !== state.turn) continue;
        if (live.misses >= MISSES) {
          forget(live);
          live.socket.terminate();
          continue;
        }
        live.misses += 1;
        live.beats += 1;
        live.socket.ping();
        if (live.beats % HEAD_EVERY_BEATS === 0) greet(live).catch(failed);
      }
    },
    /** Asks a gateway to push nothing for a while. */
    pauseAll(ms: number): void {
      for (const live of byStream.values()) send(live, { is: 'pause', ms });
    },
    closeAll(): void {
      unheard();
      for (const live of byStream.values()) drop(live, CLOSE.stopping, 'this process stops');
    },
    isConnected: (streamId: number) => byStream.has(streamId),
    counts: () => ({ ...counts, open: byStream.size }),
  };
}

export type LiveSockets = ReturnType<typeof createLiveSockets>;

function hasToken(live: Live, now: number): boolean {
  const inTime = live.tokens + (Math.max(0, now - live.tokensAt) / 1000) * FRAMES_PER_S;
  // what an order was given stays until it is used
  live.tokens = Math.max(live.tokens, Math.min(BURST, inTime));
  live.tokensAt = now;
  if (live.tokens < 1) return false;
  live.tokens -= 1;
  return true;
}

/** undefined: no JSON. */
function parsed(text: string): unknown {
  try {
    return isBeyond(Buffer.from(text), MOST_SHAPE) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const PATH = '/sync/v1/live';
const MAX_FRAME_BYTES = 1024 * 1024;
const BEAT_MS = 1_000;
/** Connections whose token is being looked at; a storm of them waits outside. */
const MOST_ENTERING = 256;

export type LiveUpgradeDeps = {
  log: Log;
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

  async function enter({ request, socket, head }: Upgrade): Promise<void> {
    const caller = await callerOf(deps, request);
    if (socket.destroyed) return;
    markProved(socket, caller.gatewayId);
    accepting.handleUpgrade(request, socket, head, (accepted) => serve(caller, accepted));
  }

  function serve(caller: GatewayCaller, accepted: WebSocket): void {
    const live = deps.sockets.open(caller, accepted);
    accepted.on('message', (data: Buffer, isBinary) => {
      live.message(isBinary ? '' : data.toString('utf8'));
    });
    accepted.on('pong', live.pong);
    accepted.on('close', live.closed);
    // what breaks a connection closes it, too
    accepted.on('error', () => undefined);
  }

  function take(upgrade: Upgrade): void {
    if (entering.count >= MOST_ENTERING) return refuse(upgrade, busy());
    entering.count += 1;
    enter(upgrade)
      .catch((error: unknown) => {
        const expected = error instanceof AppError ? error : busy();
        deps.refused(`${expected.status} ${expected.extras.code ?? ''}`, deps.sourceOf(upgrade.request));
        refuse(upgrade, expected);
      })
      .finally(() => {
        entering.count -= 1;
      });
  }

  const takeNoMore = takeUpgrades<IncomingMessage, Duplex>(server, {
    path: PATH,
    log: deps.log,
    take,
    refusePath: (upgrade) => refuse(upgrade, new AppError(404, 'There is nothing here')),
  });
  const beat = setInterval(deps.sockets.beat, BEAT_MS);
  beat.unref();
  return {
    stop() {
      clearInterval(beat);
      takeNoMore();
      deps.sockets.closeAll();
    },
  };
}

const busy = () =>
  new AppError(503, 'Too many gateways connect at once; please come again', {
    code: 'SYNC_BUSY',
    headers: { 'Retry-After': '5' },
  });

function refuse(upgrade: Upgrade, { status, message, extras }: AppError): void {
  refuseUpgrade(upgrade, `${status} Refused`, {
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...extras.headers },
    body: JSON.stringify({ detail: message, code: extras.code }),
  });
}
