import { connect, type Socket } from 'node:net';
import { answerCalls } from '../remote.ts';
import { type LoadResult, type LoadWindow, measureWindow } from './load-window.ts';

// Keep-alive connections as bare sockets with requests made beforehand, one under way on each.

export type HttpClients = {
  crowd: string;
  host: string;
  port: number;
  serverPid: number;
  path: string;
  clients: readonly { device_id: string; key: string | null }[];
};

type Client = { socket: Socket; request: Buffer; sentAt: number; heard: Buffer; isWaiting: boolean };
type Crowd = { serverPid: number; clients: Client[]; window: LoadWindow | null; onSettled: () => void };

const HEAD_END = Buffer.from('\r\n\r\n');

const crowds = new Map<string, Crowd>();

const handlers = {
  async connect(wanted: HttpClients): Promise<void> {
    const clients = await Promise.all(wanted.clients.map((who) => connectClient(wanted, who)));
    const crowd: Crowd = {
      serverPid: wanted.serverPid,
      clients,
      window: null,
      onSettled: () => undefined,
    };
    for (const client of clients) client.socket.on('data', (chunk) => hear(crowd, client, chunk));
    crowds.set(wanted.crowd, crowd);
  },

  async run(wanted: { crowd: string; ms: number }): Promise<LoadResult> {
    const crowd = crowds.get(wanted.crowd);
    if (crowd === undefined) throw new Error(`nobody is connected as ${wanted.crowd}`);
    const settled = new Promise<void>((resolve) => {
      crowd.onSettled = resolve;
    });
    return measureWindow(crowd.serverPid, wanted.ms, {
      begin(window) {
        crowd.window = window;
        for (const client of crowd.clients) send(client);
      },
      settled: () => settled,
    });
  },
};
export type HttpLoad = typeof handlers;
answerCalls(handlers);

function connectClient(at: HttpClients, who: HttpClients['clients'][number]): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: at.host, port: at.port, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () =>
      resolve({ socket, request: requestOf(at, who), sentAt: 0, heard: Buffer.alloc(0), isWaiting: false }),
    );
  });
}

function requestOf({ host, port, path }: HttpClients, who: HttpClients['clients'][number]): Buffer {
  const body = JSON.stringify({
    device_id: who.device_id,
    current_status: 'OFF',
    consumption: 0,
    rssi: -67,
    uptime_s: 86_400,
    version: 1,
    source: 'shadow',
  });
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(who.key === null ? [] : [`Authorization: Bearer ${who.key}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function send(client: Client): void {
  client.isWaiting = true;
  client.sentAt = performance.now();
  client.socket.write(client.request);
}

function hear(crowd: Crowd, client: Client, chunk: Buffer): void {
  const bytes = client.heard.length === 0 ? chunk : Buffer.concat([client.heard, chunk]);
  const length = answerLength(bytes);
  if (length === null || bytes.length < length) {
    client.heard = bytes;
    return;
  }
  client.heard = bytes.subarray(length);
  client.isWaiting = false;
  crowd.window?.took(performance.now() - client.sentAt);
  if (crowd.window?.isOpen() === true) send(client);
  else if (crowd.clients.every(({ isWaiting }) => !isWaiting)) crowd.onSettled();
}

/** Head and body of an answer, in bytes; null while its head is not whole. Throws unless it is a 200. */
function answerLength(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`not 200: ${bytes.toString()}`);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('an answer without a length');
  return headEnd + HEAD_END.length + Number(length);
}
