import type { Metrics } from '#adapters/http/metrics.ts';
import type { LocalPages } from '#adapters/http/platform.ts';
import type { SupervisedBroker } from '#adapters/mqtt/supervise-broker.ts';
import type { Database } from '#adapters/sql/database.ts';
import { probeQueries } from '#adapters/sql/queries/equipment/probes.ts';
import { doctorQueries } from '#adapters/sql/queries/system/doctor.ts';
import { cloudPath } from '#adapters/system/cloud-path.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import { clockOffset, programVersion } from '#adapters/system/machine-facts.ts';
import { isAnswering, ownerOfPort } from '#adapters/system/port-owner.ts';
import type { StorageHealth } from '#adapters/system/storage-health.ts';
import type { SntpServer } from '#adapters/time/sntp-server.ts';
import { certificateMaker } from '#adapters/tls/make-certificate.ts';
import type { SyncStatusAnswer } from '#contract/resources/sync-status.ts';
import { REFUSED_HERE } from '#contract/sync/wire.ts';
import type { Kernel } from '#core/kernel.ts';
import { MODEM_WORDS } from '#features/alarms/modem/modem-words.ts';
import type { Modem } from '#features/alarms/modem/ports.ts';
import { type ControlView, type ControlViews, isOnline } from '#features/control/control-view.ts';
import type { PolledProbe } from '#features/equipment/probes/poll-bus.ts';
import type { BusRow } from '#features/equipment/probes/ports.ts';
import { calibrationDue, placeOf } from '#features/equipment/probes/probe-answers.ts';
import { troubleTold } from '#features/equipment/probes/trouble-words.ts';
import { examine } from '#features/system/doctor/examine.ts';
import {
  type ControllerFacts,
  type DoctorFacts,
  PORT_NAMES,
  type PortFacts,
  type PortName,
  type ProbeFacts,
  type SyncFacts,
} from '#features/system/doctor/ports.ts';
import { doctorRoutes } from '#features/system/doctor/routes.ts';
import type { Ports } from '#features/system/trust/identity.ts';
import type { TrustKeeper } from '#features/system/trust/keep-trust.ts';
import type { BackupStand } from '#operations/backup/keep-backups.ts';
import {
  backupFacts,
  databaseFiles,
  gather,
  hostToAsk,
  logFacts,
  machineQuestions,
} from '#operations/doctor/gather.ts';
import type { RunNote } from '#operations/doctor/run-file.ts';
import { makeBundle, secretsIn } from '#operations/doctor/support-bundle.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import { registerBoxMetrics } from './box-figures.ts';

export type DoctorDeps = {
  config: Config;
  world: World;
  kernel: Kernel;
  database: Database;
  views: ControlViews;
  clock: DisciplinedClock;
  storage: StorageHealth;
  /** Whether calls without a key are taken for a control point. */
  takesUnkeyed: (view: ControlView) => boolean;
  /** What is folded of the reports of a control point; null: nothing. */
  foldedOf: (controlPointId: string) => ControllerFacts['folded'];
  keeper: TrustKeeper | null;
  metrics: Metrics;
  readiness: () => Promise<unknown>;
  lastGoodTime: () => Promise<number | null>;
  /** null: this instance makes no backups. */
  backup: () => BackupStand | null;
  /** How the sync stands; absent where there is none. */
  syncStatus?: () => Promise<SyncFacts | null>;
  /** The hosted instance this gateway is paired with; null: with none. */
  hostedUrl?: () => Promise<string | null>;
  probes?: () => readonly PolledProbe[] | null;
  modem?: Pick<Modem, 'facts'> | null;
};

/** What stands only once the ports are open. */
export type Opened = {
  /** Left at the start of this process. */
  note: RunNote;
  address: string;
  ports: () => Ports;
  broker: SupervisedBroker | null;
  /** The time server for controllers; null: switched off. */
  time?: Pick<SntpServer, 'port' | 'trouble'> | null;
  p99Ms: () => number;
};

/** A report is asked for again and again, and one look at the machine serves them all. */
const FRESH_MS = 2_000;
const DAY_MS = 86_400_000;

/** The doctor of a running program: facts from its memory, its files and its machine. */
export function createDoctor(deps: DoctorDeps) {
  const { config, world, kernel, database } = deps;
  const queries = doctorQueries(database.readLong, database.dialect);
  const at = { opened: null as Opened | null };
  const version = programVersion();
  const facts = remembering(world.monotonic, () =>
    gather({ now: kernel.now(), role: config.role, version }, questions()),
  );

  function questions() {
    const { opened } = at;
    const run = opened?.note.run() ?? null;
    const isGateway = config.role === 'gateway';
    return {
      ...machineQuestions(config, { writes: deps.storage.disk(), residentBytes: process.memoryUsage.rss() }),
      run: () => ({
        state: 'running' as const,
        startedAt: run?.started_at ?? null,
        stoppedAt: null,
        cause: run?.cause ?? null,
        fault: run?.fault_before ?? null,
      }),
      clock: () => clockFacts(deps),
      database: () => databaseFacts(deps, queries.bytes),
      certificates: () => certificateFacts(deps.keeper),
      ports: () => (opened === null ? null : portFacts(config, opened.ports())),
      broker: () => brokerFacts(opened?.broker ?? null),
      controllers: () =>
        isGateway
          ? [...deps.views.all()]
              .filter(({ row }) => !row.is_simulated)
              .map((view) => controllerFacts(deps, view))
          : null,
      backup: () =>
        backupFacts(config, {
          ...(deps.backup() ?? { trouble: null, isOverCard: false }),
          until: kernel.now(),
        }),
      versions: async () => ({
        program: version,
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        engine: await queries.engineVersion(),
        // a program that runs has brought its schema up to date
        schemaDue: [],
        schemaTrouble: null,
      }),
      eventLoop: () =>
        opened === null ? null : { p99Ms: opened.p99Ms(), stoodStill: stoodStillFacts(world) },
      logs: () => logFacts(process.env, process.stdout.isTTY === true),
      sync: () => deps.syncStatus?.() ?? null,
      probes: () => probeFacts(deps),
      modem: () => modemFactsOf(deps.modem ?? null),
      cloud: async () => {
        const url = (await deps.hostedUrl?.()) ?? null;
        return url === null ? null : cloudPath(url);
      },
      sntp: () => sntpFacts(deps, opened),
    };
  }

  const bundle = remembering(world.monotonic, async () => {
    const found = await facts();
    const orNull = <Answer>(ask: Promise<Answer>) => ask.catch(() => null);
    return makeBundle({
      config,
      report: examine(found),
      log: world.recentLines?.() ?? [],
      metrics: await orNull(deps.metrics.text()),
      readiness: await orNull(deps.readiness()),
      engineVersion: found.versions?.engine ?? null,
      schema: await orNull(queries.schema()),
      tables: await orNull(queries.tables()),
      // without them nothing could be struck out: then there is no bundle
      secrets: await secretsIn(queries),
    });
  });

  const report = async () => examine(await facts());
  const local: Omit<LocalPages, 'hostedEntrance'> = {
    key: () => at.opened?.note.run().key ?? null,
    report,
    bundle,
  };
  registerBoxMetrics(deps, { version, bytes: queries.bytes });
  return {
    local,
    routes: doctorRoutes({
      ...kernel,
      gather: facts,
      bundle,
    }),
    /** The ports are open: from here on the run counts. */
    attach(opened: Opened): void {
      at.opened = opened;
      opened.note.opened(opened.address, kernel.now);
      kernel.log.info({ cause: opened.note.run().cause }, 'why this run began');
    },
  };
}

/** One answer for all who ask at the same time, and shortly after. */
function remembering<Answer>(monotonic: () => number, ask: () => Promise<Answer>): () => Promise<Answer> {
  const last = { at: Number.NEGATIVE_INFINITY, answer: null as Promise<Answer> | null };
  return () => {
    if (last.answer !== null && monotonic() - last.at < FRESH_MS) return last.answer;
    const answer = ask();
    Object.assign(last, { at: monotonic(), answer });
    answer.catch(() => {
      if (last.answer === answer) last.answer = null;
    });
    return answer;
  };
}

async function clockFacts({ clock, world, lastGoodTime }: DoctorDeps): Promise<DoctorFacts['clock']> {
  const { trust, reason, correction } = clock.state();
  return {
    isTrusted: trust === 'trusted',
    reason,
    correctionMs: correction,
    offsetMs: await clockOffset(),
    ...world.clockEvidence(),
    lastGoodAt: await lastGoodTime(),
  };
}

async function databaseFacts(
  { config, database, backup }: DoctorDeps,
  bytes: () => Promise<number>,
): Promise<DoctorFacts['database']> {
  const stand = backup();
  const common = {
    engine: database.dialect,
    trouble: null,
    wrong: stand?.wrong ?? null,
    checkedAt: stand?.checkedAt ?? null,
    boot: stand?.boot ?? null,
    pondsToSum: await doctorQueries(database.read, database.dialect).pondsToSum(),
  };
  if (database.dialect === 'postgres')
    return { ...common, bytes: await bytes(), walBytes: null, snapshotAt: null };
  return { ...common, ...(await databaseFiles(config.data, databaseFile(config))) };
}

function certificateFacts(keeper: TrustKeeper | null): DoctorFacts['certificates'] {
  if (keeper === null) return null;
  const { authority, server } = keeper.trouble();
  const state = keeper.state();
  const present = state === null ? null : certificateMaker.facts(state.present.certificate);
  return {
    serverEndsAt: keeper.server()?.notAfter ?? null,
    authorityEndsAt: present?.notAfter ?? null,
    isAuthorityLimited: present?.isLimited ?? null,
    authorityTrouble: authority,
    serverTrouble: server,
  };
}

/** What is open is known; what should be and is not may be another's. */
async function portFacts(config: Config, open: Ports): Promise<PortFacts[]> {
  const wanted = {
    http: config.httpPort,
    https: config.httpsPort,
    mqtt: config.mqttPort,
    mqtts: config.mqttsPort,
  };
  const known = config.role === 'gateway' ? PORT_NAMES : (['http'] as const);
  const host = hostToAsk(config);
  const found = await Promise.all(
    known.map((name) => portOf(name, open[name], { port: wanted[name], host })),
  );
  return found.filter((port) => port !== null);
}

async function portOf(
  name: PortName,
  open: number | null,
  wanted: { port: number | null; host: string },
): Promise<PortFacts | null> {
  if (open !== null) return { name, port: open, state: 'ours', by: null };
  const { port, host } = wanted;
  if (port === null || port === 0) return null;
  const isTaken = await isAnswering(port, host);
  return { name, port, state: isTaken ? 'taken' : 'closed', by: isTaken ? await ownerOfPort(port) : null };
}

function brokerFacts(broker: SupervisedBroker | null): DoctorFacts['broker'] {
  if (broker === null) return null;
  return { isWell: broker.health().ok, restarts: broker.restarts(), clients: broker.clientCount() };
}

function controllerFacts(
  { config, kernel, foldedOf, takesUnkeyed }: DoctorDeps,
  view: ControlView,
): ControllerFacts {
  const { row, presence, keys } = view;
  return {
    id: row.id,
    farmId: row.farm_id,
    cod: row.cod,
    deviceId: row.device_id,
    isOnline: isOnline(presence, kernel.now(), config.onlineAfterS * 1000),
    heardAt: presence.lastReportAt,
    rssiDbm: presence.rssi,
    hasKey: keys.some(({ state }) => state !== 'revoked'),
    takesUnkeyed: takesUnkeyed(view),
    firmware: presence.firmwareVersion,
    folded: foldedOf(row.id),
  };
}

function modemFactsOf(modem: Pick<Modem, 'facts'> | null): DoctorFacts['modem'] {
  if (modem === null) return null;
  const { state, operator, signalDbm } = modem.facts();
  return { state, operator, signalDbm, words: MODEM_WORDS[state] };
}

function sntpFacts({ clock }: DoctorDeps, opened: Opened | null): DoctorFacts['sntp'] {
  const time = opened?.time ?? null;
  if (time === null) return null;
  return { port: time.port, trouble: time.trouble, isTrusted: clock.state().trust === 'trusted' };
}

/** The probes in the water, each on its bus. */
async function probeFacts({ probes: polled, database, kernel }: DoctorDeps): Promise<ProbeFacts[] | null> {
  const probes = polled?.() ?? null;
  if (probes === null) return null;
  const busById = new Map((await probeQueries(database.read).buses()).map((bus) => [bus.id, bus]));
  return probes.map(({ row, trouble }) => {
    const dueAt = calibrationDue(row);
    return {
      name: row.name,
      pond: row.pond_cod,
      trouble: probeTroubleOf(trouble, { bus: busById.get(row.probe_bus_id) ?? null, unitId: row.unit_id }),
      isCalibrationDue: dueAt !== null && dueAt <= kernel.now(),
    };
  });
}

function probeTroubleOf(
  trouble: PolledProbe['trouble'],
  { bus, unitId }: { bus: BusRow | null; unitId: number },
): ProbeFacts['trouble'] {
  const at = { place: bus === null ? '' : placeOf(bus), kind: bus?.kind ?? ('serial' as const), unitId };
  const [portuguese, english, spanish] = [
    troubleTold(trouble, at, 'pt-BR'),
    troubleTold(trouble, at, 'en'),
    troubleTold(trouble, at, 'es'),
  ];
  if (portuguese === null || english === null || spanish === null) return null;
  return {
    message: { 'pt-BR': portuguese.message, en: english.message, es: spanish.message },
    next: { 'pt-BR': portuguese.next, en: english.next, es: spanish.next },
  };
}

/** What the doctor judges of the sync; a gateway that is paired with nobody has none. */
export function syncFactsOf(told: SyncStatusAnswer): SyncFacts | null {
  const { state } = told;
  if (state === 'unpaired') return null;
  const lags = [told.lanes.core.lag_s, told.lanes.history.lag_s].filter((lag) => lag !== null);
  return {
    state,
    contactAgeS: told.link.age_s,
    waitingRows: told.lanes.core.waiting_rows + told.lanes.history.waiting_rows,
    lagS: lags.length === 0 ? null : Math.max(...lags),
    ackAgeS: told.last_ack.age_s,
    refusal: refusalOf(told.link.trouble),
    parkedRows: told.parked.here,
    daysLeft: told.offline.days_left,
  };
}

/** These pass by themselves. */
const FOR_A_WHILE = ['SYNC_BUSY', 'SYNC_TOO_MANY', 'SYNC_TOO_MANY_AT_ONCE'];

/** Codes of refusals have capitals; those of a link that is down do not, and the way to the cloud tells of it. */
function refusalOf(trouble: SyncStatusAnswer['link']['trouble']): SyncFacts['refusal'] {
  if (trouble === null || !/^[A-Z]/.test(trouble.code) || FOR_A_WHILE.includes(trouble.code)) return null;
  return { isKeyMissing: trouble.code === REFUSED_HERE.keyMissing, detail: trouble.detail };
}

/** Pauses of the last day. */
function stoodStillFacts({ pauses, monotonic }: World) {
  const now = monotonic();
  const recent = (pauses?.all() ?? []).filter(({ to }) => now - to <= DAY_MS);
  const last = recent.at(-1);
  if (last === undefined) return null;
  return {
    times: recent.length,
    longestMs: Math.max(...recent.map(({ from, to }) => to - from)),
    lastAgoMs: now - last.to,
  };
}
