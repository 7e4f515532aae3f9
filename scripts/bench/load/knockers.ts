import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { answerCalls } from '../remote.ts';
import { addressOfBroker } from './mqtt-socket.ts';

// Devices nobody knows, each at an address of its own, that knock at the broker, are refused and come again.

export type Knocked = { knocks: number; refused: number; unanswered: number };
type Wanted = { mqttUrl: string; devices: number; everyMs: number };

const TICK_MS = 5;
const ANSWER_WITHIN_MS = 5_000;
/** As many open at once as a farm of this size would have while the gateway is slow. */
const MOST_OPEN = 500;

const state = {
  isRunning: false,
  /** Who knocks next; it goes on from pause to pause, so that all of them come. */
  next: 0,
  told: { knocks: 0, refused: 0, unanswered: 0 },
  done: Promise.resolve(),
};

const handlers = {
  /** Knocks evenly until it is told to pause. */
  async start(wanted: Wanted): Promise<void> {
    state.isRunning = true;
    state.told = { knocks: 0, refused: 0, unanswered: 0 };
    state.done = knockOn(wanted);
  },
  async pause(): Promise<Knocked> {
    state.isRunning = false;
    await state.done;
    return state.told;
  },
};
export type Knockers = typeof handlers;
answerCalls(handlers);

async function knockOn({ mqttUrl, devices, everyMs }: Wanted): Promise<void> {
  const at = addressOfBroker(mqttUrl);
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  while (state.isRunning) {
    const due = Math.floor(((performance.now() - startedAt) / everyMs) * devices);
    for (; state.told.knocks < due && open.size < MOST_OPEN; state.told.knocks += 1) {
      const one = knock(at, state.next).finally(() => open.delete(one));
      open.add(one);
      state.next = (state.next + 1) % devices;
    }
    await pause(TICK_MS);
  }
  await Promise.all(open);
}

async function knock(at: { host: string; port: number }, n: number): Promise<void> {
  const name = `stranger-${String(n).padStart(5, '0')}`;
  // the whole of 127/8 is this machine: the gateway sees as many neighbours as there are devices
  const localAddress = `127.${10 + (n >> 16)}.${(n >> 8) & 0xff}.${n & 0xff}`;
  const socket = connect({ host: at.host, port: at.port, localAddress, noDelay: true });
  socket.on('error', () => undefined);
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
  const closed = once(socket, 'close');
  let isRefused = false;
  socket.on('data', (connack) => {
    isRefused = connack[0] === 0x20 && connack[3] !== 0;
    socket.destroy();
  });
  socket.write(
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: name,
      keepalive: 30,
      username: name,
      password: Buffer.from('a-key-of-another-farm'),
    }),
  );
  await closed;
  if (isRefused) state.told.refused += 1;
  else state.told.unanswered += 1;
}
