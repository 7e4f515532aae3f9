import type { Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';
import {
  type BrokerAddress,
  connectSocket,
  heartbeatPacket,
  type Identity,
  type Sessions,
  subscribePacket,
} from './mqtt-socket.ts';

/** A controller that is connected and has its level. */
export type JoinedController = {
  /** Sends one heartbeat; `taken` is called with how long its acknowledgement took. */
  beat: (taken: (ms: number) => void) => void;
  isOpen: () => boolean;
  /** Cuts the line, as a lost network does; resolves when the socket is closed. */
  cut: () => Promise<void>;
};

const SUBSCRIBE_ID = 1;
const MOST_IDS = 60_000;
const SERVED_WITHIN_MS = 30_000;

/** Connects, subscribes, and resolves when the wanted level has come. Rejects when the line ends before. */
export async function joinController(
  at: BrokerAddress,
  who: Identity,
  sessions?: Sessions,
): Promise<JoinedController> {
  const socket = await connectSocket(at, who, sessions);
  const waiting = new Map<number, { sentAt: number; taken: (ms: number) => void }>();
  await level(socket, who, (packet) => {
    if (packet.cmd !== 'puback') return;
    const id = packet.messageId ?? 0;
    const beat = waiting.get(id);
    waiting.delete(id);
    beat?.taken(performance.now() - beat.sentAt);
  });
  let count = SUBSCRIBE_ID;
  return {
    beat(taken) {
      count = count < MOST_IDS ? count + 1 : SUBSCRIBE_ID + 1;
      waiting.set(count, { sentAt: performance.now(), taken });
      socket.write(heartbeatPacket(who.mqtt_id, count));
    },
    isOpen: () => !socket.destroyed,
    cut: () => cut(socket),
  };
}

function level(socket: Socket, who: Identity, hear: (packet: Packet) => void): Promise<void> {
  const reading = parser({ protocolVersion: 4 });
  socket.on('data', (bytes) => reading.parse(bytes));
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${who.mqtt_id} was not served: ${why}`));
    const deadline = setTimeout(() => {
      fail('no level came');
      socket.destroy();
    }, SERVED_WITHIN_MS);
    socket.on('error', () => fail('the line broke'));
    socket.once('close', () => {
      clearTimeout(deadline);
      fail('the line ended');
    });
    reading.on('packet', (packet) => {
      hear(packet);
      if (packet.cmd !== 'publish') return;
      if (packet.qos === 1) socket.write(generate({ cmd: 'puback', messageId: packet.messageId ?? 0 }));
      clearTimeout(deadline);
      resolve();
    });
    socket.write(subscribePacket(who.mqtt_id, SUBSCRIBE_ID));
  });
}

function cut(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.destroy();
  });
}
