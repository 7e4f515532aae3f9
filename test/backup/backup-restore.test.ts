import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '#adapters/backup/archive.ts';
import { prepareFolder } from '#adapters/backup/backup-folder.ts';
import { readRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { writeWhole } from '#adapters/backup/safe-files.ts';
import { seal } from '#adapters/backup/seal.ts';
import { takeSnapshot } from '#adapters/sql/take-snapshot.ts';
import { runBackup } from '#cli/backup.ts';
import { runRestore } from '#cli/restore.ts';
import { doJob } from '#operations/backup/do-job.ts';
import { testClock } from '#test/app.ts';
import { createJobProcess } from '#workers/jobs/job-process.ts';
import {
  aFarmOn,
  follow,
  logIn,
  newFolder,
  removeFolders,
  type Settled,
  startBox,
  targets,
} from '../boot/a-box.ts';

const START = Date.UTC(2026, 2, 2, 12);

type Command = typeof runBackup;
async function say(command: Command, args: readonly string[], key?: string) {
  const at = command === runBackup ? START + 60_000 : START + 3_600_000;
  const lines: string[] = [];
  const code = await command(
    args,
    {
      environment: key === undefined ? {} : { RECOVERY_KEY: key },
      print: (line) => void lines.push(line),
      input: Readable.from(['\n']),
    },
    () => at,
  );
  return { code, text: lines.join('\n') };
}
const keyIn = (text: string) => /([0-9A-Z]{4}-){7}[0-9A-Z]{4}/.exec(text)?.[0] ?? '';
const filesOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, readFileSync(file).toString('base64')]),
  );

describe('the backups of a gateway', () => {
  const clock = testClock(START);
  let data: string;
  let stick: string;
  let key: string;
  let farm: Settled;
  let box: Awaited<ReturnType<typeof startBox>>;
  let backup: string;

  beforeAll(async () => {
    data = newFolder();
    stick = newFolder();
    box = await startBox(data, clock, ['--backup-dir', stick]);
    farm = await aFarmOn(box, clock);
    await follow(box, clock);
    const first = await say(runBackup, ['--data', data, '--to', stick]);
    if (first.code !== 0) throw new Error(first.text);
    key = keyIn(first.text);
    backup = join(stick, readdirSync(stick).find((name) => name.endsWith('.backup')) ?? '');
  });
  afterAll(async () => {
    await box.close();
    removeFolders();
  });

  it('are written while the gateway runs, for nobody else to read, under a key that is shown once', async () => {
    expect(key).toHaveLength(39);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const again = await say(runBackup, ['--data', data, '--to', stick]);
    expect(keyIn(again.text)).toBe('');
    // neither the box nor the stick knows it
    for (const [file, content] of [...Object.entries(filesOf(data)), ...Object.entries(filesOf(stick))])
      expect([file, Buffer.from(content, 'base64').includes(key)]).toEqual([file, false]);
    expect(readFileSync(backup).includes('Norte')).toBe(false);
    expect((await say(runBackup, ['--data', data, '--new-key'])).text).toContain(
      'there is a recovery key already',
    );
  });

  it('are made in a process of their own, which can be cut off and leaves nothing behind', async () => {
    const jobs = createJobProcess();
    const [target, madeAt] = [newFolder(), new Date(START).toISOString()];
    await prepareFolder(target);
    const job = {
      kind: 'backup',
      data,
      databaseFile: join(data, 'farm.db'),
      folder: target,
      madeAt,
    } as const;
    const made = await jobs.run({ ...job, maxBytes: 1e9 });
    expect(readdirSync(target)).toContain('farm-20260302T120000Z.backup');
    expect(made.bytes).toBeGreaterThan(1_000);
    const empty = newFolder();
    await expect(jobs.run({ ...job, folder: empty, maxBytes: 1e9 })).rejects.toThrow(/not ready for backups/);
    const cut = jobs.run({ ...job, maxBytes: 1e9 }).catch(String);
    await jobs.stop();
    expect(await cut).toMatch(/cut off/);
  });

  it('prove their key, and refuse another one', async () => {
    const proved = await say(runBackup, ['--data', data, '--to', stick, '--prove-key'], key.toLowerCase());
    expect(proved).toMatchObject({ code: 0, text: expect.stringContaining('Yes: this recovery key opens') });
    const other = keyIn(
      (await say(runBackup, ['--data', newFolderWith(data), '--new-key', '--replace'])).text,
    );
    const refused = await say(runBackup, ['--data', data, '--to', stick, '--prove-key'], other);
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('does not open the backup') });
  });
  it('open with another program: the command tells the paper as age reads it', async () => {
    const told = await say(runBackup, ['--age-identity'], key.toLowerCase());
    expect(told).toMatchObject({ code: 0, text: expect.stringMatching(/AGE-SECRET-KEY-1[0-9A-Z]{58}$/) });
    expect(await say(runBackup, ['--age-identity'], 'AAAA')).toMatchObject({ code: 1 });
  });

  const newFolderWith = (from: string) => {
    const folder = newFolder();
    cpSync(join(from, 'farm.db'), join(folder, 'farm.db'));
    return folder;
  };

  it('tell in a dry run what would come back, and change nothing', async () => {
    const empty = newFolder();
    const told = await say(runRestore, ['--from', stick, '--data', empty, '--dry-run'], key);
    expect(told.code).toBe(0);
    expect(told.text).toMatch(/farms +1\n +control points 3, with 1 schedules\n +users +1/);
    expect(told.text).toContain('nothing was changed');
    expect(readdirSync(empty)).toEqual([]);
  });

  it('are refused to another key in one sentence that names both; the right key then opens the same file, whole', async () => {
    const other = keyIn(
      (await say(runBackup, ['--data', newFolderWith(data), '--new-key', '--replace'])).text,
    );
    const folder = newFolder();
    const carried = readFileSync(backup);
    const restore = ['--from', backup, '--data', folder];
    const refused = await say(runRestore, restore, other);
    expect(refused.code).toBe(1);
    expect(refused.text).toMatch(
      /^this recovery key does not open the backup: it was sealed for the key \S+, this one is \S+$/i,
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(readFileSync(backup).equals(carried)).toBe(true);
    expect((await say(runRestore, restore, key)).code).toBe(0);
    const before = rowsIn(data);
    // the restore itself stands in the audit
    expect(rowsIn(folder)).toEqual({ ...before, logs: (before['logs'] ?? 0) + 1 });
  });

  /** How many rows each table has; what waits for the cloud is counted anew by a restore. */
  function rowsIn(folder: string): Readonly<Record<string, number>> {
    const db = new BetterSqlite(join(folder, 'farm.db'), { readonly: true });
    const names = db.prepare("select name from sqlite_master where type = 'table'").pluck().all().map(String);
    const count = (name: string) => Number(db.prepare(`select count(*) from "${name}"`).pluck().get());
    const rows = names.filter((name) => name !== 'sync_change').map((name) => [name, count(name)]);
    db.close();
    return Object.fromEntries(rows);
  }

  it('come back on a new box: people log in, controllers are heard, levels count again, and the audit says so', async () => {
    const fresh = newFolder();
    // after the backup the controllers heard newer levels
    for (let n = 0; n < 5; n += 1) {
      await box.call('POST', `/api/v1/control-points/${farm.points[1]?.id}/turn-off`, { token: farm.token });
    }
    const last = box.control.registry.byId(farm.points[1]?.id ?? '')?.row;
    const restored = await say(runRestore, ['--from', stick, '--data', fresh], key);
    expect(restored).toMatchObject({ code: 0, text: expect.stringContaining('Restored') });
    const replaced = await startBox(fresh, clock);
    expect(targets(replaced)).toEqual({ 'aer-1': 'ON', 'aer-2': 'ON', 'aer-3': 'OFF' });
    const row = replaced.control.registry.byId(farm.points[1]?.id ?? '')?.row;
    expect(row?.version).toBeLessThan(last?.version ?? 0);
    expect(new Set([...replaced.control.registry.all()].map((view) => view.row.epoch)).size).toBe(1);
    expect(row?.epoch).not.toBe(last?.epoch);
    // a control point made from now on belongs to the same epoch
    const token = await logIn(replaced);
    const made = await replaced.call('POST', '/api/v1/control-points/', {
      token,
      body: { farm_id: farm.farmId, cod: 'CP-9', device_id: 'aer-9', target_status: 'OFF' },
    });
    expect(made.body['epoch']).toBe(row?.epoch);
    // tokens of before do not live on
    expect((await replaced.call('GET', '/api/v1/farms/', { token: farm.token })).status).toBe(401);
    const beat = await replaced.call('POST', '/api/v1/devices/heartbeat', {
      token: farm.points[1]?.key ?? '',
      body: { device_id: 'aer-2', current_status: 'OFF', version: last?.version, epoch: last?.epoch },
    });
    expect(beat.body).toMatchObject({ target_status: 'ON', epoch: row?.epoch });
    const audit = replaced.database.read.selectFrom('logs').select('action').where('action', '=', 'restore');
    expect(await audit.execute()).toHaveLength(1);
    await replaced.backup?.tick(doJob);
    const notices = await replaced.call('GET', '/api/v1/notifications/?type=SYSTEM', { token });
    expect(notices.body['notifications']).toHaveLength(1);
    const stream = (path: string) => {
      const db = new BetterSqlite(join(path, 'farm.db'), { readonly: true });
      const epoch = db.prepare('select epoch from sync_stream where stream_id = 1').pluck().get();
      db.close();
      return Number(epoch);
    };
    expect(stream(fresh)).toBe(stream(data) + 1);
    await replaced.close();
  });

  it('put aside what was there, and are refused while the gateway runs', async () => {
    const running = await say(runRestore, ['--from', stick, '--data', data], key);
    expect(running).toMatchObject({ code: 1, text: expect.stringContaining('the gateway is running') });
    const stopped = newFolderWith(data);
    // one that was ordered in the console must not come over this one
    mkdirSync(join(stopped, 'restore'));
    writeFileSync(join(stopped, 'restore', 'plan.json'), '{"state":"armed"}');
    expect((await say(runRestore, ['--from', stick, '--data', stopped], key)).code).toBe(0);
    expect(readdirSync(stopped).sort()).toEqual([
      'backup-key.json',
      'before-restore-20260302T130000Z',
      'farm.db',
      'tls',
    ]);
    expect(readdirSync(join(stopped, 'before-restore-20260302T130000Z'))).toEqual(['farm.db']);
    // twice in a row: the epoch is above both
    expect((await say(runRestore, ['--from', stick, '--data', stopped], key)).code).toBe(0);
    expect(readdirSync(stopped).filter((name) => name.startsWith('before-restore'))).toHaveLength(2);
  });

  it.each<[string, (file: string) => void, string]>([
    [
      'cut off',
      (file) => truncateSync(file, Math.floor(statSync(file).size * 0.7)),
      'damaged or not complete',
    ],
    [
      'with a flipped bit',
      (file) => {
        const bytes = readFileSync(file);
        bytes.writeUInt8(bytes.readUInt8(bytes.length - 500) ^ 4, bytes.length - 500);
        writeFileSync(file, bytes);
      },
      'damaged or not complete',
    ],
    [
      'that is something else',
      (file) => writeFileSync(file, 'holiday photos '.repeat(100)),
      'not a backup of this program',
    ],
    ['that is not there', (file) => rmSync(file), 'is gone'],
  ])('%s are refused in one sentence, and nothing is touched', async (_what, harm, words) => {
    const folder = newFolder();
    const file = join(folder, 'farm-20260302T120000Z.backup');
    cpSync(backup, file);
    harm(file);
    const present = newFolderWith(data);
    const before = filesOf(present);
    const refused = await say(runRestore, ['--from', file, '--data', present], key);
    expect(refused.code).toBe(1);
    expect(refused.text).toContain(words);
    expect(refused.text.split('\n')).toHaveLength(1);
    expect(filesOf(present)).toEqual(before);
  });

  it('of a newer version are refused, and nothing is touched', async () => {
    const newer = newFolder();
    const copy = join(newer, 'copy.db');
    const described = await takeSnapshot(join(data, 'farm.db'), copy);
    const manifest = {
      format: 1 as const,
      made_at: new Date(START).toISOString(),
      ...described,
      migrations: [...described.migrations, '0999_later.sql'],
    };
    const file = join(newer, 'farm-20260302T120000Z.backup');
    const { publicKey } = readRecoveryKey(key);
    await writeWhole(file, seal(pack(copy, manifest), { publicKey, madeAt: manifest.made_at }));
    const target = newFolder();
    const refused = await say(runRestore, ['--from', file, '--data', target], key);
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('0999_later.sql') });
    expect(readdirSync(target)).toEqual([]);
  });

  it.each<[string, string]>([
    [
      'a trigger that never ends',
      `create trigger mine after insert on logs begin
         insert into instance_values with recursive n(i) as (select 1 union all select i + 1 from n)
           select 'x' || max(i), '' from n; end`,
    ],
    ['a view', 'create view mine as select * from users'],
    [
      'a view in the place of a table',
      'drop table revoked_tokens; create view revoked_tokens as select 1 as id',
    ],
    ['a computed column', 'alter table logs add column mine text as (hex(zeroblob(1000)))'],
    ['an index over an expression', 'create index mine on logs (abs(length(details)))'],
    ['a table of its own', 'create table mine (id text)'],
    ['a virtual table', 'create virtual table mine using fts5(text)'],
  ])('with %s are refused, and nothing is touched', async (_what, sql) => {
    const folder = newFolder();
    const copy = join(folder, 'copy.db');
    const described = await takeSnapshot(join(data, 'farm.db'), copy);
    const db = new BetterSqlite(copy);
    db.exec(sql);
    db.close();
    const manifest = {
      format: 1 as const,
      made_at: new Date(START).toISOString(),
      ...described,
      bytes: statSync(copy).size,
    };
    const file = join(folder, 'farm-20260302T120000Z.backup');
    const { publicKey } = readRecoveryKey(key);
    await writeWhole(file, seal(pack(copy, manifest), { publicKey, madeAt: manifest.made_at }));
    const target = newFolder();
    const refused = await say(runRestore, ['--from', file, '--data', target], key);
    expect(refused).toMatchObject({
      code: 1,
      text: expect.stringContaining('what this program never makes'),
    });
    expect(readdirSync(target)).toEqual([]);
  });

  it('ask for a key that can be one, and say how they are called', async () => {
    expect(await say(runRestore, ['--from', stick, '--data', data], 'AAAA')).toMatchObject({
      code: 1,
      text: expect.stringContaining('8 groups of 4'),
    });
    expect(await say(runRestore, ['--data', data], key)).toMatchObject({ code: 2 });
    expect(await say(runRestore, ['--from', stick, '--data', data])).toMatchObject({ code: 2 });
    expect(await say(runBackup, ['--too', stick])).toMatchObject({ code: 2 });
  });

  it('are made by the running gateway every hour, and kept by age', async () => {
    const count = () => readdirSync(stick).filter((name) => name.endsWith('.backup')).length;
    await box.backup?.tick(doJob);
    const start = count();
    clock.advance(30 * 60_000);
    await box.backup?.tick(doJob);
    expect(count()).toBe(start);
    for (let hour = 0; hour < 3; hour += 1) {
      clock.advance(60 * 60_000);
      await box.backup?.tick(doJob);
    }
    expect(count()).toBe(start + 3);
    expect((await box.checks())['backup']).toMatchObject({ ok: true, age_s: 0 });
    expect((await box.call('GET', '/metrics')).body['text']).toContain('backup_age_seconds 0');
  });

  it('whose stick is pulled are missed loudly, once a day for people, and the gateway stays ready', async () => {
    const away = `${stick}-pulled`;
    cpSync(stick, away, { recursive: true });
    rmSync(stick, { recursive: true });
    // where a stick was mounted an ordinary folder remains: nothing may go there
    mkdirSync(stick);
    const notices = async () => {
      const token = await logIn(box);
      return (await box.call('GET', '/api/v1/notifications/?type=SYSTEM', { token })).body['notifications'];
    };
    clock.advance(3_600_000);
    for (let n = 0; n < 3; n += 1) {
      clock.advance(600_000);
      await box.backup?.tick(doJob);
    }
    expect(readdirSync(stick)).toEqual([]);
    expect(await notices()).toEqual([
      expect.objectContaining({
        message: `O backup do gateway falhou: o pendrive não está em ${stick}, ou ainda não foi preparado. Veja se o pendrive está conectado e tem espaço.`,
      }),
    ]);
    expect(box.sentences).toContainEqual(
      expect.objectContaining({ level: 'error', sentence: 'a backup failed; it is tried again' }),
    );
    expect((await box.checks())['backup']).toMatchObject({
      ok: false,
      detail: expect.stringContaining('not ready for backups: put the stick in'),
    });
    expect((await box.call('GET', '/readyz')).status).toBe(200);
    cpSync(away, stick, { recursive: true });
    clock.advance(600_000);
    await box.backup?.tick(doJob);
    expect((await box.checks())['backup']).toMatchObject({ ok: true });
    rmSync(away, { recursive: true });
  });
});
