import type { ClientAddresses } from '#adapters/http/client-address.ts';
import type { Checks } from '#adapters/http/health.ts';
import type { Metrics } from '#adapters/http/metrics.ts';
import type { Refusals } from '#adapters/log/refusals.ts';
import type { accessQuery } from '#adapters/sql/queries/access.ts';
import { lastRun } from '#adapters/sql/queries/control/last-run.ts';
import type { Notify } from '#core/notifying.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { createBackupRequests } from '#operations/backup/backup-requests.ts';
import { type BackupKeeper, keepBackups } from '#operations/backup/keep-backups.ts';
import type { Delivery } from '#operations/delivery/deliveries.ts';
import { createDoctor, syncFactsOf } from '#operations/doctor/running-doctor.ts';
import type { LocalPairingParts } from '#operations/pairing/local-pairing.ts';
import { createUpdates } from '#operations/staging/running-updates.ts';
import type { GatewaySync } from '#operations/sync/gateway-sync.ts';
import { keepCertificates } from '#operations/trust/certificates.ts';
import type { Config } from '#runtime/config.ts';
import type { Alerts } from '../alarms/alerts.ts';
import type { Control } from '../control/control.ts';
import { wireTechnicians } from '../equipment/equipment.ts';
import { readiness } from '../http/events.ts';
import type { Founded } from '../kernel.ts';
import type { Accounts } from '../people/accounts.ts';
import type { Production } from '../production/production.ts';

export type BoxWiring = Pick<Founded, 'world' | 'kernel' | 'database' | 'storage' | 'clock' | 'booted'> & {
  config: Config;
  checks: Checks;
  metrics: Metrics;
  refusals: Refusals;
  clients: Pick<ClientAddresses, 'isNear'>;
  accounts: Pick<Accounts, 'passwords' | 'passwordTries'>;
  accessTo: ReturnType<typeof accessQuery>;
  notify: Notify;
  control: Control;
  alerts: Pick<Alerts, 'alerting'>;
  production: Pick<Production, 'scienceOf'>;
  delivery: Pick<Delivery, 'modem'>;
  /** null: this instance is paired with nobody, ever. */
  pairing: LocalPairingParts | null;
  gatewaySync: GatewaySync | null;
  tellChanged: TellChanged;
};

export type Box = Awaited<ReturnType<typeof wireBox>>;

/** The machine the instance runs on: its certificates, its updates, its backups, what hangs on it and how it does. */
export async function wireBox(wiring: BoxWiring) {
  const { config, world, kernel, database, storage, clock, checks, metrics, notify } = wiring;
  const { accessTo, control, pairing, gatewaySync, tellChanged } = wiring;
  const { monotonic } = world;
  const isGateway = config.role === 'gateway';
  const trust = await keepCertificates({ ...wiring, isNear: wiring.clients.isNear });
  const update = createUpdates({ config, kernel, database, notify, restart: world.restart, pairing });
  const technicians = isGateway
    ? await wireTechnicians({
        config,
        world,
        kernel,
        database,
        control,
        notify,
        accessTo,
        alerting: wiring.alerts.alerting,
        scienceOf: wiring.production.scienceOf,
        trust,
        tellChanged,
      })
    : null;
  const backup =
    isGateway && config.databaseUrl === null
      ? keepBackups({
          config,
          kernel,
          monotonic,
          database,
          notify,
          boot: wiring.booted.report,
          checks,
          metrics,
        })
      : null;
  const backupDesk = backup === null ? null : deskOf(wiring, backup);
  const doctor = createDoctor({
    config,
    world,
    kernel,
    database,
    views: control.registry,
    takesUnkeyed: (view) => config.allowUnkeyedDevices !== false && control.allowsUnkeyed(view),
    foldedOf: (id) => control.folded().get(id) ?? null,
    clock,
    storage,
    keeper: trust.keeper,
    metrics,
    readiness: () => readiness({ database, checks }, storage, clock),
    lastGoodTime: async () => (await lastRun(database.read)).goodTime,
    backup: () => backup?.stand() ?? null,
    syncStatus: async () => (gatewaySync === null ? null : syncFactsOf(await gatewaySync.status())),
    hostedUrl: async () => (await pairing?.paired())?.hosted_url ?? null,
    probes: () => technicians?.probes.watch.probes() ?? null,
    modem: wiring.delivery.modem,
  });
  return {
    trust,
    update,
    technicians,
    backup,
    backupDesk,
    doctor,
    routes: [
      ...(technicians?.routes ?? []),
      ...trust.routes,
      ...update.routes,
      ...(backupDesk?.routes ?? []),
      ...doctor.routes,
    ],
  };
}

function deskOf(wiring: BoxWiring, backup: BackupKeeper) {
  const { config, world, kernel, database, accounts, tellChanged } = wiring;
  return createBackupRequests({
    config,
    kernel,
    monotonic: world.monotonic,
    database,
    backup,
    tellChanged,
    verifyPassword: accounts.passwords.verify,
    passwordTries: accounts.passwordTries,
    restart: world.isSupervised === true ? (world.restart ?? null) : null,
  });
}
