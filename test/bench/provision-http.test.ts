import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  BenchFirmware,
  BenchJobAnswer,
  BenchLabel,
  BenchLine,
  BenchPort,
} from '#contract/resources/bench.ts';
import { type App, aControlPoint, aFarmWith, body, joinFarm, type Reply, startApp } from '#test/app.ts';
import { aBundle, PUBLISHER } from './flash-fixtures.ts';
import { aTalkingBoard, type BoardIdentity, type TalkingBoard } from './talking-board.ts';

type Detail = BenchJobAnswer & { lines: BenchLine[] };

const WIFI = { ssid: 'farm', password: 'viveiro-123' };

describe('the bench of a gateway', () => {
  let app: App;
  let board: TalkingBoard;
  let token: string;
  let farmId: string;
  const seen = { identity: null as BoardIdentity | null };

  beforeAll(async () => {
    // as a controller does: once it has identity and Wi-Fi it reports to the gateway under its key
    board = await aTalkingBoard(
      { motorMa: 2_800 },
      {
        identity: (it) => {
          seen.identity = it;
        },
        joined: () => void report(),
      },
    );
    app = await startApp('sqlite', ['--bench-ports', `${board.path},/dev/ttyS-none`]);
    ({ token, farmId } = await aFarmWith(app));
  });
  afterAll(async () => {
    await app.technicians?.bench.stop();
    await app.close();
    await board.close();
  });

  async function report(): Promise<void> {
    const { device_id, key } = seen.identity ?? {};
    await app.call('POST', '/devices/heartbeat', {
      token: String(key),
      body: { device_id, current_status: 'OFF' },
    });
  }
  const start = (job: Record<string, unknown>, by = token) =>
    app.call('POST', '/bench/jobs', { token: by, body: { port: board.path, ...job } });
  /** Asks as the console does, until the job stands as wanted. */
  async function until(made: Reply, isSo: (job: Detail) => boolean): Promise<Detail> {
    for (;;) {
      const { body: job } = await app.call('GET', `/bench/jobs/${String(body(made)['id'])}`, { token });
      // the interface's answer, checked by the contract test
      if (isSo(job as Detail)) return job as Detail;
      await setTimeout(20);
    }
  }
  const ended = (made: Reply) => until(made, ({ state }) => state !== 'running');
  async function untilFree(): Promise<void> {
    const isRunning = ({ state }: BenchJobAnswer) => state === 'running';
    const jobs = async () => (await app.call('GET', '/bench/jobs', { token })).body as BenchJobAnswer[];
    while ((await jobs()).some(isRunning)) await setTimeout(20);
  }

  it('makes a board the controller of a control point, proved by its own first report', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const made = await start({
      kind: 'provision',
      control_point_id: point.id,
      wifi: WIFI,
      gateway_host: '127.0.0.1',
      self_test: { min_current_ma: 1_000 },
    });
    expect(made.status).toBe(202);
    const job = await ended(made);
    expect(job).toMatchObject({
      state: 'done',
      kind: 'provision',
      control_point_id: point.id,
      trouble: null,
      result: {
        device_id: point.device_id,
        mac: '24:0a:c4:00:00:01',
        address: 'http://10.0.0.7/',
        first_heartbeat_at: new Date(app.clock.now()).toISOString(),
        motor_current_ma: 2_800,
      },
    });
    expect(board.state.identity).toMatchObject({
      mqtt_id: point.mqtt_id,
      gw_host: '127.0.0.1',
      cp: point.cod,
    });
    const keys = await app.call('GET', `/control-points/${point.id}/device-key`, { token });
    expect(keys.body).toMatchObject([{ state: 'active' }]);
    const after = await app.call('GET', `/bench/jobs/${job.id}?after=${job.last_line - 1}`, { token });
    expect((after.body as Detail).lines).toEqual([job.lines.at(-1)]);
    const everything = JSON.stringify([job, app.sentences]);
    expect(everything).not.toContain(seen.identity?.key);
    expect(everything).not.toContain(WIFI.password);
  });

  it('says which hand action is next when the board never reports', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const made = await start({
      kind: 'provision',
      control_point_id: point.id,
      gateway_host: '10.0.0.9',
      wait_s: 1,
    });
    expect(await ended(made)).toMatchObject({
      state: 'failed',
      trouble: { code: 'NO_HEARTBEAT', next: expect.stringContaining('10.0.0.9') },
    });
    const saidIn = async (language: string) => {
      const headers = { 'accept-language': language };
      const path = `/bench/jobs/${String(body(made)['id'])}`;
      const { trouble, lines, progress } = (await app.call('GET', path, { token, headers })).body as Detail;
      return [trouble?.message, trouble?.next, lines.at(-1)?.text, progress?.message].map((text) =>
        String(text).split(' ').slice(0, 3).join(' '),
      );
    };
    expect(await saidIn('pt-BR')).toEqual(['a placa tem', 'veja se o', 'esperando até 1', 'esperando até 1']);
    expect(await saidIn('en')).toEqual(['the board has', 'see that its', 'waiting up to', 'waiting up to']);
  });

  it('has one job at a port, and stops it when asked', async () => {
    const made = await start({ kind: 'monitor' });
    expect(made.status).toBe(202);
    const id = body(made)['id'];
    const second = await start({ kind: 'wifi_scan' });
    expect([second.status, body(second)['code']]).toEqual([409, 'PORT_BUSY']);
    expect((await app.call('GET', '/bench/ports', { token })).body).toContainEqual(
      expect.objectContaining({ path: board.path, job_id: id, is_named: true }),
    );
    expect((await app.call('DELETE', `/bench/jobs/${String(id)}`, { token })).status).toBe(200);
    expect(await ended(made)).toMatchObject({ state: 'done' });
    expect((await start({ kind: 'wifi_scan' })).status).toBe(202);
  });

  it('stops to wait for a board when asked, and says what became of it', async () => {
    const point = await aControlPoint(app, { token, farmId });
    await untilFree();
    const made = await start({ kind: 'provision', control_point_id: point.id, gateway_host: '10.0.0.9' });
    await until(made, ({ progress, state }) => progress?.step === 'heartbeat' || state !== 'running');
    await app.call('DELETE', `/bench/jobs/${String(body(made)['id'])}`, { token });
    expect(await ended(made)).toMatchObject({
      state: 'cancelled',
      trouble: { code: 'CANCELLED' },
      result: null,
    });
  });

  it('opens no path that is not one of its ports', async () => {
    for (const port of [join(app.config.data, 'farm.db'), '/dev/ttyS-none', '/dev/null']) {
      const reply = await start({ kind: 'detect', port });
      expect([port, reply.status, body(reply)['code']]).toEqual([port, 404, 'PORT_NOT_FOUND']);
    }
  });

  it('is for those who work on the box, and each for their own control points', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const stranger = await app.signUp();
    const looks = ['/bench/ports', '/bench/firmware', '/bench/jobs'];
    for (const path of looks)
      expect((await app.call('GET', path, { token: stranger.token })).status).toBe(403);
    expect((await start({ kind: 'detect' }, stranger.token)).status).toBe(403);
    const neighbour = await aFarmWith(app);
    // a farm of one's own on the box gives no right over its cables
    const taken = await start({ kind: 'provision', control_point_id: point.id }, neighbour.token);
    expect(taken.status).toBe(403);
    const labels = await app.call('GET', `/bench/labels?ids=${point.id}`, { token: neighbour.token });
    expect(labels.status).toBe(404);
    const keys = await app.call('GET', `/control-points/${point.id}/device-key`, { token });
    expect(keys.body).toEqual([]);
  });

  it('shows a job to whoever began it or operates its control point, and to no neighbour', async () => {
    const point = await aControlPoint(app, { token, farmId });
    // keeps the box, and is nobody on this farm
    const neighbour = await app.signUp();
    await app.call('POST', '/system/rights', { token, body: { user_id: neighbour.user.id } });
    await untilFree();
    const wanted = { control_point_id: point.id, gateway_host: '10.0.0.9', wait_s: 1 };
    const proved = await start({ kind: 'provision', ...wanted });
    await ended(proved);
    const [provision, monitor] = [proved, await start({ kind: 'monitor' })].map((job) =>
      String(body(job)['id']),
    );
    const partner = await app.signUp();
    await joinFarm(app, { token, farmId }, partner, 'TECHNICIAN');
    const seenBy = async (by: string) => {
      const jobs = (await app.call('GET', '/bench/jobs', { token: by })).body as BenchJobAnswer[];
      const ports = (await app.call('GET', '/bench/ports', { token: by })).body as BenchPort[];
      const port = ports.find(({ path }) => path === board.path);
      const looks = [provision, monitor].map((id) => app.call('GET', `/bench/jobs/${id}`, { token: by }));
      return {
        jobs: jobs.map(({ id }) => id).filter((id) => id === provision || id === monitor),
        statuses: (await Promise.all(looks)).map(({ status }) => status),
        port: [port?.is_busy, port?.job_id],
      };
    };
    expect({
      beginner: await seenBy(token),
      partner: await seenBy(partner.token),
      neighbour: await seenBy(neighbour.token),
    }).toEqual({
      beginner: { jobs: [monitor, provision], statuses: [200, 200], port: [true, monitor] },
      partner: { jobs: [provision], statuses: [200, 404], port: [true, null] },
      neighbour: { jobs: [], statuses: [404, 404], port: [true, null] },
    });
    const foreign = await app.call('DELETE', `/bench/jobs/${monitor}`, { token: neighbour.token });
    const unknown = await app.call('DELETE', `/bench/jobs/${crypto.randomUUID()}`, {
      token: neighbour.token,
    });
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
    expect(body(await app.call('GET', `/bench/jobs/${monitor}`, { token }))['state']).toBe('running');
    await app.call('DELETE', `/bench/jobs/${monitor}`, { token });
    await untilFree();
  });

  it('does not start a motor that is locked out', async () => {
    const point = await aControlPoint(app, { token, farmId });
    await app.call('POST', `/control-points/${point.id}/lock-out`, {
      token,
      body: { reason: 'hand in the paddle' },
    });
    const reply = await start({ kind: 'provision', control_point_id: point.id, self_test: {} });
    expect([reply.status, body(reply)['code']]).toEqual([409, 'LOCKED_OUT']);
  });

  it('lists the firmware that lies on the box, also what cannot be flashed', async () => {
    const folder = join(app.config.data, 'bench', 'firmware');
    const put = (name: string, file: string, text: string) => {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, file), text);
    };
    const parts = [{ file: 'app.bin', offset: '0x10000', sha256: '0'.repeat(64) }];
    put('aerator-1.2.0', 'manifest.json', JSON.stringify({ chip: 'ESP32', version: '1.2.0', parts }));
    put('aerator-1.2.0', 'app.bin', 'firmware');
    put('broken', 'manifest.json', '{');
    expect((await app.call('GET', '/bench/firmware', { token })).body).toEqual([
      {
        name: 'aerator-1.2.0',
        chip: 'ESP32',
        version: '1.2.0',
        bytes: 8,
        parts: [{ file: 'app.bin', offset: 65_536, bytes: 8 }],
        trouble: null,
        signature: 'none',
        signed_by: null,
      },
      expect.objectContaining({ name: 'broken', trouble: expect.stringContaining('manifest') }),
    ]);
    const refused = await start({ kind: 'flash', firmware: 'broken' });
    expect([refused.status, body(refused)['code']]).toEqual([409, 'WRONG_IMAGE']);
    expect((await start({ kind: 'flash', firmware: '../broken' })).status).toBe(404);
  });

  it('flashes what a publisher signed whose key it has, and anything else only at the word for it', async () => {
    const folder = join(app.config.data, 'bench', 'firmware');
    cpSync(await aBundle(), join(folder, 'signed'), { recursive: true });
    const signatureOf = async () => {
      const rows = (await app.call('GET', '/bench/firmware', { token })).body as BenchFirmware[];
      const found = rows.find(({ name }) => name === 'signed');
      return [found?.signature, found?.signed_by ?? null];
    };
    const flash = async (more: object = {}) => {
      const made = await start({ kind: 'flash', firmware: 'signed', ...more });
      if (made.status !== 202) return [made.status, body(made)['code']];
      await app.call('DELETE', `/bench/jobs/${String(body(made)['id'])}`, { token });
      return [202, (await ended(made)).state];
    };
    await untilFree();
    expect(await signatureOf()).toEqual(['unknown', null]);
    expect(await flash()).toEqual([409, 'UNSIGNED']);
    expect(await flash({ allow_unsigned: true })).toEqual([202, 'cancelled']);
    writeFileSync(join(app.config.data, 'firmware-keys.pem'), PUBLISHER.open);
    expect(await signatureOf()).toEqual(['valid', expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(await flash()).toEqual([202, 'cancelled']);
  });

  it('prints labels for control points, with a code where it knows that of their board', async () => {
    const [one, two] = [
      await aControlPoint(app, { token, farmId }),
      await aControlPoint(app, { token, farmId }),
    ];
    const ask = (path: string) => app.call('GET', `/bench/${path}?ids=${one.id},${two.id}`, { token });
    const mine = { mac: '24:6F:28:00:00:01', claim: 'k7qx-9m2p-4rtw' };
    const noted = await app.call('PUT', `/bench/labels/${one.id}`, { token, body: mine });
    expect(noted.status).toBe(200);
    const labels = (await ask('labels')).body as BenchLabel[];
    expect(
      labels.map(({ device_id, code, farm, claim, mac }) => [device_id, code, farm, claim, mac]),
    ).toEqual([
      [one.device_id, one.cod, 'Fazenda Norte', 'K7QX9M2P4RTW', '246f28000001'],
      [two.device_id, two.cod, 'Fazenda Norte', null, null],
    ]);
    expect(labels.map(({ qr }) => qr)).toEqual([`SF1:${one.device_id}:K7QX9M2P4RTW`, null]);
    const sheet = await ask('label-sheet');
    expect(sheet.headers.get('content-type')).toContain('text/html');
    expect(String(sheet.body)).toContain(one.cod);
  });
});
