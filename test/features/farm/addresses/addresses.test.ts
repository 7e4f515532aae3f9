import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const anAddress = (fields: Record<string, unknown> = {}) => ({
  street: 'Rua do Porto',
  number: 12,
  city: 'Aracati',
  state: 'CE',
  zip_code: '62800-000',
  ...fields,
});

onBothEngines('addresses', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let owner: SignedUp;
  let stranger: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine);
    [owner, stranger] = [await app.signUp(), await app.signUp()];
  });
  afterAll(() => app.close());

  const as = (who: SignedUp) => ({
    create: (body: unknown, headers?: Record<string, string>) =>
      app.call('POST', '/addresses/', { token: who.token, body, ...(headers ? { headers } : {}) }),
    list: async () =>
      (await app.call('GET', '/addresses/', { token: who.token })).body as Record<string, unknown>[],
    read: (id: string) => app.call('GET', `/addresses/${id}`, { token: who.token }),
    change: (id: string, body: unknown, headers?: Record<string, string>) =>
      app.call('PUT', `/addresses/${id}`, { token: who.token, body, ...(headers ? { headers } : {}) }),
    remove: (id: string) => app.call('DELETE', `/addresses/${id}`, { token: who.token }),
  });
  const idOf = (reply: { body: unknown }) => (reply.body as { id: string }).id;

  test('a new address is answered whole, and read back the same', async () => {
    const made = await as(owner).create(anAddress({ complement: 'Galpão 3', lat: '-4.56', lng: '-37.77' }));
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      street: 'Rua do Porto',
      number: 12,
      complement: 'Galpão 3',
      city: 'Aracati',
      state: 'CE',
      zip_code: '62800-000',
      country: 'Brazil',
      lat: '-4.56',
      lng: '-37.77',
      is_primary: false,
      created_at: new Date(app.clock.now()).toISOString(),
      updated_at: null,
    });
    const read = await as(owner).read(idOf(made));
    expect(read).toMatchObject({ status: 200, body: made.body });
    expect(read.headers.get('etag')).toBe('"1"');
  });

  test.each(['62800000', '62800-000', ' 62800000 '])(
    'zip code %j is kept with its hyphen',
    async (zip_code) => {
      expect(await as(owner).create(anAddress({ zip_code }))).toMatchObject({
        status: 201,
        body: { zip_code: '62800-000' },
      });
    },
  );

  test.each([
    ['no street', { street: undefined }, 'street'],
    ['no number', { number: undefined }, 'number'],
    ['a number in words', { number: 'doze' }, 'number'],
    ['a broken number', { number: 1.5 }, 'number'],
    ['no city', { city: '' }, 'city'],
    ['no state', { state: null }, 'state'],
    ['a state that is none', { state: 'XX' }, 'state'],
    ['a state by its name', { state: 'Ceará' }, 'state'],
    ['a zip code that is too short', { zip_code: '6280-000' }, 'zip_code'],
    ['a zip code with letters', { zip_code: '62800-00A' }, 'zip_code'],
    ['a hyphen in the wrong place', { zip_code: '628-00000' }, 'zip_code'],
    ['a latitude beyond the pole', { lat: '91' }, 'lat'],
    ['a longitude that is a word', { lng: 'west' }, 'lng'],
    ['a street that is too long', { street: 'x'.repeat(256) }, 'street'],
    ['a primary that is a word', { is_primary: 'yes' }, 'is_primary'],
    ['an id that is none', { id: '5' }, 'id'],
  ])('%s is refused with its field, and nothing is stored', async (_what, wrong, path) => {
    const before = await as(owner).list();
    expect(await as(owner).create(anAddress(wrong))).toMatchObject({
      status: 422,
      body: { detail: expect.any(String), errors: [{ path }] },
    });
    expect(await as(owner).list()).toEqual(before);
  });

  test('fields that are sent change, the others stay', async () => {
    const made = await as(owner).create(anAddress({ complement: 'Casa' }));
    const changed = await as(owner).change(idOf(made), {
      state: 'rn',
      zip_code: '59600123',
      complement: null,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        ...(made.body as object),
        state: 'RN',
        zip_code: '59600-123',
        complement: null,
        updated_at: expect.any(String),
      },
    });
    expect((await as(owner).read(idOf(made))).body).toEqual(changed.body);
    expect(await as(owner).change(idOf(made), {})).toMatchObject({ status: 200, body: changed.body });
    expect(await as(owner).change(idOf(made), { zip_code: '1' })).toMatchObject({ status: 422 });
    expect((await as(owner).read(idOf(made))).body).toEqual(changed.body);
  });

  test('who saves over a change of another window is told', async () => {
    const made = await as(owner).create(anAddress());
    const save = (city: string) => as(owner).change(idOf(made), { city }, { 'If-Match': '"1"' });
    expect(await save('Icapuí')).toMatchObject({ status: 200 });
    expect(await save('Beberibe')).toMatchObject({ status: 412 });
  });

  test('the addresses of others are told as missing', async () => {
    const id = idOf(await as(owner).create(anAddress()));
    const missing = { status: 404, body: { detail: 'Address not found' } };
    expect(await as(stranger).read(id)).toMatchObject(missing);
    expect(await as(stranger).change(id, { city: 'Natal' })).toMatchObject(missing);
    expect(await as(stranger).remove(id)).toMatchObject(missing);
    expect(await as(owner).read(id)).toMatchObject({ status: 200, body: { city: 'Aracati' } });
    expect((await as(owner).read('not-an-id')).status).toBe(404);
    expect((await as(owner).read('00000000-0000-4000-8000-000000000000')).status).toBe(404);
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await app.call(method, `/addresses/${id}`, method === 'PUT' ? { body: {} } : {})).status).toBe(
        401,
      );
  });

  test('the list is the caller’s own, oldest first, in pages', async () => {
    const someone = await app.signUp();
    expect(await as(someone).list()).toEqual([]);
    const made = [];
    for (const city of ['A', 'B', 'C']) {
      made.push((await as(someone).create(anAddress({ city }))).body);
      app.clock.advance(1_000);
    }
    expect(await as(someone).list()).toEqual(made);
    const page = await app.call('GET', '/addresses?skip=1&limit=1', { token: someone.token });
    expect(page.body).toEqual([made[1]]);
  });

  test('an id chosen by the caller is kept, and a taken one refused, even of a deleted address', async () => {
    const id = '019C0000-AAAA-7000-8000-00000000ABCD';
    const made = await as(stranger).create(anAddress({ id }));
    expect(made).toMatchObject({ status: 201, body: { id: id.toLowerCase() } });
    expect(await as(owner).create(anAddress({ id }))).toMatchObject({
      status: 409,
      body: { code: 'ID_TAKEN' },
    });
    await as(stranger).remove(id);
    expect(await as(owner).create(anAddress({ id }))).toMatchObject({ status: 409 });
  });

  test('a create repeated after a lost answer creates nothing twice', async () => {
    const someone = await app.signUp();
    const headers = { 'Idempotency-Key': 'once' };
    const [first, again] = [
      await as(someone).create(anAddress(), headers),
      await as(someone).create(anAddress(), headers),
    ];
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(await as(someone).list()).toHaveLength(1);
  });

  describe('the primary address', () => {
    const primaries = async (who: SignedUp) =>
      (await as(who).list()).filter(({ is_primary }) => is_primary).map(({ id }) => id);

    test('one that becomes primary takes the place of the other', async () => {
      const someone = await app.signUp();
      const first = idOf(await as(someone).create(anAddress({ is_primary: true })));
      const second = idOf(await as(someone).create(anAddress({ is_primary: true })));
      expect(await primaries(someone)).toEqual([second]);
      expect(await as(someone).change(first, { is_primary: true })).toMatchObject({ status: 200 });
      expect(await primaries(someone)).toEqual([first]);
      await as(someone).change(first, { is_primary: false });
      expect(await primaries(someone)).toEqual([]);
    });

    test('of many that become primary at the same moment one remains', async () => {
      const someone = await app.signUp();
      const made = await Promise.all(
        Array.from({ length: 4 }, () => as(someone).create(anAddress({ is_primary: true }))),
      );
      expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(await primaries(someone)).toHaveLength(1);
    });

    test('it stands in the user object', async () => {
      const someone = await app.signUp();
      await as(someone).create(anAddress({ is_primary: true }));
      const { body } = await app.call('GET', '/users/me', { token: someone.token });
      expect((body as { addresses: unknown[] }).addresses).toEqual([
        {
          id: expect.any(String),
          street: 'Rua do Porto',
          number: 12,
          city: 'Aracati',
          state: 'CE',
          zip_code: '62800-000',
          country: 'Brazil',
          is_primary: true,
        },
      ]);
    });
  });

  test('a deleted address is gone, and its farm keeps all but the link', async () => {
    const someone = await app.signUp();
    const id = idOf(await as(someone).create(anAddress()));
    const body = { name: 'Norte', address_id: id };
    const farm = await app.call('POST', '/farms/', { token: someone.token, body });
    expect(farm).toMatchObject({ status: 201, body: { address_id: id } });
    expect(await as(someone).remove(id)).toMatchObject({ status: 204, body: '' });
    expect((await as(someone).read(id)).status).toBe(404);
    expect((await as(someone).remove(id)).status).toBe(404);
    expect(await as(someone).list()).toEqual([]);
    expect(await app.call('GET', `/farms/${idOf(farm)}`, { token: someone.token })).toMatchObject({
      body: { name: 'Norte', address_id: null },
    });
  });

  test('an address of the user object that was deleted is not shown, and its version moves on', async () => {
    const someone = await app.signUp();
    const me = () => app.call('GET', '/users/me', { token: someone.token });
    const id = idOf(await as(someone).create(anAddress()));
    const before = await me();
    await as(someone).remove(id);
    const after = await app.call('GET', '/users/me', {
      token: someone.token,
      headers: { 'If-None-Match': before.headers.get('etag') ?? '' },
    });
    expect(after).toMatchObject({ status: 200, body: { addresses: [] } });
  });
});
