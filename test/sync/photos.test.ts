import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageName } from '#contract/resources/photos.ts';
import { aPicture, told } from '#test/a-picture.ts';
import { type App, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// Bytes of photos between a farm and the cloud: behind everything else, once, whole or not at all.

type Side = 'gateway' | 'hosted';
const MINUTE = 60_000;

onBothEngines('photos on both sides of the line', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farm: StockedFarm;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    owner = await apps.hosted.signUp();
    farm = await aStockedFarm(apps.gateway);
    await apps.pairWith(owner);
  });
  afterAll(() => apps.close());

  const tokenOf = (on: Side) => (on === 'hosted' ? owner.token : farm.token);
  async function call(on: Side, method: string, path: string, sent?: unknown) {
    const app: App = apps[on];
    const headers = sent instanceof Uint8Array ? { 'Content-Type': 'image/jpeg' } : {};
    const reply = await app.call(method, path, { token: tokenOf(on), body: sent, headers });
    expect(reply.status, `${on} ${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  async function taken(on: Side, picture: Buffer): Promise<string> {
    const made = await call(on, 'POST', `/ponds/${farm.ponds[0]?.id}/photos`, told(picture));
    await call(on, 'PUT', `/photos/${String(made['id'])}/image`, picture);
    return String(made['id']);
  }
  async function served(on: Side, id: string): Promise<Buffer | number> {
    const reply = await fetch(`${apps[on].base}/api/v1/photos/${id}/image`, {
      headers: { Authorization: `Bearer ${tokenOf(on)}` },
    });
    return reply.ok ? Buffer.from(await reply.arrayBuffer()) : reply.status;
  }
  const look = () => apps.gateway.ticks.find(({ name }) => name === 'pictures of photos')?.run();
  const nameOf = (picture: Buffer, farmId = farm.farmId) =>
    imageName({ sha256: told(picture).sha256, farm_id: farmId });
  const storedOn = async (on: Side, picture: Buffer) =>
    (await apps[on].database.read
      .selectFrom('stored_images')
      .selectAll()
      .where('id', '=', nameOf(picture))
      .executeTakeFirst()) ?? null;
  const session = () => apps.gateway.pairing?.sessionToken();
  const ask = async (method: string, path: string, sent?: Buffer | string, type = 'image/jpeg') =>
    fetch(`${apps.hosted.base}/sync/v1/photos${path}`, {
      method,
      headers: { Authorization: `Bearer ${await session()}`, 'Content-Type': type },
      ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : new Uint8Array(sent) }),
    });

  test('what is taken at the pond is in the cloud once its row is, and not while rows wait', async () => {
    const picture = aPicture();
    const id = await taken('gateway', picture);
    // the row has not left yet
    await look();
    expect(await storedOn('hosted', picture)).toBe(null);
    await apps.settled();
    expect(await served('hosted', id)).toBe(409);
    await look();
    expect(await served('hosted', id)).toEqual(picture);
    expect((await storedOn('gateway', picture))?.synced_at).not.toBe(null);
  }, 120_000);

  test('the same bytes are sent once, whichever side had them first', async () => {
    const picture = aPicture();
    await taken('gateway', picture);
    await taken('hosted', picture);
    await apps.settled();
    const before = (await storedOn('hosted', picture))?.stored_at;
    apps.advance(MINUTE);
    await look();
    await look();
    expect((await storedOn('hosted', picture))?.stored_at).toBe(before);
    expect((await storedOn('gateway', picture))?.synced_at).not.toBe(null);
  }, 120_000);

  test('an answer that was lost costs one more look, and nothing is told twice or lost', async () => {
    const picture = aPicture();
    const id = await taken('gateway', picture);
    await apps.settled();
    // it arrived, and the gateway died before it noted that
    const put = await ask('PUT', `/${nameOf(picture)}`, picture);
    expect(put.status).toBe(204);
    expect((await storedOn('gateway', picture))?.synced_at).toBe(null);
    await look();
    expect((await storedOn('gateway', picture))?.synced_at).not.toBe(null);
    expect(await served('hosted', id)).toEqual(picture);
  }, 120_000);

  test('without a line it waits, longer each time, and goes when the line is back', async () => {
    const picture = aPicture();
    const id = await taken('gateway', picture);
    await apps.settled();
    const back = apps.hosted.goAway();
    await look();
    expect(await storedOn('hosted', picture)).toBe(null);
    back();
    await look();
    expect(await storedOn('hosted', picture), 'it does not ask again at once').toBe(null);
    apps.advance(MINUTE);
    await apps.settled();
    await look();
    expect(await served('hosted', id)).toEqual(picture);
  }, 120_000);

  test('what the office adds is seen at the farm: brought by itself, or when somebody looks', async () => {
    const [first, second] = [aPicture(), aPicture()];
    const one = await taken('hosted', first);
    await apps.settled();
    apps.advance(2 * MINUTE);
    await look();
    expect(await storedOn('gateway', first)).not.toBe(null);
    expect(await served('gateway', one)).toEqual(first);
    const two = await taken('hosted', second);
    await apps.settled();
    expect(await storedOn('gateway', second)).toBe(null);
    expect(await served('gateway', two)).toEqual(second);
    expect((await storedOn('gateway', second))?.synced_at).not.toBe(null);
  }, 120_000);

  test('a card that lost its files has them again from the cloud', async () => {
    const picture = aPicture();
    const id = await taken('gateway', picture);
    await apps.settled();
    await look();
    expect(await storedOn('hosted', picture)).not.toBe(null);
    rmSync(join(apps.gateway.config.data, 'photos'), { recursive: true, force: true });
    expect(await served('gateway', id)).toEqual(picture);
  }, 120_000);

  test('a gateway brings and fetches only what photos of its own farms show, and only the picture that was told', async () => {
    const stranger = await aStockedFarm(apps.hosted);
    const picture = aPicture();
    const made = await apps.hosted.call('POST', `/ponds/${stranger.ponds[0]?.id}/photos`, {
      token: stranger.token,
      body: told(picture),
    });
    expect(made.status).toBe(201);
    const name = nameOf(picture, stranger.farmId);
    expect((await ask('PUT', `/${name}`, picture)).status).toBe(404);
    await apps.hosted.call('PUT', `/photos/${String(body(made)['id'])}/image`, {
      token: stranger.token,
      body: picture,
      headers: { 'Content-Type': 'image/jpeg' },
    });
    expect((await ask('GET', `/${name}`)).status).toBe(404);
    const asked = await ask('POST', '', JSON.stringify({ names: [name] }), 'application/json');
    expect(await asked.json()).toEqual({ here: [], wanted: [] });
    // nor by a photo of its own that is told to show them
    await call('gateway', 'POST', `/ponds/${farm.ponds[0]?.id}/photos`, told(picture));
    await apps.settled();
    expect((await ask('GET', `/${nameOf(picture)}`)).status).toBe(404);
    const mine = await ask('POST', '', JSON.stringify({ names: [nameOf(picture)] }), 'application/json');
    expect(await mine.json()).toEqual({ here: [], wanted: [nameOf(picture)] });
    expect((await ask('GET', '/..%2f..%2fetc%2fpasswd')).status).toBe(404);
    // nobody without the session of a gateway
    const bare = await fetch(`${apps.hosted.base}/sync/v1/photos/${name}`);
    expect(bare.status).toBe(401);
    // announced as one picture, sent as another, or with its place in it
    const own = aPicture();
    const located = aPicture({ notes: 'Exif\0\0MM\0*' });
    for (const announced of [own, located])
      await call('gateway', 'POST', `/ponds/${farm.ponds[0]?.id}/photos`, told(announced));
    await apps.settled();
    expect((await ask('PUT', `/${nameOf(own)}`, aPicture())).status).toBe(422);
    expect((await ask('PUT', `/${nameOf(located)}`, located)).status).toBe(422);
    expect(await storedOn('hosted', own)).toBe(null);
    expect(await storedOn('hosted', located)).toBe(null);
  }, 120_000);

  test('a cloud that answers another picture than was asked for gives the farm none', async () => {
    const picture = aPicture();
    const id = await taken('hosted', picture);
    await apps.settled();
    const other = aPicture();
    if (engine === 'sqlite') {
      const name = nameOf(picture);
      writeFileSync(join(apps.hosted.config.data, 'photos', name.slice(0, 2), name), other);
    } else {
      await sql`update image_bytes set bytes = ${other} where id = ${nameOf(picture)}`.execute(
        apps.hosted.database.read,
      );
    }
    expect(await served('gateway', id)).toBe(409);
    expect(await storedOn('gateway', picture)).toBe(null);
  }, 120_000);
});
