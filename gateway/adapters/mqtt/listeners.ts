import type { Server as HttpServer, IncomingMessage } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { Client } from 'aedes';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { DeviceState } from '#contract/mqtt/messages.ts';
import { markProved } from '#core/bounded-connections.ts';
import type { Log } from '#core/kernel.ts';
import { type Upgrade as AnyUpgrade, refuseUpgrade, takeUpgrades } from '#core/upgrades.ts';
import type { Controller } from '#features/control/device-link.ts';
import type { Allowances, BrokerBounds } from './bounds.ts';
import type { Counters, Refusal } from './counters.ts';
import { type Bucket, fullBucket } from './token-bucket.ts';

type Upgrade = AnyUpgrade<IncomingMessage, Duplex>;

/** Makes a server that hands on connections once they are secured. */
export type MakeTlsServer = (hear: {
  mayOpen: (source: string) => boolean;
  accept: (stream: Duplex, source: string) => void;
  refused: (why: Extract<Refusal, `tls_${string}`>, source: string) => void;
}) => net.Server;

type ListenerDeps = {
  log: Log;
  counters: Counters;
  maxMessageBytes: number;
  /** False: this address may not open a connection now. Counted by who answers. */
  mayOpen: (source: string) => boolean;
  accept: (stream: Duplex, source: string, request?: IncomingMessage) => void;
  /** Where an upgrade of an HTTP connection comes from; absent: from the other end of the connection. */
  sourceOf?: ((request: IncomingMessage) => string) | undefined;
  /** False: a page of elsewhere opens this WebSocket, or under a name that is not ours. Absent: anybody may. */
  mayUpgrade?: ((request: IncomingMessage) => boolean) | undefined;
  /** Absent: there is no secured port. */
  makeTlsServer?: MakeTlsServer | undefined;
};

/** `::ffff:192.168.1.7` is 192.168.1.7. */
const addressOf = (address: string | undefined): string => address?.replace(/^::ffff:/, '') ?? 'unknown';

/** After a power cut a whole farm connects at once; beyond this the system refuses by itself. */
const BACKLOG = 4096;

const SUBPROTOCOL = 'mqtt';

/** The doors to the street: TCP, TCP within TLS, and WebSocket beside an HTTP server. */
export function createListeners(deps: ListenerDeps) {
  const { log, counters } = deps;
  const sourceOf = deps.sourceOf ?? (({ socket }) => addressOf(socket.remoteAddress));
  const servers = new Set<net.Server>();
  const detach: (() => void)[] = [];

  async function listenTcp(port: number, host: string): Promise<net.AddressInfo> {
    // A small order must not wait for more to send; a dead peer is found by the keep-alive of MQTT.
    const server = net.createServer({ noDelay: true }, (socket) => {
      const source = addressOf(socket.remoteAddress);
      socket.on('error', () => {});
      if (deps.mayOpen(source)) deps.accept(socket, source);
      else socket.destroy();
    });
    return listen(server, port, host);
  }

  async function listenTls(port: number, host: string): Promise<net.AddressInfo> {
    if (deps.makeTlsServer === undefined) throw new Error('the broker was given no certificate');
    const { mayOpen, accept } = deps;
    return listen(deps.makeTlsServer({ mayOpen, accept, refused: counters.refuse }), port, host);
  }

  async function listen(server: net.Server, port: number, host: string): Promise<net.AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, backlog: BACKLOG }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.on('error', (error) => log.error({ err: error }, 'the broker cannot take connections'));
    servers.add(server);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the broker has no port');
    return address;
  }

  function attachWebSocket(httpServer: HttpServer, path: string): void {
    const sockets = new WebSocketServer({
      noServer: true,
      maxPayload: deps.maxMessageBytes,
      perMessageDeflate: false,
      handleProtocols: () => SUBPROTOCOL,
    });
    const refuse = (upgrade: Pick<Upgrade, 'request' | 'socket'>, status: string): void => {
      counters.refuse('refused_upgrade', sourceOf(upgrade.request));
      refuseUpgrade(upgrade, status);
    };
    const take = (upgrade: Upgrade): void => {
      const { request, socket, head } = upgrade;
      const source = sourceOf(request);
      if (deps.mayUpgrade?.(request) === false) refuse(upgrade, '403 Forbidden');
      else if (!offers(request, SUBPROTOCOL)) refuse(upgrade, '400 Bad Request');
      else if (!deps.mayOpen(source)) refuse(upgrade, '429 Too Many Requests');
      else {
        // from here on it counts among the connections of the broker
        markProved(request.socket, null);
        sockets.handleUpgrade(request, socket, head, (webSocket) => {
          deps.accept(createWebSocketStream(webSocket), source, request);
        });
      }
    };
    sockets.on('wsClientError', (_error, socket, request) => refuse({ request, socket }, '400 Bad Request'));
    const takeNoMore = takeUpgrades<IncomingMessage, Duplex>(httpServer, {
      path,
      log,
      take,
      refusePath: (upgrade) => refuse(upgrade, '404 Not Found'),
    });
    detach.push(() => {
      takeNoMore();
      sockets.close();
    });
  }

  /** Takes no more connections; those that are open are the caller's. Resolves when the ports are free. */
  async function close(): Promise<void> {
    for (const undo of detach.splice(0)) undo();
    await Promise.all(
      [...servers].map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
    servers.clear();
  }

  /** Every port that was opened still takes connections. */
  const areOpen = (): boolean => [...servers].every((server) => server.listening);

  return { listenTcp, listenTls, attachWebSocket, areOpen, close };
}

function offers(request: IncomingMessage, protocol: string): boolean {
  const offered = request.headers['sec-websocket-protocol'] ?? '';
  return offered.split(',').some((name) => name.trim() === protocol);
}

export type Will = { state: DeviceState; payload: Buffer; isRetained: boolean };

/** One connection, from the first byte to the last. */
export type Peer = {
  readonly stream: Duplex;
  /** Address it comes from. */
  readonly source: string;
  readonly since: number;
  /** Client id of its CONNECT; aedes makes one up where it is empty. */
  clientId: string;
  /** Topic and payload of its CONNECT's will, not yet believed. */
  rawWill: { topic: string; payload: Buffer | string; retain?: boolean } | null;
  /** Set when it proved who it is. */
  controller: Controller | null;
  /** MAC of a board without a key, let in while the provisioning window is open. */
  guest: string | null;
  will: Will | null;
  /** `open` until the broker registered it under its name. */
  phase: 'open' | 'live' | 'ended';
  /** It sent DISCONNECT. */
  saidGoodbye: boolean;
  /** What it still says does not count: another took its name, or its key was revoked. */
  isDisowned: boolean;
  /** What it subscribed to. */
  readonly filters: Set<string>;
  readonly buckets: { messages: Bucket; excess: Bucket; control: Bucket; violations: Bucket };
  /** A message is with the door; later ones of this client wait for it, so that their order holds. */
  isTaking: boolean;
  readonly waiting: (() => void)[];
};

export function openPeer(stream: Duplex, source: string, allowances: Allowances, now: number): Peer {
  return {
    stream,
    source,
    since: now,
    clientId: '',
    rawWill: null,
    controller: null,
    guest: null,
    will: null,
    phase: 'open',
    saidGoodbye: false,
    isDisowned: false,
    filters: new Set(),
    buckets: {
      messages: fullBucket(allowances.messages, now),
      excess: fullBucket(allowances.excess, now),
      control: fullBucket(allowances.control, now),
      violations: fullBucket(allowances.violations, now),
    },
    isTaking: false,
    waiting: [],
  };
}

/** The peer of an aedes client; every client of ours has one. */
export type PeerOf = (client: Client) => Peer | undefined;

export type Limits = { bounds: BrokerBounds; allowances: Allowances };
