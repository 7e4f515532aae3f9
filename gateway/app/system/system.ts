import { announce } from '#adapters/discovery/name-service.ts';
import { isPrivateAddress } from '#adapters/http/client-address.ts';
import { lastRun } from '#adapters/sql/queries/control/last-run.ts';
import { type SntpServer, serveTime } from '#adapters/time/sntp-server.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import { systemRoutes } from '#features/system/system/routes.ts';
import { createBackupRequests } from '#operations/backup/backup-requests.ts';
import { keepBackups } from '#operations/backup/keep-backups.ts';
import { createDoctor, syncFactsOf } from '#operations/doctor/running-doctor.ts';
import { createUpdates } from '#operations/staging/running-updates.ts';
import { farmNow } from '#operations/staging/vital-signs.ts';
import type { keepCertificates } from '#operations/trust/certificates.ts';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { isForThisMachine } from '#runtime/config.ts';
import { createJobProcess } from '#workers/jobs/job-process.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { Opened } from '../area.ts';
import type { Cloud } from '../cloud/cloud.ts';
import type { ControlArea } from '../control/control.ts';
import type { EquipmentArea } from '../equipment/equipment.ts';
import type { Platform } from '../kernel.ts';
import type { People } from '../people/people.ts';

type Needs = {
  alarms: Pick<Alarms, 'delivery'>;
  people: Pick<People, 'passwords' | 'passwordTries'>;
  control: Pick<ControlArea, 'control'>;
  cloud: Cloud;
  equipment: EquipmentArea | null;
  trust: Awaited<ReturnType<typeof keepCertificates>>;
};

export type System = ReturnType<typeof wireSystem>;

/** A look at the schedules is due every second. */
const CONTROLS_WITHIN_MS = 10_000;
/** A clock that came from the network is a few steps behind a true one; any other has only this machine's word. */
const STRATUM = { fromNetwork: 3, ownWord: 10 } as const;

/** The machine the instance runs on: its certificates, its updates, its backups and how it does. */
export function wireSystem(platform: Platform, needs: Needs) {
  const { config, world, kernel, clock, onceForAll } = platform;
  const { trust, alarms, cloud } = needs;
  const { control } = needs.control;
  const update = createUpdates({ ...platform, restart: world.restart, pairing: cloud.pairing });
  const backups = wireBackups(platform, needs);
  const doctor = wireDoctor(platform, needs, backups);
  const at = {
    opened: null as Opened | null,
    time: null as SntpServer | null,
    announced: null as Awaited<ReturnType<typeof announceOn>>,
  };
  const farm = () => farmNow({ control, kernel }, config, at.opened?.ports() ?? { https: null, mqtts: null });
  const { look } = update;
  return {
    trust,
    update,
    doctor,
    backup: backups.backup,
    backupDesk: backups.desk,
    routes: [
      ...trust.routes,
      ...update.routes,
      ...(backups.desk?.routes ?? []),
      ...doctor.routes,
      ...systemRoutes({ ...kernel, clock }),
    ],
    ticks: [
      ...onceForAll([
        {
          name: 'sweep',
          at: '7 * * * *',
          run: () => sweep({ ...platform, ...cloud, delivery: alarms.delivery }),
        },
      ]),
      ...backups.ticks,
      ...(look === null ? [] : [{ name: 'update', everyS: 2, run: () => look(farm) }]),
    ],
    async start(opened: Opened): Promise<void> {
      at.opened = opened;
      backups.desk?.attach(backups.jobs.run);
      at.time = await openTimeServer(platform);
      doctor.attach({ ...opened, time: at.time });
      at.announced = await announceOn(platform, trust.beacon);
    },
    stop: {
      // a copy under way would keep the stop waiting
      atOnce: async () => backups.backup?.stop(backups.jobs.stop),
      withPorts: () => Promise.all([at.announced?.close(), at.time?.close()]),
    },
  };
}

/** Backups of a gateway on SQLite, and what people ask of them; each is made in a process beside control. */
function wireBackups(platform: Platform, { people, control }: Pick<Needs, 'people' | 'control'>) {
  const { config, world, kernel, storage, booted } = platform;
  const { executor } = control.control;
  const jobs = createJobProcess();
  const isKept = config.role === 'gateway' && config.databaseUrl === null;
  const backup = isKept ? keepBackups({ ...platform, boot: booted.report }) : null;
  const desk =
    backup === null
      ? null
      : createBackupRequests({
          ...platform,
          backup,
          verifyPassword: people.passwords.verify,
          passwordTries: people.passwordTries,
          restart: world.isSupervised === true ? (world.restart ?? null) : null,
        });
  /** The disk takes writes, and the schedules are followed. */
  const isWell = () =>
    storage.disk() === 'ok' && kernel.now() - (executor.lookedAt() ?? 0) < CONTROLS_WITHIN_MS;
  const ticks: Tick[] =
    backup === null || desk === null
      ? []
      : [
          { name: 'restore', everyS: 15, run: () => desk.look(isWell) },
          { name: 'backup', everyS: 60, run: () => backup.tick(jobs.run) },
          { name: 'last known good configuration', everyS: 5, run: backup.saveConfiguration },
        ];
  return { jobs, backup, desk, ticks };
}

function wireDoctor(
  platform: Platform,
  { alarms, control: { control }, cloud, equipment, trust }: Needs,
  { backup }: Pick<ReturnType<typeof wireBackups>, 'backup'>,
) {
  const { config, database, ready } = platform;
  const { gatewaySync, pairing } = cloud;
  return createDoctor({
    ...platform,
    views: control.registry,
    takesUnkeyed: (view) => config.allowUnkeyedDevices !== false && control.allowsUnkeyed(view),
    foldedOf: (id) => control.folded().get(id) ?? null,
    keeper: trust.keeper,
    readiness: ready,
    lastGoodTime: async () => (await lastRun(database.read)).goodTime,
    backup: () => backup?.stand() ?? null,
    syncStatus: async () => (gatewaySync === null ? null : syncFactsOf(await gatewaySync.status())),
    hostedUrl: async () => (await pairing?.paired())?.hosted_url ?? null,
    probes: () => equipment?.technicians.probes.watch.probes() ?? null,
    modem: alarms.delivery.modem,
  });
}

/** Controllers without internet take their time from the gateway. null: switched off, or nobody could ask. */
async function openTimeServer({ config, monotonic, clock, kernel, metrics }: Platform) {
  if (config.role !== 'gateway' || config.ntpPort === null || isForThisMachine(config.host)) return null;
  const stratum = (): number | null => {
    const { trust, reason } = clock.state();
    if (trust !== 'trusted') return null;
    return reason === 'synchronised' || reason === 'hosted_time' ? STRATUM.fromNetwork : STRATUM.ownWord;
  };
  const { log, now } = kernel;
  const deps = { log, now, monotonic, stratum, isPrivateAddress };
  const server = await serveTime(deps, config.ntpPort, config.host);
  metrics.counter('sntp_answers_total', 'Controllers that were told the time over SNTP', server.answers);
  return server;
}

/** On the farm's network a gateway is found by itself; one that only this machine can call is not looked for. */
async function announceOn({ config, kernel }: Platform, beacon: Parameters<typeof announce>[0]['beacon']) {
  if (config.role !== 'gateway' || config.discoveryPort === null || isForThisMachine(config.host))
    return null;
  return announce({ log: kernel.log, beacon, port: config.discoveryPort, isPrivateAddress });
}
