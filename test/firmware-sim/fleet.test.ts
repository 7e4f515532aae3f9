import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { Aedes } from 'aedes';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpHeartbeat, mqttHeartbeat } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import type { FleetController } from '#sim/fleet/fleet.ts';
import { startFleet } from '#sim/fleet/fleet.ts';
import { createPacedClock } from './paced-clock.ts';

// Fleets over real sockets, against the least a gateway can be.

type StandIn = {
  mqttUrl: string;
  httpBase: string;
  heartbeats: Map<string, number>;
  states: { id: string; text: string }[];
  setTarget(target: SwitchState): void;
  sockets: Set<Socket>;
};

async function aStandIn(): Promise<StandIn> {
  const heartbeats = new Map<string, number>();
  const states: StandIn['states'] = [];
  let target: SwitchState = 'OFF';
  let version = 1;
  const note = (id: string) => heartbeats.set(id, (heartbeats.get(id) ?? 0) + 1);
  const desired = () =>
    JSON.stringify({
      epoch: 'e',
      version,
      target_status: target,
      origin: 'LOCAL',
      issued_at: 0,
      config_rev: 0,
      schedule_rev: 0,
    });

  const broker = await Aedes.createBroker({
    authorizePublish: (client, packet, done) => {
      if (client !== null && packet.topic.endsWith('/hb')) {
        mqttHeartbeat.parse(JSON.parse(packet.payload.toString()));
        note(client.id);
      }
      if (client !== null && packet.topic.endsWith('/state'))
        states.push({ id: client.id, text: packet.payload.toString() });
      done(null);
    },
  });
  broker.on('subscribe', (subscriptions, client) => {
    if (!subscriptions.some(({ topic }) => topic.endsWith('shadow/desired'))) return;
    broker.publish(
      {
        cmd: 'publish',
        topic: `sf/v1/d/${client.id}/shadow/desired`,
        payload: Buffer.from(desired()),
        qos: 1,
        retain: true,
        dup: false,
      },
      () => undefined,
    );
  });
  const sockets = new Set<Socket>();
  const tcp = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    broker.handle(socket);
  });
  const http = createHttpServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const body = httpHeartbeat.parse(JSON.parse(text));
      note(body.device_id);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          target_status: target,
          epoch: 'e',
          version,
          server_time: new Date().toISOString(),
          poll_interval_s: 30,
          schedule_rev: 0,
          config_rev: 0,
        }),
      );
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    for (const socket of sockets) socket.destroy();
    tcp.close();
    await new Promise<void>((resolve) => broker.close(() => resolve()));
  });
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port; // both listen on TCP
  return {
    mqttUrl: `mqtt://127.0.0.1:${portOf(tcp)}`,
    httpBase: `http://127.0.0.1:${portOf(http)}`,
    heartbeats,
    states,
    setTarget: (next) => {
      target = next;
      version += 1;
      for (const id of heartbeats.keys()) {
        broker.publish(
          {
            cmd: 'publish',
            topic: `sf/v1/d/${id}/shadow/desired`,
            payload: Buffer.from(desired()),
            qos: 1,
            retain: true,
            dup: false,
          },
          () => undefined,
        );
      }
    },
    sockets,
  };
}

function controllers(count: number, httpShare = 0.2): FleetController[] {
  return Array.from({ length: count }, (_each, index) => ({
    device_id: `d-${String(index).padStart(4, '0')}`,
    mqtt_id: `d-${String(index).padStart(4, '0')}`,
    key: 'k',
    transport: index < count * httpShare ? 'http' : 'mqtt',
    feeder: index % 2 === 0 ? 'A' : 'B',
  }));
}

function aFleet(standIn: StandIn, members: FleetController[]) {
  const clock = createPacedClock(150);
  const fleet = startFleet({
    controllers: members,
    httpBase: standIn.httpBase,
    mqttUrl: standIn.mqttUrl,
    seed: 5,
    clock,
  });
  onTestFinished(async () => {
    await fleet.stop();
    clock.stop();
  });
  return fleet;
}

async function until(test: () => boolean): Promise<void> {
  while (!test()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a fleet over real sockets', () => {
  test('500 controllers, a fifth of them over HTTP, come up and beat', { timeout: 180_000 }, async () => {
    const standIn = await aStandIn();
    const fleet = aFleet(standIn, controllers(500));
    await until(() => standIn.heartbeats.size === 500);
    await until(() => fleet.states().every((view) => view.is_connected && view.version !== null));
    expect(fleet.counters().malformed).toBe(0);
    expect(fleet.states().filter((view) => view.transport === 'http')).toHaveLength(100);
  });

  test('an order reaches every motor, a feeder goes dark and comes back to the wanted state', async () => {
    const standIn = await aStandIn();
    const fleet = aFleet(standIn, controllers(10));
    await until(() => fleet.states().every((view) => view.is_connected && view.version !== null));
    standIn.setTarget('ON');
    await until(() => fleet.states().every((view) => view.is_motor_running && view.motor_current_ma > 0));
    fleet.power({ feeder: 'A' }, 'off');
    expect(
      fleet
        .states()
        .filter((view) => view.is_motor_running)
        .map((view) => view.feeder),
    ).toEqual(['B', 'B', 'B', 'B', 'B']);
    await until(() => standIn.states.some(({ text }) => text.includes('"lost"')));
    fleet.power({ feeder: 'A' }, 'on');
    await until(() => fleet.states().every((view) => view.is_motor_running));
    expect(
      fleet
        .states()
        .filter((view) => view.feeder === 'A')
        .every((view) => view.starts === 2),
    ).toBe(true);
  });

  test('a half-open socket carries nothing and stays open until it is healed', async () => {
    const standIn = await aStandIn();
    const fleet = aFleet(standIn, controllers(2, 0));
    await until(() => fleet.states().every((view) => view.is_connected));
    fleet.inject({ kind: 'half_open', on: ['d-0000'] });
    const beatsOf = (id: string) => standIn.heartbeats.get(id) ?? 0;
    const otherBeats = async (more: number) => {
      const before = beatsOf('d-0001');
      await until(() => beatsOf('d-0001') > before + more);
    };
    // what was on its way still arrives
    await otherBeats(1);
    const beatsBefore = beatsOf('d-0000');
    await otherBeats(3);
    expect(standIn.heartbeats.get('d-0000')).toBe(beatsBefore);
    expect(standIn.sockets.size).toBe(2);
    expect(fleet.state('d-0000')?.is_connected).toBe(true);
    fleet.inject({ kind: 'heal' });
    await until(() => beatsOf('d-0000') > beatsBefore);
    // The other one had nothing to be healed of: its session goes on.
    expect(fleet.counters()).toMatchObject({ connects: 3, disconnects: 1 });
  });

  test('a silent power cut leaves the socket behind; the returning controller takes its session over', async () => {
    const standIn = await aStandIn();
    const fleet = aFleet(standIn, controllers(1, 0));
    await until(() => fleet.state('d-0000')?.is_connected === true);
    fleet.inject({ kind: 'power_cut', silent: true, for_s: 30 });
    await until(() => fleet.state('d-0000')?.is_powered === true);
    expect({ sockets: standIn.sockets.size, connects: fleet.counters().connects }).toEqual({
      sockets: 1,
      connects: 1,
    });
    await until(() => fleet.state('d-0000')?.is_connected === true);
    await until(() => standIn.sockets.size === 1);
    expect(fleet.counters().connects).toBe(2);
  });

  test('without a network a controller holds its motor, and comes back with the network', async () => {
    const standIn = await aStandIn();
    const fleet = aFleet(standIn, controllers(4, 0.5));
    await until(() => fleet.states().every((view) => view.is_connected && view.version !== null));
    standIn.setTarget('ON');
    await until(() => fleet.states().every((view) => view.is_motor_running));
    fleet.inject({ kind: 'network_down', for_s: 200 });
    await until(() => fleet.states().every((view) => view.source === 'fail_safe'));
    expect(fleet.states().every((view) => view.is_motor_running)).toBe(true);
    await until(() => fleet.states().every((view) => view.is_connected && view.source === 'shadow'));
    expect(fleet.states().every((view) => view.starts === 1)).toBe(true);
  });

  test('lost, late and repeated messages end in the wanted state all the same', {
    timeout: 180_000,
  }, async () => {
    const standIn = await aStandIn();
    const fleet = aFleet(standIn, controllers(10, 1));
    fleet.inject({ kind: 'loss', share: 0.3 });
    fleet.inject({ kind: 'duplicate', share: 0.3 });
    fleet.inject({ kind: 'delay', min_ms: 0, max_ms: 3_000 });
    standIn.setTarget('ON');
    await until(() => fleet.states().every((view) => view.is_motor_running));
    expect(fleet.states().every((view) => view.starts === 1)).toBe(true);
  });

  test('a breaker that trips shows as ON without current', async () => {
    const standIn = await aStandIn();
    const fleet = aFleet(standIn, controllers(1, 0));
    await until(() => fleet.states().every((view) => view.is_connected && view.version !== null));
    standIn.setTarget('ON');
    await until(() => fleet.state('d-0000')?.is_motor_running === true);
    fleet.inject({ kind: 'breaker_trip' });
    expect(fleet.state('d-0000')).toMatchObject({
      current_status: 'ON',
      motor_current_ma: 0,
      is_motor_running: false,
    });
  });
});
