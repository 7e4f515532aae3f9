import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createEcho } from 'node:net';
import { join } from 'node:path';
import { openBroker } from '#app/control/broker.ts';
import type { RolloutAnswer, RolloutDetail } from '#contract/resources/firmware.ts';
import { createFleet, type Fleet } from '#sim/fleet/fleet.ts';
import { createManualClock } from '#sim/sim-clock.ts';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';
import type { Engine } from '#test/databases.ts';
import { firmwareFile } from '../../../../scripts/sign-firmware.ts';

const PEM = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;

/** Who signs firmware in a test. */
export function aPublisher() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export(PEM.privateKeyEncoding);
  return {
    key: publicKey,
    pem: publicKey.export(PEM.publicKeyEncoding).toString(),
    sign: (version: string, { chip = 'esp32', image = anImage(version) } = {}) =>
      firmwareFile(image, { chip, version }, secret.toString()),
  };
}

/** An application image of a chip; its text says how a simulated board behaves with it. */
export function anImage(text: string, { chipId = 0, bytes = 150_000 } = {}): Buffer {
  const image = Buffer.alloc(bytes, text.length);
  image[0] = 0xe9;
  image.writeUInt16LE(chipId, 12);
  image.write(text, 64);
  return image;
}

export const OCTETS = { 'Content-Type': 'application/octet-stream' };

/** Sends a firmware file as the console does. */
export async function upload(app: App, token: string, file: Uint8Array, query = '') {
  const answer = await fetch(`${app.base}/api/v1/firmware/${query}`, {
    method: 'POST',
    headers: { ...OCTETS, Authorization: `Bearer ${token}` },
    body: new Uint8Array(file),
  });
  // what a test reads of it, it checks
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

export type FirmwareFarm = Awaited<ReturnType<typeof aFirmwareFarm>>;

/** A socket whose other end sends back what it gets: whatever was sent over this machine before has come by then. */
async function aLine() {
  const server = createEcho((end) => end.pipe(end));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // it listens on a port of TCP
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return {
    async turn(): Promise<void> {
      const isBack = once(socket, 'data');
      socket.write('.');
      await isBack;
    },
    close(): void {
      socket.destroy();
      server.close();
    },
  };
}

/** A gateway with its broker and a publisher it knows, and an owner with a farm; time passes when the test says so. */
export async function aFirmwareFarm(engine: Engine = 'sqlite') {
  const app = await startApp(engine, ['--trust-clock', 'yes']);
  const broker = await openBroker(app.config, app, createServer());
  const { port } = await broker.listenTcp(0, '127.0.0.1');
  app.control.attach(broker.link);
  const publisher = aPublisher();
  await writeFile(join(app.config.data, 'firmware-keys.pem'), publisher.pem);
  const { token, farmId } = await aFarmWith(app);
  const call = async (method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token, ...(sent === undefined ? {} : { body: sent }) });
  const simClock = createManualClock({ unixMs: app.clock.now() });
  const line = await aLine();
  const fleets: Fleet[] = [];
  let turns = 0;

  /** Half a second of the farm; the gateway looks at its rollouts every two. */
  async function turn(): Promise<void> {
    app.clock.advance(500);
    simClock.advance(500);
    // Files are read by other threads, and the network brings what was sent when it has time: a busy machine may leave
    // both waiting. What was asked of them before is under way once they answer, and what was sent before has come once
    // the line answers, so that a slow machine makes no farm minute too short for a download.
    for (let n = 0; n < 2; n += 1) {
      await stat(app.config.data);
      await line.turn();
    }
    turns += 1;
    if (turns % 4 === 0) await app.technicians?.firmware.look();
  }

  /**
   * Lets the farm live until something is so; fails after that many of its minutes. It is asked after each look of the
   * gateway, so that nothing a look decided has been followed by another when it is seen.
   */
  async function until(isSo: () => boolean | Promise<boolean>, minutes = 30): Promise<void> {
    for (let n = 0; n < minutes * 120; n += 1) {
      if ((n === 0 || turns % 4 === 0) && (await isSo())) return;
      await turn();
    }
    throw new Error(`not so within ${minutes} minutes of the farm`);
  }

  async function pass(seconds: number): Promise<void> {
    for (let n = 0; n < seconds * 2; n += 1) await turn();
  }

  return {
    app,
    broker,
    publisher,
    token,
    farmId,
    call,
    until,
    pass,
    async aPond(controlPointId: string | null): Promise<string> {
      const made = await call('POST', '/ponds/', {
        farm_id: farmId,
        cod: `V-${app.kernel.newId().slice(-8)}`,
        size_m2: 1000,
        depth: 1.5,
        type: 'FATTENING',
        ...(controlPointId === null ? {} : { control_point_id: controlPointId }),
      });
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      return String(body(made)['id']);
    },
    /** So many controllers that are connected, with a control point and a key each. */
    async controllers(count: number, firmwareKeys: readonly KeyObject[] = [publisher.key]) {
      const points: MadeControlPoint[] = [];
      const controllers = [];
      for (let n = 0; n < count; n += 1) {
        const point = await aControlPoint(app, { token, farmId });
        points.push(point);
        const issued = await call('POST', `/control-points/${point.id}/device-key`);
        const key = String(body(issued)['key']);
        const profile = { firmwareVersion: '1.0.0' };
        controllers.push({
          device_id: point.device_id,
          mqtt_id: point.mqtt_id,
          key,
          transport: 'mqtt' as const,
          profile,
        });
      }
      const fleet = createFleet({
        controllers,
        httpBase: app.base,
        mqttUrl: `mqtt://127.0.0.1:${port}`,
        seed: 1,
        clock: simClock,
        firmwareKeys,
      });
      fleets.push(fleet);
      fleet.start();
      const isThere = ({ id }: MadeControlPoint) =>
        app.control.registry.byId(id)?.presence.isConnected === true;
      await until(() => points.every(isThere), 5);
      const versions = () => fleet.states().map((state) => state.firmware_version);
      return { points, fleet, versions, keys: controllers.map(({ key }) => key) };
    },
    /** Puts a signed image of that version into the store; answers its id. */
    async stored(version: string, text = version): Promise<string> {
      const sent = await upload(
        app,
        token,
        publisher.sign(version, { image: anImage(text) }),
        '?allow_older=true',
      );
      if (sent.status > 201) throw new Error(JSON.stringify(sent.body));
      return String(sent.body['id']);
    },
    async begin(
      to: { points: readonly MadeControlPoint[] },
      wish: Record<string, unknown>,
    ): Promise<RolloutDetail> {
      const control_point_ids = to.points.map(({ id }) => id);
      const begun = await call('POST', '/firmware/rollouts', {
        farm_id: farmId,
        soak_s: 0,
        control_point_ids,
        ...wish,
      });
      if (begun.status !== 201) throw new Error(JSON.stringify(begun.body));
      return begun.body as RolloutDetail;
    },
    newestRollout: async (): Promise<RolloutAnswer> => {
      const { body } = await call('GET', `/firmware/rollouts?farm_id=${farmId}`);
      const [newest] = body as RolloutAnswer[];
      if (newest === undefined) throw new Error('no rollout was begun');
      return newest;
    },
    rollout: async (id: string) => (await call('GET', `/firmware/rollouts/${id}`)).body as RolloutDetail,
    /** The controllers of this test leave. */
    async sendHome() {
      await Promise.all(fleets.splice(0).map((fleet) => fleet.stop()));
    },
    async close() {
      line.close();
      await broker.stop();
      await app.close();
    },
  };
}
