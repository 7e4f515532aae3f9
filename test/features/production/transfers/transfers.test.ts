import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batch, survivalChange } from '#contract/resources/batches.ts';
import { pond } from '#contract/resources/ponds.ts';
import { insert, remove, update } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// The batch of these farms: 10,000 stocked at 80 %, so 8,000 live; the clock of the tests stands at 2 March, noon UTC.
const STOCKED = { initial_count: 10_000, estimated_survival_rate: 80 };

onBothEngines('transfers between ponds', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const pondsOf = ({ ponds }: StockedFarm) => {
    const [a, b, c] = ponds;
    if (a === undefined || b === undefined) throw new Error('two ponds at least');
    return { a, b, c: c ?? b };
  };
  function move(farm: StockedFarm, fields: Record<string, unknown> = {}) {
    const { a, b } = pondsOf(farm);
    return app.call('POST', '/transfers/', {
      token: farm.token,
      body: {
        batch_id: farm.batch.id,
        source_pond_id: a.id,
        destination_pond_id: b.id,
        quantity: 3_000,
        ...fields,
      },
    });
  }
  async function locations({ token, batch: { id } }: StockedFarm) {
    const reply = await app.call('GET', `/transfers/batch/${id}/history`, { token });
    const { current_locations } = reply.body as {
      current_locations: { pond_name: string; quantity: number }[];
    };
    return Object.fromEntries(current_locations.map(({ pond_name, quantity }) => [pond_name, quantity]));
  }

  describe('a move', () => {
    it('is answered in integers, with its biomass, whether things are named by number or UUID', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const { a, b } = pondsOf(farm);
      const made = await move(farm, {
        batch_id: farm.batch.numeric_id,
        source_pond_id: String(a.numeric_id),
        destination_pond_id: b.id,
        average_weight: 2.5,
        transfer_date: '2026-03-01T12:00:00Z',
        reason: 'Densidade',
        notes: 'de manhã',
      });
      expect(made).toMatchObject({
        status: 201,
        body: {
          id: expect.any(Number),
          source_pond_id: a.numeric_id,
          destination_pond_id: b.numeric_id,
          batch_id: farm.batch.numeric_id,
          quantity: 3_000,
          average_weight: 2.5,
          biomass_transferred: 7.5,
          transfer_date: '2026-03-01T12:00:00.000Z',
          reason: 'Densidade',
          notes: 'de manhã',
          created_by: expect.any(Number),
          updated_at: null,
        },
      });
      expect(await locations(farm)).toEqual({ 'V-1': 5_000, 'V-2': 3_000 });
    });

    it('is found by number and by UUID, with the names of its ponds, batch and author', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const made = body(await move(farm));
      const byNumber = await app.call('GET', `/transfers/${made['id']}`, { token: farm.token });
      const byUuid = await app.call('GET', `/batch-transfers/${made['uuid']}`, { token: farm.token });
      const { a, b } = pondsOf(farm);
      expect(byNumber.body).toMatchObject({
        source_pond: { id: a.numeric_id, name: 'V-1' },
        destination_pond: { id: b.numeric_id, name: 'V-2' },
        batch: { id: farm.batch.numeric_id, name: farm.batch.batch_code },
        created_by: { id: made['created_by'], name: expect.any(String) },
      });
      expect(byUuid.body).toEqual(byNumber.body);
    });

    it('weighs what the batch weighs and happened now, when nothing else is said', async () => {
      const farm = await aStockedFarm(app, { ...STOCKED, initial_avg_weight: 1.5 });
      expect(body(await move(farm))).toMatchObject({
        average_weight: 1.5,
        biomass_transferred: 4.5,
        transfer_date: '2026-03-02T12:00:00.000Z',
      });
    });

    it('of a day without a time happened when that day began on the farm', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      expect(body(await move(farm, { transfer_date: '2026-03-01' }))['transfer_date']).toBe(
        '2026-03-01T03:00:00.000Z',
      );
    });

    it('with a weight far from that of the batch is kept and flagged', async () => {
      const farm = await aStockedFarm(app, { ...STOCKED, initial_avg_weight: 2 });
      const made = body(await move(farm, { average_weight: 9 }));
      const message = 'O peso médio de 9,00 g está longe dos 2,00 g da última pesagem do lote: confira.';
      expect(made).toMatchObject({ average_weight: 9, warnings: [{ code: 'WEIGHT_UNUSUAL', message }] });
    });

    it('moves living animals: what dies later dies in every pond alike', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      await move(farm, { quantity: 4_000, transfer_date: '2026-02-01T12:00:00Z' });
      await app.kernel.commit({
        actor: null,
        changes: [
          insert(survivalChange, {
            id: app.kernel.newId(),
            batch_id: farm.batch.id,
            kind: 'FACTOR',
            value: 0.5,
            pond_id: null,
            animals: null,
            weight_kg: null,
            pond_share: null,
            corrects: null,
            cause: null,
            changed_at: '2026-02-20T12:00:00.000Z',
            description: null,
            created_by: null,
            clock_quality: 'trusted',
            created_at: '2026-02-20T12:00:00.000Z',
          }),
        ],
      });
      expect(await locations(farm)).toEqual({ 'V-1': 2_000, 'V-2': 2_000 });
    });

    it('stands in the log of the farm', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const made = body(await move(farm));
      const logs = await app.call('GET', `/logs/farm/${farm.farmId}/control-points?include=all`, {
        token: farm.token,
      });
      expect(logs.body).toContainEqual(
        expect.objectContaining({
          entity_type: 'SYSTEM',
          entity_id: made['uuid'],
          action: 'transfer',
          user_id: farm.userId,
        }),
      );
    });
  });

  describe('a move that cannot be', () => {
    it('takes more than lives there: 409 says how many there are, and nothing is moved', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const reply = await move(farm, { quantity: 8_001 });
      expect(reply).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('8000'), code: 'NOT_ENOUGH_ANIMALS', available: 8_000 },
      });
      expect(await locations(farm)).toEqual({ 'V-1': 8_000 });
      expect((await move(farm, { quantity: 8_000 })).status).toBe(201);
    });

    it('has the same pond at both ends, no animals at its source, or a batch whose cycle is over: 400', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const { a, b } = pondsOf(farm);
      const over = await aBatchIn(
        app,
        { farmId: farm.farmId, ownerId: farm.userId, pondId: a.id },
        { status: 'FINISHED' },
      );
      const replies = [
        await move(farm, { destination_pond_id: a.numeric_id }),
        await move(farm, { source_pond_id: b.id, destination_pond_id: a.id }),
        await move(farm, { batch_id: over.id }),
        await move(farm, { transfer_date: '2025-12-31T12:00:00Z' }),
      ];
      expect(replies.map((reply) => [reply.status, body(reply)['code']])).toEqual([
        [400, 'SAME_POND'],
        [400, 'NO_ANIMALS_IN_POND'],
        [400, 'BATCH_NOT_ACTIVE'],
        [400, 'BEFORE_BATCH_START'],
      ]);
    });

    it('goes to a pond of somebody else: answered as for a pond that does not exist', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const other = await aStockedFarm(app, STOCKED);
      const replies = [
        await move(farm, { destination_pond_id: pondsOf(other).a.id }),
        await move(farm, { destination_pond_id: pondsOf(other).a.numeric_id }),
        await move(farm, { destination_pond_id: '00000000-0000-4000-8000-000000000000' }),
        await move(farm, { destination_pond_id: 12 }),
      ];
      expect(new Set(replies.map((reply) => JSON.stringify([reply.status, reply.body])))).toEqual(
        new Set([JSON.stringify([400, replies[0]?.body])]),
      );
      expect(await locations(farm)).toEqual({ 'V-1': 8_000 });
    });

    it('is of a batch of somebody else: 404', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const other = await aStockedFarm(app, STOCKED);
      expect((await move(farm, { batch_id: other.batch.id })).status).toBe(404);
      expect((await move(farm, { batch_id: 42 })).status).toBe(404);
    });

    it('has a value that is no value: 422', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const wrong = [
        { quantity: 0 },
        { quantity: -5 },
        { quantity: 1.5 },
        { quantity: '3' },
        { quantity: undefined },
        { average_weight: 0 },
        { transfer_date: 'ontem' },
        { transfer_date: '2026-03-02T12:30:00Z' },
        { source_pond_id: 'V-1' },
        { source_pond_id: 1.5 },
        { source_pond_id: 2 ** 48 },
        { batch_id: undefined },
      ];
      const statuses = await Promise.all(wrong.map(async (fields) => (await move(farm, fields)).status));
      expect(statuses).toEqual(wrong.map(() => 422));
    });

    it('would leave a later move without its animals: 409 names that move', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      await move(farm, { quantity: 6_000, transfer_date: '2026-02-20T12:00:00Z' });
      const reply = await move(farm, { quantity: 3_000, transfer_date: '2026-02-10T12:00:00Z' });
      expect(reply).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('2026-02-20T12:00:00.000Z'), available: 5_000 },
      });
    });
  });

  describe('a correction', () => {
    it('changes what was sent, keeps the rest, and leaves old and new values in the log', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const made = body(await move(farm, { average_weight: 2, notes: 'a' }));
      const changed = await app.call('PUT', `/transfers/${made['id']}`, {
        token: farm.token,
        body: { quantity: 5_000, notes: 'b' },
      });
      expect(changed).toMatchObject({
        status: 200,
        body: {
          id: made['id'],
          quantity: 5_000,
          notes: 'b',
          average_weight: 2,
          biomass_transferred: 10,
          updated_at: '2026-03-02T12:00:00.000Z',
        },
      });
      expect(await locations(farm)).toEqual({ 'V-1': 3_000, 'V-2': 5_000 });
      const logs = await app.call('GET', `/logs/farm/${farm.farmId}/control-points?include=all`, {
        token: farm.token,
      });
      expect(logs.body).toContainEqual(
        expect.objectContaining({
          action: 'update',
          details: {
            record: 'transfer',
            before: { quantity: 3_000, notes: 'a' },
            after: { quantity: 5_000, notes: 'b' },
          },
        }),
      );
    });

    it('or a deletion that takes the animals from a later move is refused with the number there would be', async () => {
      const farm = await aStockedFarm(app, { ...STOCKED, ponds: 3 });
      const { b, c } = pondsOf(farm);
      const first = body(await move(farm, { quantity: 3_000, transfer_date: '2026-02-10T12:00:00Z' }));
      await move(farm, { source_pond_id: b.id, destination_pond_id: c.id, quantity: 2_500 });
      const path = `/transfers/${first['id']}`;
      const smaller = await app.call('PUT', path, { token: farm.token, body: { quantity: 2_499 } });
      const later = await app.call('PUT', path, {
        token: farm.token,
        body: { transfer_date: '2026-03-02T12:05:00Z' },
      });
      const gone = await app.call('DELETE', path, { token: farm.token });
      expect([smaller, later, gone].map((reply) => [reply.status, body(reply)['available']])).toEqual([
        [409, 2_499],
        [409, 0],
        [409, 0],
      ]);
      expect((await app.call('PUT', path, { token: farm.token, body: { quantity: 2_500 } })).status).toBe(
        200,
      );
      expect(await locations(farm)).toEqual({ 'V-1': 5_500, 'V-3': 2_500 });
    });

    it('of a chain that is short already may make it less short, never more', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const made = body(await move(farm, { quantity: 8_000, transfer_date: '2026-02-10T12:00:00Z' }));
      // somebody counted again: only half had lived when they were moved
      await app.kernel.commit({
        actor: null,
        changes: [
          insert(survivalChange, {
            id: app.kernel.newId(),
            batch_id: farm.batch.id,
            kind: 'ABSOLUTE',
            value: 40,
            pond_id: null,
            animals: null,
            weight_kg: null,
            pond_share: null,
            corrects: null,
            cause: null,
            changed_at: '2026-02-01T12:00:00.000Z',
            description: null,
            created_by: null,
            clock_quality: 'trusted',
            created_at: '2026-03-01T12:00:00.000Z',
          }),
        ],
      });
      const { b, a } = pondsOf(farm);
      const further = await move(farm, { source_pond_id: b.id, destination_pond_id: a.id, quantity: 100 });
      expect(further.status).toBe(201);
      const path = `/transfers/${made['id']}`;
      expect((await app.call('PUT', path, { token: farm.token, body: { quantity: 4_001 } })).status).toBe(
        409,
      );
      expect((await app.call('PUT', path, { token: farm.token, body: { quantity: 4_000 } })).status).toBe(
        200,
      );
    });

    it('with nothing in it changes nothing', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const made = await move(farm);
      const { id } = body(made);
      const same = await app.call('PUT', `/transfers/${id}`, { token: farm.token, body: {} });
      expect(same).toMatchObject({ status: 200, body: { updated_at: null } });
      expect(same.headers.get('etag')).toBe(made.headers.get('etag'));
    });

    it('of an outdated version is 412', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const made = await move(farm);
      const path = `/transfers/${body(made)['id']}`;
      const headers = { 'If-Match': made.headers.get('etag') ?? '' };
      const put = (quantity: number) =>
        app.call('PUT', path, { token: farm.token, body: { quantity }, headers });
      expect([(await put(10)).status, (await put(20)).status]).toEqual([200, 412]);
    });

    it('or deletion after the end of the cycle is refused', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const { id } = body(await move(farm));
      await app.kernel.commit({
        actor: null,
        changes: [update(batch, farm.batch.id, { status: 'FINISHED' })],
      });
      const { token } = farm;
      const put = await app.call('PUT', `/transfers/${id}`, { token, body: { quantity: 1 } });
      expect([put.status, (await app.call('DELETE', `/transfers/${id}`, { token })).status]).toEqual([
        400, 409,
      ]);
    });

    it('deleted, the animals are back and the transfer is gone', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const { id } = body(await move(farm));
      const gone = await app.call('DELETE', `/transfers/${id}`, { token: farm.token });
      expect([gone.status, gone.body]).toEqual([204, '']);
      expect(await locations(farm)).toEqual({ 'V-1': 8_000 });
      expect((await app.call('GET', `/transfers/${id}`, { token: farm.token })).status).toBe(404);
    });
  });

  describe('lists', () => {
    it('page the transfers of a batch, newest first, and of all farms of the caller', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      for (const [quantity, transfer_date] of [
        [1, '2026-02-01T00:00:00Z'],
        [3, '2026-02-03T00:00:00Z'],
        [2, '2026-02-02T00:00:00Z'],
      ])
        await move(farm, { quantity, transfer_date });
      const { token } = farm;
      const paged = await app.call('GET', `/transfers/batch/${farm.batch.numeric_id}?skip=1&limit=1`, {
        token,
      });
      expect(paged.body).toMatchObject({ items: [{ quantity: 2 }], total: 3, skip: 1, limit: 1 });
      const alias = await app.call('GET', `/batch-transfers/batch/${farm.batch.id}`, { token });
      expect(alias.body).toMatchObject({
        items: [{ quantity: 3 }, { quantity: 2 }, { quantity: 1 }],
        total: 3,
        skip: 0,
        limit: 100,
      });
      for (const path of ['/transfers/', '/batch-transfers/'])
        expect((await app.call('GET', path, { token })).body).toEqual(alias.body);
      const stranger = await app.signUp();
      expect((await app.call('GET', '/transfers/', { token: stranger.token })).body).toMatchObject({
        items: [],
        total: 0,
      });
    });

    it('the history of a batch sums what was moved and shows where the animals are', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const { a, b } = pondsOf(farm);
      await move(farm, { quantity: 3_000, transfer_date: '2026-02-01T00:00:00Z', average_weight: 2 });
      await move(farm, {
        source_pond_id: b.id,
        destination_pond_id: a.id,
        quantity: 500,
        transfer_date: '2026-02-02T00:00:00Z',
      });
      const { body: history } = await app.call('GET', `/transfers/batch/${farm.batch.id}/history`, {
        token: farm.token,
      });
      expect(history).toMatchObject({
        batch_id: farm.batch.numeric_id,
        batch_name: farm.batch.batch_code,
        total_transfers: 2,
        total_quantity_moved: 3_500,
        history: [
          { from: 'V-2', to: 'V-1', quantity: 500, date: '2026-02-02T00:00:00.000Z' },
          { from: 'V-1', to: 'V-2', quantity: 3_000, average_weight: 2, reason: null },
        ],
        current_locations: [
          { pond_id: a.numeric_id, pond_name: 'V-1', quantity: 5_500 },
          { pond_id: b.numeric_id, pond_name: 'V-2', quantity: 2_500 },
        ],
      });
    });
  });

  describe('at the same moment', () => {
    it('two moves never take more than there is', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const replies = await Promise.all(
        [5_000, 5_000, 5_000, 5_000].map((quantity) => move(farm, { quantity })),
      );
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
      expect(await locations(farm)).toEqual({ 'V-1': 3_000, 'V-2': 5_000 });
    });

    it('a move repeated under one key is made once', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const { a, b } = pondsOf(farm);
      const once = () =>
        app.call('POST', '/transfers/', {
          token: farm.token,
          headers: { 'Idempotency-Key': 'lost-answer' },
          body: {
            batch_id: farm.batch.id,
            source_pond_id: a.id,
            destination_pond_id: b.id,
            quantity: 3_000,
          },
        });
      const [first, again] = [await once(), await once()];
      expect(again.body).toEqual(first.body);
      expect(await locations(farm)).toEqual({ 'V-1': 5_000, 'V-2': 3_000 });
    });

    it('what a move was decided on, the end of its batch makes stale', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const guard = await app.kernel.guard('batch', farm.batch.id);
      expect((await move(farm)).status).toBe(201);
      // a finish that had looked before the move
      const finish = app.kernel.commit({
        actor: null,
        changes: [update(batch, farm.batch.id, { status: 'FINISHED' })],
        guards: [guard],
      });
      await expect(finish).rejects.toBeInstanceOf(StaleError);
    });

    it('animals come into a pond: a deletion that found it empty is stale', async () => {
      const farm = await aStockedFarm(app, STOCKED);
      const { b } = pondsOf(farm);
      const guard = await app.kernel.guard('pond', b.id);
      expect((await move(farm)).status).toBe(201);
      const deletion = app.kernel.commit({ actor: null, changes: [remove(pond, b.id)], guards: [guard] });
      await expect(deletion).rejects.toBeInstanceOf(StaleError);
    });
  });
});
