import type { ModemState } from '#contract/resources/modem.ts';
import type { SyncStateWord } from '#contract/resources/sync-status.ts';
import type { InEach } from '#contract/resources/system-doctor.ts';
import type { ClockState } from '#core/clock-trust.ts';

// Facts the doctor judges. Who gathers them looks at the machine, the files and the running program; null is "not known
// here", and a check says nothing about it. Instants are ms since 1970, all of it can go through JSON.

export type ClockFacts = {
  /** null: nobody judges it, the program is stopped. */
  isTrusted: boolean | null;
  reason: ClockState['reason'] | null;
  /** What the program adds to the clock of the machine. */
  correctionMs: number;
  /** Distance to the time of the network, as the machine's time service says; null: it does not say. */
  offsetMs: number | null;
  isSynchronised: boolean | null;
  hasBatteryClock: boolean | null;
  /** The last time known to be good; null: never. */
  lastGoodAt: number | null;
};

export type DiskFacts = {
  folder: string;
  freeBytes: number;
  totalBytes: number;
  isReadOnly: boolean | null;
  /** How the program's last writes went; null: it is stopped. */
  writes: 'ok' | 'low' | 'full' | null;
  /** `emmc` tells its wear, an SD card does not, an SSD not to us; null: another kind of disk. */
  card: 'emmc' | 'sd' | 'ssd' | null;
  /** 0 to 110, in steps of ten: share of its life that is used up. */
  wearPercent: number | null;
  /** Spare blocks, as the chip says. */
  spares: 'normal' | 'warning' | 'urgent' | null;
  /** null: the machine does not tell where the folder lies. */
  health: CardFacts | null;
};

/** What a disk tells of itself beside its wear; null where it does not. */
export type CardFacts = {
  /** As below /dev. */
  device: string | null;
  name: string | null;
  madeInYear: number | null;
  /** Since the start of the machine, and how long ago that was. */
  writtenBytes: number | null;
  upS: number | null;
  fileSystemErrors: number | null;
};

/** A USB serial port of the box. */
export type SerialPortFacts = {
  path: string;
  /** Whether the user of the gateway may open it. */
  mayOpen: boolean;
  /** Other programs that hold it, by name, as far as the gateway may see them. */
  usedBy: readonly string[];
};

export type SerialFacts = {
  ports: SerialPortFacts[];
  /** A service that talks to every new port for half a minute, and confuses boards and probes. */
  modemManager: 'runs' | 'absent' | 'unknown';
};

export type ProbeFacts = {
  name: string;
  pond: string;
  /** Why it cannot be read now, and what to do about it; null: it answers. */
  trouble: { message: InEach; next: InEach } | null;
  isCalibrationDue: boolean;
};

export type ModemFacts = {
  state: ModemState;
  operator: string | null;
  signalDbm: number | null;
  /** What the state means and what to do about it. */
  words: { message: InEach; next: InEach | null };
};

/** How far the way to the hosted instance goes. */
export type CloudFacts = {
  host: string;
  port: number;
  step: 'open' | 'no_network' | 'no_name' | 'no_connection';
  ms: number | null;
  why: string | null;
};

/** The time server for controllers; port null: it is not open, trouble says why. */
export type SntpFacts = {
  port: number | null;
  trouble: string | null;
  /** False: the time here is not to be trusted, and none is served. */
  isTrusted: boolean;
};

export type MemoryFacts = {
  totalBytes: number;
  availableBytes: number;
  /** Memory of the program; null: it is stopped. */
  residentBytes: number | null;
};

export type DatabaseFacts = {
  engine: 'sqlite' | 'postgres';
  /** null: it could not be opened; `trouble` says why. */
  bytes: number | null;
  walBytes: number | null;
  trouble: string | null;
  /** What the last look over its pages found; null: nothing was wrong, or there was none. */
  wrong: string | null;
  checkedAt: number | null;
  snapshotAt: number | null;
  /** Ponds whose sums of measurements are being made; null: not known. */
  pondsToSum: number | null;
  /** Rung of the boot ladder; null: not known. */
  boot: { rung: BootRung; isWhole: boolean; isMemoryOnly: boolean; detail: string } | null;
};

/** As the boot ladder calls them. */
export type BootRung = 'normal' | 'wal' | 'rolled_back' | 'snapshot' | 'last_good' | 'fail_safe';

export type CertificateFacts = {
  serverEndsAt: number | null;
  authorityEndsAt: number | null;
  /** False: it may sign for any name on the internet. null: not known. */
  isAuthorityLimited: boolean | null;
  authorityTrouble: string | null;
  serverTrouble: string | null;
};

export const PORT_NAMES = ['http', 'https', 'mqtt', 'mqtts'] as const;
export type PortName = (typeof PORT_NAMES)[number];

export type PortFacts = {
  name: PortName;
  port: number;
  state: 'ours' | 'taken' | 'closed' | 'free';
  /** Program that has it, where the machine tells. */
  by: string | null;
};

export type BrokerFacts = { isWell: boolean; restarts: number; clients: number };

export type ControllerFacts = {
  id: string;
  farmId: string;
  cod: string;
  deviceId: string;
  /** null: the gateway is stopped, and nobody listens. */
  isOnline: boolean | null;
  heardAt: number | null;
  rssiDbm: number | null;
  hasKey: boolean;
  /** Whether it is heard without one; absent: the gateway is stopped, and nobody can tell. */
  takesUnkeyed?: boolean;
  firmware: string | null;
  /** It says more than is stored line by line: since when, ms, and how much; null: it does not. */
  folded: { since: number; count: number } | null;
};

export type BackupFacts = {
  folder: string | null;
  /** Whether the folder is there and was made ready: false when its stick is pulled. */
  isReady: boolean;
  /** Hours between two backups as they are made now. */
  everyH: number;
  newestAt: number | null;
  /** Until when backups were made: now, or the end of a run that is over; null: nobody knows. */
  until: number | null;
  trouble: string | null;
  /** When a person last proved that the recovery key opens a backup; null: never. */
  provedAt: number | null;
};

export type VersionFacts = {
  program: string;
  node: string;
  platform: string;
  engine: string | null;
  /** Migrations of this program that the database has not; why it cannot work on it at all. */
  schemaDue: string[];
  schemaTrouble: string | null;
};

export type UpdateFacts = {
  step: 'rest' | 'staging' | 'staged' | 'trial';
  /** The one under way; at rest there is none. */
  version: string;
  /** When that was noted; null: not known. */
  since: number | null;
  /** Alarms during which it is not switched to. */
  waitsFor: readonly string[];
  /** How the last one ended. */
  last: {
    result: 'updated' | 'rolled_back' | 'refused' | 'interrupted' | 'damaged';
    version: string;
    detail: string;
    at: number;
    /** The database that was put aside, with what was written since the snapshot; absent: none was. */
    aside?: string | undefined;
  } | null;
};

export type MachineFacts = {
  model: string | null;
  celsius: number | null;
  /** What a Raspberry Pi says of its power and speed, now and since its start; null: it is none. */
  now: { undervoltage: boolean; throttled: boolean } | null;
  sinceStart: { undervoltage: boolean; throttled: boolean } | null;
};

export const START_CAUSES = ['first', 'stopped', 'updated', 'power', 'killed', 'fault'] as const;
export type StartCause = (typeof START_CAUSES)[number];

export type RunFacts = {
  /** `silent`: its process lives, and does not answer; `starting`: it does not answer yet. */
  state: 'running' | 'starting' | 'stopped' | 'silent';
  startedAt: number | null;
  /** When it was stopped in order; null: it was not, or it runs. */
  stoppedAt: number | null;
  cause: StartCause | null;
  /** The fault that ended the run before, or the last one; null: none. */
  fault: string | null;
};

export type LogFacts = { to: 'journal' | 'terminal' | 'file' };

/** What GET /sync/status of a paired gateway says, as far as the doctor needs it. */
export type SyncFacts = {
  state: Exclude<SyncStateWord, 'unpaired'>;
  contactAgeS: number | null;
  waitingRows: number;
  /** Age of the oldest change that waits; since when the hosted instance confirmed none, null: not in this run. */
  lagS: number | null;
  ackAgeS: number | null;
  /** Why the last attempt was turned down; null: it was not, or only for a while. */
  refusal: { isKeyMissing: boolean; detail: string } | null;
  parkedRows: number;
  daysLeft: number | null;
};

/** How this process comes round. `stoodStill`: of the last day; null: it did not. */
export type EventLoopFacts = {
  p99Ms: number;
  stoodStill: { times: number; longestMs: number; lastAgoMs: number } | null;
};

export type DoctorFacts = {
  now: number;
  role: 'gateway' | 'hosted';
  version: string;
  run: RunFacts | null;
  clock: ClockFacts | null;
  disk: DiskFacts | null;
  memory: MemoryFacts | null;
  database: DatabaseFacts | null;
  certificates: CertificateFacts | null;
  ports: PortFacts[] | null;
  broker: BrokerFacts | null;
  controllers: ControllerFacts[] | null;
  backup: BackupFacts | null;
  versions: VersionFacts | null;
  update: UpdateFacts | null;
  eventLoop: EventLoopFacts | null;
  machine: MachineFacts | null;
  logs: LogFacts | null;
  sync: SyncFacts | null;
  serialPorts: SerialFacts | null;
  probes: ProbeFacts[] | null;
  modem: ModemFacts | null;
  cloud: CloudFacts | null;
  sntp: SntpFacts | null;
  /** Sections that could not be looked at, with the reason. */
  unknown: { section: Section; reason: string }[];
};

/** What is looked at by itself: one that cannot be leaves the others as they are. */
export type Section = Exclude<keyof DoctorFacts, 'now' | 'role' | 'version' | 'unknown'>;

/** A report is asked for again and again; what it rests on is gathered once in a while. */
export type Gather = () => Promise<DoctorFacts>;
