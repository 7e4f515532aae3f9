import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { QueueEntry } from '#contract/resources/adoption.ts';
import type { BenchJobAnswer, BenchLabel, BenchLine } from '#contract/resources/bench.ts';
import { type StartedBoard, startBoard } from '#sim/board/start-board.ts';
import { FARM_WIFI } from '#sim/board/wifi.ts';
import { createRealClock } from '#sim/sim-clock.ts';
import { aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { openGateway } from '../../gateway/bench/provision-gateway.ts';
import { openBroker } from '../../gateway/compose-broker.ts';

// A simulated board at the bench of one gateway, and later at another one that has its address and knows nothing of it.

const eventually = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: 20_000, interval: 20 });

describe('the label of a board that was provisioned by cable', () => {
  // a board that lives fast: it comes back within a second instead of a minute
  const clock = createRealClock({ speed: 40 });
  let board: StartedBoard;
  let mqttPort: number;
  let first: Awaited<ReturnType<typeof aGateway>>;
  let label: BenchLabel;

  beforeAll(async () => {
    board = await startBoard({ port: { kind: 'pty' }, clock, joinTakesMs: 10 });
    mqttPort = await aFreePort();
    first = await aGateway();
  }, 60_000);
  afterAll(async () => {
    await board.close();
    clock.stop();
  });

  async function aGateway() {
    const ports = ['--mqtt-port', String(mqttPort), '--mqtts-port', 'off', '--bench-ports', board.path()];
    const app = await startApp('sqlite', ports);
    const broker = await openBroker(app.config, app, createServer());
    // it tells the board the address it has on the farm network
    await broker.listenTcp(mqttPort, '0.0.0.0');
    app.control.attach(broker.link);
    app.control.attachTalk(broker.talk);
    const { token, farmId } = await aFarmWith(app);
    return {
      app,
      farmId,
      token,
      point: () => aControlPoint(app, { token, farmId }),
      call: (method: string, path: string, sent?: unknown) =>
        app.call(method, path, { token, ...(sent === undefined ? {} : { body: sent }) }),
      async close() {
        await app.technicians?.bench.stop();
        await broker.stop();
        await app.close();
      },
    };
  }

  it('shows the claim code that the board got with its identity', async () => {
    const point = await first.point();
    [label] = (await first.call('GET', `/bench/labels?ids=${point.id}`)).body as [BenchLabel];
    const made = await first.call('POST', '/bench/jobs', {
      kind: 'provision',
      port: board.path(),
      control_point_id: point.id,
      wifi: FARM_WIFI,
      gateway_host: '127.0.0.1',
    });
    const path = `/bench/jobs/${String(body(made)['id'])}`;
    await eventually(async () => expect(body(await first.call('GET', path))['state']).not.toBe('running'));
    const job = (await first.call('GET', path)).body as BenchJobAnswer & { lines: BenchLine[] };
    expect([job.trouble, job.result]).toMatchObject([null, { device_id: point.device_id, has_claim: true }]);
    expect(JSON.stringify(job)).not.toContain(label.claim);
  });

  it('shows what the command line gives a board, too', async () => {
    const point = await first.point();
    const [printed] = (await first.call('GET', `/bench/labels?ids=${point.id}`)).body as [BenchLabel];
    const silent = () => undefined;
    const gateway = await openGateway(
      { gateway: first.app.base },
      {
        environment: { BENCH_TOKEN: first.token },
        isJson: false,
        language: 'en',
        print: silent,
        warn: silent,
        tell: silent,
        signal: new AbortController().signal,
        now: () => 0,
      },
    );
    const { identity } = await gateway.issue({ ...point, farm_id: first.farmId, locked_out: false });
    expect(identity.claim).toBe(printed.claim);
  });

  it('opens it the way to another gateway that does not know its key, and no other code does', async () => {
    await first.close();
    const second = await aGateway();
    try {
      await second.call('POST', '/adoption/window', { minutes: 10 });
      const waiting = async () => {
        const queue = (await second.call('GET', '/adoption/queue')).body as QueueEntry[];
        return queue.find(({ is_waiting }) => is_waiting);
      };
      await eventually(async () => expect(await waiting()).toMatchObject({ how: 'claim' }));
      const { mac } = (await waiting()) ?? {};
      const adopt = (claim: string | undefined) =>
        second.call('POST', '/adoption/create', { farm_id: second.farmId, cod: 'CP-1', mac, claim });
      const wrong = await adopt('AAAABBBBCCCCDDDD');
      expect([wrong.status, body(wrong)['code']]).toEqual([422, 'WRONG_CLAIM']);
      await eventually(async () => expect(await waiting()).toBeDefined());
      const adopted = await adopt(label.qr.split(':').at(-1));
      expect(adopted.status).toBe(201);
      const keys = `/control-points/${String(body(adopted)['control_point_id'])}/device-key`;
      // it came with its new key, and reports
      await eventually(async () =>
        expect((await second.call('GET', keys)).body).toMatchObject([{ state: 'active' }]),
      );
      expect(board.board.mode()).toBe('program');
    } finally {
      await second.close();
    }
  }, 60_000);
});

async function aFreePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
