import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { seal } from '#adapters/backup/seal.ts';
import { createUploads, type Uploads } from '#adapters/backup/uploaded-backups.ts';
import { testClock } from '#test/app.ts';
import { fastFolder } from '#test/fast-folder.ts';

const MB = 1024 * 1024;
const DAY = 86_400_000;

describe('a backup that is being uploaded', () => {
  let folder = '';
  let clock = testClock(0);
  /** How far the wall clock was set. */
  let stepped = 0;
  let room = 0;
  let file = Buffer.alloc(0);
  let uploads: Uploads;
  let ids = 0;

  beforeEach(async () => {
    folder = mkdtempSync(join(fastFolder(), 'uploaded-'));
    clock = testClock(Date.UTC(2026, 2, 2, 12));
    stepped = 0;
    room = 1_000 * MB;
    const sealed = seal([Buffer.alloc(2_000, 7)], {
      publicKey: newRecoveryKey().publicKey,
      madeAt: '2026-02-28T09:00:00.000Z',
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of sealed) pieces.push(piece);
    file = Buffer.concat(pieces);
    uploads = createUploads({
      folder,
      now: () => clock.now() + stepped,
      monotonic: clock.now,
      newId: () => `upload-${(ids += 1)}`,
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      pieceBytes: MB,
      keptDays: 7,
      changed: () => {},
      freeBytes: () => Promise.resolve(room),
    });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const begin = (by = 'ana', bytes = file.length) => uploads.begin({ bytes, by });
  const send = (id: string, from: number, to = file.length, by = 'ana') =>
    uploads.take({ id, by, offset: from, bytes: file.subarray(from, to) });
  const refusal = (what: Promise<unknown>) =>
    what.then(
      () => 'taken',
      (error: { status?: number; extras?: { code?: string } }) => `${error.status} ${error.extras?.code}`,
    );

  it('leaves the card the room that control needs, from its beginning to its end', async () => {
    room = 256 * MB + file.length - 1;
    expect(await refusal(begin())).toBe('507 NO_SPACE');
    expect(readdirSync(folder)).toEqual([]);
    room += 1;
    const { id } = await begin();
    await send(id, 0, 1_000);
    // something else has filled the card meanwhile
    room = 256 * MB;
    expect(await refusal(send(id, 1_000))).toBe('507 NO_SPACE');
    expect(readdirSync(folder)).toEqual([]);
    expect(uploads.underWay()).toBeNull();
  });

  it('is one at a time, belongs to who began it, and goes when nothing comes for two minutes', async () => {
    const { id } = await begin();
    expect(await refusal(begin('rui'))).toBe('409 ALREADY_UPLOADING');
    expect(await refusal(send(id, 0, 1_000, 'rui'))).toBe('404 NOT_FOUND');
    await send(id, 0, 1_000);
    clock.advance(119_999);
    await uploads.look();
    expect(uploads.underWay()).toEqual({ bytes: file.length, received: 1_000 });
    clock.advance(1);
    await uploads.look();
    expect(readdirSync(folder)).toEqual([]);
    expect(await refusal(send(id, 1_000))).toBe('404 NOT_FOUND');
    // who comes back after such a time does not keep the next one waiting
    await begin();
    clock.advance(120_000);
    expect(await refusal(begin('rui'))).toBe('taken');
  });

  it('is told again to whoever did not hear of its end, and stays for a week', async () => {
    const { id } = await begin();
    const done = await send(id, 0);
    expect(done).toMatchObject({ received: file.length, name: 'uploaded-20260302T120000Z.backup' });
    expect(await send(id, 0)).toEqual(done);
    expect(await uploads.list()).toMatchObject([
      { name: done.name, made_at: '2026-02-28T09:00:00.000Z', uploaded_at: '2026-03-02T12:00:00.000Z' },
    ]);
    await uploads.look();
    clock.advance(7 * DAY - 1);
    await uploads.look();
    expect(readdirSync(folder)).toEqual([done.name]);
    clock.advance(1);
    await uploads.look();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not go because the box learns only then what day it is', async () => {
    const { id } = await begin();
    await send(id, 0);
    await uploads.look();
    stepped = 200 * DAY;
    await uploads.look();
    expect(await uploads.list()).toHaveLength(1);
    clock.advance(DAY);
    await uploads.look();
    expect(await uploads.list()).toEqual([]);
  });

  it('goes at the next start when the power went before its end', async () => {
    writeFileSync(join(folder, 'half.unfinished'), 'half of it');
    const { id } = await begin();
    const { name } = await send(id, 0);
    await uploads.clear();
    expect(readdirSync(folder)).toEqual([name]);
  });
});
