import type { RowOf, Stored } from '#contract/resource.ts';
import type { PhotoSubject, photo } from '#contract/resources/photos.ts';
import type { Kernel } from '#core/kernel.ts';

export type PhotoRow = Stored<RowOf<typeof photo>>;
/** A photo, and whether its bytes are on this instance. */
export type SeenPhoto = PhotoRow & { is_here: boolean };

/** What a photo is taken of. */
export type Subject = {
  kind: PhotoSubject;
  id: string;
  farm_id: string;
  timezone: string;
  /** Of a loss. */
  batch_id: string | null;
};

/** Facts that photos ask for; only what is seen is answered: not deleted, and not of a thing that is. */
export type PhotoQueries = {
  /** Ponds and batches by UUID or number. */
  subject: (kind: PhotoSubject, ref: string) => Promise<Subject | null>;
  photoById: (id: string) => Promise<SeenPhoto | null>;
  /** True for every id ever used, deleted photos included. */
  photoIdTaken: (id: string) => Promise<boolean>;
  /** Newest first; those of a batch with those of its losses. */
  photosOf: (
    of: Pick<Subject, 'kind' | 'id'>,
    page: { skip: number; limit: number },
  ) => AsyncIterable<SeenPhoto>;
  countOf: (of: Pick<Subject, 'kind' | 'id'>) => Promise<number>;
  /** How much is claimed on a farm: photos that are not deleted, whether their bytes are here or not. */
  claimed: (farmId: string, since: string) => Promise<{ bytes: number; lately: number }>;
};

/** Where bytes lie, by their names. */
export type ImageStore = {
  /** On disk when it resolves. Throws 507 where there is no room. */
  write: (name: string, bytes: Uint8Array) => Promise<void>;
  read: (name: string) => Promise<Uint8Array | null>;
  remove: (name: string) => Promise<void>;
  has: (name: string) => Promise<boolean>;
  /** Removes bytes that no row names, as a kill between bytes and row leaves them; those of the last hour may get one yet. */
  sweep: (isKnown: (name: string) => Promise<boolean>) => Promise<void>;
};

export type PhotoDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: PhotoQueries;
  images: ImageStore;
  /** SHA-256 in hex. */
  sha256: (bytes: Uint8Array) => string;
  /** Brings bytes from the hosted instance, which has them; null: it has not, or there is none, or no line. */
  fetched: (photo: PhotoRow) => Promise<Uint8Array | null>;
};
