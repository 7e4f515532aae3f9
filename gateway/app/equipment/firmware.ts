import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeWhole } from '#adapters/backup/safe-files.ts';
import { imageFolder, readPublisherKeys } from '#adapters/firmware/image-files.ts';
import { firmwareImage, firmwareRollout, firmwareTarget } from '#contract/resources/firmware.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import { NewestMap } from '#core/newest-map.ts';
import { createRolloutPulse } from '#features/equipment/firmware/rollouts.ts';
import { firmwareRoutes } from '#features/equipment/firmware/routes.ts';
import type { Control } from '../control/controllers.ts';
import type { Rollouts } from '../control/memory.ts';
import type { Platform } from '../kernel.ts';

/** Control points whose version is known; of one that fell out its people are told once more. */
const MOST_RUNS = 20_000;

export type FirmwareDeps = Platform & {
  control: Control;
  rollouts: Rollouts;
  /** False for control points that are no controllers of this protocol: relays of other makers. */
  takesFirmware: (controlPointId: string) => boolean;
};

/** Firmware of controllers: the store of signed images, and the rollouts that bring them over the air. */
export async function wireFirmware(deps: FirmwareDeps) {
  const { config, kernel, database, control, takesFirmware } = deps;
  const { book, queries } = deps.rollouts;
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
  deps.signals.on('presence', (id) => {
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
