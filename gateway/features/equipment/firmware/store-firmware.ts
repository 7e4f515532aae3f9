import { firmwareImage } from '#contract/resources/firmware.ts';
import { audit } from '#core/audit.ts';
import { insert, purge } from '#core/changes.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { openFile, refusedFile, requireSound, statementOf } from './package-rules.ts';
import type { Image, ImageFiles, PublisherKey } from './ports.ts';
import type { RolloutBook } from './rollout-book.ts';
import { compareVersions } from './version-order.ts';

/** Each may take 4 MiB of the card. */
const MOST_IMAGES = 20;

export type StoreDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  book: RolloutBook;
  files: ImageFiles;
  /** SHA-256 in hex. */
  sha256: (bytes: Uint8Array) => string;
  /** Read anew each time: a key that was put there counts at once. */
  publisherKeys: () => Promise<PublisherKey[]>;
};

/**
 * Takes a signed firmware file into the store; the same file again answers the image that is there. Throws 422
 * (FIRMWARE_DAMAGED, UNSIGNED, WRONG_IMAGE) and 409 (NO_PUBLISHER_KEY, OLDER_VERSION, VERSION_EXISTS, STORE_FULL).
 */
export async function storeFirmware(
  deps: StoreDeps,
  bytes: Uint8Array,
  { userId, allowOlder }: { userId: string; allowOlder: boolean },
): Promise<Decision<{ image: Image; isNew: boolean }>> {
  const file = openFile(bytes);
  const { manifest } = file;
  const keys = await deps.publisherKeys();
  if (keys.length === 0) {
    throw conflict(
      'This gateway knows no publisher of firmware. Put the public key (PEM) into firmware-keys.pem in the data folder, or name its file with --firmware-keys.',
      'NO_PUBLISHER_KEY',
    );
  }
  const signer = keys.find((key) => key.isSignatureOf(statementOf(manifest), manifest.signature));
  if (signer === undefined) {
    throw refusedFile(
      'UNSIGNED',
      'The firmware is not signed by a publisher this gateway knows. Ask its publisher for a signed file, or add their public key.',
    );
  }
  requireSound(file, deps.sha256(file.image));
  const images = deps.book.images();
  const same = images.find(({ chip, version }) => chip === manifest.chip && version === manifest.version);
  if (same?.sha256 === manifest.sha256) return { answer: { image: same, isNew: false } };
  if (same !== undefined) {
    throw conflict(
      `Version ${manifest.version} for ${manifest.chip} is in the store with other content. Give the new build a version of its own.`,
      'VERSION_EXISTS',
    );
  }
  if (!allowOlder) requireNewest(images, manifest);
  if (images.length >= MOST_IMAGES) {
    throw conflict(`The store holds ${MOST_IMAGES} images. Delete one that is not needed.`, 'STORE_FULL');
  }
  await deps.files.write(manifest.sha256, file.image);
  const image: Image = {
    id: deps.newId(),
    chip: manifest.chip,
    version: manifest.version,
    size: manifest.size,
    sha256: manifest.sha256,
    signature: manifest.signature,
    signed_by: signer.id,
    notes: manifest.notes ?? null,
    uploaded_by: userId,
    uploaded_at: isoOf(deps.now()),
  };
  return {
    answer: { image, isNew: true },
    changes: [insert(firmwareImage, image), imageAudit(deps, image, { action: 'create', userId })],
  };
}

function requireNewest(images: readonly Image[], { chip, version }: Pick<Image, 'chip' | 'version'>): void {
  const newer = images.find(
    (known) => known.chip === chip && (compareVersions(known.version, version) ?? 0) > 0,
  );
  if (newer === undefined) return;
  throw conflict(
    `Version ${version} is older than ${newer.version}, which is in the store. Send it with allow_older=true if that is meant.`,
    'OLDER_VERSION',
  );
}

/** Takes an image out of the store. Throws 404, and 409 IN_USE while a rollout brings it to controllers. */
export function deleteFirmware(deps: StoreDeps, id: string, userId: string): Decision<void> {
  const image = deps.book.imageById(id);
  if (image === null) throw notFound('Firmware');
  if (deps.book.isInUse(id)) {
    throw new AppError(409, 'A rollout brings this firmware to controllers. Cancel the rollout first.', {
      code: 'IN_USE',
    });
  }
  return {
    answer: undefined,
    changes: [purge(firmwareImage, id), imageAudit(deps, image, { action: 'delete', userId })],
  };
}

function imageAudit(deps: StoreDeps, image: Image, by: { action: 'create' | 'delete'; userId: string }) {
  const { chip, version, sha256, signed_by } = image;
  return audit(deps, {
    farm_id: null,
    entity_type: 'SYSTEM',
    entity_id: image.id,
    entity_name: `firmware ${version} ${chip}`,
    action: by.action,
    user_id: by.userId,
    details: { chip, version, sha256, signed_by },
  });
}
