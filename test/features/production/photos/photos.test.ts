import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sweepBelowDeleted } from '#adapters/sql/sweep-below-deleted.ts';
import { imageName, photo } from '#contract/resources/photos.ts';
import { insert } from '#core/changes.ts';
import { aPicture, aWebp, told } from '#test/a-picture.ts';
import { type App, aControlPoint, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Photos of ponds, batches, control points and losses: announced as a row, their bytes sent afterwards.

type Told = Record<string, unknown>;
const HOUR = 3_600_000;
const MIB = 1_048_576;

onBothEngines('photos', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  const send = (method: string, path: string, sent?: unknown, token = farm.token) =>
    app.call(method, path, { token, body: sent });
  async function call(method: string, path: string, sent?: unknown, token = farm.token) {
    const reply = await send(method, path, sent, token);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  const ofPond = () => `/ponds/${farm.ponds[0]?.id}/photos`;
  const put = (id: unknown, bytes: Buffer, token = farm.token, type = 'image/jpeg') =>
    app.call('PUT', `/photos/${String(id)}/image`, { token, body: bytes, headers: { 'Content-Type': type } });
  const fetched = async (id: unknown, token = farm.token) => {
    const reply = await fetch(`${app.base}/api/v1/photos/${String(id)}/image`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) };
  };
  async function taken(picture: Buffer, at = ofPond(), token = farm.token, more: Told = {}) {
    const made = await call('POST', at, { ...told(picture), ...more }, token);
    const sent = await put(made['id'], picture, token);
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    return made;
  }
  const listed = async (at = ofPond()) => (await call('GET', at)) as unknown as Told[];
  const run = async (name: string) => app.ticks.find((tick) => tick.name === name)?.run();
  const sweep = () => run('photos that nobody names');
  async function aHand(role: string): Promise<SignedUp> {
    const person = await app.signUp({ role: 'VIEWER' });
    await joinFarm(app, { token: farm.token, farmId: farm.farmId }, person, role);
    return person;
  }
  const stored = async (sha256: unknown) =>
    (await app.database.read.selectFrom('stored_images').select('id').execute()).some(({ id }) =>
      id.startsWith(String(sha256)),
    );

  /** So many more as one that was announced, at the same moment. */
  async function haveTaken(like: Told, { count, bytes }: { count: number; bytes: number }) {
    const row = await app.database.read
      .selectFrom('photos')
      .selectAll()
      .where('id', '=', String(like['id']))
      .executeTakeFirstOrThrow();
    const { rev: _rev, hidden: _hidden, ...plain } = row;
    const rows = Array.from({ length: count }, (_, n) =>
      insert(photo, {
        ...plain,
        id: app.kernel.newId(),
        sha256: n.toString(16).padStart(64, '0'),
        bytes,
      } as never),
    );
    while (rows.length > 0) await app.database.commit({ actor: null, changes: rows.splice(0, 500) });
  }

  it('is announced, is not here until its bytes are sent, and then is served as it came', async () => {
    const picture = aPicture();
    const made = await call('POST', ofPond(), {
      ...told(picture),
      note: ' Espuma na borda ',
      taken_at: '2026-03-02T10:00:00Z',
    });
    expect(made).toMatchObject({
      pond_id: farm.ponds[0]?.id,
      batch_id: null,
      note: 'Espuma na borda',
      taken_at: '2026-03-02T10:00:00.000Z',
    });
    expect((await listed())[0]).toMatchObject({ id: made['id'], is_here: false });
    const early = await send('GET', `/photos/${String(made['id'])}/image`);
    expect([early.status, body(early)['code']]).toEqual([409, 'PHOTO_NOT_HERE']);
    expect((await put(made['id'], picture)).status).toBe(200);
    // sent again because the answer was lost
    expect((await put(made['id'], picture)).status).toBe(200);
    expect((await listed())[0]).toMatchObject({ id: made['id'], is_here: true });
    const served = await fetched(made['id']);
    expect(served.bytes.equals(picture)).toBe(true);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'cache-control': expect.stringContaining('private'),
    });
  });

  it('of a loss stands at the loss and at its batch, and goes from sight when the loss is taken back', async () => {
    const lost = await call('POST', `/batches/${farm.batch.id}/adjust-survival`, {
      event_description: 'Mortos na borda',
      dead_count: 40,
    });
    const at = `/batches/${farm.batch.id}/losses/${String(lost['id'])}`;
    const made = await taken(aPicture(), `${at}/photos`);
    const ofBatch = await taken(aPicture(), `/batches/${farm.batch.id}/photos`);
    expect((await listed(`${at}/photos`)).map(({ id }) => id)).toEqual([made['id']]);
    expect(new Set((await listed(`/batches/${farm.batch.id}/photos`)).map(({ id }) => id))).toEqual(
      new Set([made['id'], ofBatch['id']]),
    );
    const other = await aStockedFarm(app);
    expect((await send('GET', `/batches/${other.batch.id}/losses/${String(lost['id'])}/photos`)).status).toBe(
      404,
    );
    await call('DELETE', at);
    expect((await send('GET', `/photos/${String(made['id'])}`)).status).toBe(404);
    expect((await listed(`/batches/${farm.batch.id}/photos`)).map(({ id }) => id)).toEqual([ofBatch['id']]);
  });

  it('is added by whoever may record there, at a control point by technicians too, and is seen by all of the farm', async () => {
    const point = await aControlPoint(app, { token: farm.token, farmId: farm.farmId });
    const atPoint = `/control-points/${point.id}/photos`;
    const [operator, technician, viewer, stranger] = [
      await aHand('OPERATOR'),
      await aHand('TECHNICIAN'),
      await aHand('VIEWER'),
      await app.signUp(),
    ];
    const made = await taken(aPicture(), ofPond(), operator.token);
    const ofPoint = await taken(aPicture(), atPoint, technician.token);
    for (const [who, at] of [
      [viewer, ofPond()],
      [viewer, atPoint],
      [technician, ofPond()],
    ] as const)
      expect((await send('POST', at, told(aPicture()), who.token)).status).toBe(403);
    expect((await send('POST', ofPond(), told(aPicture()), stranger.token)).status).toBe(404);
    expect((await fetched(made['id'], viewer.token)).status).toBe(200);
    expect((await fetched(made['id'], stranger.token)).status).toBe(404);
    // another's is left to who manages the farm
    expect((await send('DELETE', `/photos/${String(ofPoint['id'])}`, undefined, operator.token)).status).toBe(
      403,
    );
    expect((await put(ofPoint['id'], aPicture(), operator.token)).status).toBe(403);
    expect((await send('PUT', `/photos/${String(made['id'])}`, { note: 'x' }, technician.token)).status).toBe(
      403,
    );
    await call('PUT', `/photos/${String(made['id'])}`, { note: 'Perto da comporta' }, operator.token);
    expect(await call('GET', `/photos/${String(made['id'])}`)).toMatchObject({ note: 'Perto da comporta' });
    expect((await send('DELETE', `/photos/${String(made['id'])}`, undefined, operator.token)).status).toBe(
      204,
    );
    expect((await send('DELETE', `/photos/${String(ofPoint['id'])}`)).status).toBe(204);
    expect((await fetched(made['id'])).status).toBe(404);
  });

  it('is refused where it is not what was announced, no picture, too large, or tells where it was taken', async () => {
    const picture = aPicture();
    const codeOf = async (announced: Told, bytes: Buffer, type?: string) => {
      const made = await call('POST', ofPond(), announced);
      const reply = await put(made['id'], bytes, farm.token, type);
      expect(await stored(announced['sha256'])).toBe(false);
      return [reply.status, body(reply)['code']];
    };
    expect(await codeOf(told(picture), aPicture())).toEqual([422, 'OTHER_PHOTO']);
    expect(await codeOf({ ...told(picture), width: 1_000 }, picture)).toEqual([422, 'OTHER_PHOTO']);
    const page = Buffer.from('<svg onload="alert(1)">');
    expect(await codeOf(told(page), page)).toEqual([422, 'NO_PHOTO']);
    const cut = picture.subarray(0, 40);
    expect(await codeOf(told(cut), cut)).toEqual([422, 'NO_PHOTO']);
    const located = aPicture({ notes: 'Exif\0\0MM\0*' });
    expect(await codeOf(told(located), located)).toEqual([422, 'PHOTO_TELLS_PLACE']);
    const hidden = Buffer.concat([
      aPicture().subarray(0, -2),
      aPicture({ notes: 'http://ns.adobe.com/xap/1.0/' }),
    ]);
    expect(await codeOf(told(hidden), hidden)).toEqual([422, 'PHOTO_TELLS_PLACE']);
    const film = Buffer.concat([aPicture(), Buffer.from('ftypmp42')]);
    expect(await codeOf(told(film), film)).toEqual([422, 'NO_PHOTO']);
    const large = aPicture({ bytes: 400_001 });
    expect(await codeOf({ ...told(picture), sha256: told(large).sha256 }, large)).toEqual([
      413,
      'BODY_TOO_LARGE',
    ]);
    expect(await codeOf(told(picture), picture, 'image/svg+xml')).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    for (const wrong of [
      { ...told(large) },
      { ...told(picture), width: 1_601 },
      { ...told(picture), type: 'image/svg+xml' },
      { ...told(picture), sha256: '../../etc/passwd' },
    ])
      expect((await send('POST', ofPond(), wrong)).status).toBe(422);
  });

  it('is refused where the file is something else as well: a page, an archive, a second picture, one of another size', async () => {
    const codeOf = async (picture: Buffer, more: Told = {}) => {
      const announced = { ...told(picture), ...more };
      const type = String(announced['type'] ?? 'image/jpeg');
      const made = await call('POST', ofPond(), announced);
      const code = body(await put(made['id'], picture, farm.token, type))['code'];
      expect(await stored(announced.sha256)).toBe(code === undefined);
      return code;
    };
    const behind = (text: string) =>
      Buffer.concat([aPicture(), Buffer.from(text), Buffer.from([0xff, 0xd9])]);
    expect(await codeOf(behind('<script>alert(1)</script>'))).toBe('NO_PHOTO');
    expect(await codeOf(behind('PK\u0003\u0004'))).toBe('NO_PHOTO');
    expect(await codeOf(Buffer.concat([aPicture(), aPicture()]))).toBe('NO_PHOTO');
    // the second start of a frame is what some programs paint by
    const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0xff, 0xff, 0xff, 0xff, 3, ...Array<number>(9).fill(0)]);
    const two = aPicture();
    expect(await codeOf(Buffer.concat([two.subarray(0, 2), frame, two.subarray(2)]))).not.toBeUndefined();
    expect(await codeOf(Buffer.concat([two.subarray(0, 20), frame, two.subarray(20)]))).not.toBeUndefined();
    const maker = Buffer.concat([
      two.subarray(0, 2),
      Buffer.from([0xff, 0xe5, 0, 10]),
      Buffer.from('GPS -3.7'),
      two.subarray(2),
    ]);
    expect(await codeOf(maker)).toBe('PHOTO_TELLS_PLACE');
    const webp = { type: 'image/webp' };
    expect(await codeOf(aWebp(), webp)).toBeUndefined();
    expect(await codeOf(aWebp().subarray(0, -40), webp)).toBe('NO_PHOTO');
    expect(await codeOf(Buffer.concat([aWebp(), Buffer.from('PK\u0003\u0004 and more')]), webp)).toBe(
      'NO_PHOTO',
    );
    expect(await codeOf(aWebp({ paints: { width: 16_000, height: 16_000 } }), webp)).toBe('NO_PHOTO');
    expect(await codeOf(aWebp({ more: ['EXIF', 'GPS -3.7'] }), webp)).toBe('PHOTO_TELLS_PLACE');
    expect(await codeOf(aWebp({ more: ['gps ', '-3.7'] }), webp)).toBe('PHOTO_TELLS_PLACE');
  });

  it.runIf(engine === 'sqlite')(
    'stays announced while the disk has no room for it, and comes when it has',
    async () => {
      const picture = aPicture();
      const made = await call('POST', ofPond(), told(picture));
      app.disk.freeBytes = 256 * MIB + picture.length - 1;
      const refused = await put(made['id'], picture);
      expect([refused.status, body(refused)['code']]).toEqual([507, 'NO_SPACE']);
      expect(existsSync(fileOf(told(picture).sha256))).toBe(false);
      expect((await listed())[0]).toMatchObject({ id: made['id'], is_here: false });
      app.disk.freeBytes += 1;
      expect((await put(made['id'], picture)).status).toBe(200);
      app.disk.freeBytes = 1e12;
      expect((await listed())[0]).toMatchObject({ id: made['id'], is_here: true });
    },
  );

  it('is one of 500 of a day: the next is refused, and comes when a day has passed or one was deleted', async () => {
    const other = await aStockedFarm(app);
    const at = `/ponds/${other.ponds[0]?.id}/photos`;
    const announce = () => send('POST', at, told(aPicture()), other.token);
    const first = body(await announce());
    await haveTaken(first, { count: 498, bytes: 1_000 });
    expect((await announce()).status).toBe(201);
    const refused = await announce();
    expect([refused.status, body(refused)['code']]).toEqual([409, 'TOO_MANY_PHOTOS']);
    // another farm's are its own
    expect((await send('POST', ofPond(), told(aPicture()))).status).toBe(201);
    await call('DELETE', `/photos/${String(first['id'])}`, undefined, other.token);
    expect((await announce()).status).toBe(201);
    expect((await announce()).status).toBe(409);
    app.clock.advance(24 * HOUR + 1);
    expect((await announce()).status).toBe(201);
  });

  it('is one of 500 also where twenty are announced at the same moment', async () => {
    const other = await aStockedFarm(app);
    const at = `/ponds/${other.ponds[0]?.id}/photos`;
    const announce = () => send('POST', at, told(aPicture()), other.token);
    await haveTaken(body(await announce()), { count: 496, bytes: 1_000 });
    const answers = await Promise.all(Array.from({ length: 20 }, announce));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(17);
  });

  it('is refused where the pictures of a farm would take more than 2 GiB, until some are deleted', async () => {
    const other = await aStockedFarm(app);
    const at = `/ponds/${other.ponds[0]?.id}/photos`;
    const announce = (bytes: number) => send('POST', at, { ...told(aPicture()), bytes }, other.token);
    const first = body(await announce(400_000));
    const count = Math.floor((2 * 1024 * MIB) / 400_000) - 1;
    await haveTaken(first, { count, bytes: 400_000 });
    app.clock.advance(24 * HOUR + 1);
    const left = 2 * 1024 * MIB - (count + 1) * 400_000;
    const refused = await announce(left + 1);
    expect([refused.status, body(refused)['code']]).toEqual([409, 'PHOTOS_FULL']);
    expect((await announce(left)).status).toBe(201);
    expect((await announce(1_000)).status).toBe(409);
    await call('DELETE', `/photos/${String(first['id'])}`, undefined, other.token);
    expect((await announce(400_000)).status).toBe(201);
  });

  it('of the same bytes lies there once, and goes with the last photo that shows it', async () => {
    const picture = aPicture();
    const [one, two] = [await taken(picture), await taken(picture)];
    await call('DELETE', `/photos/${String(one['id'])}`);
    app.clock.advance(2 * HOUR);
    await sweep();
    expect((await fetched(two['id'])).bytes.equals(picture)).toBe(true);
    await call('DELETE', `/photos/${String(two['id'])}`);
    await sweep();
    expect(await stored(told(picture).sha256)).toBe(false);
    if (engine === 'postgres') return;
    expect(existsSync(fileOf(told(picture).sha256))).toBe(false);
  });

  it('is not had by whoever knows its hash alone: on another farm its bytes are to be brought', async () => {
    const picture = aPicture();
    await taken(picture);
    const other = await aStockedFarm(app);
    const at = `/ponds/${other.ponds[0]?.id}/photos`;
    const made = await call('POST', at, told(picture), other.token);
    expect((await fetched(made['id'], other.token)).status).toBe(409);
    expect(await call('GET', at, undefined, other.token)).toMatchObject([{ id: made['id'], is_here: false }]);
    expect((await put(made['id'], picture, other.token)).status).toBe(200);
    // what one farm throws away the other keeps
    await call('DELETE', `/photos/${String(made['id'])}`, undefined, other.token);
    app.clock.advance(2 * HOUR);
    await sweep();
    expect((await listed())[0]).toMatchObject({ is_here: true });
  });

  it('goes with its pond, and its bytes with the account of who owned the farm', async () => {
    const owner = await aStockedFarm(app);
    const picture = aPicture();
    const made = await taken(picture, `/ponds/${owner.ponds[1]?.id}/photos`, owner.token);
    await call('DELETE', `/ponds/${owner.ponds[1]?.id}`, undefined, owner.token);
    expect((await fetched(made['id'], owner.token)).status).toBe(404);
    app.clock.advance(2 * HOUR);
    await sweep();
    // the pond may be brought back
    expect(await stored(told(picture).sha256)).toBe(true);
    const ended = await send('DELETE', '/users/me?force=true', { password: 'camarao-123' }, owner.token);
    expect(ended.status, JSON.stringify(ended.body)).toBe(204);
    await sweepBelowDeleted({ ...app.kernel, database: app.database, isPaired: async () => false });
    await sweep();
    const left = await app.database.read
      .selectFrom('photos')
      .select('id')
      .where('id', '=', String(made['id']))
      .execute();
    expect(left).toEqual([]);
    expect(await stored(told(picture).sha256)).toBe(false);
  });

  it('is told as not here again where its bytes were lost, as after a restore', async () => {
    const picture = aPicture();
    const made = await taken(picture);
    if (engine === 'postgres') await app.database.read.deleteFrom('image_bytes' as never).execute();
    else {
      const file = fileOf(told(picture).sha256);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(join(file, '..'))).toEqual([basename(file)]);
      rmSync(file);
    }
    await run('check of photos');
    expect((await listed()).find(({ id }) => id === made['id'])).toMatchObject({ is_here: false });
    expect((await put(made['id'], picture)).status).toBe(200);
    expect((await fetched(made['id'])).bytes.equals(picture)).toBe(true);
  });

  it('bytes that a photo names stay, though nothing tells that they are here: who sends them again is about to', async () => {
    const picture = aPicture();
    await taken(picture);
    const name = imageName({ sha256: told(picture).sha256, farm_id: farm.farmId });
    await app.database.read.deleteFrom('stored_images').where('id', '=', name).execute();
    const early = new Date(Date.now() - 3 * HOUR);
    if (engine === 'sqlite') utimesSync(fileOf(told(picture).sha256), early, early);
    else
      await sql`update image_bytes set stored_at = ${early.toISOString()} where id = ${name}`.execute(
        app.database.read,
      );
    await run('check of photos');
    if (engine === 'sqlite') expect(existsSync(fileOf(told(picture).sha256))).toBe(true);
    else {
      const { rows } = await sql`select 1 from image_bytes where id = ${name}`.execute(app.database.read);
      expect(rows).toHaveLength(1);
    }
  });

  const fileOf = (sha256: string) =>
    join(app.config.data, 'photos', sha256.slice(0, 2), imageName({ sha256, farm_id: farm.farmId }));
});
