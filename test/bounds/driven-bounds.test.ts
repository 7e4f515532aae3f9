import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aSoftPasskey } from '#test/soft-passkey.ts';
import { aFirmwareFarm, type FirmwareFarm, upload } from '../features/equipment/firmware/a-firmware-farm.ts';

// Bounds of tables, each driven until it holds.

const DAY_MS = 24 * 3_600_000;

async function countOf(app: Pick<App, 'database'>, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
    app.database.read,
  );
  return Number(rows[0]?.n);
}

/** Asks so often; answers with which status, how often in a row. */
async function statusesOf(times: number, ask: (n: number) => Promise<{ status: number }>) {
  const runs: [status: number, times: number][] = [];
  for (let n = 0; n < times; n += 1) {
    const { status } = await ask(n);
    const last = runs.at(-1);
    if (last?.[0] === status) last[1] += 1;
    else runs.push([status, 1]);
  }
  return runs;
}

describe('of firmware', () => {
  let farm: FirmwareFarm;
  beforeAll(async () => {
    farm = await aFirmwareFarm();
  });
  afterAll(() => farm.close());

  it('twenty images are the most of a box', async () => {
    const runs = await statusesOf(22, (n) => upload(farm.app, farm.token, farm.publisher.sign(`1.${n}.0`)));
    expect(runs).toEqual([
      [201, 20],
      [409, 2],
    ]);
    expect(await countOf(farm.app, 'firmware_images')).toBe(20);
  });

  it('fifty rollouts of a farm are kept, with their controllers, the newest', {
    timeout: 300_000,
  }, async () => {
    const { id: controlPointId } = await aControlPoint(farm.app, { token: farm.token, farmId: farm.farmId });
    const [image] = (await farm.call('GET', '/firmware/')).body as { id: string }[];
    const begun: string[] = [];
    for (let n = 0; n < 54; n += 1) {
      const { id } = await farm.begin(
        { points: [{ id: controlPointId } as never] },
        { firmware_id: image?.id },
      );
      begun.push(id);
      const ended = await farm.call('PUT', `/firmware/rollouts/${id}/state`, { state: 'cancelled' });
      expect([n, ended.status]).toEqual([n, 200]);
      farm.app.clock.advance(1_000);
    }
    expect(await countOf(farm.app, 'firmware_rollouts')).toBe(50);
    expect(await countOf(farm.app, 'firmware_targets')).toBe(50);
    expect((await farm.call('GET', `/firmware/rollouts/${begun[0]}`)).status).toBe(404);
    expect((await farm.call('GET', `/firmware/rollouts/${begun.at(-1)}`)).status).toBe(200);
  });

  it('a rollout takes five hundred controllers at most', async () => {
    for (let n = 0; n < 500; n += 1)
      await aControlPoint(farm.app, { token: farm.token, farmId: farm.farmId });
    const [image] = (await farm.call('GET', '/firmware/')).body as { id: string }[];
    const asked = { farm_id: farm.farmId, firmware_id: image?.id, soak_s: 0 };
    const before = await countOf(farm.app, 'firmware_targets');
    expect(await farm.call('POST', '/firmware/rollouts', asked)).toMatchObject({ status: 422 });
    expect(await countOf(farm.app, 'firmware_targets')).toBe(before);
  });
});

describe('of probes', () => {
  let app: App;
  let token: string;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp('sqlite');
    ({ token, farmId } = await aFarmWith(app));
  });
  afterAll(() => app.close());
  const post = (path: string, sent: unknown) => app.call('POST', path, { token, body: sent });

  it('sixty-four profiles are the most of a farm', async () => {
    const registers = [{ parameter: 'temperature', function_code: 4, address: 6, type: 'f32' }];
    const runs = await statusesOf(66, (n) =>
      post('/probe-profiles/', { farm_id: farmId, name: `P${n}`, registers }),
    );
    expect(runs).toEqual([
      [201, 64],
      [409, 2],
    ]);
  });

  it('a hundred and twenty-eight probes are the most of a farm', async () => {
    const pond = {
      farm_id: farmId,
      cod: 'V-01',
      type: 'FATTENING',
      area: 5000,
      max_depth: 1.6,
      min_depth: 1.2,
    };
    const pondId = body(await post('/ponds/', pond))['id'];
    const bus = { farm_id: farmId, name: 'B', kind: 'tcp', host: '192.168.7.1', port: 502 };
    const busId = body(await post('/probe-buses/', bus))['id'];
    const runs = await statusesOf(130, (n) =>
      post('/probes/', {
        pond_id: pondId,
        probe_bus_id: busId,
        name: `S${n}`,
        unit_id: n + 1,
        probe_profile_id: 'in-situ-odo',
      }),
    );
    expect(runs).toEqual([
      [201, 128],
      [409, 2],
    ]);
    expect(await countOf(app, 'probes')).toBe(128);
  });
});

describe('of imports', () => {
  it('a hundred records and fifty layouts of a farm are kept', { timeout: 300_000 }, async () => {
    const app = await startApp('sqlite');
    const { token, farmId } = await aFarmWith(app);
    const send = (n: number) =>
      app.call('POST', `/imports/measurements?farm_id=${farmId}&dry_run=false&decimal=comma`, {
        token,
        body: `viveiro;data;hora;OD;extra ${n % 54}\r\nV-1;0${1 + (n % 9)}/02/2026;${10 + Math.floor(n / 9)}:00;4,1;x\r\n`,
        headers: { 'Content-Type': 'text/csv' },
      });
    const pond = { farm_id: farmId, cod: 'V-1', pond_type: 'FATTENING', size_m2: 1000, depth_m: 1.5 };
    await app.call('POST', '/ponds/', { token, body: { ...pond, aerator_count: 1 } });
    for (let n = 0; n < 104; n += 1) {
      const { status } = await send(n);
      expect([n, status]).toEqual([n, 200]);
      app.clock.advance(1_000);
    }
    expect(await countOf(app, 'imports')).toBe(100);
    expect(await countOf(app, 'import_layouts')).toBe(50);
    await app.close();
  });
});

onBothEngines('at a hosted instance', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    const origin = ['--public-url', 'https://fazenda.example', '--trusted-proxies', '127.0.0.1'];
    app = await startApp(engine, ['--role', 'hosted', ...origin]);
  });
  afterAll(() => app.close());

  it('twenty passkeys are the most of an account', async () => {
    const { token } = await app.signUp();
    const add = async (n: number) => {
      const begun = await app.call('POST', '/auth/passkeys/begin', {
        token,
        body: { current_password: 'camarao-123' },
      });
      const credential = aSoftPasskey('https://fazenda.example').create(begun.body as never);
      return app.call('POST', '/auth/passkeys', { token, body: { name: `P${n}`, credential } });
    };
    expect(await statusesOf(22, add)).toEqual([
      [201, 20],
      [409, 2],
    ]);
    expect(await countOf(app, 'passkeys')).toBe(20);
  });

  it('what a push is checked by goes after thirty days, stamps that were brought back after ninety', async () => {
    const at = new Date(app.clock.now()).toISOString();
    await sql`insert into sync_marks (stream_id, lane, seq, chain, marked_at) values (9, 'core', 1, '', ${at})`.execute(
      app.database.read,
    );
    await sql`insert into sync_restamps (stream_id, epoch, lane, seq, chain, from_hlc, to_hlc, restamped_at)
      values (9, 1, 'core', 1, '', '', '', ${at})`.execute(app.database.read);
    const left = async (days: number) => {
      app.clock.advance(days * DAY_MS);
      await app.sync?.forget();
      return [await countOf(app, 'sync_marks'), await countOf(app, 'sync_restamps')];
    };
    expect(await left(29)).toEqual([1, 1]);
    expect(await left(2)).toEqual([0, 1]);
    expect(await left(58)).toEqual([0, 1]);
    expect(await left(2)).toEqual([0, 0]);
  });

  it.runIf(engine === 'postgres')('what sources and accounts asked is counted for an hour', async () => {
    for (let n = 0; n < 30; n += 1)
      await app.call('POST', '/auth/login', {
        body: { email: `ninguem-${n}@casa.test`, password: 'errada-123' },
        headers: { 'X-Forwarded-For': `198.51.100.${n + 1}` },
      });
    expect(await countOf(app, 'request_counts')).toBeGreaterThan(20);
    // they end by the clock of the machine
    app.clock.advance(Math.max(0, Date.now() - app.clock.now()) + DAY_MS);
    await sweep(app);
    expect(await countOf(app, 'request_counts')).toBe(0);
  });
});
