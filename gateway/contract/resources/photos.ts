import * as z from 'zod';
import { idInput, idOrNumber, instantInput, ownId, pageQuery } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import type { Right } from '../rights.ts';

// Pictures of what people see at a place. The row is told like any other; its bytes are named by their hash and their farm, go
// up on their own, and are sent between instances after everything else.

/** What a photo may be of: the column that names it, and what one must be allowed to do there to add one. */
export const PHOTO_SUBJECTS = {
  pond: { column: 'pond_id', right: 'record' },
  batch: { column: 'batch_id', right: 'record' },
  // technicians, too, who work on it
  control_point: { column: 'control_point_id', right: 'attend' },
  // its batch stands beside it
  loss: { column: 'loss_id', right: 'record' },
} as const satisfies Readonly<Record<string, { column: string; right: Right }>>;
export type PhotoSubject = keyof typeof PHOTO_SUBJECTS;

export const PHOTO_TYPES = ['image/jpeg', 'image/webp'] as const;
/** What a browser makes of any picture before it leaves: small enough for the line of a farm, large enough to see gills. */
export const MOST_PHOTO_BYTES = 400_000;
export const LONGEST_SIDE = 1_600;

export const photo = defineResource({
  name: 'photos',
  entity: 32,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    /** One of these three; of a loss its batch. */
    pond_id: uuid.nullable(),
    batch_id: uuid.nullable(),
    control_point_id: uuid.nullable(),
    loss_id: uuid.nullable(),
    taken_at: instant,
    note: z.string().nullable(),
    /** Of the bytes, which photos of one farm with the same hash share. */
    sha256: z.string(),
    bytes: z.int(),
    width: z.int(),
    height: z.int(),
    type: z.enum(PHOTO_TYPES),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: { note: { fields: ['note'] } },
  parents: { farms: 'farm_id', ponds: 'pond_id', batches: 'batch_id', control_points: 'control_point_id' },
  goesBy: 'parent',
  since: 12,
});

/** Bytes that are here; the id is their name. */
export const storedImage = defineResource({
  name: 'stored_images',
  sync: 'local',
  row: z.object({
    id: z.string(),
    bytes: z.int(),
    stored_at: instant,
    /** Gateway: since when the hosted instance has them, too; null: it is not known to. */
    synced_at: instant.nullable(),
  }),
});

export const sha256Text = z
  .string()
  .toLowerCase()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 as 64 hexadecimal digits');

/**
 * What the bytes of a photo are called where they lie and on the line: by their hash, on their farm. Whoever learns a hash of
 * another farm's picture and announces a photo with it has still to bring the bytes.
 */
export type ImageName = `${string}.${string}`;
export const imageName = ({ sha256, farm_id }: { sha256: string; farm_id: string }): ImageName =>
  `${sha256}.${farm_id}`;
export const imageNameText = z
  .string()
  .regex(/^[0-9a-f]{64}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the name of a picture')
  .transform((name) => ({ name: name as ImageName, sha256: name.slice(0, 64), farm_id: name.slice(65) }));

const noteText = z.string().trim().max(500);

/** POST …/photos */
export const photoCreate = z.object({
  id: ownId,
  sha256: sha256Text.describe('SHA-256 of the bytes that are sent afterwards, in hex'),
  bytes: z.int().positive().max(MOST_PHOTO_BYTES).describe('Size of the file'),
  width: z.int().positive().max(LONGEST_SIDE).describe('Pixels'),
  height: z.int().positive().max(LONGEST_SIDE).describe('Pixels'),
  type: z.enum(PHOTO_TYPES),
  taken_at: instantInput.optional().describe('Default now'),
  note: noteText.nullish(),
});
export type PhotoCreate = z.infer<typeof photoCreate>;

/** PUT /photos/{photo_id} */
export const photoUpdate = z.object({ note: noteText.nullish() });
export type PhotoUpdate = z.infer<typeof photoUpdate>;

export const photoParams = z.object({ photo_id: idInput });
export const photosQuery = pageQuery;
export const subjectParams = {
  pond: z.object({ pond_id: idOrNumber }),
  batch: z.object({ batch_id: idOrNumber }),
  control_point: z.object({ control_point_id: idInput }),
  loss: z.object({ batch_id: idOrNumber, loss_id: idInput }),
} as const satisfies Readonly<Record<PhotoSubject, z.ZodObject>>;

export const photoAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  pond_id: z.uuid().nullable(),
  batch_id: z.uuid().nullable(),
  control_point_id: z.uuid().nullable(),
  loss_id: z.uuid().nullable().describe('Of a loss of that batch'),
  taken_at: z.string(),
  note: z.string().nullable(),
  sha256: z.string(),
  bytes: z.int(),
  width: z.int(),
  height: z.int(),
  type: z.enum(PHOTO_TYPES),
  created_by: z.uuid().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});
export type PhotoAnswer = z.infer<typeof photoAnswer>;

/** Whether the bytes are here is no part of the version of a photo: lists tell it, and who sends them. */
export const listedPhoto = photoAnswer.extend({
  is_here: z
    .boolean()
    .describe('Whether its bytes are on this instance; false: they may still be on their way'),
});
export type ListedPhoto = z.infer<typeof listedPhoto>;
