import type { RowOf } from '#contract/resource.ts';
import { imageName, LONGEST_SIDE, type photo, storedImage } from '#contract/resources/photos.ts';
import { put } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { imageHeader } from '#core/image-header.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';

// Bytes of photos, whoever brings them: a browser, or the other instance.

type Told = Pick<RowOf<typeof photo>, 'sha256' | 'bytes' | 'type' | 'width' | 'height'>;

/** Throws 422 unless the bytes are the picture that the row tells of. */
export function requireImage(row: Told, bytes: Uint8Array, sha256: (bytes: Uint8Array) => string): void {
  if (bytes.length !== row.bytes || sha256(bytes) !== row.sha256)
    throw refused('OTHER_PHOTO', 'These are not the bytes that this photo was announced with');
  const header = imageHeader(bytes);
  if (header === null || header.type !== row.type)
    throw refused('NO_PHOTO', 'This is no picture of that kind: send a JPEG or a WebP');
  if (header.width !== row.width || header.height !== row.height)
    throw refused('OTHER_PHOTO', 'The picture has another size than this photo was announced with');
  if (Math.max(header.width, header.height) > LONGEST_SIDE)
    throw refused('PHOTO_TOO_LARGE', `The longer side may have ${LONGEST_SIDE} pixels`);
  if (header.hasNotes)
    throw refused(
      'PHOTO_TELLS_PLACE',
      'The picture carries notes of the camera, which may tell where it was taken: send it without them',
    );
}

const refused = (code: string, detail: string): AppError => new AppError(422, detail, { code });

/** The row that says that the bytes are here; whoever stores them again says it anew. */
export const imageStored = (
  { now }: Pick<Kernel, 'now'>,
  row: Pick<RowOf<typeof photo>, 'sha256' | 'farm_id' | 'bytes'>,
  synced: 'synced' | 'not synced' = 'not synced',
) => {
  const stored_at = isoOf(now());
  return put(storedImage, {
    id: imageName(row),
    bytes: row.bytes,
    stored_at,
    synced_at: synced === 'synced' ? stored_at : null,
  });
};
