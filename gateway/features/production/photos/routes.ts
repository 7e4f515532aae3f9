import * as z from 'zod';
import {
  imageName,
  type ListedPhoto,
  listedPhoto,
  MOST_PHOTO_BYTES,
  PHOTO_SUBJECTS,
  PHOTO_TYPES,
  type PhotoAnswer,
  type PhotoSubject,
  photoAnswer,
  photoCreate,
  photoParams,
  photosQuery,
  photoUpdate,
  subjectParams,
} from '#contract/resources/photos.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { journalAnswer } from '#core/audit.ts';
import { conflict, forbidden, notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type FarmAccess, type Route, route } from '#core/route.ts';
import { imageStored } from '../photo-bytes.ts';
import type { PhotoDeps, PhotoRow, SeenPhoto } from './ports.ts';
import { addPhoto, changePhoto, deletePhoto, requireSubject, storeImage } from './write-photo.ts';

const tag = 'Photos';
const at = { who: 'farm', at: 'params', others: 404 } as const;
const atPhoto = { ...at, of: 'photo', field: 'photo_id' } as const;
// technicians, too, whose photos of control points are theirs
const own = { ...atPhoto, right: 'manage', recorder: 'attend' } as const;

const PATHS: Readonly<Record<PhotoSubject, `/${string}/photos`>> = {
  pond: '/ponds/{pond_id}/photos',
  batch: '/batches/{batch_id}/photos',
  control_point: '/control-points/{control_point_id}/photos',
  loss: '/batches/{batch_id}/losses/{loss_id}/photos',
};
const WORDS: Readonly<Record<PhotoSubject, string>> = {
  pond: 'a pond',
  batch: 'a batch and its losses',
  control_point: 'a control point',
  loss: 'a loss',
};

/** Photos of what a farm has, and their bytes. */
export function photoRoutes(deps: PhotoDeps): Route[] {
  const subjects = Object.keys(PHOTO_SUBJECTS) as PhotoSubject[];
  return [...subjects.flatMap((kind) => subjectRoutes(deps, kind)), ...ownRoutes(deps), ...imageRoutes(deps)];
}

function subjectRoutes(deps: PhotoDeps, kind: PhotoSubject): Route[] {
  const { column, right } = PHOTO_SUBJECTS[kind];
  const path = PATHS[kind];
  const params: z.ZodObject = subjectParams[kind];
  const atSubject = { ...at, of: kind, field: column } as const;
  /** 404 also for a loss of another batch than the path says. */
  async function subjectOf(named: Readonly<Record<string, unknown>>) {
    const subject = await requireSubject(deps, kind, String(named[column]));
    if (kind !== 'loss') return subject;
    const batch = await deps.queries.subject('batch', String(named['batch_id']));
    if (batch === null || batch.id !== subject.batch_id) throw notFound('Loss');
    return subject;
  }
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: `Photos of ${WORDS[kind]}, newest first`,
      access: { ...atSubject, right: 'read' },
      params,
      query: photosQuery,
      answers: { 200: { schema: listedPhoto, list: true } },
      async handle(request) {
        const subject = await subjectOf(request.params);
        const page = await journalAnswer(request.query, {
          count: () => deps.queries.countOf(subject),
          rows: (span) => answersOf(deps.queries.photosOf(subject, span)),
        });
        return { answer: page };
      },
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: `Announce a photo of ${kind === 'batch' ? 'a batch' : WORDS[kind]}; its bytes are sent afterwards`,
      access: { ...atSubject, right },
      invalid: 422,
      params,
      body: photoCreate,
      answers: { 201: { schema: photoAnswer } },
      idempotent: true,
      async handle(request) {
        const { id: ref } = await subjectOf(request.params);
        const sent = { input: request.body, sentDate: request.rawBody['taken_at'] };
        const made = await addPhoto(deps, signedIn(request), { kind, ref }, sent);
        return { ...made, answer: { status: 201, body: answerOf(made.answer), rev: 1 } };
      },
    }),
  ];
}

async function seenPhoto({ queries }: PhotoDeps, id: string): Promise<SeenPhoto> {
  const row = await queries.photoById(id);
  if (row === null) throw notFound('Photo');
  return row;
}

/** What was taken at a pond is changed by whoever may record there still, whatever he was when he took it. */
function requireOwnWork({ role }: FarmAccess, { control_point_id: pointId }: SeenPhoto): void {
  if (pointId === null && !mayOnFarm(role, 'record')) throw forbidden();
}

function ownRoutes(deps: PhotoDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/photos/{photo_id}',
      tag,
      summary: 'A photo, without its bytes',
      access: { ...atPhoto, right: 'read' },
      params: photoParams,
      answers: { 200: { schema: photoAnswer } },
      async handle({ params }) {
        const row = await seenPhoto(deps, params.photo_id);
        return { answer: { status: 200, body: answerOf(row), rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/photos/{photo_id}',
      tag,
      summary: 'Change the note of a photo; old and new stay in the log',
      access: own,
      params: photoParams,
      body: photoUpdate,
      answers: { 200: { schema: photoAnswer } },
      async handle(request) {
        const current = await seenPhoto(deps, request.params.photo_id);
        requireOwnWork(onFarm(request), current);
        requireMatch(request, current);
        const changed = changePhoto(deps, signedIn(request), current, request.body);
        return {
          ...changed,
          answer: { status: 200, body: answerOf(changed.answer), rev: changed.answer.rev },
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/photos/{photo_id}',
      tag,
      summary: 'Delete a photo; its bytes go within the hour',
      access: own,
      params: photoParams,
      answers: { 204: null },
      async handle(request) {
        const current = await seenPhoto(deps, request.params.photo_id);
        requireOwnWork(onFarm(request), current);
        requireMatch(request, current);
        return { ...deletePhoto(deps, signedIn(request), current), answer: { status: 204 } };
      },
    }),
  ];
}

const notHere = () =>
  conflict('The picture of this photo is still on its way to this instance', 'PHOTO_NOT_HERE');

function imageRoutes(deps: PhotoDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/photos/{photo_id}/image',
      tag,
      summary: 'The bytes of a photo; 409 while they are not here yet',
      access: { ...atPhoto, right: 'read' },
      params: photoParams,
      refusals: [409],
      answers: { 200: { schema: z.string().meta({ format: 'binary' }), media: 'image/jpeg' } },
      // once a request: what is not here comes over the line of the farm
      async prepare({ params }) {
        const row = await seenPhoto(deps, params.photo_id);
        return (await deps.images.read(imageName(row))) ?? (await deps.fetched(row));
      },
      async handle({ params }, bytes) {
        const row = await seenPhoto(deps, params.photo_id);
        if (bytes === null) throw notHere();
        return {
          answer: {
            status: 200,
            file: { type: row.type, bytes },
            headers: {
              // a hash never has other bytes; only this person's browser keeps them
              'Cache-Control': 'private, max-age=31536000, immutable',
              'Content-Security-Policy': "sandbox; default-src 'none'",
              Vary: 'Authorization',
            },
          },
        };
      },
    }),
    route({
      method: 'PUT',
      path: '/photos/{photo_id}/image',
      tag,
      summary: 'Send the bytes of a photo that was announced; sent again they are the same',
      access: own,
      params: photoParams,
      hasNoTag: true,
      refusals: [413, 415, 507],
      takes: { media: PHOTO_TYPES[0], also: [PHOTO_TYPES[1]], maxBytes: MOST_PHOTO_BYTES },
      answers: { 200: { schema: listedPhoto } },
      // on disk before the row that says so, and before the answer
      async prepare(request) {
        const row = await seenPhoto(deps, request.params.photo_id);
        requireOwnWork(onFarm(request), row);
        await storeImage(deps, row, request.upload ?? new Uint8Array());
      },
      async handle(request) {
        const row = await seenPhoto(deps, request.params.photo_id);
        const body = { ...answerOf(row), is_here: true };
        // told anew each time, so that no sweep takes what has just come
        return { answer: { status: 200, body }, changes: [imageStored(deps, row)] };
      },
    }),
  ];
}

async function* answersOf(rows: AsyncIterable<SeenPhoto>): AsyncIterable<ListedPhoto> {
  for await (const row of rows) yield { ...answerOf(row), is_here: row.is_here };
}

function answerOf(row: PhotoRow): PhotoAnswer {
  return {
    id: row.id,
    farm_id: row.farm_id,
    pond_id: row.pond_id,
    batch_id: row.batch_id,
    control_point_id: row.control_point_id,
    loss_id: row.loss_id,
    taken_at: row.taken_at,
    note: row.note,
    sha256: row.sha256,
    bytes: row.bytes,
    width: row.width,
    height: row.height,
    type: row.type,
    created_by: row.created_by,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
