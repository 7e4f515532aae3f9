import { connect, type Socket } from 'node:net';
import { answerCalls } from '../remote.ts';
import { type LoadResult, type LoadWindow, measureWindow } from './load-window.ts';

// Keep-alive connections as bare sockets with requests made beforehand, one under way on each.

export type HttpClients = {
  crowd: string;
  host: string;
  port: number;
  serverPid: number;
  /** What each connection asks, again and again. */
  requests: readonly HttpRequest[];
};
export type HttpRequest = {
  method: 'GET' | 'POST';
  path: string;
  bearer: string | null;
  body: object | null;
};

type Client = { socket: Socket; request: Buffer; sentAt: number; heard: Buffer; isWaiting: boolean };
type Crowd = { serverPid: number; clients: Client[]; window: LoadWindow | null; onSettled: () => void };

const HEAD_END = Buffer.from('\r\n\r\n');

const crowds = new Map<string, Crowd>();

const handlers = {
  async connect(wanted: HttpClients): Promise<void> {
    const clients = await Promise.all(wanted.requests.map((request) => connectClient(wanted, request)));
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

function connectClient(at: HttpClients, asked: HttpRequest): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: at.host, port: at.port, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () =>
      resolve({
        socket,
        request: bytesOf(at, asked),
        sentAt: 0,
        heard: Buffer.alloc(0),
        isWaiting: false,
      }),
    );
  });
}

function bytesOf({ host, port }: HttpClients, { method, path, bearer, body }: HttpRequest): Buffer {
  const text = body === null ? '' : JSON.stringify(body);
  const ofBody = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`];
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(body === null ? [] : ofBody),
    ...(bearer === null ? [] : [`Authorization: Bearer ${bearer}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
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

/** Head and body of an answer, in bytes; null while its head is not whole. Throws unless it is a 200 or 201. */
function answerLength(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  if (!/^HTTP\/1\.1 20[01] /.test(head)) throw new Error(`refused: ${bytes.toString()}`);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('an answer without a length');
  return headEnd + HEAD_END.length + Number(length);
}
