import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { generate, type IConnectPacket } from 'mqtt-packet';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import { answerCalls } from '../remote.ts';
import { addressOfBroker } from './mqtt-socket.ts';

// Devices nobody knows, each at an address of its own, that knock at the broker, are refused and come again: controllers of
// another farm, and here and there a relay from the shop. Each leaves a will, as real ones do. On a farm they are other
// machines: to be thousands of them is done at the lowest priority, so that it takes little from those who are measured.

export type Knocked = { knocks: number; refused: number; unanswered: number };
type Wanted = { mqttUrl: string; devices: number; everyMs: number };

const TICK_MS = 5;
const ANSWER_WITHIN_MS = 5_000;
/** As many open at once as a farm of this size would have while the gateway is slow. */
const MOST_OPEN = 500;

const state = {
  isRunning: false,
  /** Who knocks next at an address; it goes on from pause to pause, so that all of them come. */
  nextByUrl: new Map<string, number>(),
  /** What each says, made before the first knocks: to make it costs as much as to be refused. */
  words: [] as Buffer[],
  told: { knocks: 0, refused: 0, unanswered: 0 },
  done: Promise.resolve(),
};

const handlers = {
  /** Knocks evenly until it is told to pause. */
  async start(wanted: Wanted): Promise<void> {
    setPriority(constants.priority.PRIORITY_LOW);
    while (state.words.length < wanted.devices) state.words.push(generate(connectOf(state.words.length)));
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
      const n = state.nextByUrl.get(mqttUrl) ?? 0;
      const one = knock(at, n).finally(() => open.delete(one));
      open.add(one);
      state.nextByUrl.set(mqttUrl, (n + 1) % devices);
    }
    await pause(TICK_MS);
  }
  await Promise.all(open);
}

function knock(at: { host: string; port: number }, n: number): Promise<void> {
  // the whole of 127/8 is this machine: the gateway sees as many neighbours as there are devices
  const localAddress = `127.${10 + (n >> 16)}.${(n >> 8) & 0xff}.${n & 0xff}`;
  const socket = connect({ host: at.host, port: at.port, localAddress, timeout: ANSWER_WITHIN_MS });
  let isRefused = false;
  socket.on('error', () => undefined);
  socket.on('timeout', () => socket.destroy());
  socket.on('data', (connack) => {
    isRefused = connack[0] === 0x20 && connack[3] !== 0;
    socket.destroy();
  });
  socket.write(state.words[n] ?? '');
  return new Promise((resolve) => {
    socket.on('close', () => {
      if (isRefused) state.told.refused += 1;
      else state.told.unanswered += 1;
      resolve();
    });
  });
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
