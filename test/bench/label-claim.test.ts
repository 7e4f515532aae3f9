import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import type { QueueEntry } from '#contract/resources/adoption.ts';
import type { BenchJobAnswer, BenchLabel, BenchLine } from '#contract/resources/bench.ts';
import { FARM_WIFI } from '#sim/board/improv.ts';
import { type StartedBoard, startBoard } from '#sim/board/start-board.ts';
import { createRealClock } from '#sim/sim-clock.ts';
import { aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { runBenchTool } from '../../gateway/bench/bench-tool.ts';
import { openGateway } from '../../gateway/bench/provision-gateway.ts';

// A simulated board at the bench of one gateway, and later at another one that has its address and knows nothing of it.

const eventually = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: 60_000, interval: 20 });

describe('the label of a board that was provisioned by cable', () => {
  // a board that lives fast: it comes back within a second instead of a minute
  const clock = createRealClock({ speed: 40 });
  let board: StartedBoard;
  let spare: StartedBoard;
  let mqttPort: number;
  let first: Awaited<ReturnType<typeof aGateway>>;
  let label: BenchLabel;
  let old: BenchLabel;

  beforeAll(async () => {
    board = await startBoard({ port: { kind: 'pty' }, clock, joinTakesMs: 10 });
    spare = await startBoard({ port: { kind: 'pty' }, clock, joinTakesMs: 10, mac: '24:6f:28:5a:00:02' });
    mqttPort = await lastingPort();
    first = await aGateway();
  });
  afterAll(async () => {
    await board.close();
    await spare.close();
    clock.stop();
  });

  async function aGateway() {
    const boards = `${board.path()},${spare.path()}`;
    const ports = ['--mqtt-port', String(mqttPort), '--mqtts-port', 'off', '--bench-ports', boards];
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

  const labelOf = async (pointId: string) => {
    const [found] = (await first.call('GET', `/bench/labels?ids=${pointId}`)).body as BenchLabel[];
    if (found === undefined) throw new Error('no label');
    return found;
  };
  async function provision(
    at: StartedBoard,
    pointId: string,
  ): Promise<BenchJobAnswer & { lines: BenchLine[] }> {
    const made = await first.call('POST', '/bench/jobs', {
      kind: 'provision',
      port: at.path(),
      control_point_id: pointId,
      wifi: FARM_WIFI,
      gateway_host: '127.0.0.1',
    });
    const path = `/bench/jobs/${String(body(made)['id'])}`;
    await eventually(async () => expect(body(await first.call('GET', path))['state']).not.toBe('running'));
    return (await first.call('GET', path)).body as BenchJobAnswer & { lines: BenchLine[] };
  }

  it('shows the claim code that this board got with its identity, and keeps as long as the board is the same', async () => {
    const point = await first.point();
    expect(await labelOf(point.id)).toMatchObject({ device_id: point.device_id, claim: null, qr: null });
    const job = await provision(board, point.id);
    expect([job.trouble, job.result]).toMatchObject([null, { device_id: point.device_id, has_claim: true }]);
    label = await labelOf(point.id);
    expect(label).toMatchObject({
      mac: '246f285a0001',
      claim: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{16}$/),
      qr: `SF1:${point.device_id}:${label.claim}`,
    });
    expect(JSON.stringify(job)).not.toContain(label.claim);
    // the sticker is on its box already
    expect((await provision(board, point.id)).result).toMatchObject({ has_claim: true, claim_kept: true });
    expect((await labelOf(point.id)).claim).toBe(label.claim);
  });

  it('of a board that took its place says another code: who has the old label opens nothing of the new one', async () => {
    const point = await first.point();
    await provision(board, point.id);
    const before = await labelOf(point.id);
    expect((await provision(spare, point.id)).result).toMatchObject({ has_claim: true, claim_kept: false });
    const after = await labelOf(point.id);
    expect([after.mac, after.claim === before.claim]).toEqual(['246f285a0002', false]);
    [old, label] = [before, after];
  });

  it('shows what the command line gives a board, too, once it is noted', async () => {
    const point = await first.point();
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
    const named = { ...point, farm_id: first.farmId, locked_out: false };
    const { identity, labelledMac } = await gateway.issue(named);
    const claim = identity.claim ?? '';
    expect([labelledMac, claim]).toEqual([null, expect.stringMatching(/^[0-9A-Z]{16}$/)]);
    await gateway.keepLabel(named, { mac: '24:6F:28:5A:00:09', claim });
    expect(await labelOf(point.id)).toMatchObject({ mac: '246f285a0009', claim });
    const again = await gateway.issue(named);
    expect([again.labelledMac, again.identity.claim === claim]).toEqual(['246f285a0009', false]);
    const stranger = await first.app.signUp();
    const noted = await first.app.call('PUT', `/bench/labels/${point.id}`, {
      token: stranger.token,
      body: { mac: '24:6f:28:5a:00:0a', claim },
    });
    expect([noted.status, (await labelOf(point.id)).mac]).toEqual([404, '246f285a0009']);
  });

  it('is printed by a batch for the very board that was done', async () => {
    const point = await first.point();
    const folder = await mkdtemp(join(tmpdir(), 'batch-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'wifi.txt'), FARM_WIFI.password);
    const reel = await startBoard({
      port: { kind: 'pty' },
      clock,
      joinTakesMs: 10,
      mac: '24:6f:28:5a:00:03',
    });
    const words = `batch --to ${folder} --points ${point.cod} --port ${reel.path()} --gateway ${first.app.base} \
--ssid ${FARM_WIFI.ssid} --wifi-password-file ${join(folder, 'wifi.txt')} --gateway-host 127.0.0.1 --language pt-BR`;
    const printed: string[] = [];
    const code = await runBenchTool(words.split(' '), {
      environment: { BENCH_TOKEN: first.token },
      print: (line) => printed.push(line),
      warn: (line) => {
        if (line.startsWith('puxe a placa')) void reel.close();
      },
      signal: new AbortController().signal,
      now: () => 0,
    });
    expect([code, printed[0]]).toEqual([0, expect.stringMatching(/^1 prontas, 0 falharam, 0 restam/)]);
    const { claim, mac } = await labelOf(point.id);
    expect(mac).toBe('246f285a0003');
    const html = await readFile(join(folder, 'labels.html'), 'utf8');
    expect(html).toContain('<title>Controladores</title>');
    expect(html).toContain(claim?.replaceAll(/(.{4})(?=.)/g, '$1-'));
    expect(await readFile(join(folder, 'results.csv'), 'utf8')).toContain(
      `${point.device_id},24:6f:28:5a:00:03`,
    );
  });

  it('opens it the way to another gateway that does not know its key, and no other code does', async () => {
    await first.close();
    const second = await aGateway();
    try {
      await second.call('POST', '/adoption/window', { minutes: 10 });
      const waiting = async () => {
        const queue = (await second.call('GET', '/adoption/queue')).body as QueueEntry[];
        return queue.find(({ is_waiting, mac }) => is_waiting && mac === label.mac);
      };
      await eventually(async () => expect(await waiting()).toMatchObject({ how: 'claim' }));
      const { mac } = (await waiting()) ?? {};
      const adopt = (claim: string | undefined) =>
        second.call('POST', '/adoption/create', { farm_id: second.farmId, cod: 'CP-1', mac, claim });
      // the label of the board that it replaced: somebody may have found that on the scrap heap
      const wrong = await adopt(old.claim ?? '');
      expect([wrong.status, body(wrong)['code']]).toEqual([422, 'WRONG_CLAIM']);
      await eventually(async () => expect(await waiting()).toBeDefined());
      const adopted = await adopt(label.qr?.split(':').at(-1));
      expect(adopted.status).toBe(201);
      const keys = `/control-points/${String(body(adopted)['control_point_id'])}/device-key`;
      // it came with its new key, and reports
      await eventually(async () =>
        expect((await second.call('GET', keys)).body).toMatchObject([{ state: 'active' }]),
      );
      expect(spare.board.mode()).toBe('program');
      // it keeps the label it came with, and that one is printed again
      const pointId = String(body(adopted)['control_point_id']);
      const [printed] = (await second.call('GET', `/bench/labels?ids=${pointId}`)).body as BenchLabel[];
      expect(printed).toMatchObject({ claim: label.claim, mac: label.mac, device_id: 'aer-246f285a0002' });
    } finally {
      await second.close();
    }
  });
});
