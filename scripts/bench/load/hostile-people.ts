import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { answerCalls } from '../remote.ts';
import { addressOfBroker } from './mqtt-socket.ts';

// Those who want all of a gateway for themselves: people with an account who ask without end, bodies made to be costly, and
// connections that say one byte. They are other machines: to be hundreds of them is done at the lowest priority.

export type Hostile = {
  http: string;
  mqtt: string;
  /** Of people with an account each, without a farm. */
  tokens: readonly string[];
  /** Requests of each person under way at once. */
  inFlight: number;
  bodiesAtOnce: number;
  silent: number;
};
export type HostileAnswers = { answered: Record<string, number>; silentOpened: number };

const KIB = 1_024;
const ANSWER_WITHIN_MS = 20_000;
const OPEN_AGAIN_MS = 50;
/** How many addresses the silent connections come from. */
const SILENT_ADDRESSES = 1_000;
const WANTED: readonly [method: string, path: string, body?: string][] = [
  ['GET', '/farms/'],
  ['GET', '/ponds/?limit=10000'],
  ['GET', '/alerts/?limit=10000'],
  ['GET', '/notifications/?limit=10000'],
  ['GET', '/logs/?limit=10000'],
  ['GET', '/water-quality/?limit=10000'],
  ['GET', '/openapi.json'],
  ['POST', '/farms/', JSON.stringify({ name: 'Minha' })],
  ['POST', '/auth/login', JSON.stringify({ email: 'ninguem@fazenda.example', password: 'errada-errada' })],
  ['GET', '/events'],
];
const BODIES: readonly string[] = [
  `${'['.repeat(8 * KIB)}${']'.repeat(8 * KIB)}`,
  `{"name":"${'x'.repeat(900 * KIB)}"}`,
  `{${Array.from({ length: 20_000 }, (_each, n) => `"k${n}":${n}`).join(',')}}`,
  '{"name":',
];

const state = {
  isRunning: false,
  answered: new Map<string, number>(),
  silent: new Set<Socket>(),
  silentOpened: 0,
  done: Promise.resolve() as Promise<unknown>,
};

const handlers = {
  async start(hostile: Hostile): Promise<void> {
    for (const thread of ownThreads()) setPriority(thread, constants.priority.PRIORITY_LOW);
    Object.assign(state, { isRunning: true, answered: new Map(), silentOpened: 0 });
    for (let n = 0; n < hostile.silent; n += 1) openSilent(hostile, n);
    const people = hostile.tokens.flatMap((token, n) => {
      const agent = new Agent({
        keepAlive: true,
        localAddress: addressOf(40, n),
        maxSockets: hostile.inFlight,
      });
      return Array.from({ length: hostile.inFlight }, (_lane, lane) =>
        asksOn({ hostile, token, agent }, n + lane),
      );
    });
    const bodies = Array.from({ length: hostile.bodiesAtOnce }, (_lane, lane) => sendsBodies(hostile, lane));
    state.done = Promise.all([...people, ...bodies]);
  },
  async stop(): Promise<HostileAnswers> {
    state.isRunning = false;
    for (const socket of state.silent) socket.destroy();
    await state.done;
    return { answered: Object.fromEntries(state.answered), silentOpened: state.silentOpened };
  },
};
export type HostilePeople = typeof handlers;
answerCalls(handlers);

/** Linux counts the priority of each thread by itself; those that collect the garbage of hundreds take a third of a processor. */
function ownThreads(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
}

/** The whole of 127/8 is this machine: the gateway sees as many neighbours as there are. */
const addressOf = (block: number, n: number) =>
  `127.${block + (n >> 16)}.${(n >> 8) & 0xff}.${n & 0xff || 1}`;

type Asking = { hostile: Hostile; token: string; agent: Agent };

async function asksOn({ hostile, token, agent }: Asking, first: number): Promise<void> {
  for (let n = first; state.isRunning; n += 1) {
    const [method, path, body] = WANTED[n % WANTED.length] ?? ['GET', '/farms/'];
    await asked(`${hostile.http}/api/v1${path}`, { method, agent, token, body: body ?? null });
  }
}

async function sendsBodies({ http, tokens }: Hostile, lane: number): Promise<void> {
  const agent = new Agent({ localAddress: addressOf(50, lane) });
  for (let n = lane; state.isRunning; n += 1) {
    const token = n % 2 === 0 ? null : (tokens[n % tokens.length] ?? null);
    await asked(`${http}/api/v1/farms/`, {
      method: 'POST',
      agent,
      token,
      body: BODIES[n % BODIES.length] ?? '',
    });
  }
}

type Call = { method: string; agent: Agent; token: string | null; body: string | null };

function asked(url: string, { method, agent, token, body }: Call): Promise<void> {
  return new Promise((resolve) => {
    const ends = (what: string) => {
      state.answered.set(what, (state.answered.get(what) ?? 0) + 1);
      resolve();
    };
    const call = request(url, {
      method,
      agent,
      timeout: ANSWER_WITHIN_MS,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    call.once('error', () => ends('cut'));
    call.once('timeout', () => call.destroy());
    call.once('response', (answer) => {
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
      answer.once('error', () => ends('cut'));
      answer.once('end', () => ends(`${answer.statusCode}`));
      // a stream that is held for a while, as many as are given
      if (isStream) void pause(2_000).then(() => answer.destroy(new Error('held long enough')));
      answer.resume();
    });
    call.end(body ?? undefined);
  });
}

/** One byte over HTTP or MQTT, and no more; what is closed is opened again. */
function openSilent(hostile: Hostile, n: number): void {
  if (!state.isRunning) return;
  const isHttp = n % 2 === 0;
  const { host, port } = addressOfBroker(isHttp ? hostile.http : hostile.mqtt);
  const socket = connect({ host, port, localAddress: addressOf(60, n % SILENT_ADDRESSES) });
  state.silent.add(socket);
  socket.on('connect', () => {
    state.silentOpened += 1;
    socket.write(Buffer.from([isHttp ? 0x47 : 0x10]));
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    state.silent.delete(socket);
    setTimeout(() => openSilent(hostile, n), OPEN_AGAIN_MS);
  });
}
