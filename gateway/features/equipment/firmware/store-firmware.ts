import type { FirmwareChip } from '#contract/mqtt/ota.ts';
import { type FirmwareManifest, firmwareImage, firmwareManifest } from '#contract/resources/firmware.ts';
import { audit } from '#core/audit.ts';
import { insert, purge } from '#core/changes.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { Image, ImageFiles, PublisherKey } from './ports.ts';
import type { RolloutBook } from './rollout-book.ts';

// A firmware file is one line of JSON (the manifest) and behind it the image, as the chip takes it.

export type FirmwareFile = { manifest: FirmwareManifest; image: Uint8Array };

const MOST_MANIFEST_BYTES = 8_192;
const NEW_LINE = 0x0a;
/** Bytes 0 and 12 of an application image: its magic, and for which chip it was built. */
const IMAGE_MAGIC = 0xe9;
const CHIP_ID: Readonly<Record<FirmwareChip, number>> = {
  esp32: 0,
  esp32s2: 2,
  esp32c3: 5,
  esp32s3: 9,
  esp32c2: 12,
  esp32c6: 13,
};
const SMALLEST_IMAGE = 24;

/** Refused with 422 and a code of its own; the sentence says what to do. */
function refusedFile(code: string, detail: string): AppError {
  return new AppError(422, detail, { code });
}

/** Takes a firmware file apart. Throws 422 FIRMWARE_DAMAGED. */
export function openFile(bytes: Uint8Array): FirmwareFile {
  const end = bytes.subarray(0, MOST_MANIFEST_BYTES).indexOf(NEW_LINE);
  const head = end === -1 ? null : parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const manifest = firmwareManifest.safeParse(head);
  if (!manifest.success) {
    throw refusedFile(
      'FIRMWARE_DAMAGED',
      'This is no firmware file: it must begin with its manifest. Send the .sfw file that the publisher signed.',
    );
  }
  return { manifest: manifest.data, image: bytes.subarray(end + 1) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // whatever begins so is none of ours, and that is said by the caller
    return null;
  }
}

/** Throws 422 unless the image is what its manifest says and was built for that chip. */
export function requireSound({ manifest, image }: FirmwareFile, sha256: string): void {
  if (image.length !== manifest.size || sha256 !== manifest.sha256) {
    throw refusedFile(
      'FIRMWARE_DAMAGED',
      `The image is not the one its manifest describes (${image.length} of ${manifest.size} bytes). Fetch the file again.`,
    );
  }
  const isImage = image.length >= SMALLEST_IMAGE && image[0] === IMAGE_MAGIC;
  if (!isImage) {
    throw refusedFile('WRONG_IMAGE', 'The file holds no application image of an ESP32 chip.');
  }
  const chipId = (image[12] ?? 0) | ((image[13] ?? 0) << 8);
  if (chipId !== CHIP_ID[manifest.chip]) {
    throw refusedFile(
      'WRONG_IMAGE',
      `The image was built for another chip than ${manifest.chip} (chip id ${chipId}). Build it for ${manifest.chip}.`,
    );
  }
}

/** What a publisher signs: version and chip cannot be put on another image (device protocol, 11.3). */
export function statementOf({ chip, version, size, sha256 }: Omit<FirmwareManifest, 'signature' | 'format'>) {
  return `shrimp-farm firmware 1\nchip ${chip}\nversion ${version}\nsize ${size}\nsha256 ${sha256}\n`;
}

/**
 * Below 0: `a` is older than `b`. Numbers count one after another, a missing one is 0; a word behind them
 * (1.5.0-rc.1) comes before the same numbers without one. Null when either is no version.
 */
export function compareVersions(a: string, b: string): number | null {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left === null || right === null) return null;
  for (let place = 0; place < 4; place += 1) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.word === right.word) return 0;
  if (left.word === null) return 1;
  if (right.word === null) return -1;
  return left.word.localeCompare(right.word, 'en', { numeric: true });
}

function partsOf(version: string): { numbers: number[]; word: string | null } | null {
  const found = /^v?(\d{1,6}(?:\.\d{1,6}){0,3})(?:-([A-Za-z0-9.]{1,24}))?$/.exec(version);
  if (found?.[1] === undefined) return null;
  return { numbers: found[1].split('.').map(Number), word: found[2] ?? null };
}

/** Each may take 4 MiB of the card. */
const MOST_IMAGES = 20;

export type StoreDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
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
  // counted and stored are one step: of many uploads at the same moment none is one too many
  const room = await deps.guard('firmware', 'store');
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
    guards: [room],
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
export async function deleteFirmware(deps: StoreDeps, id: string, userId: string): Promise<Decision<void>> {
  // a rollout that begins at the same moment has the same guard
  const guard = await deps.guard('firmware', id);
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
    guards: [guard],
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
