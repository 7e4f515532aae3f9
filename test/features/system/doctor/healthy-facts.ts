import { MODEM_WORDS } from '#features/alarms/modem/modem-words.ts';
import { type DoctorFacts, PORT_NAMES } from '#features/system/doctor/ports.ts';

const NOW = Date.UTC(2026, 2, 2, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A gateway with which all is well. */
export function healthyFacts(): Required<DoctorFacts> & { now: number } {
  return {
    now: NOW,
    role: 'gateway',
    version: '1.0.0',
    run: { state: 'running', startedAt: NOW - 5 * DAY, stoppedAt: null, cause: 'stopped', fault: null },
    clock: {
      isTrusted: true,
      reason: 'synchronised',
      correctionMs: 0,
      offsetMs: 3,
      isSynchronised: true,
      hasBatteryClock: true,
      lastGoodAt: NOW - 1_000,
    },
    disk: {
      folder: '/data',
      freeBytes: 20e9,
      totalBytes: 32e9,
      isReadOnly: false,
      writes: 'ok',
      card: 'emmc',
      wearPercent: 10,
      spares: 'normal',
      health: {
        device: 'mmcblk0',
        name: 'SC32G',
        madeInYear: 2025,
        writtenBytes: 5e9,
        upS: 5 * 86_400,
        fileSystemErrors: 0,
      },
    },
    memory: { totalBytes: 4e9, availableBytes: 3e9, residentBytes: 120e6 },
    database: {
      engine: 'sqlite',
      bytes: 50e6,
      walBytes: 4e6,
      trouble: null,
      wrong: null,
      checkedAt: NOW - HOUR,
      snapshotAt: NOW - HOUR,
      pondsToSum: 0,
      boot: { rung: 'normal', isWhole: true, isMemoryOnly: false, detail: 'opened' },
    },
    certificates: {
      serverEndsAt: NOW + 300 * DAY,
      authorityEndsAt: NOW + 9_000 * DAY,
      isAuthorityLimited: true,
      authorityTrouble: null,
      serverTrouble: null,
    },
    ports: PORT_NAMES.map((name, n) => ({ name, port: 8080 + n, state: 'ours', by: null })),
    broker: { isWell: true, restarts: 0, clients: 1 },
    controllers: [aController()],
    backup: {
      folder: '/mnt/stick',
      isReady: true,
      everyH: 1,
      until: NOW,
      newestAt: NOW - HOUR / 2,
      trouble: null,
      provedAt: NOW - DAY,
    },
    versions: {
      program: '1.0.0',
      node: 'v24.1.0',
      platform: 'linux arm64',
      engine: 'SQLite 3',
      schemaDue: [],
      schemaTrouble: null,
    },
    update: {
      step: 'rest',
      version: '',
      since: NOW - 9 * DAY,
      waitsFor: [],
      last: { result: 'updated', version: '1.0.0', detail: 'it proved itself', at: NOW - 9 * DAY },
    },
    eventLoop: { p99Ms: 4, stoodStill: null },
    machine: {
      model: 'Raspberry Pi 4',
      celsius: 51,
      now: { undervoltage: false, throttled: false },
      sinceStart: { undervoltage: false, throttled: false },
    },
    logs: { to: 'journal' },
    sync: {
      state: 'connected',
      contactAgeS: 3,
      waitingRows: 0,
      lagS: null,
      ackAgeS: 3,
      refusal: null,
      parkedRows: 0,
      daysLeft: 80,
    },
    serialPorts: {
      ports: [{ path: '/dev/serial/by-id/usb-probe', mayOpen: true, usedBy: [] }],
      modemManager: 'absent',
    },
    probes: [{ name: 'DO-1', pond: 'V-01', trouble: null, isCalibrationDue: false }],
    modem: { state: 'ready', operator: 'Rede', signalDbm: -71, words: MODEM_WORDS.ready },
    cloud: { host: 'farm.example', port: 443, step: 'open', ms: 40, why: null },
    sntp: { port: 123, trouble: null, isTrusted: true },
    unknown: [],
  };
}

export function aController(fields: Partial<NonNullable<DoctorFacts['controllers']>[number]> = {}) {
  return {
    id: '019b0000-0000-7000-8000-000000000001',
    farmId: '019b0000-0000-7000-8000-0000000000f1',
    cod: 'CP-1',
    deviceId: 'aer-1',
    isOnline: true,
    heardAt: NOW - 5_000,
    rssiDbm: -55,
    hasKey: true,
    folded: null,
    firmware: '2.1.0',
    ...fields,
  };
}
