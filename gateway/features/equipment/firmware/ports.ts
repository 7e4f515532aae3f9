import type { RowOf } from '#contract/resource.ts';
import type { firmwareImage, firmwareRollout, firmwareTarget } from '#contract/resources/firmware.ts';

export type Image = RowOf<typeof firmwareImage>;
export type Rollout = RowOf<typeof firmwareRollout>;
export type Target = RowOf<typeof firmwareTarget>;

export type FirmwareQueries = {
  images: () => Promise<Image[]>;
  /** Newest first. */
  rolloutsOf: (farmId: string, limit: number) => Promise<Rollout[]>;
  rolloutById: (id: string) => Promise<Rollout | null>;
  /** Of several rollouts at once, each in their order. */
  targetsOf: (rolloutIds: readonly string[]) => Promise<Target[]>;
  targetById: (id: string) => Promise<Target | null>;
  /** Rollouts that run, are paused, or still have a controller under way. */
  openRollouts: () => Promise<Rollout[]>;
  /** Alarms of a farm during which no controller may be restarted: type and the pond or control point, by code. */
  oxygenAlarms: (farmId: string) => Promise<{ type: string; where: string | null }[]>;
  /** Ponds that control points air by the aerators on them, beside their own. */
  airedByAerators: () => Promise<{ controlPointId: string; pondId: string; cod: string }[]>;
};

/** A public key that signs firmware. */
export type PublisherKey = {
  /** First 16 hex digits of the SHA-256 of the key. */
  id: string;
  isSignatureOf: (statement: string, signature: string) => boolean;
};

/** Images as files, named by their hash. */
export type ImageFiles = {
  write: (sha256: string, bytes: Uint8Array) => Promise<void>;
  /** A piece of an image; null when there is no such file. */
  read: (sha256: string, piece: { offset: number; length: number }) => Promise<Uint8Array | null>;
};
