import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { generate, type Packet, parser } from 'mqtt-packet';

// Somebody between two that speak the device protocol, who makes one of them do something wrong. It knows MQTT and HTTP
// by their own rules, and nothing of the program.

type Handed = readonly Packet[];

/** What one side of a session says, in place of what it said: nothing, something else, more. */
export type MqttFault = {
  toDevice?: (packet: Packet, session: Session) => Handed;
  toGateway?: (packet: Packet, session: Session) => Handed;
  /** In place of a way to the gateway. */
  takes?: (socket: Socket) => void;
  /** The device is not told that the gateway ended the session. */
  hidesTheEnd?: boolean;
  /** The gateway is not told that the device is gone. */
  hidesTheLoss?: boolean;
};

export type Session = {
  /** 1 for the first session of this line. */
  number: number;
  sayToDevice: (packet: Packet) => void;
  end: () => void;
};

export type HttpAnswer = { status: number; body: unknown };
export type HttpAsked = { method: string; path: string; headers: IncomingMessage['headers']; body: unknown };

/** The answer in place of the gateway's; `silent`: none; `closed`: the connection ends; `endless`: it never ends. */
export type HttpFault = (
  answer: HttpAnswer,
  asked: HttpAsked,
) => HttpAnswer | 'silent' | 'closed' | 'endless';

const LARGEST_JUDGED_BYTES = 64 * 1024;

/** A port that leads to another one, as MQTT; `from` is the address it is seen to come from. */
export async function standBetweenMqtt(
  to: { port: number; from?: string },
  fault: MqttFault = {},
): Promise<{ port: number; close: () => void }> {
  let sessions = 0;
  const ways = new Set<Socket>();
  const listening = await listen(
    createServer((near) => {
      if (fault.takes !== undefined) return fault.takes(near);
      sessions += 1;
      const far = connect({ port: to.port, host: '127.0.0.1', localAddress: to.from });
      far.setNoDelay(true);
      ways.add(far);
      far.on('close', () => ways.delete(far));
      const session: Session = {
        number: sessions,
        sayToDevice: (packet) => void near.write(generate(packet)),
        end: () => near.destroy(),
      };
      pass(near, far, fault.toGateway, session);
      pass(far, near, fault.toDevice, session);
      near.on('close', () => {
        if (fault.hidesTheLoss !== true) far.destroy();
      });
      far.on('close', () => {
        if (fault.hidesTheEnd !== true) near.destroy();
      });
    }),
  );
  return {
    port: listening.port,
    close: () => {
      listening.close();
      for (const way of ways) way.destroy();
    },
  };
}

/** The same for HTTP with JSON bodies. */
export async function standBetweenHttp(
  to: { port: number },
  fault: HttpFault = (answer) => answer,
): Promise<{ port: number; close: () => void }> {
  const server = createHttpServer((incoming, outgoing) => {
    answerInstead(incoming, outgoing).catch(() => outgoing.destroy());
  });
  async function answerInstead(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const text = await readText(incoming);
    const answer = await ask({ port: to.port, method, path, headers }, text);
    const changed = fault(answer, { method, path, headers, body: readJson(text) });
    if (changed === 'silent') return;
    if (changed === 'closed') return void outgoing.destroy();
    outgoing.writeHead(changed === 'endless' ? 200 : changed.status, { 'content-type': 'application/json' });
    if (changed === 'endless') {
      const drip = setInterval(() => outgoing.write(' '), 200);
      outgoing.on('close', () => clearInterval(drip));
    } else outgoing.end(changed.body === undefined ? '' : JSON.stringify(changed.body));
  }
  return listen(server);
}

async function listen(server: Server): Promise<{ port: number; close: () => void }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true).on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    // listening on a port
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Packets go on one by one where somebody changes them, bytes as they are where nobody does. */
function pass(from: Socket, to: Socket, change: MqttFault['toGateway'], session: Session): void {
  to.on('error', () => undefined);
  from.on('error', () => undefined);
  if (change === undefined) {
    from.on('data', (chunk) => void to.write(chunk));
    return;
  }
  let waiting = Buffer.alloc(0);
  let isTooLarge = false;
  from.on('data', (chunk: Buffer) => {
    if (isTooLarge) return void to.write(chunk);
    waiting = Buffer.concat([waiting, chunk]);
    for (let length = frameLength(waiting); length !== null; length = frameLength(waiting)) {
      if (length > LARGEST_JUDGED_BYTES) {
        isTooLarge = true;
        to.write(waiting);
        return;
      }
      if (waiting.length < length) return;
      const packet = readPacket(waiting.subarray(0, length));
      waiting = waiting.subarray(length);
      for (const each of change(packet, session)) to.write(generate(each));
    }
  });
}

/** Bytes of the first packet, header and all; null while its length is not known. */
function frameLength(bytes: Buffer): number | null {
  let length = 0;
  for (let at = 1; at <= 4 && at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    length += (byte & 0x7f) << (7 * (at - 1));
    if ((byte & 0x80) === 0) return length + at + 1;
  }
  return null;
}

function readPacket(frame: Buffer): Packet {
  const found: Packet[] = [];
  const reader = parser({ protocolVersion: 4 });
  reader.on('packet', (packet) => found.push(packet));
  reader.parse(frame);
  const [packet] = found;
  if (packet === undefined) throw new Error('a frame that is no packet');
  return packet;
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}

async function ask(
  call: { port: number; method: string; path: string; headers: IncomingMessage['headers'] },
  text: string,
): Promise<HttpAnswer> {
  const headers = { ...call.headers, connection: 'close' };
  const outgoing = request({ host: '127.0.0.1', agent: false, ...call, headers });
  outgoing.end(text);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]; // of its event
  return { status: answer.statusCode ?? 0, body: await json(answer).catch(() => undefined) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
