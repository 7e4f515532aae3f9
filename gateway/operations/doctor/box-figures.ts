import { statfs } from 'node:fs/promises';
import type { Metrics } from '#adapters/http/metrics.ts';
import type { Database } from '#adapters/sql/database.ts';
import { machineFacts } from '#adapters/system/machine-facts.ts';
import type { StorageHealth } from '#adapters/system/storage-health.ts';
import type { Kernel } from '#core/kernel.ts';
import {
  type ControlView,
  type ControlViews,
  currentOf,
  isOnline,
  targetOf,
} from '#features/control/control-view.ts';
import { databaseFiles } from '#operations/doctor/gather.ts';
import type { Config } from '#runtime/config.ts';
import { databaseFile } from '#runtime/config.ts';

/** Figures of the box and its controllers for Prometheus. */
export function registerBoxMetrics(
  deps: { config: Config; kernel: Kernel; database: Database; views: ControlViews; metrics: Metrics },
  { version, bytes }: { version: string; bytes: () => Promise<number> },
): void {
  const { config, kernel, metrics, views } = deps;
  metrics.info('gateway_info', 'What runs here; always 1', {
    version,
    node: process.version,
    role: config.role,
    database: deps.database.dialect,
  });
  // a database that does not answer must not take the other figures with it
  metrics.gauge('database_size_bytes', 'Size of the database', () => bytes().catch(() => Number.NaN));
  if (config.role !== 'gateway') return;
  const isAbsent = (view: { presence: Parameters<typeof isOnline>[0] }) =>
    !isOnline(view.presence, kernel.now(), config.onlineAfterS * 1000);
  const count = (fits: (view: Parameters<typeof isAbsent>[0]) => boolean) =>
    // nobody is missed where no motor hangs
    [...views.all()].filter((view) => !view.row.is_simulated && fits(view)).length;
  metrics.gauge('controllers_online', 'Controllers that report', () => count((view) => !isAbsent(view)));
  metrics.gauge('controllers_silent', 'Controllers that reported once and do not now', () =>
    count((view) => isAbsent(view) && view.presence.lastReportAt !== null),
  );
  metrics.gauge(
    'controllers_weak_wifi',
    'Controllers that report and whose Wi-Fi signal is below -75 dBm',
    () => count((view) => !isAbsent(view) && view.presence.rssi !== null && view.presence.rssi < -75),
  );
  const disk = async (part: 'bavail' | 'blocks') => {
    const found = await statfs(config.data).catch(() => null);
    return found === null ? Number.NaN : found[part] * found.bsize;
  };
  metrics.gauge('disk_free_bytes', 'Room left on the disk of the data folder', () => disk('bavail'));
  metrics.gauge('disk_size_bytes', 'Size of the disk of the data folder', () => disk('blocks'));
  metrics.gauge(
    'machine_temperature_celsius',
    'Heat of the processor; NaN where the machine does not tell',
    async () => (await machineFacts()).celsius ?? Number.NaN,
  );
  if (config.databaseUrl !== null) return;
  metrics.gauge(
    'database_wal_bytes',
    'Size of the write-ahead log beside the database',
    async () => (await databaseFiles(config.data, databaseFile(config))).walBytes ?? 0,
  );
}

/** Figures of control for Prometheus. */
export function registerControlMetrics(
  { kernel, metrics, storage }: { kernel: Kernel; metrics: Metrics; storage: Pick<StorageHealth, 'disk'> },
  registry: ControlViews,
): void {
  const count = (fits: (view: ControlView) => boolean) =>
    [...registry.all()].filter((view) => !view.row.is_simulated && fits(view)).length;
  metrics.gauge('control_points', 'Control points of this instance', () => count(() => true));
  metrics.gauge(
    'control_points_mismatched',
    'Control points whose reported state is not the wanted one',
    () =>
      count((view) => {
        const { current_status: current } = currentOf(view);
        return current !== null && current !== targetOf(view).target_status;
      }),
  );
  metrics.gauge('control_points_unsaved', 'Control points whose target is only in memory', () =>
    count(({ unsaved }) => unsaved !== null),
  );
  metrics.gauge('clock_trusted', '1 while the clock is trusted', () =>
    kernel.clockQuality() === 'trusted' ? 1 : 0,
  );
  metrics.gauge('disk_ok', '1 while the disk takes writes and has room', () =>
    storage.disk() === 'ok' ? 1 : 0,
  );
}
