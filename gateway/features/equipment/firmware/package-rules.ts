import type { FirmwareChip } from '#contract/mqtt/ota.ts';
import { type FirmwareManifest, firmwareManifest } from '#contract/resources/firmware.ts';
import { AppError } from '#core/errors.ts';

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
export function refusedFile(code: string, detail: string): AppError {
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
