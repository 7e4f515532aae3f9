import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { doJob } from '#operations/backup/do-job.ts';
import { finishRestore, readPlan } from '#operations/boot/finish-restore.ts';
import { testClock } from '#test/app.ts';
import { aFarmOn, follow, newFolder, removeFolders, type Settled, startBox } from '../boot/a-box.ts';

const START = Date.UTC(2026, 2, 2, 12);
const PASSWORD = 'camarao-do-norte';

type Box = Awaited<ReturnType<typeof startBox>>;
type Work = { kind: string; state: string; code: string | null; backup: string | null };

const ask = (box: Box, token: string, method: string, path: string, body?: unknown) =>
  box.call(method, `/api/v1/system${path}`, { token, body });
async function workOf(box: Box, token: string): Promise<Work> {
  let work: Work | null = null;
  await expect
    .poll(async () => {
      work = (await ask(box, token, 'GET', '/backup')).body['work'] as Work | null;
      return work?.state;
    })
    .not.toBe('running');
  if (work === null) throw new Error('nothing was asked for');
  return work;
}
const octets = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes], { type: 'application/octet-stream' });
/** Half of what was announced, then the line is gone. */
async function cutOff(box: Box, token: string, path: string, half: Uint8Array): Promise<void> {
  const { hostname, port } = new URL(box.base);
  const socket = connect(Number(port), hostname);
  const head = [
    `PUT /api/v1/system${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/octet-stream',
    `Content-Length: ${2 * half.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.write(half, resolve));
  socket.end();
  // it is answered, or closed, once the gateway noticed
  await new Promise((resolve) => socket.resume().once('close', resolve));
}
const codsIn = (file: string) => {
  const db = new BetterSqlite(file, { readonly: true });
  try {
    return db.prepare('select cod from control_points where hidden = 0 order by cod').pluck().all();
  } finally {
    db.close();
  }
};
const historyDeps = (now: () => number) => ({
  now,
  monotonic: () => 0,
  bootId: 'boot',
  node: 'gateway:1',
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
});

describe('a box without a farm', () => {
  it('lets its owner bring back another one, and nobody else who made an account', async () => {
    const box = await startBox(newFolder(), testClock(START), ['--backup-dir', newFolder()]);
    const tokenOf = async (email: string) => {
      const body = { email, password: PASSWORD };
      await box.call('POST', '/api/v1/auth/register', { body: { ...body, name: email, role: 'OWNER' } });
      return String((await box.call('POST', '/api/v1/auth/login', { body })).body['access_token']);
    };
    const first = await tokenOf('ana@fazenda.example');
    const restore = await ask(box, first, 'GET', '/restore');
    expect(restore).toMatchObject({ status: 200, body: { state: 'none', can_apply: false } });
    expect(
      await ask(box, first, 'POST', '/restore/apply', {
        backup: 'farm-20260302T120000Z.backup',
        password: PASSWORD,
      }),
    ).toMatchObject({ status: 409, body: { code: 'NOT_SUPERVISED' } });
    const second = await tokenOf('rui@fazenda.example');
    expect((await ask(box, second, 'GET', '/restore')).status).toBe(403);
    expect((await ask(box, first, 'GET', '/restore')).status).toBe(200);
    await box.close();
  });

  it('forgets what was being opened when the power went', async () => {
    const data = newFolder();
    mkdirSync(join(data, 'restore'));
    writeFileSync(join(data, 'restore', 'farm.db'), 'half of it');
    const box = await startBox(data, testClock(START));
    expect(existsSync(join(data, 'restore'))).toBe(false);
    await box.close();
  });
});

describe('the backups of a gateway, from the console', () => {
  const clock = testClock(START);
  const restarts = { n: 0 };
  let [data, stick] = ['', ''];
  let box: Box;
  let farm: Settled;
  let key: string;
  let backup: string;

  beforeAll(async () => {
    data = newFolder();
    stick = newFolder();
    box = await startBox(data, clock, ['--backup-dir', stick], undefined, () => {
      restarts.n += 1;
    });
    farm = await aFarmOn(box, clock);
    await follow(box, clock);
    box.backupDesk?.attach(doJob);
  });
  afterAll(async () => {
    removeFolders();
  });
  const say = (method: string, path: string, body?: unknown) => ask(box, farm.token, method, path, body);

  it('are for the owner of the box, and for nobody else', async () => {
    const other = { email: 'rui@fazenda.example', password: PASSWORD };
    await box.call('POST', '/api/v1/auth/register', { body: { ...other, name: 'Rui', role: 'OWNER' } });
    const { body } = await box.call('POST', '/api/v1/auth/login', { body: other });
    const token = String(body['access_token']);
    const refused = [
      await ask(box, token, 'GET', '/backup'),
      await ask(box, token, 'POST', '/backup/run', {}),
      await ask(box, token, 'POST', '/backup/key', { password: PASSWORD }),
      await ask(box, token, 'GET', '/restore'),
      await ask(box, token, 'DELETE', '/restore'),
      await ask(box, token, 'POST', '/backup/upload', { bytes: 1_000 }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(existsSync(join(data, 'uploaded'))).toBe(false);
    expect(existsSync(join(data, 'backup-key.json'))).toBe(false);
  });

  it('need a recovery key, which is shown once, for the password, and kept nowhere', async () => {
    expect(await say('POST', '/backup/run', {})).toMatchObject({ body: { code: 'NO_RECOVERY_KEY' } });
    expect((await say('POST', '/backup/key', { password: 'another-one' })).status).toBe(422);
    const made = await say('POST', '/backup/key', { password: PASSWORD });
    expect(made.status).toBe(201);
    key = String(made.body['recovery_key']);
    expect(key).toMatch(/^([0-9A-Z]{4}-){7}[0-9A-Z]{4}$/);
    expect(await say('POST', '/backup/key', { password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'RECOVERY_KEY_EXISTS' },
    });
    const { body } = await say('GET', '/backup');
    expect(body['key']).toEqual({ id: made.body['id'], made_at: made.body['made_at'] });
    for (const name of readdirSync(data, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    ))
      expect(readFileSync(join(name.parentPath, name.name)).includes(key)).toBe(false);
  });

  it('are made when a person wants one, never in a folder whose stick is pulled', async () => {
    expect((await say('POST', '/backup/run', {})).status).toBe(202);
    expect(await workOf(box, farm.token)).toMatchObject({ state: 'failed', code: 'NOT_READY' });
    await say('POST', '/backup/run', { prepare: true, keep: true });
    const work = await workOf(box, farm.token);
    expect(work).toMatchObject({ kind: 'backup', state: 'done' });
    backup = String(work.backup);
    const { body } = await say('GET', '/backup');
    expect(body).toMatchObject({
      folder: stick,
      is_ready: true,
      trouble: null,
      backups: [{ name: backup, bytes: expect.any(Number), kept: true }],
    });
    expect(existsSync(join(stick, `${backup}.keep`))).toBe(true);
    expect(Date.parse(String(body['next_at']))).toBeGreaterThan(clock.now());
  });

  it('are proved by the paper, and a wrong one is told precisely, as often as it is tried', async () => {
    const prove = (typed: string) => say('POST', '/backup/proof', { recovery_key: typed });
    expect(await prove('ABCD')).toMatchObject({ status: 422, body: { errors: [{ code: 'KEY_SHAPE' }] } });
    const typo = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect(await prove(typo)).toMatchObject({ status: 422, body: { errors: [{ code: 'KEY_TYPO' }] } });
    expect((await prove(key.toLowerCase().replaceAll('-', ' '))).status).toBe(202);
    expect(await workOf(box, farm.token)).toMatchObject({ kind: 'proof', state: 'done' });
    expect((await say('GET', '/backup')).body['proved_at']).toMatch(/^2026/);
  });

  it('can be brought by the console where the stick does not fit, piece by piece, and open like any other', async () => {
    const file = readFileSync(join(stick, backup));
    const before = (await say('GET', '/backup')).body;
    expect(before).toMatchObject({ uploaded: [], upload: null, uploaded_folder: join(data, 'uploaded') });
    const begun = await say('POST', '/backup/upload', { bytes: file.length });
    expect(begun).toMatchObject({ status: 201, body: { received: 0, name: null } });
    const { id } = begun.body;
    const piece = (from: number, to: number, offset = from) =>
      say('PUT', `/backup/upload/${id}?offset=${offset}`, octets(file.subarray(from, to)));
    expect((await piece(0, 1_000)).body).toMatchObject({ received: 1_000, name: null });
    // the line goes in the middle of a piece: nothing of it counts, and it is sent again
    await cutOff(box, farm.token, `/backup/upload/${id}?offset=1000`, file.subarray(1_000, 1_500));
    expect(await piece(1_500, 2_000)).toMatchObject({
      status: 409,
      body: { code: 'WRONG_OFFSET', received: 1_000 },
    });
    expect(await piece(0, file.length, 1_000)).toMatchObject({ status: 413, body: { code: 'WRONG_SIZE' } });
    expect(await piece(1_000, 1_000)).toMatchObject({ status: 422, body: { code: 'WRONG_SIZE' } });
    const again = await say('POST', '/backup/upload', { bytes: file.length });
    expect((await piece(1_000, 2_000)).status).toBe(404);
    const whole = await say('PUT', `/backup/upload/${again.body['id']}?offset=0`, octets(file));
    expect(whole).toMatchObject({ status: 200, body: { received: file.length } });
    const name = String(whole.body['name']);
    expect(readdirSync(join(data, 'uploaded'))).toEqual([name]);
    expect(readFileSync(join(data, 'uploaded', name)).equals(file)).toBe(true);
    const { body } = await say('GET', '/backup');
    expect(body).toMatchObject({
      backups: [{ name: backup }],
      upload: null,
      uploaded: [
        {
          name,
          bytes: file.length,
          made_at: (before['backups'] as { made_at: string }[])[0]?.made_at,
          key_id: (before['key'] as { id: string }).id,
        },
      ],
    });
    const check = (typed: string) =>
      say('POST', '/restore/check', { backup: name, recovery_key: typed, password: PASSWORD });
    await check(newRecoveryKey().text);
    expect(await workOf(box, farm.token)).toMatchObject({ state: 'failed', code: 'KEY_WRONG' });
    await check(key);
    expect(await workOf(box, farm.token)).toMatchObject({ kind: 'check', state: 'done', backup: name });
    expect((await say('DELETE', '/restore')).status).toBe(204);
    expect((await say('DELETE', `/backup/uploaded/${name}`)).status).toBe(204);
    expect((await say('DELETE', `/backup/uploaded/${name}`)).status).toBe(404);
    expect((await say('DELETE', `/backup/uploaded/${backup}`)).status).toBe(404);
    expect(readdirSync(join(data, 'uploaded'))).toEqual([]);
    expect(existsSync(join(stick, backup))).toBe(true);
  });

  it('are refused with the first piece when they are none, and before it when they are too big', async () => {
    expect((await say('POST', '/backup/upload', { bytes: 4 * 1024 ** 3 })).status).toBe(422);
    const { body } = await say('POST', '/backup/upload', { bytes: 4_000_000 });
    const photo = octets(Buffer.alloc(1_000, 0xff));
    expect(await say('PUT', `/backup/upload/${body['id']}?offset=0`, photo)).toMatchObject({
      status: 422,
      body: { code: 'NOT_A_BACKUP' },
    });
    expect((await say('GET', '/backup')).body['upload']).toBeNull();
    const next = await say('POST', '/backup/upload', { bytes: 4_000_000 });
    const path = `/backup/upload/${next.body['id']}`;
    expect(await say('PUT', `${path}?offset=0`, octets(Buffer.alloc(1_048_577)))).toMatchObject({
      status: 413,
      body: { code: 'BODY_TOO_LARGE' },
    });
    expect((await say('DELETE', path)).status).toBe(204);
    expect(readdirSync(join(data, 'uploaded'))).toEqual([]);
  });

  it('say what would change before anything does', async () => {
    await box.call('POST', '/api/v1/control-points/', {
      token: farm.token,
      body: { farm_id: farm.farmId, cod: 'CP-NEW', device_id: 'aer-new', target_status: 'OFF' },
    });
    const check = (recovery_key: string, password = PASSWORD) =>
      say('POST', '/restore/check', { backup, recovery_key, password });
    expect((await check(key, 'another-one')).status).toBe(422);
    await check(newRecoveryKey().text);
    expect(await workOf(box, farm.token)).toMatchObject({ state: 'failed', code: 'KEY_WRONG' });
    expect(existsSync(join(data, 'restore'))).toBe(false);
    expect((await check(key)).status).toBe(202);
    expect(await workOf(box, farm.token)).toMatchObject({ kind: 'check', state: 'done' });
    const { body } = await say('GET', '/restore');
    const { counts, ...checked } = body['checked'] as { counts: { what: string }[] };
    expect(body).toMatchObject({ state: 'checked', can_apply: true });
    expect(checked).toMatchObject({ backup, farm_names: ['Norte'] });
    expect(counts.find(({ what }) => what === 'control_points')).toEqual({
      what: 'control_points',
      now: 4,
      backup: 3,
      lost: 1,
      back: 0,
      differ: 0,
    });
  });

  async function anOxygenAlarm() {
    const post = (path: string, body: unknown) =>
      box.call('POST', `/api/v1${path}`, { token: farm.token, body });
    const pond = await post('/ponds/', {
      farm_id: farm.farmId,
      cod: 'V-01',
      size_m2: 900,
      depth_m: 1,
      pond_type: 'NURSERY',
    });
    const measure = (dissolved_oxygen: number) => {
      clock.advance(60_000);
      return post('/water-quality/', { pond_id: pond.body['id'], dissolved_oxygen });
    };
    await measure(1);
    return { end: () => measure(6.5) };
  }

  it('come back with the next start, whenever the power is cut, and what was there is kept whole', async () => {
    const apply = (password: string) => say('POST', '/restore/apply', { backup, password });
    const alarm = await anOxygenAlarm();
    expect(await apply(PASSWORD)).toMatchObject({ status: 409, body: { code: 'OXYGEN_ALARM' } });
    await alarm.end();
    expect((await apply('another-one')).status).toBe(422);
    expect(restarts.n).toBe(0);
    expect((await apply(PASSWORD)).status).toBe(202);
    await expect.poll(() => restarts.n).toBe(1);
    await box.close();
    const cut: { name: string; folder: string }[] = [];
    const copyNow = (name: string) => {
      const folder = newFolder();
      cpSync(data, folder, { recursive: true });
      cut.push({ name, folder });
    };
    copyNow('ordered');
    await finishRestore(data, join(data, 'farm.db'), { ...historyDeps(clock.now), step: copyNow });
    expect(cut.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['placing', 'kept', 'in place', 'placed']),
    );
    for (const { name, folder } of [...cut, { name: 'uncut', folder: data }]) {
      const after = await startBox(folder, clock, ['--backup-dir', stick]);
      const aside = readdirSync(folder).filter((one) => one.startsWith('before-restore-'));
      const plan = await readPlan(folder);
      const cods = codsIn(join(folder, 'farm.db'));
      await after.close();
      expect([name, cods, plan?.state, aside.length]).toEqual([name, ['CP-1', 'CP-2', 'CP-3'], 'placed', 1]);
      expect(codsIn(join(folder, aside[0] ?? '', 'farm.db'))).toContain('CP-NEW');
    }
  });

  it('count once the gateway has run with them, and are told as restored', async () => {
    clock.advance(60_000);
    const after = await startBox(data, clock, ['--backup-dir', stick]);
    await after.backupDesk?.look(() => true);
    expect((await readPlan(data))?.state).toBe('placed');
    clock.advance(60_000);
    await after.backupDesk?.look(() => false);
    expect((await readPlan(data))?.state).toBe('placed');
    await after.backupDesk?.look(() => true);
    expect(await readPlan(data)).toMatchObject({ state: 'done', authority: null });
    await after.close();
  });

  it('go again when they do not start well: what was there before is back, whenever the power is cut', async () => {
    const plan = join(data, 'restore', 'plan.json');
    writeFileSync(
      plan,
      JSON.stringify({ ...JSON.parse(readFileSync(plan, 'utf8')), state: 'placed', starts: 3 }),
    );
    const cut: { name: string; folder: string }[] = [];
    await finishRestore(data, join(data, 'farm.db'), {
      ...historyDeps(clock.now),
      step(name) {
        const folder = newFolder();
        cpSync(data, folder, { recursive: true });
        cut.push({ name, folder });
      },
    });
    expect(cut.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['returning', 'rejected', 'returned']),
    );
    for (const { name, folder } of [...cut, { name: 'uncut', folder: data }]) {
      const after = await startBox(folder, clock, ['--backup-dir', stick]);
      const cods = codsIn(join(folder, 'farm.db'));
      await after.close();
      expect([name, (await readPlan(folder))?.state, cods]).toEqual([
        name,
        'failed',
        ['CP-1', 'CP-2', 'CP-3', 'CP-NEW'],
      ]);
    }
  });
});
