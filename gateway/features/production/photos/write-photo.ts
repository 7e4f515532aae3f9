import { imageName, type PhotoCreate, type PhotoUpdate, photo } from '#contract/resources/photos.ts';
import { asParent, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, notFound } from '#core/errors.ts';
import { notAhead } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { DAY_MS, instantOnFarm } from '#core/zone-clock.ts';
import { requireImage } from '../photo-bytes.ts';
import type { PhotoDeps, PhotoRow, SeenPhoto, Subject } from './ports.ts';

/** Some 8,000 photos as browsers make them; their bytes are on each instance once. */
export const MOST_BYTES_OF_FARM = 2 * 1024 ** 3;
/** Nobody takes that many, and a program gone wild would. */
export const MOST_A_DAY = 500;

const THING = { pond: 'Pond', batch: 'Batch', control_point: 'Control point', loss: 'Loss' } as const;

export async function requireSubject(
  { queries }: Pick<PhotoDeps, 'queries'>,
  kind: Subject['kind'],
  ref: string,
): Promise<Subject> {
  const subject = await queries.subject(kind, ref);
  if (subject === null) throw notFound(THING[kind]);
  return subject;
}

/**
 * Decides a new photo of a thing; its bytes are sent afterwards. Throws 409 for an id that is taken and where the farm has no
 * room, 422 for a day more than one ahead.
 *
 * @param sentDate the instant as it came: a bare day begins on the farm, not in UTC
 */
export async function addPhoto(
  deps: PhotoDeps,
  caller: Caller,
  at: { kind: Subject['kind']; ref: string },
  { input, sentDate }: { input: PhotoCreate; sentDate: unknown },
): Promise<Decision<SeenPhoto>> {
  const { id, batch_id, farm_id } = await requireSubject(deps, at.kind, at.ref);
  const guard = asParent(
    await (at.kind === 'loss' && batch_id !== null ? deps.guard('batch', batch_id) : deps.guard(at.kind, id)),
  );
  // counted and announced are one step: of twenty at the same moment none is more than the farm has room for
  const room = await deps.guard('photos', farm_id);
  // read again behind its guard: one that was deleted between the two is told as missing
  const subject = await requireSubject(deps, at.kind, id);
  if (input.id !== undefined && (await deps.queries.photoIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  await requireRoom(deps, subject, input.bytes);
  const now = isoOf(deps.now());
  const sentAt = input.taken_at ?? now;
  const takenAt =
    input.taken_at === undefined
      ? now
      : notAhead(deps, 'taken_at', instantOnFarm(sentAt, sentDate, subject.timezone), subject.timezone);
  const row = {
    id: input.id ?? deps.newId(),
    farm_id: subject.farm_id,
    pond_id: subject.kind === 'pond' ? subject.id : null,
    batch_id: subject.kind === 'batch' ? subject.id : subject.batch_id,
    control_point_id: subject.kind === 'control_point' ? subject.id : null,
    loss_id: subject.kind === 'loss' ? subject.id : null,
    taken_at: takenAt,
    note: input.note || null,
    sha256: input.sha256,
    bytes: input.bytes,
    width: input.width,
    height: input.height,
    type: input.type,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: now,
    updated_at: null,
  };
  return {
    answer: { ...row, rev: 1, is_here: false },
    changes: [insert(photo, row)],
    guards: [guard, room],
  };
}

async function requireRoom(deps: PhotoDeps, { farm_id }: Subject, bytes: number): Promise<void> {
  const claimed = await deps.queries.claimed(farm_id, isoOf(deps.now() - DAY_MS));
  if (claimed.lately >= MOST_A_DAY)
    throw conflict(
      `The farm has ${MOST_A_DAY} photos of the last 24 hours: come again later`,
      'TOO_MANY_PHOTOS',
    );
  if (claimed.bytes + bytes > MOST_BYTES_OF_FARM)
    throw conflict('The photos of this farm take 2 GiB already: delete some of them', 'PHOTOS_FULL');
}

/** Decides another note. */
export function changePhoto(
  deps: PhotoDeps,
  { userId }: Caller,
  current: SeenPhoto,
  input: PhotoUpdate,
): Decision<SeenPhoto> {
  const changed = changesOf<PhotoRow>(
    rowOf(current),
    input.note === undefined ? {} : { note: input.note || null },
  );
  if (changed === null) return { answer: current };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [
      update(photo, rowOf(current), set),
      correctionEntry(deps, { ...entryOf(userId, current), ...changed }),
    ],
  };
}

/** Decides that a photo goes; its bytes go within the hour, unless another photo shows the same. */
export function deletePhoto(deps: PhotoDeps, { userId }: Caller, current: SeenPhoto): Decision<void> {
  const { rev: _rev, ...before } = rowOf(current);
  const entry = correctionEntry(deps, { ...entryOf(userId, current), before, after: null });
  return { answer: undefined, changes: [remove(photo, rowOf(current)), entry] };
}

const rowOf = ({ is_here: _here, ...row }: SeenPhoto): PhotoRow => row;

const entryOf = (userId: string, { id, farm_id: farmId, taken_at }: PhotoRow) =>
  ({ kind: 'photo', id, name: `Photo of ${taken_at.slice(0, 10)}`, farmId, userId }) as const;

/**
 * Puts the bytes of a photo where they lie. They are what its row says, or they are refused: 422 for another file, for one
 * that is no picture, is too large, or says where it was taken.
 */
export async function storeImage(
  deps: Pick<PhotoDeps, 'images' | 'sha256'>,
  row: Pick<PhotoRow, 'farm_id' | 'sha256' | 'bytes' | 'type' | 'width' | 'height'>,
  bytes: Uint8Array,
): Promise<void> {
  requireImage(row, bytes, deps.sha256);
  // what is there already wears no card once more
  const name = imageName(row);
  if (!(await deps.images.has(name))) await deps.images.write(name, bytes);
}
