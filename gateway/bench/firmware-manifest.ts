import { z } from 'zod';

export const hexOffset = z.string().regex(/^0x[0-9a-f]{1,7}$/i);

/** A line end in it would be one of what is signed. */
export const oneLine = z
  .string()
  .min(1)
  .regex(/^[^\p{Cc}]*$/u, 'is one line');

export type FirmwarePart = { name: string; offset: number; bytes: Buffer };

export const firmwareManifest = z.object({
  chip: oneLine.max(32),
  version: oneLine.max(64),
  parts: z
    .array(
      z.object({
        /** Beside the manifest; no folders. */
        file: z.string().regex(/^[\w][\w.+-]{0,127}$/, 'is the plain name of a file beside the manifest'),
        offset: z.union([z.int().min(0).max(0xfff_ffff), hexOffset]).transform(Number),
        sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'is a SHA-256 in hex'),
      }),
    )
    .min(1)
    .max(16),
  /** Ed25519 over statementOfBundle, base64url. */
  signature: z
    .string()
    .regex(/^[A-Za-z0-9_-]{86}$/, 'is an Ed25519 signature in base64url')
    .nullish(),
});

export type Firmware = {
  /** As the manifest says, e.g. `ESP32`; null where single files were named. */
  chip: string | null;
  version: string | null;
  parts: FirmwarePart[];
  /** What a publisher said of all of it; null: something in it nobody signed. Not checked yet. */
  signed: Signed[] | null;
};

export type Signed = { statement: string; signature: string };

export type FirmwareManifest = z.output<typeof firmwareManifest>;
