import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { Aedes } from 'aedes';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { prepareFolder } from '#adapters/backup/backup-folder.ts';
import { hardenServer } from '#adapters/http/harden-server.ts';
import { createMetrics } from '#adapters/http/metrics.ts';
import { createChecks } from '#adapters/http/platform.ts';
import { GOOD_TIME } from '#adapters/sql/queries/control/last-run.ts';
import { openBroker } from '#app/control/broker.ts';
import { serve } from '#app/serve.ts';
import { runDoctor } from '#cli/doctor.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { parkedChange } from '#contract/resources/sync-tables.ts';
import { type DoctorReport, doctorAnswer } from '#contract/resources/system-doctor.ts';
import { put } from '#core/changes.ts';
import { savePaired } from '#features/cloud/pairing/on-paired.ts';
import { doJob } from '#operations/backup/do-job.ts';
import { keepBackups } from '#operations/backup/keep-backups.ts';
import { noteStart } from '#operations/doctor/run-file.ts';
import { readConfig } from '#runtime/config.ts';
import { aFarmWith, startApp } from '#test/app.ts';
import { damageTable } from '../boot/a-box.ts';

// The real program in trouble, and what the real doctor tells of it: as many troubles at a start as go together.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 2, 2, 12);
/** What goes by real timers, on a machine that may be busy. */
const SOON = { timeout: 60_000, interval: 50 };
const folders: string[] = [];
const mounted: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'troubled-'));
  folders.push(folder);
  return folder;
}

/** A program of somebody else on a port, TCP and UDP. */
const stranger = { tcp: createServer(), udp: createSocket('udp4') };
const taken = { tcp: 0, udp: 0 };

beforeAll(async () => {
  await new Promise<void>((resolve) => stranger.tcp.listen(0, '0.0.0.0', resolve));
  await new Promise<void>((resolve) => stranger.udp.bind(0, '0.0.0.0', resolve));
  // a server that listens has an address with a port
  taken.tcp = (stranger.tcp.address() as AddressInfo).port;
  taken.udp = stranger.udp.address().port;
});
afterAll(() => {
  stranger.tcp.close();
  stranger.udp.close();
  for (const folder of mounted) spawnSync('umount', ['-l', folder]);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Start = {
  data: string;
  at?: number;
  isSynchronised?: boolean | null;
  args?: readonly string[];
  pause?: () => Promise<void>;
};

/** The whole program with its ports open, on a clock of the test's own; nothing ticks by itself. */
async function start({ data, at = START, isSynchronised = null, args = [], pause }: Start) {
  const box = { wall: at, monotonic: 0 };
  const quiet = () => undefined;
  const ports = ['--http-port', '0', '--mqtt-port', '0', '--mqtts-port', '0', '--discovery-port', 'off'];
  const given = args.includes('--https-port') ? [] : ['--https-port', 'off'];
  const time = args.includes('--ntp-port') ? [] : ['--ntp-port', 'off'];
  const config = readConfig(
    [
      '--data',
      data,
      '--local-plan',
      'ENTERPRISE',
      '--registration',
      'open',
      ...ports,
      ...given,
      ...time,
      ...args,
    ],
    {},
  );
  const running = await serve(config, {
    wallClock: () => box.wall,
    monotonic: () => box.monotonic,
    random: Math.random,
    pause: pause ?? (() => Promise.resolve()),
    clockEvidence: () => ({ isSynchronised, hasBatteryClock: isSynchronised }),
    passwordCost: { memoryCost: 8, timeCost: 2 },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    startTicks: () => ({ stop: () => Promise.resolve() }),
  });
  const pass = (ms: number) => {
    box.wall += ms;
    box.monotonic += ms;
  };
  return {
    running,
    pass,
    async call(path: string, body: unknown, token = '') {
      const answer = await fetch(`${running.http}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      // what the interface answers to a request of this test
      return (await answer.json()) as Record<string, string>;
    },
    /** As a person at the box is told; the program looks again after two seconds. */
    async told(): Promise<DoctorReport> {
      pass(3_000);
      return doctor(data, START);
    },
  };
}

type Box = Awaited<ReturnType<typeof start>>;

/** What npm run doctor prints. */
async function doctor(data: string, now: number, args: readonly string[] = []): Promise<DoctorReport> {
  const lines: string[] = [];
  const free = ['--http-port', '0', '--mqtt-port', '0', '--https-port', '0', '--mqtts-port', '0'];
  const ask = { environment: {}, print: (line: string) => void lines.push(line) };
  await runDoctor(['--json', '--data', data, ...free, ...args], ask, () => now);
  return doctorAnswer.parse(JSON.parse(lines.join('\n')));
}

const kindsOf = ({ findings }: DoctorReport) =>
  findings.filter(({ severity }) => severity !== 'ok').map(({ id, severity }) => `${id} ${severity}`);
const told = ({ findings }: DoctorReport, id: string) =>
  findings.filter((one) => one.id === id).map(({ sentence }) => sentence.en);
const including = (...kinds: string[]) => expect.arrayContaining(kinds) as string[];

const LOGIN = { email: 'ana@fazenda.example', password: 'camarao-do-norte' };

/** An owner, three controllers, and a probe on a cable that is not there. */
async function aFarmOn({ call }: Box): Promise<void> {
  await call('/auth/register', { ...LOGIN, name: 'Ana', role: 'OWNER' });
  const { access_token: token } = await call('/auth/login', LOGIN);
  const { id: farm_id } = await call('/farms/', { name: 'Norte' }, token);
  for (const n of [1, 2, 3])
    await call(
      '/control-points/',
      { farm_id, cod: `CP-${n}`, device_id: `aer-${n}`, target_status: 'OFF' },
      token,
    );
  const size = { area: 5_000, max_depth: 1.6, min_depth: 1.2 };
  const pond = await call('/ponds/', { farm_id, cod: 'V-01', type: 'FATTENING', ...size }, token);
  const device = '/dev/serial/by-id/usb-nobody';
  const bus = await call('/probe-buses/', { farm_id, name: 'Bus', kind: 'serial', device }, token);
  const probe = { pond_id: pond['id'], probe_bus_id: bus['id'], unit_id: 1, probe_profile_id: 'in-situ-odo' };
  await call('/probes/', { ...probe, name: 'OD', calibration_days: 1 }, token);
}

/** Two of the three report, from afar. */
async function heartbeats({ call }: Box): Promise<void> {
  const { access_token: token } = await call('/auth/login', LOGIN);
  const beat = (device_id: string, rssi: number, firmware_version: string) =>
    call('/devices/heartbeat', { current_status: 'OFF', device_id, rssi, firmware_version }, token);
  await beat('aer-1', -80, '2.0.0');
  await beat('aer-2', -90, '2.1.0');
}

/** The files of a gateway with a farm as a cut of the power left them. */
let killed: string;
beforeAll(async () => {
  const data = newFolder();
  const box = await start({ data });
  await aFarmOn(box);
  killed = newFolder();
  cpSync(data, killed, { recursive: true });
  await box.running.stop();
});

/** Those files after something happened to them. */
function aCopy(harm: (data: string) => void = () => undefined): string {
  const data = newFolder();
  cpSync(killed, data, { recursive: true });
  noted(data, { process: NOBODY });
  harm(data);
  return data;
}
/** No system counts processes that far. */
const NOBODY = 2 ** 30;
/** What the program noted of its run, changed. */
function noted(data: string, change: Record<string, unknown>): void {
  const file = join(data, 'run.json');
  const run: unknown = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...(run as object), ...change }));
}
describe('a gateway in trouble', () => {
  it('is told of everything around it: cables, sticks, clock, network, controllers, dates', async () => {
    const data = aCopy();
    const stick = join(newFolder(), 'stick');
    const box = await start({
      data,
      isSynchronised: false,
      args: ['--ntp-port', '0', '--backup-dir', stick, '--modem', '/dev/ttyNOBODY'].concat([
        '--https-port',
        String(taken.tcp),
      ]),
    });
    try {
      await heartbeats(box);
      await vi.waitFor(async () => expect(kindsOf(await box.told())).toContain('probe_silent warn'), SOON);
      const first = await box.told();
      expect(kindsOf(first)).toEqual(
        including(
          'port_https bad',
          'modem_no_port bad',
          'backup_not_ready bad',
          'backup_unproved note',
          'clock_untrusted bad',
          'clock_no_battery warn',
          'sntp_untrusted warn',
          'controller_silent note',
          'controller_unkeyed warn',
          'controller_weak_wifi warn',
          'controller_weak_wifi bad',
          'controller_old_firmware note',
          'database_no_snapshot note',
          'database_check_old note',
          'logs note',
        ),
      );
      expect(told(first, 'probe_silent')[0]).toContain('/dev/serial/by-id/usb-nobody');
      expect(told(first, 'port_https')[0]).toContain(String(taken.tcp));
      if (process.platform === 'linux') expect(told(first, 'port_https')[0]).toContain(`(${process.pid})`);

      await prepareFolder(stick);
      truncateSync(join(data, 'farm.db-wal'), 70_000_000);
      const second = await box.told();
      expect(kindsOf(second)).toEqual(including('backup_missing bad', 'database_wal warn'));
      expect(kindsOf(second)).not.toContain('backup_not_ready bad');

      writeFileSync(join(stick, 'farm-20260302T060000Z.backup'), 'of this morning');
      truncateSync(join(data, 'farm.db-wal'), 1_100_000_000);
      box.pass(3_600_000);
      expect(kindsOf(await box.told())).toEqual(
        including('backup_age bad', 'database_wal bad', 'controller_silent bad'),
      );

      box.pass(350 * DAY);
      expect(kindsOf(await box.told())).toEqual(
        including('certificate_server warn', 'probe_calibration_due note'),
      );
      box.pass(60 * DAY);
      const ended = await box.told();
      expect(kindsOf(ended)).toContain('certificate_server bad');
      expect(told(ended, 'certificate_server')[0]).toContain('ended');
      box.pass(28 * 365 * DAY);
      expect(kindsOf(await box.told())).toContain('certificate_authority warn');
      box.pass(330 * DAY);
      expect(kindsOf(await box.told())).toContain('certificate_authority bad');
    } finally {
      await box.running.stop();
    }
  });
});

const inDatabase = (data: string, change: (db: BetterSqlite.Database) => void) => {
  const db = new BetterSqlite(join(data, 'farm.db'));
  change(db);
  db.close();
};

describe('a gateway that starts anew', () => {
  it('on a broken database, killed, with its clock a day back and the time port taken, tells all of it', async () => {
    const data = aCopy((folder) => damageTable(join(folder, 'farm.db'), 'control_points'));
    const args = ['--ntp-port', String(taken.udp)];
    const box = await start({ data, at: START - DAY, isSynchronised: false, args });
    try {
      const report = await box.told();
      expect(kindsOf(report)).toEqual(
        including(
          'database_recovered warn',
          'last_start warn',
          'clock_untrusted bad',
          'sntp_off note',
          'backup_none warn',
        ),
      );
      expect(told(report, 'last_start')[0]).toContain('killed');
      box.running.fault(new TypeError('x is not a pond'));
    } finally {
      await box.running.stop();
    }
  });

  it('after a fault of its own, two minutes in the past, says so', async () => {
    const data = newFolder();
    const first = await start({ data });
    const crashed = newFolder();
    first.running.fault(new TypeError('x is not a pond'));
    cpSync(data, crashed, { recursive: true });
    await first.running.stop();
    const stopped = await doctor(crashed, START);
    expect(kindsOf(stopped)).toEqual(including('gateway_stopped bad', 'last_fault warn'));
    expect(kindsOf(await doctor(crashed, START - DAY))).toContain('clock_behind bad');
    const box = await start({ data: crashed, at: START - 130_000 });
    const later = await box.told();
    await box.running.stop();
    expect(kindsOf(later)).toEqual(including('last_fault warn', 'last_start warn', 'clock_offset bad'));
    expect(told(later, 'last_fault')[0]).toContain('x is not a pond');
  });
});

function smallDisk(): string | null {
  const folder = newFolder();
  mounted.push(folder);
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]).status === 0 ? folder : null;
}

describe.skipIf(smallDisk() === null)('a gateway on a full disk', () => {
  /** To the last byte. */
  function fill(folder: string): void {
    for (const size of [65_536, 4_096, 1]) {
      for (let n = 0; n < 4_096; n += 1) {
        try {
          writeFileSync(join(folder, `filling-${size}-${n}`), Buffer.alloc(size));
        } catch {
          rmSync(join(folder, `filling-${size}-${n}`), { force: true });
          break;
        }
      }
    }
  }

  async function registerMany({ call }: Box): Promise<void> {
    for (let n = 0; n < 500; n += 1) {
      const email = `ana-${n}@fazenda.example`;
      await call('/auth/register', { email, password: 'camarao-do-sul', name: 'Ana', role: 'OWNER' });
    }
  }

  it('tells that writes are refused; on a broken database, that nothing is saved at all', async () => {
    const disk = smallDisk() ?? '';
    cpSync(killed, disk, { recursive: true });
    const full = await start({ data: disk });
    fill(disk);
    // the log of the database may have room of its own for some
    await expect(registerMany(full)).rejects.toThrow('DISK_FULL');
    const refused = await full.told();
    await full.running.stop();
    expect(kindsOf(refused)).toEqual(
      including('disk_space bad', 'disk_refuses_writes bad', 'database_size warn'),
    );

    const other = smallDisk() ?? '';
    cpSync(killed, other, { recursive: true });
    damageTable(join(other, 'farm.db'), 'control_points');
    rmSync(join(other, 'farm.db-shm'), { force: true });
    fill(other);
    const memory = await start({ data: other });
    const report = await memory.told();
    await memory.running.stop();
    expect(kindsOf(report)).toContain('database_in_memory bad');
  });
});

describe('a gateway that is stopped', () => {
  it('and well but for that is told nothing of controllers that nobody hears', async () => {
    const kinds = kindsOf(await doctor(aCopy(), START));
    expect(kinds).toEqual(including('gateway_stopped bad', 'controller_unkeyed warn'));
    expect(kinds.filter((kind) => kind.startsWith('controller_silent'))).toEqual([]);
  });

  it.each<[string, (data: string) => void, string[], string[]]>([
    ['lost its data folder', (data) => rmSync(data, { recursive: true }), ['disk_unknown warn'], []],
    ['lost its database', (data) => rmSync(join(data, 'farm.db')), ['database_unreadable bad'], []],
    [
      'has a damaged page in its history',
      (data) => damageTable(join(data, 'farm.db'), 'logs'),
      ['database_damaged bad'],
      ['--deep'],
    ],
    [
      'lost the authority of the farm',
      (data) => {
        writeFileSync(join(data, 'tls', 'authority.json'), '{');
        writeFileSync(join(data, 'tls', 'authority.spare.json'), '{');
      },
      ['certificate_authority_lost bad'],
      [],
    ],
    [
      'has a certificate that cannot be read',
      (data) => writeFileSync(join(data, 'tls', 'server.json'), '{'),
      ['certificate_trouble warn'],
      [],
    ],
    [
      'was updated and not started',
      (data) =>
        inDatabase(data, (db) =>
          db.exec('delete from schema_migrations where name = (select max(name) from schema_migrations)'),
        ),
      ['schema_due note'],
      [],
    ],
    [
      'was set back to an older version',
      (data) =>
        inDatabase(data, (db) =>
          db.exec("update schema_migrations set name = '9999_later.sql' where name like '0001%'"),
        ),
      ['schema_refused bad'],
      [],
    ],
    [
      'went back from a version that did not prove itself',
      (data) => {
        mkdirSync(join(data, 'update'));
        const last = {
          result: 'rolled_back',
          version: '9.9.9',
          detail: 'EIO',
          at: '2026-03-01T12:00:00.000Z',
        };
        const state = { format: 1, slot: 'packaged', packaged: null, step: { at: 'rest' }, last };
        writeFileSync(join(data, 'update', 'state.json'), JSON.stringify(state));
      },
      ['update_rolled_back warn'],
      [],
    ],
    ['has another program on its port', () => undefined, ['port_mqtt bad'], ['--mqtt-port']],
    [
      'has a router between it and the cloud',
      () => undefined,
      ['cloud_no_connection warn'],
      ['--hosted-url', 'http://127.0.0.1:1'],
    ],
    ['has no internet', () => undefined, ['cloud_no_name warn'], ['--hosted-url', 'https://nowhere.invalid']],
    ['has a file where its stick should be', () => undefined, ['backup_unknown warn'], ['--backup-dir']],
  ])('and %s', async (_fact, harm, kinds, args) => {
    const data = aCopy(harm);
    const file = join(newFolder(), 'stick');
    writeFileSync(file, '');
    const value = { '--mqtt-port': String(taken.tcp), '--backup-dir': file }[args[0] ?? ''];
    const report = await doctor(data, START, value === undefined ? args : [...args, value]);
    expect(kindsOf(report)).toEqual(including('gateway_stopped bad', ...kinds));
  });

  it('and whose key was proved a year ago', async () => {
    const proof = JSON.stringify({ proved_at: '2025-01-01T00:00:00Z', file: 'x' });
    const data = aCopy((folder) => writeFileSync(join(folder, 'backup-proof.json'), proof));
    const stick = newFolder();
    await prepareFolder(stick);
    const kinds = kindsOf(await doctor(data, START, ['--backup-dir', stick]));
    expect(kinds).toEqual(including('backup_missing bad', 'backup_proof note'));
  });
});

describe('a gateway that hangs', () => {
  it('is told from one that is stopped, and its ports are its own', async () => {
    // its process is that of this test, which answers nothing there
    const data = aCopy((folder) => noted(folder, { process: process.pid, address: 'http://127.0.0.1:1' }));
    const report = await doctor(data, START, ['--mqtt-port', String(taken.tcp), '--https-port', '1']);
    const kinds = kindsOf(report);
    expect(kinds).toEqual(including('gateway_silent bad', 'port_https bad'));
    expect(kinds).not.toContain('gateway_stopped bad');
    expect(kinds).not.toContain('port_mqtt bad');
  });
});

describe('a gateway whose start takes its time', () => {
  it('is not taken for stopped, and nobody looks into its database meanwhile', async () => {
    const data = aCopy();
    const tool = new BetterSqlite(join(data, 'farm.db'));
    tool.exec('begin exclusive');
    const seen: DoctorReport[] = [];
    const pause = async () => {
      // as if it had begun four minutes ago, on a clock that jumped since
      noted(data, { up_s: uptime() - 240 });
      seen.push(await doctor(data, START + 9 * DAY, ['--mqtt-port', String(taken.tcp)]));
      if (tool.inTransaction) tool.exec('commit');
    };
    const box = await start({ data, pause });
    try {
      const [report] = seen;
      if (report === undefined) throw new Error('the start did not wait');
      expect(kindsOf(report)).toContain('gateway_starting warn');
      expect(told(report, 'gateway_starting')[0]).toContain('for 4 min');
      expect(kindsOf(report).join()).not.toMatch(/gateway_stopped|gateway_silent|database_|port_mqtt/);
      expect((await box.told()).is_running).toBe(true);
    } finally {
      tool.close();
      await box.running.stop();
    }
  });
});

/** A row of the hosted instance that did not fit here. */
const aParkedRow = {
  id: '019b0000-0000-7000-8000-0000000000a1',
  stream_id: 1,
  lane: 'core' as const,
  seq: 7,
  entity: 3,
  row_id: 'x',
  reason: 'missing: its farm',
  change_json: '{}',
  parked_at: '2026-03-02T12:00:00.000Z',
  tries: 1,
  tried_schema: 1,
};

describe('a gateway that is paired', () => {
  it('with a damaged page, then without its key, the link down and a row kept aside, then unpaired, then replaced', async () => {
    const app = await startApp('sqlite');
    const pairedAs = (state: 'paired' | 'revoked' | 'fenced') =>
      app.kernel.commit({
        actor: null,
        changes: [
          savePaired({
            state,
            hosted_url: 'http://127.0.0.1:1',
            hosted_key: 'A'.repeat(43),
            owner_id: 'o',
            owner_name: 'Ana',
            instance_name: 'Nuvem',
            paired_at: '2026-03-01T00:00:00.000Z',
            started_by: null,
            detail: null,
          }),
        ],
      });
    const ask = async (token: string) => {
      app.clock.advance(3_000);
      const { body } = await app.call('GET', '/system/doctor', { token });
      return doctorAnswer.parse(body);
    };
    try {
      const { token } = await aFarmWith(app);
      damageTable(join(app.config.data, 'farm.db'), 'logs');
      await app.backup?.tick(doJob);
      expect(kindsOf(await ask(token))).toContain('database_damaged bad');
      await pairedAs('paired');
      await app.gatewaySync?.start();
      await app.kernel.commit({ actor: null, changes: [put(parkedChange, aParkedRow)] });
      await vi.waitFor(async () => {
        // minutes in which the hosted instance says nothing
        app.clock.advance(200_000);
        expect(kindsOf(await ask(token))).toEqual(
          including('sync_state warn', 'sync_refused warn', 'sync_parked warn', 'cloud_no_connection warn'),
        );
      }, SOON);
      for (const [state, sentence] of [
        ['revoked', 'unpaired this gateway'],
        ['fenced', 'another box took the place'],
      ] as const) {
        await pairedAs(state);
        await vi.waitFor(
          async () => expect(told(await ask(token), 'sync_state')[0]).toContain(sentence),
          SOON,
        );
        expect(kindsOf(await ask(token))).toContain('sync_state bad');
      }
    } finally {
      await app.gatewaySync?.stop();
      await app.close();
    }
  });
});

describe('a gateway whose backups go through its card, for want of memory', () => {
  it('makes one a day, and is told of a late one after three', async () => {
    const stick = newFolder();
    await prepareFolder(stick);
    const app = await startApp('sqlite', ['--backup-dir', stick]);
    const ask = async (token: string) => {
      const { body } = await app.call('GET', '/system/doctor', { token });
      return kindsOf(doctorAnswer.parse(body)).filter((kind) => kind.startsWith('backup_age'));
    };
    try {
      const { token } = await app.signUp({ role: 'ADMIN' });
      await app.backup?.tick(async (job) => {
        if (job.kind === 'backup') writeFileSync(join(stick, 'farm-20260302T120000Z.backup'), '');
        return { file: null, bytes: 0, onCard: 1_000_000, wrong: null };
      });
      app.clock.advance(20 * HOUR);
      expect(await ask(token)).toEqual([]);
      // the next run, and who looks at a gateway that was killed, know it, too
      const goodTime = { id: GOOD_TIME, value: new Date(app.clock.now()).toISOString() };
      await app.kernel.commit({ actor: null, changes: [put(instanceValue, goodTime)] });
      const killed = await doctor(app.config.data, app.clock.now(), ['--backup-dir', stick]);
      expect(told(killed, 'backup_age')).toEqual(['The latest backup is 20 h old.']);
      expect(kindsOf(killed)).not.toContain('backup_age bad');
      const jobs: string[] = [];
      const boot = { rung: 'normal' as const, detail: '', kept: [], isMemoryOnly: false };
      const own = { monotonic: app.clock.now, checks: createChecks(), metrics: createMetrics() };
      await keepBackups({ ...app, ...own, boot }).tick(async ({ kind }) => {
        jobs.push(kind);
        return { file: null, bytes: 0, onCard: 0, wrong: null };
      });
      expect(jobs).not.toContain('backup');
      app.clock.advance(60 * HOUR);
      expect(await ask(token)).toEqual(['backup_age bad']);
    } finally {
      await app.close();
    }
  });
});

describe('a broker that hangs', () => {
  it('is told, and that it was started anew', async () => {
    const app = await startApp('sqlite');
    const server = createHttpServer();
    const broker = await openBroker(app.config, app, hardenServer(server));
    const { port } = await broker.listenTcp(0, '127.0.0.1');
    const ports = () => ({ http: null, https: null, mqtt: port, mqtts: null });
    const note = await noteStart(app.config, { wallClock: () => START, log: app.kernel.log });
    app.doctor.attach({ note, address: app.base, ports, broker, p99Ms: () => 3 });
    const { token } = await app.signUp({ role: 'ADMIN' });
    const ask = async () => {
      app.clock.advance(3_000);
      const { body } = await app.call('GET', '/system/doctor', { token });
      return kindsOf(doctorAnswer.parse(body)).filter((kind) => kind.startsWith('broker'));
    };
    const { publish } = Aedes.prototype;
    try {
      expect(await ask()).toEqual([]);
      Aedes.prototype.publish = () => {};
      await broker.look();
      expect(await ask()).toEqual(['broker_silent bad']);
      await broker.look();
      Aedes.prototype.publish = publish;
      await broker.look();
      expect(await ask()).toEqual(['broker_loop note']);
    } finally {
      Aedes.prototype.publish = publish;
      await broker.stop();
      server.close();
      await app.close();
    }
  });
});
