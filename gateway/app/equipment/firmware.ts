import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeWhole } from '#adapters/backup/safe-files.ts';
import { imageFolder } from '#adapters/firmware/image-files.ts';
import { readPublisherKeys } from '#adapters/firmware/publisher-keys.ts';
import type { Database } from '#adapters/sql/database.ts';
import { firmwareQueries } from '#adapters/sql/queries/equipment/firmware.ts';
import { oxygenQueries } from '#adapters/sql/queries/production/oxygen.ts';
import { firmwareImage, firmwareRollout, firmwareTarget } from '#contract/resources/firmware.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Notify } from '#core/notifying.ts';
import type { FarmFound, Owned } from '#core/route.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { onProgress } from '#features/equipment/firmware/on-progress.ts';
import { createRolloutBook } from '#features/equipment/firmware/rollout-book.ts';
import { firmwareRoutes } from '#features/equipment/firmware/routes.ts';
import { createRolloutPulse } from '#features/equipment/firmware/run-rollouts.ts';
import type { Config } from '#runtime/config.ts';
import type { Control } from '../control/control.ts';

/** Control points whose version is known; of one that fell out its people are told once more. */
const MOST_RUNS = 20_000;

export type FirmwareDeps = {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  control: Control;
  notify: Notify;
  accessTo: (of: Owned, id: string, userId: string) => Promise<FarmFound | null>;
  /** False for control points that are no controllers of this protocol: relays of other makers. */
  takesFirmware: (controlPointId: string) => boolean;
  tellChanged: TellChanged;
};

/** Firmware of controllers: the store of signed images, and the rollouts that bring them over the air. */
export async function wireFirmware(deps: FirmwareDeps) {
  const { config, kernel, database, control, takesFirmware } = deps;
  const queries = firmwareQueries(database.read, oxygenQueries(database.read).airedByAerators);
  const book = createRolloutBook({ queries, now: kernel.now, monotonic: deps.monotonic });
  await book.load();
  const folder = imageFolder(join(config.data, 'ota'), writeWhole);
  await folder
    .keepOnly(new Set(book.images().map(({ sha256 }) => sha256)))
    .catch((error: unknown) =>
      kernel.log.warn({ err: error }, 'firmware that nobody needs could not be removed'),
    );
  const views = control.registry;
  const changed = (farmId: string) => deps.tellChanged('firmware', { farmId, who: 'viewers' });
  const pulse = createRolloutPulse({
    ...kernel,
    book,
    views,
    queries,
    notify: deps.notify,
    takesFirmware,
    changed,
  });
  /** By control point: the version it runs, and whether it could take another. */
  const runsBefore = new NewestMap<string, string>(MOST_RUNS);
  control.onPresence((id) => {
    const view = views.byId(id);
    if (view === null) return void runsBefore.delete(id);
    const { firmwareVersion, isConnected, isLost } = view.presence;
    const runs = `${firmwareVersion} ${isConnected && !isLost}`;
    if (runsBefore.get(id) === runs) return;
    runsBefore.set(id, runs);
    changed(view.row.farm_id);
  });

  const follow = onTables(book.tables, (committed) => {
    for (const controlPointId of book.follow(committed)) {
      const view = views.byId(controlPointId);
      if (view !== null) control.publishOta(view.mqttId, book.wantedOf(controlPointId) ?? { job: null });
    }
    const touched = [firmwareRollout, firmwareTarget].flatMap((of) =>
      rowsOf<{ id: string; farm_id: string }>(committed, of),
    );
    for (const farmId of new Set(touched.map(({ after }) => after.farm_id))) changed(farmId);
    for (const { after, hidden } of rowsOf(committed, firmwareImage)) {
      deps.tellChanged('firmware', 'operators');
      if (!hidden) continue;
      folder.remove(after.sha256).catch((error: unknown) => {
        kernel.log.warn({ err: error, sha256: after.sha256 }, 'a deleted firmware could not be removed');
      });
    }
  });

  database.onRows(follow);
  control.firmware.wantedOf = book.wantedOf;
  control.firmware.takeProgress = (controlPointId, progress) => {
    const farmId = views.byId(controlPointId)?.row.farm_id;
    const stored = onProgress({ ...kernel, book, queries }, controlPointId, progress);
    if (farmId !== undefined) changed(farmId);
    return stored;
  };
  return {
    /** Every two seconds. */
    look: pulse.look,
    routes: firmwareRoutes({
      ...kernel,
      book,
      views,
      queries,
      files: folder,
      waits: pulse.waits,
      takesFirmware,
      onlineAfterMs: config.onlineAfterS * 1000,
      sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
      publisherKeys: () => readPublisherKeys(config.firmwareKeys ?? join(config.data, 'firmware-keys.pem')),
      accessTo: deps.accessTo,
      deviceCaller: control.deviceCaller,
    }),
  };
}
