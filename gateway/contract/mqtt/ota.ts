import * as z from 'zod';

// Messages of firmware over the air (device protocol, section 11).

/** `X`, `X.Y`, `X.Y.Z` with an optional `-word` behind it; numbers count, `1.10` is newer than `1.9`. */
export const FIRMWARE_VERSION_PATTERN = /^\d{1,6}(\.\d{1,6}){0,3}(-[A-Za-z0-9.]{1,24})?$/;
export const FIRMWARE_CHIPS = ['esp32', 'esp32s2', 'esp32s3', 'esp32c2', 'esp32c3', 'esp32c6'] as const;
export type FirmwareChip = (typeof FIRMWARE_CHIPS)[number];

/** Smaller than the application partition of a 16 MiB board, larger than any aerator controller. */
export const MAX_FIRMWARE_BYTES = 4 * 1_048_576;

const version = z.string().max(64).regex(FIRMWARE_VERSION_PATTERN);
const job = z.string().min(1).max(64);

/** `ota/desired` without a job: nothing is wanted, and what is not installed yet is dropped. */
const nothingDesired = z.object({ job: z.null() });

const firmwareDesired = z.object({
  job: job.describe('Names this attempt; the controller puts it in every ota/progress'),
  version,
  chip: z.enum(FIRMWARE_CHIPS),
  path: z
    .string()
    .max(200)
    .describe('Where the image lies, below the HTTP address of the gateway; takes offset and length'),
  size: z.int().min(1).max(MAX_FIRMWARE_BYTES).describe('Bytes'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sig: z
    .string()
    .max(90)
    .regex(/^[A-Za-z0-9_-]{86}$/)
    .describe('Ed25519 over the statement of 11.3, base64url'),
  older: z.boolean().describe('true: install it although it is older than what runs'),
  go: z.boolean().describe('false: fetch and check it; true: install it too'),
});
export type FirmwareDesired = z.infer<typeof firmwareDesired>;

/** `ota/desired`, retained. */
export const otaDesired = z.union([nothingDesired, firmwareDesired]);
export type OtaDesired = z.infer<typeof otaDesired>;

export const OTA_STATES = [
  'downloading',
  'ready',
  'installing',
  'confirming',
  'done',
  'failed',
  'rolled_back',
] as const;
export type OtaState = (typeof OTA_STATES)[number];

/** Why an update failed or was taken back. Only DOWNLOAD_FAILED is tried again. */
export const OTA_REASONS = [
  'DOWNLOAD_FAILED',
  'SIZE_WRONG',
  'HASH_WRONG',
  'SIGNATURE_WRONG',
  'CHIP_WRONG',
  'OLDER',
  'NO_SPACE',
  'FLASH_FAULT',
  'CRASHED',
  'NOT_CONNECTED',
  'OTHER',
] as const;
export type OtaReason = (typeof OTA_REASONS)[number];

/** `ota/progress`: how far the controller is; told at every change, about every 10 % of a download, after every connect. */
export const otaProgress = z.object({
  job,
  state: z.enum(OTA_STATES),
  done: z.int().min(0).max(MAX_FIRMWARE_BYTES).optional().describe('Bytes fetched'),
  version: z.string().max(64).optional().describe('The firmware that runs now'),
  reason: z.enum(OTA_REASONS).catch('OTHER').optional().describe('With failed and rolled_back'),
  detail: z.string().max(200).optional(),
});
export type OtaProgress = z.infer<typeof otaProgress>;
