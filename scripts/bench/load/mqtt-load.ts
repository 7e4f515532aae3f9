import type { Socket } from 'node:net';
import { answerCalls } from '../remote.ts';
import { type LoadResult, type LoadWindow, measureWindow } from './load-window.ts';
import { connectSocket, heartbeatPacket, type Identity } from './mqtt-socket.ts';

// Controllers as bare sockets with packets made beforehand: the load must cost less than what it loads.

export type MqttClients = {
  /** Names this crowd of clients in later calls. */
  crowd: string;
  host: string;
  port: number;
  serverPid: number;
  clients: readonly Identity[];
};

type Client = {
  socket: Socket;
  /** One heartbeat for every place in flight; its message id is its place + 1. */
  packets: readonly Buffer[];
  sentAt: number[];
  waiting: number;
  /** An acknowledgement that came in two pieces. */
  rest: Buffer;
};

type Crowd = { serverPid: number; clients: Client[]; window: LoadWindow | null; onSettled: () => void };

const MOST_IN_FLIGHT = 16;
const CONNECT_AT_ONCE = 50;
const PUBACK = 0x40;
const PUBACK_BYTES = 4;

const crowds = new Map<string, Crowd>();

const handlers = {
  async connect(wanted: MqttClients): Promise<void> {
    const crowd: Crowd = {
      serverPid: wanted.serverPid,
      clients: [],
      window: null,
      onSettled: () => undefined,
    };
    for (let start = 0; start < wanted.clients.length; start += CONNECT_AT_ONCE) {
      const some = wanted.clients.slice(start, start + CONNECT_AT_ONCE);
      crowd.clients.push(...(await Promise.all(some.map((who) => connectClient(wanted, who)))));
    }
    for (const client of crowd.clients) client.socket.on('data', (chunk) => hear(crowd, client, chunk));
    crowds.set(wanted.crowd, crowd);
  },

  async run(wanted: { crowd: string; inFlight: number; ms: number }): Promise<LoadResult> {
    const crowd = crowds.get(wanted.crowd);
    if (crowd === undefined) throw new Error(`nobody is connected as ${wanted.crowd}`);
    const settled = new Promise<void>((resolve) => {
      crowd.onSettled = resolve;
    });
    return measureWindow(crowd.serverPid, wanted.ms, {
      begin(window) {
        crowd.window = window;
        for (const client of crowd.clients) {
          const now = performance.now();
          const first = client.packets.slice(0, wanted.inFlight);
          first.forEach((_packet, place) => {
            client.sentAt[place] = now;
          });
          client.waiting = first.length;
          client.socket.write(Buffer.concat(first));
        }
      },
      settled: () => settled,
    });
  },
};
export type MqttLoad = typeof handlers;
answerCalls(handlers);

async function connectClient(at: MqttClients, who: Identity): Promise<Client> {
  const socket = await connectSocket(at, who);
  const packets = Array.from({ length: MOST_IN_FLIGHT }, (_each, place) =>
    heartbeatPacket(who.mqtt_id, place + 1),
  );
  return { socket, packets, sentAt: [], waiting: 0, rest: Buffer.alloc(0) };
}

function hear(crowd: Crowd, client: Client, chunk: Buffer): void {
  const bytes = client.rest.length === 0 ? chunk : Buffer.concat([client.rest, chunk]);
  const again: Buffer[] = [];
  let at = 0;
  for (; at + PUBACK_BYTES <= bytes.length; at += PUBACK_BYTES) {
    if (bytes[at] !== PUBACK) throw new Error('the broker sent something else than an acknowledgement');
    acknowledged(crowd, client, bytes.readUInt16BE(at + 2) - 1, again);
  }
  client.rest = bytes.subarray(at);
  const [only] = again;
  if (only === undefined) {
    if (crowd.clients.every(({ waiting }) => waiting === 0)) crowd.onSettled();
    return;
  }
  client.socket.write(again.length === 1 ? only : Buffer.concat(again));
}

function acknowledged(crowd: Crowd, client: Client, place: number, again: Buffer[]): void {
  const now = performance.now();
  crowd.window?.took(now - (client.sentAt[place] ?? now));
  const packet = client.packets[place];
  if (packet === undefined || crowd.window?.isOpen() !== true) {
    client.waiting -= 1;
    return;
  }
  client.sentAt[place] = now;
  again.push(packet);
}
