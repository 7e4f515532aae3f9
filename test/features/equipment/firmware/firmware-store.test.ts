import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body } from '#test/app.ts';
import { aFirmwareFarm, anImage, aPublisher, type FirmwareFarm, upload } from './a-firmware-farm.ts';

describe('the firmware store', () => {
  let farm: FirmwareFarm;
  beforeAll(async () => {
    farm = await aFirmwareFarm();
  });
  afterAll(() => farm.close());

  const folder = () => join(farm.app.config.data, 'ota');
  const send = (file: Uint8Array, query = '') => upload(farm.app, farm.token, file, query);
  const rows = () => farm.app.database.read.selectFrom('firmware_images').select('id').execute();

  /** Nothing of it may be kept, neither row nor file. */
  async function refused(file: Uint8Array, status: number, code: string, query = ''): Promise<void> {
    const before = [await rows(), existsSync(folder()) ? await readdir(folder()) : []];
    expect(await send(file, query)).toMatchObject({ status, body: { code } });
    expect([await rows(), existsSync(folder()) ? await readdir(folder()) : []]).toEqual(before);
  }

  it('takes a signed file, the same again as the same, and gives it away when it is deleted', async () => {
    const file = farm.publisher.sign('2.0.0');
    const made = await send(file);
    expect(made).toMatchObject({ status: 201, body: { chip: 'esp32', version: '2.0.0', is_in_use: false } });
    expect(made.body).not.toHaveProperty('signature');
    expect((await send(file)).status).toBe(200);
    const id = String(made.body['id']);
    expect((await farm.call('GET', '/firmware/')).body).toEqual([made.body]);
    expect((await farm.call('GET', `/firmware/${id}`)).body).toEqual(made.body);
    expect(await readdir(folder())).toEqual([`${made.body['sha256']}.bin`]);
    expect((await farm.call('DELETE', `/firmware/${id}`)).status).toBe(204);
    await expect.poll(() => readdir(folder())).toEqual([]);
  });

  it('refuses what nobody known signed, what was changed, and what is for another chip than it says', async () => {
    await refused(aPublisher().sign('2.1.0'), 422, 'UNSIGNED');
    const changed = farm.publisher.sign('2.1.0');
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await refused(changed, 422, 'FIRMWARE_DAMAGED');
    // the same image under another version: the signature is over both
    const renamed = farm.publisher.sign('2.1.0').toString('latin1').replace('"2.1.0"', '"2.1.9"');
    await refused(Buffer.from(renamed, 'latin1'), 422, 'UNSIGNED');
    await refused(farm.publisher.sign('2.1.0', { chip: 'esp32c3' }), 422, 'WRONG_IMAGE');
    await refused(farm.publisher.sign('2.1.0', { image: Buffer.alloc(500) }), 422, 'WRONG_IMAGE');
    await refused(anImage('no manifest'), 422, 'FIRMWARE_DAMAGED');
    await refused(new Uint8Array(), 422, 'FIRMWARE_DAMAGED');
    const tooLarge = await send(Buffer.alloc(5 * 1_048_576));
    expect(tooLarge.status).toBe(413);
  });

  it('refuses an older version unless told, and other content under a version it has', async () => {
    await send(farm.publisher.sign('3.10.0'));
    await refused(farm.publisher.sign('3.9.0'), 409, 'OLDER_VERSION');
    await refused(farm.publisher.sign('3.10.0-rc.1'), 409, 'OLDER_VERSION');
    await refused(farm.publisher.sign('3.10.0', { image: anImage('other') }), 409, 'VERSION_EXISTS');
    expect((await send(farm.publisher.sign('3.9.0'), '?allow_older=true')).status).toBe(201);
    // another chip has versions of its own
    const image = anImage('c3', { chipId: 5 });
    expect((await send(farm.publisher.sign('1.0.0', { chip: 'esp32c3', image }))).status).toBe(201);
  });

  it('takes nothing while no publisher is known, and says where the key goes', async () => {
    const keys = join(farm.app.config.data, 'firmware-keys.pem');
    await rm(keys);
    const answer = await send(farm.publisher.sign('4.0.0'));
    expect(answer).toMatchObject({ status: 409, body: { code: 'NO_PUBLISHER_KEY' } });
    expect(String(answer.body['detail'])).toContain('firmware-keys.pem');
    // a damaged block is passed over, the good one behind it counts
    const broken = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n';
    await writeFile(keys, `${broken}${farm.publisher.pem}`);
    expect((await send(farm.publisher.sign('4.0.0'))).status).toBe(201);
  });

  it('answers any file with a reason and never with a fault of ours', async () => {
    const good = farm.publisher.sign('9.0.0', { image: anImage('x', { bytes: 300 }) });
    const place = fc.integer({ min: 0, max: good.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, by, isCut) => {
        const bad = Buffer.from(isCut ? good.subarray(0, at) : good);
        if (!isCut) bad[at] = (bad[at] ?? 0) ^ by;
        const { status, body: said } = await send(bad);
        // notes are for people and not signed
        const isHarmless = status === 201 || status === 200;
        if (!isHarmless) expect([422, said['code'] !== undefined]).toEqual([status, true]);
        else expect(said).toMatchObject({ version: '9.0.0' });
      }),
      { numRuns: 150 },
    );
    expect(farm.app.sentences.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is for those who work on the box, and rollouts for those of their own farm', async () => {
    const stranger = await farm.app.signUp();
    expect((await farm.app.call('GET', '/firmware/', { token: stranger.token })).status).toBe(403);
    expect((await upload(farm.app, stranger.token, farm.publisher.sign('5.0.0'))).status).toBe(403);
    const fleet = await farm.controllers(1);
    const rollout = await farm.begin(fleet, { firmware_id: await farm.stored('5.0.0') });
    // a farm of their own gives nobody a right over the box
    await farm.app.call('POST', '/farms/', { token: stranger.token, body: { name: 'Outra' } });
    expect((await farm.app.call('GET', '/firmware/', { token: stranger.token })).status).toBe(403);
    const path = `/firmware/rollouts/${rollout.id}`;
    for (const [method, end, sent] of [
      ['GET', '', undefined],
      ['PUT', '/state', { state: 'cancelled' }],
      ['POST', '/roll-back', {}],
    ] as const) {
      const reply = await farm.app.call(method, `${path}${end}`, { token: stranger.token, body: sent });
      expect([method, reply.status]).toEqual([method, 404]);
    }
    const inUse = await farm.call('DELETE', `/firmware/${rollout.firmware_id}`);
    expect(inUse).toMatchObject({ status: 409, body: { code: 'IN_USE' } });
    expect(body(await farm.call('GET', path))['state']).toBe('running');
  });

  it('holds twenty images, also where many come at the same moment', async () => {
    for (const { id } of await rows()) await farm.call('DELETE', `/firmware/${id}`);
    const inUse = (await rows()).length;
    const come = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, n) =>
          send(farm.publisher.sign(`30.${from + n}`), '?allow_older=true'),
        ),
      );
    for (let n = inUse; n < 17; n += 1) expect((await come(n, 1))[0]?.status).toBe(201);
    const answers = await come(100, 8);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
    expect(await rows()).toHaveLength(20);
    for (const { id } of await rows()) await farm.call('DELETE', `/firmware/${id}`);
  });

  it('gives away no image that a rollout begins with at the same moment', async () => {
    for (let n = 0; n < 4; n += 1) {
      const fleet = await farm.controllers(1);
      const id = await farm.stored(`40.${n}`);
      const wish = { farm_id: farm.farmId, firmware_id: id, control_point_ids: [fleet.points[0]?.id] };
      const [begun, deleted] = await Promise.all([
        farm.call('POST', '/firmware/rollouts', wish),
        farm.call('DELETE', `/firmware/${id}`),
      ]);
      expect([
        [201, 409],
        [422, 204],
      ]).toContainEqual([begun.status, deleted.status]);
    }
  });

  it('gives an image only to the controller that is asked to take it, by its key', async () => {
    const [asked, other] = [await farm.controllers(1), await farm.controllers(1)];
    const { id } = await farm.begin(asked, { firmware_id: await farm.stored('6.0.0') });
    await farm.until(async () => (await farm.rollout(id)).targets[0]?.state !== 'waiting', 2);
    const { targets } = await farm.rollout(id);
    const path = `/devices/firmware/${targets[0]?.id}.1`;
    const by = async (token?: string) =>
      (await farm.app.call('GET', path, token === undefined ? {} : { token })).status;
    expect([await by(), await by(other.keys[0]), await by(farm.token)]).toEqual([401, 401, 404]);
    const twice = await farm.call('POST', '/firmware/rollouts', {
      farm_id: farm.farmId,
      firmware_id: targets[0] === undefined ? '' : (await farm.rollout(id)).firmware_id,
      control_point_ids: [asked.points[0]?.id],
    });
    expect(twice).toMatchObject({ status: 409, body: { code: 'IN_ROLLOUT' } });
  });
});
