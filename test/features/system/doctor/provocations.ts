import type { FindingId, SeverityOf } from '#contract/resources/system-doctor.ts';
import { MODEM_WORDS } from '#features/alarms/modem/modem-words.ts';
import type {
  DoctorFacts,
  PortName,
  Section,
  SyncFacts,
  UpdateFacts,
} from '#features/system/doctor/ports.ts';
import { PORT_NAMES } from '#features/system/doctor/ports.ts';
import { aController, healthyFacts } from './healthy-facts.ts';

// What can be wrong with a farm, and what the doctor must say of it: every finding with every severity.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
export const well = healthyFacts();
const { now } = well;

export type Different = {
  [Name in keyof DoctorFacts]?: NonNullable<DoctorFacts[Name]> extends readonly unknown[]
    ? DoctorFacts[Name]
    : Partial<NonNullable<DoctorFacts[Name]>>;
};

/** A fact of the farm, how it differs from one with which all is well, the finding and its severity. */
export type Provocation = {
  [Id in FindingId]: readonly [string, Different, Id, Exclude<SeverityOf<Id>, 'ok'>];
}[FindingId];

/** A well gateway of which these facts are different. */
export function farmWith(different: Different): DoctorFacts {
  const facts: Record<string, unknown> = { ...well };
  for (const [name, value] of Object.entries(different)) {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    facts[name] = isRecord ? { ...(facts[name] as object), ...value } : value;
  }
  // sections of a well gateway with some fields replaced
  return facts as DoctorFacts;
}

const CARD = {
  device: 'mmcblk0',
  name: 'SC32G',
  madeInYear: 2025,
  writtenBytes: 5e9,
  upS: 5 * 86_400,
  fileSystemErrors: 0,
};
const many = <One>(one: One) => Array.from({ length: 30 }, () => one);
const aPort = { path: '/dev/ttyUSB0', mayOpen: true, usedBy: [] };
const denied = { ...aPort, mayOpen: false };
const held = { ...aPort, usedBy: ['ModemManager'] };
const aProbe = { name: 'DO-1', pond: 'V-01', trouble: null, isCalibrationDue: false };
const silentProbe = {
  ...aProbe,
  trouble: {
    message: {
      'pt-BR': 'O endereço 1 não responde.',
      en: 'No answer from address 1.',
      es: 'La dirección 1 no responde.',
    },
    next: { 'pt-BR': 'Verifique a alimentação.', en: 'Check its power.', es: 'Revise la alimentación.' },
  },
};
const lost = aController({ isOnline: false, heardAt: now - HOUR });
const never = aController({ isOnline: false, heardAt: null });
const voltage = { undervoltage: true, throttled: false };
const slow = { undervoltage: false, throttled: true };
const boot = { isWhole: false, isMemoryOnly: false, detail: 'page 7' };

function withStep(step: UpdateFacts['step'], minutes: number): Different {
  return { update: { step, version: '1.1.0', since: now - minutes * 60_000 } };
}

function withOutcome(result: NonNullable<UpdateFacts['last']>['result'], aside?: string): Different {
  return { update: { last: { result, version: '1.1.0', detail: 'EIO', at: now - DAY, aside } } };
}

const startingFor = (minutes: number) => ({ state: 'starting' as const, startedAt: now - minutes * 60_000 });

const PROGRAM: readonly Provocation[] = [
  ['the gateway was stopped', { run: { state: 'stopped' } }, 'gateway_stopped', 'bad'],
  ['the gateway hangs', { run: { state: 'silent' } }, 'gateway_silent', 'bad'],
  ['the gateway brings its database up to date', { run: startingFor(3) }, 'gateway_starting', 'warn'],
  ['the gateway comes to no end with its start', { run: startingFor(20) }, 'gateway_starting', 'bad'],
  ['the power went and came back', { run: { cause: 'power' } }, 'last_start', 'note'],
  ['somebody killed the program', { run: { cause: 'killed' } }, 'last_start', 'warn'],
  ['the program fell over', { run: { cause: 'fault', fault: 'TypeError: x' } }, 'last_start', 'warn'],
  ['the run before ended by a fault', { run: { fault: 'TypeError: x' } }, 'last_fault', 'warn'],
  [
    'the program fell over and stays down',
    { run: { state: 'stopped', fault: 'TypeError: x' } },
    'last_fault',
    'warn',
  ],
  ['somebody started it with another Node', { versions: { node: 'v20.1.0' } }, 'versions', 'warn'],
  [
    'an older program was installed over a newer database',
    { versions: { schemaTrouble: '0009' } },
    'schema_refused',
    'bad',
  ],
  [
    'a newer program was installed and not started yet',
    { versions: { schemaDue: ['0009_x.sql', '0010_y.sql'] } },
    'schema_due',
    'note',
  ],
  ['a new version is unpacked', withStep('staging', 5), 'update_under_way', 'note'],
  ['a new version lies ready', withStep('staged', 1), 'update_under_way', 'note'],
  ['a new version is tried', withStep('trial', 1), 'update_under_way', 'note'],
  [
    'a new version lies ready in a night of low oxygen',
    { update: { step: 'staged', version: '1.1.0', since: now - 8 * HOUR, waitsFor: ['LOW_OXYGEN'] } },
    'update_waiting',
    'note',
  ],
  ['a new version is unpacked for hours', withStep('staging', 120), 'update_stuck', 'warn'],
  ['a new version is tried and neither taken nor left', withStep('trial', 60), 'update_stuck', 'warn'],
  ['a new version fell', withOutcome('rolled_back'), 'update_rolled_back', 'warn'],
  [
    'a new version fell that had changed the database for good',
    withOutcome('rolled_back', 'farm.db.broken-20260302T120000Z'),
    'update_rolled_back',
    'bad',
  ],
  ['the card lost a byte of the version that ran', withOutcome('damaged'), 'update_damaged', 'warn'],
  ['the stick held a version of somebody else', withOutcome('refused'), 'update_not_made', 'note'],
  ['the power went while it was unpacked', withOutcome('interrupted'), 'update_not_made', 'note'],
  [
    'another program keeps the box busy',
    { eventLoop: { p99Ms: 400, stoodStill: null } },
    'event_loop',
    'warn',
  ],
  [
    'the program stands still for seconds',
    { eventLoop: { p99Ms: 4_000, stoodStill: null } },
    'event_loop',
    'bad',
  ],
  [
    'the computer slept once',
    { eventLoop: { p99Ms: 4, stoodStill: { times: 1, longestMs: 3_600_000, lastAgoMs: 60_000 } } },
    'stood_still',
    'note',
  ],
  [
    'a card hangs again and again',
    { eventLoop: { p99Ms: 4, stoodStill: { times: 4, longestMs: 40_000, lastAgoMs: 60_000 } } },
    'stood_still',
    'warn',
  ],
  ['the log goes into a file that nobody bounds', { logs: { to: 'file' } }, 'logs', 'note'],
];

const TIME: readonly Provocation[] = [
  ['the clock jumped', { clock: { isTrusted: false, reason: 'stepped' } }, 'clock_untrusted', 'bad'],
  ['the box came back in the past', { clock: { lastGoodAt: now + DAY } }, 'clock_behind', 'bad'],
  ['the clock of the box is 5 s off', { clock: { offsetMs: -5_000 } }, 'clock_offset', 'warn'],
  [
    'somebody set the clock an hour wrong',
    { clock: { offsetMs: null, correctionMs: HOUR } },
    'clock_offset',
    'bad',
  ],
  ['the board has no battery, online', { clock: { hasBatteryClock: false } }, 'clock_no_battery', 'note'],
  [
    'the board has no battery, offline',
    { clock: { hasBatteryClock: false, isSynchronised: false } },
    'clock_no_battery',
    'warn',
  ],
  ['the port for the time is not allowed', { sntp: { port: null, trouble: 'EACCES' } }, 'sntp_off', 'note'],
  ['the time server has no time to be trusted', { sntp: { isTrusted: false } }, 'sntp_untrusted', 'warn'],
];

const BOX: readonly Provocation[] = [
  ['the disk has 500 MB left', { disk: { freeBytes: 500e6 } }, 'disk_space', 'warn'],
  ['the disk has 20 MB left', { disk: { freeBytes: 20e6 } }, 'disk_space', 'bad'],
  ['the card became read-only', { disk: { isReadOnly: true } }, 'disk_read_only', 'bad'],
  ['the disk is full', { disk: { writes: 'full' } }, 'disk_refuses_writes', 'bad'],
  ['the card makes errors', { disk: { health: { ...CARD, fileSystemErrors: 2 } } }, 'disk_errors', 'bad'],
  [
    'the SD card was made in 2019',
    { disk: { card: 'sd', health: { ...CARD, madeInYear: 2019 } } },
    'disk_card_old',
    'warn',
  ],
  [
    'another program writes 40 GB a day to the card',
    { disk: { health: { ...CARD, writtenBytes: 2e11 } } },
    'disk_written',
    'warn',
  ],
  ['the eMMC used four fifths of its life', { disk: { wearPercent: 80 } }, 'disk_wear', 'warn'],
  ['the eMMC has few spare blocks', { disk: { spares: 'warning' } }, 'disk_wear', 'warn'],
  ['the eMMC used up its life', { disk: { wearPercent: 110 } }, 'disk_wear', 'bad'],
  [
    'the eMMC tells no wear, but has no spare blocks',
    { disk: { wearPercent: null, spares: 'urgent' } },
    'disk_wear',
    'bad',
  ],
  ['the box runs from an SD card', { disk: { card: 'sd', wearPercent: null } }, 'disk_wear_unknown', 'note'],
  ['the box runs from an SSD', { disk: { card: 'ssd', wearPercent: null } }, 'disk_wear_unknown', 'note'],
  ['the box has 100 MB of memory left', { memory: { availableBytes: 100e6 } }, 'memory_available', 'warn'],
  ['the box has 10 MB of memory left', { memory: { availableBytes: 10e6 } }, 'memory_available', 'bad'],
  ['the program grew to 500 MB', { memory: { residentBytes: 500e6 } }, 'memory_program', 'warn'],
  ['the program grew to 800 MB', { memory: { residentBytes: 800e6 } }, 'memory_program', 'bad'],
  ['the box stands in the sun', { machine: { celsius: 82 } }, 'temperature', 'warn'],
  ['the box cooks', { machine: { celsius: 90 } }, 'temperature', 'bad'],
  ['the power supply was weak today', { machine: { sinceStart: voltage } }, 'power_undervoltage', 'warn'],
  ['the power supply is weak now', { machine: { now: voltage } }, 'power_undervoltage', 'bad'],
  ['the processor was slowed down', { machine: { sinceStart: slow } }, 'processor_throttled', 'note'],
  ['the processor is slowed down now', { machine: { now: slow } }, 'processor_throttled', 'warn'],
];

const FILES: readonly Provocation[] = [
  [
    'the database cannot be opened',
    { database: { bytes: null, trouble: 'EIO' } },
    'database_unreadable',
    'bad',
  ],
  ['somebody removed the database', { database: { bytes: null } }, 'database_unreadable', 'bad'],
  ['a page of the database is damaged', { database: { wrong: 'page 7' } }, 'database_damaged', 'bad'],
  ['the database is larger than half the free room', { database: { bytes: 15e9 } }, 'database_size', 'warn'],
  [
    'the database was checked last month',
    { database: { checkedAt: now - 40 * DAY } },
    'database_check_old',
    'note',
  ],
  ['the database was never checked', { database: { checkedAt: null } }, 'database_check_old', 'note'],
  ['there is no snapshot yet', { database: { snapshotAt: null } }, 'database_no_snapshot', 'note'],
  ['sums of measurements are being made', { database: { pondsToSum: 2 } }, 'database_sums', 'note'],
  ['a program holds the log of the database', { database: { walBytes: 200e6 } }, 'database_wal', 'warn'],
  ['the log of the database has 2 GB', { database: { walBytes: 2e9 } }, 'database_wal', 'bad'],
  [
    'the gateway started from a snapshot',
    { database: { boot: { ...boot, rung: 'snapshot' } } },
    'database_recovered',
    'warn',
  ],
  [
    'the gateway started from memory, on a dead disk',
    { database: { boot: { ...boot, rung: 'last_good', isMemoryOnly: true } } },
    'database_in_memory',
    'bad',
  ],
  [
    'the disk of a gateway in memory lost its database',
    { database: { bytes: null, boot: { ...boot, rung: 'fail_safe', isMemoryOnly: true } } },
    'database_in_memory',
    'bad',
  ],
  ['nobody gave the gateway a stick', { backup: { folder: null } }, 'backup_none', 'warn'],
  ['the stick was pulled', { backup: { isReady: false, newestAt: null } }, 'backup_not_ready', 'bad'],
  ['the stick is empty', { backup: { newestAt: null } }, 'backup_missing', 'bad'],
  ['the last backup is of this morning', { backup: { newestAt: now - 5 * HOUR } }, 'backup_age', 'bad'],
  ['the stick takes no writing', { backup: { trouble: 'EROFS' } }, 'backup_age', 'bad'],
  ['nobody tried the key in the drawer', { backup: { provedAt: null } }, 'backup_unproved', 'note'],
  [
    'the key in the drawer was tried last year',
    { backup: { provedAt: now - 300 * DAY } },
    'backup_proof',
    'note',
  ],
];

const DOORS: readonly Provocation[] = [
  [
    'the authority of the farm is gone',
    { certificates: { authorityTrouble: 'ENOENT' } },
    'certificate_authority_lost',
    'bad',
  ],
  [
    'the certificate could not be written',
    { certificates: { serverTrouble: 'ENOSPC' } },
    'certificate_trouble',
    'warn',
  ],
  [
    'the certificate ends in a month',
    { certificates: { serverEndsAt: now + 30 * DAY } },
    'certificate_server',
    'warn',
  ],
  [
    'the certificate ended yesterday',
    { certificates: { serverEndsAt: now - DAY } },
    'certificate_server',
    'bad',
  ],
  [
    'the authority was made by an earlier version and may sign for any site',
    { certificates: { isAuthorityLimited: false } },
    'certificate_authority_unlimited',
    'warn',
  ],
  [
    'the authority ends next year',
    { certificates: { authorityEndsAt: now + 400 * DAY } },
    'certificate_authority',
    'warn',
  ],
  [
    'the authority ends in a month',
    { certificates: { authorityEndsAt: now + 30 * DAY } },
    'certificate_authority',
    'bad',
  ],
  ...PORT_NAMES.flatMap((name) => [
    takenPort(name, 'mosquitto (77)'),
    takenPort(name, null),
    closedPort(name),
  ]),
  ['the broker hangs', { broker: { isWell: false } }, 'broker_silent', 'bad'],
  ['the broker was started anew', { broker: { restarts: 2 } }, 'broker_loop', 'note'],
];

function takenPort(name: PortName, by: string | null): Provocation {
  const fact = `${by ?? 'another program'} has the port of ${name}`;
  return [fact, { ports: [{ name, port: 1_883, state: 'taken', by }] }, `port_${name}`, 'bad'];
}

function closedPort(name: PortName): Provocation {
  const fact = `the port of ${name} does not open`;
  return [fact, { ports: [{ name, port: 1_883, state: 'closed', by: null }] }, `port_${name}`, 'bad'];
}

const FIELD: readonly Provocation[] = [
  ['a controller fell silent', { controllers: [lost] }, 'controller_silent', 'bad'],
  ['a controller never came', { controllers: [never] }, 'controller_silent', 'note'],
  ['30 controllers fell silent', { controllers: many(lost) }, 'controller_silent_more', 'bad'],
  ['30 controllers never came', { controllers: many(never) }, 'controller_silent_more', 'note'],
  [
    'a controller is far away',
    { controllers: [aController({ rssiDbm: -80 })] },
    'controller_weak_wifi',
    'warn',
  ],
  [
    'a controller is hardly heard',
    { controllers: [aController({ rssiDbm: -90 })] },
    'controller_weak_wifi',
    'bad',
  ],
  [
    '30 controllers are far away',
    { controllers: many(aController({ rssiDbm: -80 })) },
    'controller_weak_wifi_more',
    'warn',
  ],
  [
    '30 controllers are hardly heard',
    { controllers: many(aController({ rssiDbm: -90 })) },
    'controller_weak_wifi_more',
    'bad',
  ],
  [
    'a controller has no key',
    { controllers: [aController({ hasKey: false })] },
    'controller_unkeyed',
    'warn',
  ],
  [
    '30 controllers have no key',
    { controllers: many(aController({ hasKey: false })) },
    'controller_unkeyed_more',
    'warn',
  ],
  [
    'a controller reports without end',
    { controllers: [aController({ folded: { since: 0, count: 9_000 } })] },
    'controller_folded',
    'warn',
  ],
  [
    '30 controllers report without end',
    { controllers: many(aController({ folded: { since: 0, count: 9_000 } })) },
    'controller_folded_more',
    'warn',
  ],
  [
    'a controller was left out of the last update',
    { controllers: [aController(), aController({ firmware: '2.0.9' })] },
    'controller_old_firmware',
    'note',
  ],
  [
    '30 controllers were left out of the last update',
    { controllers: [aController(), ...many(aController({ firmware: '2.0.9' }))] },
    'controller_old_firmware_more',
    'note',
  ],
  ['a probe lost its power', { probes: [silentProbe] }, 'probe_silent', 'warn'],
  ['30 probes lost their power', { probes: many(silentProbe) }, 'probe_silent_more', 'warn'],
  [
    'a probe was not calibrated',
    { probes: [{ ...aProbe, isCalibrationDue: true }] },
    'probe_calibration_due',
    'note',
  ],
  [
    '30 probes were not calibrated',
    { probes: many({ ...aProbe, isCalibrationDue: true }) },
    'probe_calibration_due_more',
    'note',
  ],
  ['the gateway may not open a cable', { serialPorts: { ports: [denied] } }, 'serial_port_denied', 'warn'],
  ['it may not open 30 cables', { serialPorts: { ports: many(denied) } }, 'serial_port_denied_more', 'warn'],
  ['ModemManager holds a cable', { serialPorts: { ports: [held] } }, 'serial_port_modemmanager', 'warn'],
  ['it holds 30 cables', { serialPorts: { ports: many(held) } }, 'serial_port_modemmanager_more', 'warn'],
  [
    'ModemManager runs, and only root sees what it holds',
    { serialPorts: { modemManager: 'runs' } },
    'serial_port_modemmanager',
    'warn',
  ],
  [
    'the gateway is in a container, before which the machine is hidden',
    { serialPorts: { modemManager: 'unknown' } },
    'serial_port_modemmanager_unknown',
    'note',
  ],
  ['the modem is not plugged in', withModem('no_port'), 'modem_no_port', 'bad'],
  ['another program uses the modem', withModem('port_busy'), 'modem_port_busy', 'bad'],
  ['the gateway may not open the modem', withModem('port_denied'), 'modem_port_denied', 'bad'],
  ['the modem hangs', withModem('silent'), 'modem_silent', 'bad'],
  ['the modem has no SIM', withModem('no_sim'), 'modem_no_sim', 'bad'],
  ['the SIM wants a PIN', withModem('needs_pin'), 'modem_needs_pin', 'bad'],
  ['the SIM refused the PIN', withModem('pin_wrong'), 'modem_pin_wrong', 'bad'],
  ['the SIM is locked', withModem('puk'), 'modem_puk', 'bad'],
  ['there is no mobile network', withModem('no_network'), 'modem_no_network', 'bad'],
  ['the modem stands in a corner', { modem: { signalDbm: -97 } }, 'modem_signal', 'warn'],
  ['the modem is in a metal box', { modem: { signalDbm: -107 } }, 'modem_signal', 'bad'],
];

function withModem(state: keyof typeof MODEM_WORDS): Different {
  return { modem: { state, words: MODEM_WORDS[state] } };
}

const catchingUp = { state: 'catching_up' as const, waitingRows: 300 };

const CLOUD: readonly Provocation[] = [
  ['the internet is away for days', withSync('offline'), 'sync_state', 'warn'],
  [
    'the cloud answers and confirms nothing',
    { sync: { ...catchingUp, lagS: 5_000, ackAgeS: 4_000 } },
    'sync_state',
    'warn',
  ],
  [
    'the cloud has confirmed nothing since the start, days ago',
    { sync: { ...catchingUp, lagS: 5_000, ackAgeS: null } },
    'sync_state',
    'warn',
  ],
  ['the gateway is too old for the cloud', withSync('upgrade_needed'), 'sync_state', 'warn'],
  ['the owner unpaired the gateway', withSync('revoked'), 'sync_state', 'bad'],
  ['another box took its place', withSync('fenced'), 'sync_state', 'bad'],
  [
    'a backup was restored on another box',
    { sync: { refusal: { isKeyMissing: true, detail: '' } } },
    'sync_refused',
    'warn',
  ],
  [
    'the cloud turns the gateway down',
    { sync: { refusal: { isKeyMissing: false, detail: 'SYNC 401' } } },
    'sync_refused',
    'warn',
  ],
  ['rows of the cloud did not fit', { sync: { parkedRows: 2 } }, 'sync_parked', 'warn'],
  ['there is room for ten days offline', { sync: { daysLeft: 10 } }, 'sync_offline_days', 'warn'],
  ['there is room for two days offline', { sync: { daysLeft: 2 } }, 'sync_offline_days', 'bad'],
  ['the network cable is out', { cloud: { step: 'no_network' } }, 'cloud_no_network', 'warn'],
  ['the farm has no internet', { cloud: { step: 'no_name', why: 'ENOTFOUND' } }, 'cloud_no_name', 'warn'],
  [
    'the router blocks the port of the cloud',
    { cloud: { step: 'no_connection', why: 'ECONNREFUSED' } },
    'cloud_no_connection',
    'warn',
  ],
];

function withSync(state: SyncFacts['state']): Different {
  return { sync: { state, contactAgeS: 4 * 86_400, waitingRows: 1_200 } };
}

const SECTIONS = Object.keys(well).filter(
  (name) => !['now', 'role', 'version', 'unknown'].includes(name),
) as Section[];
const UNKNOWN = SECTIONS.map((section): Provocation => {
  const reason = 'EACCES: /proc';
  return [`the machine hides "${section}"`, { unknown: [{ section, reason }] }, `${section}_unknown`, 'warn'];
});

export const PROVOCATIONS: readonly Provocation[] = [
  ...PROGRAM,
  ...TIME,
  ...BOX,
  ...FILES,
  ...DOORS,
  ...FIELD,
  ...CLOUD,
  ...UNKNOWN,
];
