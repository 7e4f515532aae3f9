import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate, type IConnectPacket } from 'mqtt-packet';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import { answerCalls } from '../remote.ts';
import { addressOfBroker } from './mqtt-socket.ts';

// Devices nobody knows, each at an address of its own, that knock at the broker, are refused and come again: controllers of
// another farm, and here and there a relay from the shop. Each leaves a will, as real ones do.

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
  socket.write(generate(connectOf(n)));
  await closed;
  if (isRefused) state.told.refused += 1;
  else state.told.unanswered += 1;
}

/** What a controller of ours sends; of twenty one is a Tasmota and one a Shelly. */
function connectOf(n: number): IConnectPacket {
  const number = String(n).padStart(6, '0');
  if (n % 20 === 5) {
    const will = { topic: `tele/tasmota_${number}/LWT`, payload: 'Offline' };
    return withWill(will, { clientId: `DVES_${number}`, username: 'DVES_USER', password: 'DVES_PASS' });
  }
  if (n % 20 === 15) {
    const clientId = `shellypro1pm-08f9e0${number}`;
    return withWill({ topic: `${clientId}/online`, payload: 'false' }, { clientId });
  }
  const name = `stranger-${number}`;
  const state = { s: 'lost', boot_id: randomUUID(), sid: randomUUID() };
  return withWill(
    { topic: deviceTopic(name, 'state'), payload: JSON.stringify(state) },
    { clientId: name, username: name, password: 'k'.repeat(43) },
  );
}

function withWill(
  { topic, payload }: { topic: string; payload: string },
  { clientId, username, password }: { clientId: string; username?: string; password?: string },
): IConnectPacket {
  return {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: 30,
    clientId,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password: Buffer.from(password) }),
    will: { topic, payload: Buffer.from(payload), qos: 1, retain: true },
  };
}
