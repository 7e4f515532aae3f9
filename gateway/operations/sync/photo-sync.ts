import { createHash } from 'node:crypto';
import type { ImageFiles } from '#adapters/photos/image-files.ts';
import type { Database } from '#adapters/sql/database.ts';
import { imageNameSql } from '#adapters/sql/queries/production/photos.ts';
import { letGo } from '#adapters/sql/sweep-images.ts';
import { waitingRows } from '#adapters/sync/log-retention.ts';
import type { PhotoLine } from '#adapters/sync/photo-line.ts';
import type { RowOf } from '#contract/resource.ts';
import {
  type ImageName,
  imageName,
  imageNameText,
  type photo,
  storedImage,
} from '#contract/resources/photos.ts';
import { put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { imageStored, requireImage } from '#features/production/photo-bytes.ts';

export type PhotoSyncDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  database: Pick<Database, 'read' | 'commit'>;
  monotonic: () => number;
  images: ImageFiles;
  line: PhotoLine;
  /** Whom this gateway belongs to now; null: to nobody, or it is shut out. */
  pairing: () => Promise<string | null>;
};

type Told = Pick<RowOf<typeof photo>, 'farm_id' | 'sha256' | 'bytes' | 'type' | 'width' | 'height'>;

const ASKED = 50;
const LEAST_WAIT_MS = 15_000;
const MOST_WAIT_MS = 30 * 60_000;
/** From one look for what is not here to the next, where there was nothing. */
const REST_MS = 60_000;
/** What the hosted instance has not either is asked for again then. */
const NOT_THERE_MS = 3_600_000;
const MOST_REMEMBERED = 2_000;

const GIB = 1024 ** 3;
const MOST_ON_CARD = 2 * GIB;
const SHARE_OF_FREE = 0.2;

/**
 * Bytes of photos go to the hosted instance when nothing else waits, and what only that has comes here: one at each tick, so
 * that a slow line is never theirs for long. What is there as well may leave the card when it takes too much of it.
 */
export function createPhotoSync(deps: PhotoSyncDeps) {
  const { database, images, line, now, monotonic } = deps;
  const { read } = database;
  const state = {
    pairing: null as string | null,
    /** Everything up to this name was asked about, in this round. */
    askedTo: '',
    /** Of this pairing: everything is asked about, also what is said to be there. */
    isFirstRound: true,
    fetchAfter: 0,
    wanted: [] as ImageName[],
    waitUntil: 0,
    failures: 0,
    isRunning: false,
  };
  /** What the other side has not either, until then. */
  const notThere = new NewestMap<ImageName, number>(MOST_REMEMBERED);

  async function isQuiet(): Promise<boolean> {
    const { core, history } = await waitingRows(read);
    return core.waitingRows + history.waitingRows === 0;
  }

  function begin(pairing: string | null): void {
    Object.assign(state, { pairing, askedTo: '', isFirstRound: true, wanted: [] });
    Object.assign(state, { waitUntil: 0, failures: 0 });
    notThere.clear();
  }

  async function tick(): Promise<void> {
    if (state.isRunning || monotonic() < state.waitUntil) return;
    state.isRunning = true;
    try {
      const pairing = await deps.pairing();
      // another instance may have none of what the one before had
      if (pairing !== state.pairing) begin(pairing);
      if (pairing === null || !(await isQuiet())) return;
      if (!(await bringOne())) await fetchOne();
      state.failures = 0;
    } catch (error) {
      state.failures += 1;
      state.waitUntil = monotonic() + Math.min(MOST_WAIT_MS, LEAST_WAIT_MS * 2 ** (state.failures - 1));
      state.wanted = [];
      deps.log.debug({ err: error }, 'pictures of photos wait for a better line');
    } finally {
      state.isRunning = false;
    }
  }

  /** True when one was on the line. */
  async function bringOne(): Promise<boolean> {
    if (state.wanted.length === 0) await askWhatIsWanted();
    const name = state.wanted.shift();
    if (name === undefined) return false;
    const row = await shownBy(name);
    const bytes = row === undefined ? null : await images.read(name);
    if (row === undefined || bytes === null) return false;
    await line.bring(name, row.type, bytes);
    await noteSynced([name]);
    return true;
  }

  async function askWhatIsWanted(): Promise<void> {
    const rows = await read
      .selectFrom('stored_images')
      .select('id')
      .where('id', '>', state.askedTo)
      .where('id', 'in', (shown) =>
        shown.selectFrom('photos').select(imageNameSql.as('name')).where('hidden', '=', 0),
      )
      .$if(!state.isFirstRound, (query) => query.where('synced_at', 'is', null))
      .orderBy('id')
      .limit(ASKED)
      .execute();
    if (rows.length > 0) {
      const { here, wanted } = await line.standing(rows.map(({ id }) => id));
      const asked = new Set(rows.map(({ id }) => id));
      const ofAsked = (told: typeof here) => told.map(({ name }) => name).filter((name) => asked.has(name));
      await noteSynced(ofAsked(here));
      state.wanted = ofAsked(wanted);
      // it knows no photo that shows them: that is not asked every few seconds
      if (here.length + wanted.length === 0) state.waitUntil = monotonic() + REST_MS;
    }
    state.askedTo = rows.length < ASKED ? '' : (rows.at(-1)?.id ?? '');
    state.isFirstRound &&= rows.length === ASKED;
  }

  async function noteSynced(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const rows = await read
      .selectFrom('stored_images')
      .selectAll()
      .where('id', 'in', ids)
      .where('synced_at', 'is', null)
      .execute();
    const synced_at = isoOf(now());
    const changes = rows.map((row) => put(storedImage, { ...row, synced_at }));
    if (changes.length > 0) await deps.commit({ changes, actor: null });
  }

  async function shownBy(name: ImageName): Promise<Told | undefined> {
    const { sha256, farm_id } = imageNameText.parse(name);
    return read
      .selectFrom('photos')
      .select(['farm_id', 'sha256', 'bytes', 'type', 'width', 'height'])
      .where('sha256', '=', sha256)
      .where('farm_id', '=', farm_id)
      .where('hidden', '=', 0)
      .limit(1)
      .executeTakeFirst();
  }

  /** The newest that only the other side has. */
  async function fetchOne(): Promise<void> {
    if (monotonic() < state.fetchAfter) return;
    const rows = await read
      .selectFrom('photos')
      .leftJoin('stored_images', (join) => join.on('stored_images.id', '=', imageNameSql))
      .select([
        'photos.farm_id',
        'photos.sha256',
        'photos.bytes',
        'photos.type',
        'photos.width',
        'photos.height',
      ])
      .where('photos.hidden', '=', 0)
      .where('stored_images.id', 'is', null)
      .orderBy('photos.taken_at', 'desc')
      .limit(ASKED)
      .execute();
    const next = rows.find((row) => monotonic() >= (notThere.get(imageName(row)) ?? 0));
    // older ones would only push out newer ones
    if (next !== undefined && (await hasRoom(next.bytes))) await fetchNow(next);
    else state.fetchAfter = monotonic() + REST_MS;
  }

  async function fetchNow(row: Told): Promise<Uint8Array | null> {
    const name = imageName(row);
    const bytes = await line.fetched(name);
    try {
      if (bytes !== null) requireImage(row, bytes, (sent) => createHash('sha256').update(sent).digest('hex'));
    } catch (error) {
      deps.log.warn(
        { err: error, picture: name },
        'the hosted instance answered another picture than was asked for',
      );
      notThere.set(name, monotonic() + NOT_THERE_MS);
      return null;
    }
    if (bytes === null) {
      notThere.set(name, monotonic() + NOT_THERE_MS);
      return null;
    }
    await makeRoom(row.bytes);
    await images.write(name, bytes);
    await deps.commit({ changes: [imageStored(deps, row, 'synced')], actor: null });
    return bytes;
  }

  async function onCard(): Promise<{ taken: number; most: number }> {
    const row = await read
      .selectFrom('stored_images')
      .select((sum) => sum.fn.sum<number | null>('bytes').as('bytes'))
      .executeTakeFirst();
    const taken = Number(row?.bytes ?? 0);
    const free = await images.freeBytes();
    return { taken, most: Math.min(MOST_ON_CARD, (free + taken) * SHARE_OF_FREE) };
  }
  async function hasRoom(bytes: number): Promise<boolean> {
    const { taken, most } = await onCard();
    return taken + bytes <= most;
  }

  /** The oldest that the hosted instance has, too, leave; what is here alone stays, whatever it takes. */
  async function makeRoom(bytes: number): Promise<void> {
    const { taken, most } = await onCard();
    let over = taken + bytes - most;
    while (over > 0) {
      const rows = await read
        .selectFrom('stored_images')
        .selectAll()
        .where('synced_at', 'is not', null)
        .orderBy('stored_at')
        .limit(ASKED)
        .execute();
      if (rows.length === 0) return;
      for (const row of rows) {
        if (over <= 0) return;
        await letGo({ database: { ...database, commit: deps.commit }, images }, row);
        over -= row.bytes;
      }
    }
  }

  return {
    tick,
    /** Once an hour: what was taken here made the card fuller, too. */
    makeRoom: () => makeRoom(0),
    /** For who looks at it now; null: there is no line, or it is not there either. */
    async fetched(row: Told): Promise<Uint8Array | null> {
      if ((await deps.pairing()) === null || monotonic() < (notThere.get(imageName(row)) ?? 0)) return null;
      return fetchNow(row).catch((error: unknown) => {
        deps.log.debug({ err: error }, 'a picture could not be fetched from the hosted instance');
        return null;
      });
    },
  };
}
