import { describe, expect, it } from 'vitest';
import { doctorAnswer } from '#contract/resources/system-doctor.ts';
import { examine } from '#features/doctor/examine.ts';
import type { DoctorFacts } from '#features/doctor/ports.ts';
import { MODEM_WORDS } from '#features/modem/modem-words.ts';
import { aController, healthyFacts } from './healthy-facts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const well = healthyFacts();
const { now } = well;
const CARD = { name: 'SC32G', madeInYear: 2025, writtenBytes: 5e9, upS: 5 * 86_400, fileSystemErrors: 0 };

type Sections = { [Name in keyof DoctorFacts]?: Partial<NonNullable<DoctorFacts[Name]>> };

/** A well gateway in which these facts are different. */
function examined(different: Sections | DoctorFacts) {
  const facts: Record<string, unknown> = { ...well };
  for (const [name, value] of Object.entries(different)) {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    facts[name] = isRecord ? { ...(facts[name] as object), ...value } : value;
  }
  // sections of a well gateway with some fields replaced
  return examine(facts as DoctorFacts);
}

describe('a gateway with which all is well', () => {
  it('has no finding that asks for anything', () => {
    const report = examine(well);
    expect(report.worst).toBe('ok');
    expect(report.findings.filter(({ severity }) => severity !== 'ok')).toEqual([]);
    expect(doctorAnswer.parse(report)).toEqual(report);
  });

  it('is judged by every check: no section of facts is left out', () => {
    const heard = examine(well).findings.map(({ id }) => id);
    for (const id of [
      'last_start',
      'clock_trust',
      'disk_space',
      'disk_wear',
      'memory_available',
      'memory_program',
      'temperature',
      'database_size',
      'database_checked',
      'database_snapshot',
      'backup_age',
      'backup_proof',
      'certificate_server',
      'certificate_authority',
      'port_http',
      'broker_loop',
      'controllers',
      'disk_written',
      'probes',
      'modem_ready',
      'modem_signal',
      'serial_ports',
      'sync_state',
      'cloud_path',
      'sntp',
      'event_loop',
      'versions',
      'logs',
    ])
      expect(heard).toContain(id);
  });
});

// what is wrong, what the doctor calls it, how bad it is
const TROUBLES: readonly [string, Sections, string, 'note' | 'warn' | 'bad'][] = [
  ['a stopped gateway', { run: { state: 'stopped' } }, 'gateway_stopped', 'bad'],
  ['a process that does not answer', { run: { state: 'silent' } }, 'gateway_silent', 'bad'],
  ['a start after a power cut', { run: { cause: 'power' } }, 'last_start', 'note'],
  ['a start after the process was killed', { run: { cause: 'killed' } }, 'last_start', 'warn'],
  [
    'a fault that ended the run before',
    { run: { cause: 'fault', fault: 'TypeError: x' } },
    'last_fault',
    'warn',
  ],
  ['a clock nobody trusts', { clock: { isTrusted: false, reason: 'stepped' } }, 'clock_untrusted', 'bad'],
  ['a machine whose clock went back', { clock: { lastGoodAt: now + DAY } }, 'clock_behind', 'bad'],
  ['a clock 5 s off', { clock: { offsetMs: -5_000 } }, 'clock_offset', 'warn'],
  ['a clock an hour off', { clock: { offsetMs: null, correctionMs: HOUR } }, 'clock_offset', 'bad'],
  [
    'a board without a battery clock, online',
    { clock: { hasBatteryClock: false } },
    'clock_no_battery',
    'note',
  ],
  [
    'a board without a battery clock, offline',
    { clock: { hasBatteryClock: false, isSynchronised: false } },
    'clock_no_battery',
    'warn',
  ],
  ['little room', { disk: { freeBytes: 500e6 } }, 'disk_space', 'warn'],
  ['hardly any room', { disk: { freeBytes: 20e6 } }, 'disk_space', 'bad'],
  ['a disk that became read-only', { disk: { isReadOnly: true } }, 'disk_read_only', 'bad'],
  ['a disk that refuses writes', { disk: { writes: 'full' } }, 'disk_refuses_writes', 'bad'],
  ['a worn eMMC', { disk: { wearPercent: 80 } }, 'disk_wear', 'warn'],
  ['an eMMC at its end', { disk: { wearPercent: 110 } }, 'disk_wear', 'bad'],
  ['an eMMC short of spare blocks', { disk: { spares: 'urgent' } }, 'disk_wear', 'bad'],
  ['an SD card', { disk: { card: 'sd', wearPercent: null } }, 'disk_wear_unknown', 'note'],
  ['little memory', { memory: { availableBytes: 100e6 } }, 'memory_available', 'warn'],
  ['no memory', { memory: { availableBytes: 10e6 } }, 'memory_available', 'bad'],
  ['a program that grew', { memory: { residentBytes: 500e6 } }, 'memory_program', 'warn'],
  ['a hot processor', { machine: { celsius: 82 } }, 'temperature', 'warn'],
  ['a very hot processor', { machine: { celsius: 90 } }, 'temperature', 'bad'],
  [
    'low voltage now',
    { machine: { now: { undervoltage: true, throttled: true } } },
    'power_undervoltage',
    'bad',
  ],
  [
    'low voltage since the start',
    { machine: { sinceStart: { undervoltage: true, throttled: true } } },
    'power_undervoltage',
    'warn',
  ],
  [
    'a processor slowed down',
    { machine: { now: { undervoltage: false, throttled: true } } },
    'processor_throttled',
    'warn',
  ],
  [
    'a database that cannot be read',
    { database: { bytes: null, trouble: 'no file' } },
    'database_unreadable',
    'bad',
  ],
  ['a damaged database', { database: { wrong: 'page 7' } }, 'database_damaged', 'bad'],
  ['a check long ago', { database: { checkedAt: now - 40 * DAY } }, 'database_check_old', 'note'],
  ['no check at all', { database: { checkedAt: null } }, 'database_check_old', 'note'],
  ['no snapshot', { database: { snapshotAt: null } }, 'database_no_snapshot', 'note'],
  ['a log of the database that grew', { database: { walBytes: 200e6 } }, 'database_wal', 'warn'],
  ['a database larger than half the room', { database: { bytes: 15e9 } }, 'database_size', 'warn'],
  [
    'a start from a snapshot',
    { database: { boot: { rung: 'snapshot', isWhole: false, detail: 'broken' } } },
    'database_recovered',
    'warn',
  ],
  ['no backup folder', { backup: { folder: null } }, 'backup_none', 'warn'],
  ['an empty backup folder', { backup: { newestAt: null } }, 'backup_missing', 'bad'],
  ['an old backup', { backup: { newestAt: now - 5 * HOUR } }, 'backup_age', 'bad'],
  ['a backup that fails', { backup: { trouble: 'no room' } }, 'backup_age', 'bad'],
  ['a key nobody proved', { backup: { provedAt: null } }, 'backup_unproved', 'note'],
  ['a proof of last year', { backup: { provedAt: now - 300 * DAY } }, 'backup_proof', 'note'],
  [
    'a lost authority',
    { certificates: { authorityTrouble: 'missing' } },
    'certificate_authority_lost',
    'bad',
  ],
  [
    'a certificate that could not be made',
    { certificates: { serverTrouble: 'no room' } },
    'certificate_trouble',
    'warn',
  ],
  [
    'a certificate near its end',
    { certificates: { serverEndsAt: now + 30 * DAY } },
    'certificate_server',
    'warn',
  ],
  ['a certificate that ended', { certificates: { serverEndsAt: now - DAY } }, 'certificate_server', 'bad'],
  [
    'an authority near its end',
    { certificates: { authorityEndsAt: now + 400 * DAY } },
    'certificate_authority',
    'warn',
  ],
  ['a silent broker', { broker: { isWell: false } }, 'broker_silent', 'bad'],
  ['a broker started anew', { broker: { restarts: 2 } }, 'broker_loop', 'note'],
  ['a busy event loop', { eventLoop: { p99Ms: 400 } }, 'event_loop', 'warn'],
  ['a held up event loop', { eventLoop: { p99Ms: 4_000 } }, 'event_loop', 'bad'],
  ['another Node', { versions: { node: 'v20.1.0' } }, 'versions', 'warn'],
  ['migrations that are due', { versions: { schemaDue: ['0009_x.sql'] } }, 'schema_due', 'note'],
  ['a newer database', { versions: { schemaTrouble: 'newer' } }, 'schema_refused', 'bad'],
  ['a log that nobody bounds', { logs: { to: 'file' } }, 'logs', 'note'],
  ['no hosted instance', { sync: { state: 'unpaired' } }, 'sync_state', 'note'],
  ['no contact with it', { sync: { state: 'offline' } }, 'sync_state', 'warn'],
  ['another box in its place', { sync: { state: 'fenced' } }, 'sync_state', 'bad'],
  ['rows kept aside', { sync: { parkedRows: 2 } }, 'sync_parked', 'warn'],
  ['errors of the disk', { disk: { health: { ...CARD, fileSystemErrors: 2 } } }, 'disk_errors', 'bad'],
  [
    'an old SD card',
    { disk: { card: 'sd', health: { ...CARD, madeInYear: 2019 } } },
    'disk_card_old',
    'warn',
  ],
  [
    'a program that wears the card',
    { disk: { health: { ...CARD, writtenBytes: 2e11 } } },
    'disk_written',
    'warn',
  ],
  [
    'a port that may not be opened',
    { serialPorts: [{ path: '/dev/ttyUSB0', mayOpen: false, usedBy: [] }] },
    'serial_port_denied',
    'warn',
  ],
  [
    'a port that ModemManager holds',
    { serialPorts: [{ path: '/dev/ttyUSB0', mayOpen: true, usedBy: ['ModemManager'] }] },
    'serial_port_modemmanager',
    'warn',
  ],
  [
    'a probe that does not answer',
    { probes: [{ name: 'DO-1', pond: 'V-01', trouble: 'NO_ANSWER', isCalibrationDue: false }] },
    'probe_silent',
    'warn',
  ],
  [
    'a probe whose calibration is overdue',
    { probes: [{ name: 'DO-1', pond: 'V-01', trouble: null, isCalibrationDue: true }] },
    'probe_calibration_due',
    'note',
  ],
  ['a modem without SIM', { modem: { state: 'no_sim', words: MODEM_WORDS.no_sim } }, 'modem_no_sim', 'bad'],
  ['a modem in a metal box', { modem: { signalDbm: -107 } }, 'modem_signal', 'bad'],
  ['no way to the cloud', { cloud: { step: 'no_name', why: 'ENOTFOUND' } }, 'cloud_no_name', 'warn'],
  ['a time that is not trusted', { sntp: { stratum: null } }, 'sntp_untrusted', 'warn'],
  ['no time server', { sntp: { port: null, trouble: 'not allowed' } }, 'sntp_off', 'note'],
  ['few days of room offline', { sync: { daysLeft: 2 } }, 'sync_offline_days', 'bad'],
  ['a section that could not be looked at', { unknown: { disk: 'EACCES' } }, 'disk_unknown', 'warn'],
];

describe('the doctor finds', () => {
  it.each(TROUBLES)('%s', (_what, different, id, severity) => {
    const found = examined(different).findings.filter((one) => one.id === id);
    expect(found.map((one) => one.severity)).toEqual([severity]);
    const [{ sentence, next_step: next } = { sentence: null, next_step: null }] = found;
    expect(sentence?.['pt-BR']).not.toBe(sentence?.en);
    // who is told of trouble is told what to do; a start whose fault has a finding of its own is not
    if (severity !== 'note') expect(next?.en).toMatch(/\w/);
  });

  it('the worst first, and ends by it', () => {
    const report = examined({ disk: { freeBytes: 20e6 }, run: { cause: 'power' } });
    expect([report.worst, report.findings[0]?.id]).toEqual(['bad', 'disk_space']);
  });

  it.each([
    ['another program on its port', 'taken', 'bad'],
    ['a port that should answer and does not', 'closed', 'bad'],
  ] as const)('%s', (_what, state, severity) => {
    const { findings } = examined({
      ports: [{ name: 'mqtt', port: 1883, state, by: 'mosquitto (77)' }] as never,
    });
    expect(findings.find(({ id }) => id === 'port_mqtt')).toMatchObject({
      severity,
      measured: { value: 1883, unit: 'port' },
    });
  });

  it('says nothing of what it does not know', () => {
    const nothing = Object.fromEntries(Object.keys(well).map((name) => [name, null]));
    // a report of nothing but who asks
    const facts = { ...nothing, now, role: 'hosted', version: '1', unknown: {} } as unknown as DoctorFacts;
    expect(examine(facts).findings).toEqual([]);
  });
});

describe('of controllers the doctor finds', () => {
  const judged = (...controllers: ReturnType<typeof aController>[]) =>
    examined({ controllers: controllers as never })
      .findings.filter(({ severity }) => severity !== 'ok')
      .map(({ id, severity, control_point: about }) => [id, severity, about?.device_id ?? null]);

  it.each([
    ['one that fell silent', { isOnline: false, heardAt: now - HOUR }, 'controller_silent', 'bad'],
    ['one that never came', { isOnline: false, heardAt: null }, 'controller_silent', 'note'],
    ['a weak signal', { rssiDbm: -80 }, 'controller_weak_wifi', 'warn'],
    ['a signal at its end', { rssiDbm: -90 }, 'controller_weak_wifi', 'bad'],
    ['one without a key', { hasKey: false }, 'controller_unkeyed', 'warn'],
  ] as const)('%s', (_what, fields, id, severity) => {
    expect(judged(aController(fields))).toEqual([[id, severity, 'aer-1']]);
  });

  it('those behind the newest firmware of their farm, by number and not by letter', () => {
    const found = judged(
      aController({ deviceId: 'old', firmware: '2.9.0' }),
      aController({ deviceId: 'new', firmware: 'v2.10.1-rc' }),
      aController({ deviceId: 'odd', firmware: 'nightly' }),
      aController({ deviceId: 'elsewhere', farmId: 'other', firmware: '1.0' }),
    );
    expect(found).toEqual([['controller_old_firmware', 'note', 'old']]);
  });

  it('names twenty of a kind and sums up the rest', () => {
    const found = judged(
      ...Array.from({ length: 50 }, (_, n) => aController({ deviceId: `d-${n}`, hasKey: false })),
    );
    expect(found).toHaveLength(21);
    expect(found.at(-1)).toEqual(['controller_unkeyed_more', 'warn', null]);
  });
});
