import { createHash } from 'node:crypto';
import type { Express, Request } from 'express';
import * as z from 'zod';
import type { Db } from '#adapters/sql/database.ts';
import { imageNameSql } from '#adapters/sql/queries/production/photos.ts';
import { imageName, imageNameText, MOST_PHOTO_BYTES } from '#contract/resources/photos.ts';
import type { Commit } from '#core/changes.ts';
import { AppError, notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { imageStored, requireImage } from '#features/production/photo-bytes.ts';
import type { ImageStore } from '#features/production/photos/ports.ts';
import { readPackedBody } from './ask-hosted.ts';
import { callerOf, type GatewayByToken } from './hosted-http.ts';

// Bytes of photos between a gateway and this instance: apart from the protocol, so that nothing of it waits for them. A gateway
// brings and fetches only what a photo of its own farms shows.

/** Pictures that a gateway asks about at a time. */
export const ASKED_AT_ONCE = 100;
export const askedPhotos = z.object({ names: z.array(imageNameText).max(ASKED_AT_ONCE) });
/** `here`: this instance has them. `wanted`: it has not, and knows a photo that shows them. Of others it knows nothing yet. */
export const answeredPhotos = z.object({ here: z.array(imageNameText), wanted: z.array(imageNameText) });

/** Of all gateways: what is more waits at the farms. */
const AT_ONCE = 8;

export type HostedPhotosDeps = Pick<Kernel, 'now'> & {
  commit: Commit;
  read: Db;
  images: ImageStore;
  gatewayByToken: GatewayByToken;
  /** Counts what a gateway brings; throws 429 when it is too much. */
  told: (streamId: number, kind: 'push', bytes: number) => void;
};

export function mountPhotos(app: Express, deps: HostedPhotosDeps): void {
  const busy = new Set<number>();
  /** One at a time of each gateway, and few of all. */
  async function inTurn<Answer>(streamId: number, work: () => Promise<Answer>): Promise<Answer> {
    if (busy.has(streamId) || busy.size >= AT_ONCE)
      throw new AppError(503, 'Photos of other gateways are being taken; please come again', {
        code: 'SYNC_BUSY',
        headers: { 'Retry-After': '15' },
      });
    busy.add(streamId);
    try {
      return await work();
    } finally {
      busy.delete(streamId);
    }
  }

  app.post('/sync/v1/photos', async (request, response) => {
    const { streamId } = await callerOf(deps, request);
    await inTurn(streamId, async () => {
      const asked = askedPhotos.safeParse(await readPackedBody(request, () => undefined));
      if (!asked.success)
        throw new AppError(422, 'Ask with a list of names of pictures', { code: 'VALIDATION_ERROR' });
      response.json(await standing(deps.read, streamId, asked.data.names));
    });
  });
  app
    .route('/sync/v1/photos/:name')
    .put(async (request, response) => {
      const { streamId } = await callerOf(deps, request);
      await inTurn(streamId, async () => {
        const row = await shownTo(deps.read, streamId, request);
        deps.told(streamId, 'push', row.bytes);
        const bytes = await picture(request);
        requireImage(row, bytes, (sent) => createHash('sha256').update(sent).digest('hex'));
        await deps.images.write(imageName(row), bytes);
        await deps.commit({ changes: [imageStored(deps, row)], actor: null });
      });
      response.status(204).end();
    })
    .get(async (request, response) => {
      const { streamId } = await callerOf(deps, request);
      await inTurn(streamId, async () => {
        const row = await shownTo(deps.read, streamId, request);
        const bytes = await deps.images.read(imageName(row));
        if (bytes === null) throw notFound('Picture');
        response.setHeader('Content-Type', row.type);
        response.end(bytes);
      });
    });
}

/** Its whole body, whatever it says of itself. Throws 413 for more than a photo has. */
async function picture(request: Request): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_PHOTO_BYTES)
      throw new AppError(413, `A photo has at most ${MOST_PHOTO_BYTES} bytes`, { code: 'BODY_TOO_LARGE' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const ofStream = (db: Db, streamId: number) =>
  db
    .selectFrom('photos')
    .innerJoin('sync_farms', 'sync_farms.id', 'photos.farm_id')
    .where('sync_farms.stream_id', '=', streamId)
    .where('photos.hidden', '=', 0);

/** A photo of that gateway's farms that shows these bytes. Throws 404. */
async function shownTo(db: Db, streamId: number, { params }: Request) {
  const asked = imageNameText.safeParse(params['name']);
  const row = asked.success
    ? await ofStream(db, streamId)
        .selectAll('photos')
        .where('photos.sha256', '=', asked.data.sha256)
        .where('photos.farm_id', '=', asked.data.farm_id)
        .limit(1)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw notFound('Photo');
  return row;
}

async function standing(db: Db, streamId: number, asked: readonly z.infer<typeof imageNameText>[]) {
  const names = new Set<string>(asked.map(({ name }) => name));
  const rows =
    asked.length === 0
      ? []
      : await ofStream(db, streamId)
          .leftJoin('stored_images', (join) => join.on('stored_images.id', '=', imageNameSql))
          .select(['photos.sha256', 'photos.farm_id', 'stored_images.stored_at'])
          .distinct()
          .where(
            'photos.sha256',
            'in',
            asked.map(({ sha256 }) => sha256),
          )
          .execute();
  const of = (isHere: boolean) =>
    rows
      .filter(({ stored_at }) => (stored_at !== null) === isHere)
      .map(imageName)
      .filter((name) => names.has(name));
  return { here: of(true), wanted: of(false) };
}
