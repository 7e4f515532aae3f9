import { connect } from 'node:net';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { orLate, Skipped, Unmet } from './report.ts';

// A session without a client library: it says nothing but what it is told to, not even that it is alive.

export type RawSession = {
  /** true when the gateway has ended it within the time. */
  endsWithin(ms: number): Promise<boolean>;
  close(): void;
};

const ANSWER_WITHIN_MS = 10_000;
const CONNACK = 0x20;

/** Opens a session for the device under test with this keepalive. */
export async function openRawSession(gateway: GatewayUnderTest, keepaliveS: number): Promise<RawSession> {
  const url = new URL(gateway.mqttUrl);
  if (url.protocol !== 'mqtt:') throw new Skipped('is checked over a plain mqtt address only');
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || 1883 });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  // "close" follows
  socket.on('error', () => undefined);
  const { clock } = gateway;
  const answered = new Promise<Buffer>((resolve) => {
    socket.once('data', resolve);
  });
  socket.write(connectPacket(gateway.device, keepaliveS));
  const answer = await orLate(clock, answered, ANSWER_WITHIN_MS, () => null);
  if (answer?.[0] !== CONNACK || answer[3] !== 0) {
    socket.destroy();
    throw new Unmet(answer === null ? 'no CONNACK came' : `CONNACK ${answer[3]}`);
  }
  return {
    endsWithin: (ms) =>
      orLate(
        clock,
        closed.then(() => true),
        ms,
        () => false,
      ),
    close: () => socket.destroy(),
  };
}

/** CONNECT of MQTT 3.1.1 with user name, password and a clean session. */
function connectPacket(device: GatewayUnderTest['device'], keepaliveS: number): Buffer {
  const fields = [device.mqtt_id, device.mqtt_id, device.key].map(textField);
  const body = Buffer.concat([
    textField('MQTT'),
    Buffer.from([4, 0b1100_0010, keepaliveS >> 8, keepaliveS & 0xff]),
    ...fields,
  ]);
  return Buffer.concat([Buffer.from([0x10, ...lengthBytes(body.length)]), body]);
}

function textField(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

/** The remaining length, seven bits a byte. */
function lengthBytes(length: number): number[] {
  const rest = length >> 7;
  return rest === 0 ? [length] : [(length & 0x7f) | 0x80, ...lengthBytes(rest)];
}
