import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeWhole } from '#adapters/backup/safe-files.ts';
import { imageFiles } from '#adapters/photos/image-files.ts';
import { imageBytes } from '#adapters/sql/image-bytes.ts';
import { photoQueries } from '#adapters/sql/queries/production/photos.ts';
import { checkImages, sweepImages } from '#adapters/sql/sweep-images.ts';
import type { PhotoDeps } from '#features/production/photos/ports.ts';
import { photoRoutes } from '#features/production/photos/routes.ts';
import type { Area } from '../area.ts';
import type { Platform } from '../kernel.ts';

export type Photos = ReturnType<typeof wirePhotos>;

/** Photos: on SQLite their bytes are files of the data folder, on PostgreSQL they lie in it. */
export function wirePhotos({ config, world, kernel, database, onceForAll }: Platform) {
  const disk = { writeWhole, ...(world.freeBytes === undefined ? {} : { freeBytes: world.freeBytes }) };
  const files = config.databaseUrl === null ? imageFiles(join(config.data, 'photos'), disk) : null;
  const images = files ?? imageBytes(database.read);
  const other: { fetched: PhotoDeps['fetched'] } = { fetched: async () => null };
  const sweeping = { ...kernel, database, images };
  return {
    images,
    /** null: they lie in the database. */
    files,
    /** Where bytes come from that are not here. */
    fetchBy: (fetched: PhotoDeps['fetched']) => void Object.assign(other, { fetched }),
    routes: photoRoutes({
      ...kernel,
      queries: photoQueries(database.read, database.readLong),
      images,
      sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
      fetched: (photo) => other.fetched(photo),
    }),
    ticks: onceForAll([
      { name: 'photos that nobody names', at: '47 * * * *', run: () => sweepImages(sweeping) },
      { name: 'check of photos', at: '13 4 * * *', run: () => checkImages(sweeping) },
    ]),
    start: () =>
      void checkImages(sweeping).catch((error: unknown) =>
        kernel.log.warn({ err: error }, 'the pictures of photos could not be checked; it is tried again'),
      ),
  } satisfies Area & Record<string, unknown>;
}
