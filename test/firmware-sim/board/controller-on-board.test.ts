import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Aedes } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import { mqttHeartbeat } from '#contract/mqtt/messages.ts';
import { type Board, createBoard } from '#sim/board/board.ts';
import { createRealClock } from '#sim/sim-clock.ts';
import { consoleFrame, sfprov } from './a-board.ts';

const MQTT_ID = 'm_7Qx-aer';
const KEY = 'c2VjcmV0LWtleQ';
const NEW_KEY = 'YW5vdGhlci1rZXk';

type Broker = {
  port: number;
  /** Key of each connection, in order. */
  keys: string[];
  /** Waits for a heartbeat of this connection, the first being 1. */
  heartbeat(connection: number): Promise<void>;
  order(command: object): void;
};

async function aBroker(): Promise<Broker> {
  let told = () => {};
  const state = { keys: [] as string[] };
  const broker = await Aedes.createBroker({
    authenticate: (client, user, password, done) => {
      const key = password?.toString() ?? '';
      state.keys.push(key);
      done(null, client.id === MQTT_ID && user === MQTT_ID && [KEY, NEW_KEY].includes(key));
    },
    authorizePublish: (_client, packet, done) => {
      if (packet.topic === `sf/v1/d/${MQTT_ID}/hb`) {
        mqttHeartbeat.parse(JSON.parse(packet.payload.toString()));
        told();
      }
      done(null);
    },
  });
  const server = createServer(broker.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => broker.close(() => server.close(() => resolve()))));
  return {
    ...state,
    // A server on a port of the machine's choice has an address of this kind.
    port: (server.address() as AddressInfo).port,
    heartbeat: (connection) =>
      new Promise<void>((resolve) => {
        told = () => {
          if (state.keys.length >= connection) resolve();
        };
      }),
    order: (command) => {
      const topic = `sf/v1/d/${MQTT_ID}/cmd/c1`;
      const payload = Buffer.from(JSON.stringify(command));
      broker.publish({ cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false }, () => undefined);
    },
  };
}

/** A board twenty times as fast, with all it has said. */
function aFastBoard(flashFile: string): {
  board: Board;
  said: () => string;
  says: (word: string) => Promise<void>;
} {
  const clock = createRealClock({ speed: 20 });
  let said = '';
  const board = createBoard(
    { clock, send: (bytes) => (said += Buffer.from(bytes).toString('latin1')), tell: () => undefined },
    { mac: '24:6f:28:aa:bb:cc', seed: 3, download: 'lines', faults: {}, joinTakesMs: 10, flashFile },
  );
  const says = (word: string) =>
    new Promise<void>((resolve) => {
      const look = () => (said.includes(word) ? resolve() : void clock.at(clock.nowMs() + 20, look));
      look();
    });
  onTestFinished(async () => {
    await board.close();
    clock.stop();
  });
  board.powerOn();
  return { board, said: () => said, says };
}

test('a board told over the cable who it is calls its gateway, after a reset, too, and keeps a key that was changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'board-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const flashFile = join(folder, 'flash.bin');
  const broker = await aBroker();
  const { board, said, says } = aFastBoard(flashFile);
  await says('waiting for Improv');

  const gateway = { gw_host: '127.0.0.1', gw_http: 0, gw_mqtt: broker.port, gw_mqtts: 0, gw_pin: null };
  const identity = { device_id: 'aer-07', mqtt_id: MQTT_ID, key: KEY, ...gateway, cp: null, fail_safe: 'ON' };
  board.feed(sfprov({ op: 'identity', ...identity }));
  const first = broker.heartbeat(1);
  const wifi = [7, ...Buffer.from('Fazenda'), 11, ...Buffer.from('camarao2026')];
  board.feed(consoleFrame('IMPROV', 3, [1, wifi.length, ...wifi]));
  await first;

  const second = broker.heartbeat(2);
  board.setLines({ dtr: false, rts: true });
  board.setLines({ dtr: false, rts: false });
  await second;
  expect(broker.keys).toEqual([KEY, KEY]);

  const third = broker.heartbeat(3);
  broker.order({ op: 'rotate_key', expires_in_s: 60, key: NEW_KEY });
  await third;
  await board.close();
  const fourth = broker.heartbeat(4);
  const again = aFastBoard(flashFile);
  await fourth;
  expect(broker.keys).toEqual([KEY, KEY, NEW_KEY, NEW_KEY]);
  expect(said() + again.said()).not.toMatch(new RegExp(`${KEY}|${NEW_KEY}`));
});
