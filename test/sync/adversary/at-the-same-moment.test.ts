import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { farm } from '#contract/resources/farms.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { formatHlc } from '#store/hlc.ts';
import { onBothEngines } from '#test/databases.ts';
import { aSpysGateway, GATEWAY_NODE, type SpysGateway } from './a-spys-gateway.ts';
import { aHostileGateway } from './hostile-gateway.ts';
import type { RandomChange } from './random-changes.ts';

const TIMES = 12;

onBothEngines('gateways that tell at the same moment', (_open, engine) => {
  let its: SpysGateway;
  beforeAll(async () => {
    its = await aSpysGateway(engine);
  });
  afterAll(() => its.app.close());

  /** A farm as a gateway makes one while it is alone. */
  function aNewFarm(n: number): RandomChange {
    const { app, spy } = its;
    const id = randomUUID();
    const body = {
      id,
      name: `Fazenda nova ${n}`,
      description: null,
      owner_id: spy.user.id,
      address_id: null,
      lat: null,
      lng: null,
      timezone: 'America/Fortaleza',
      created_at: new Date(app.clock.now()).toISOString(),
      updated_at: null,
    };
    const hlc = formatHlc(app.clock.now(), n, GATEWAY_NODE);
    const said = { op: 1, cl: 1, over: null, base: null, sv: SYNC_SCHEMA } as const;
    return { entity: farm.entity, id, hlc, body, actor: spy.user.id, ...said };
  }

  it('of one new farm are each answered: it is there once, and is that of one of them', async () => {
    const lanes = [
      await its.another('Fazenda 2'),
      await its.another('Fazenda 3'),
      await its.another('Fazenda 4'),
    ];
    const gateways = await Promise.all(lanes.map((lane) => aHostileGateway(its, lane)));
    const say = (to: 'snapshot' | 'push' | 'repair', changes: RandomChange[]) =>
      Promise.all(
        gateways.map(async (gateway) => {
          const how = { mutations: [], packaging: 'whole', isPacked: false, isTokenLost: false } as const;
          const reply = await gateway.send({ ...how, mutations: [], to, changes, id: '' });
          return reply?.status;
        }),
      );
    expect(await say('snapshot', [])).toEqual([200, 200, 200]);
    for (let n = 0; n < TIMES; n += 1) {
      // as an edit, and as the row stands when everything is compared
      const how = n % 2 === 0 ? 'push' : 'repair';
      expect([how, ...(await say(how, [aNewFarm(n)]))]).toEqual([how, 200, 200, 200]);
    }
    const bound = await its.app.database.read
      .selectFrom('farms')
      .innerJoin('sync_farms', 'sync_farms.id', 'farms.id')
      .select(['farms.name', 'stream_id'])
      .where('farms.name', 'like', 'Fazenda nova %')
      .execute();
    expect(new Set(bound.map(({ name }) => name)).size).toBe(TIMES);
    expect(bound).toHaveLength(TIMES);
    const streams = lanes.map(({ streamId }) => streamId);
    expect(bound.filter(({ stream_id }) => !streams.includes(stream_id ?? -1))).toEqual([]);
    for (const gateway of gateways) gateway.close();
  });
});
