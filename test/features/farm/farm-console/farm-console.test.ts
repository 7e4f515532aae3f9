import { afterAll, beforeAll, expect, it } from 'vitest';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import {
  type App,
  aStaffedFarm,
  created,
  outcomeOf,
  refused,
  type StaffedFarm,
  writesOf,
} from '#test/staffed-farm.ts';

onBothEngines('what a farm arranged for its screens', (_open, engine) => {
  let app: App;
  let place: StaffedFarm;
  let north: string;
  let south: string;
  let elsewhere: string;
  beforeAll(async () => {
    app = await startApp(engine);
    place = await aStaffedFarm(app);
    const pond = (token: string, farm_id: string, cod: string) =>
      created(app.call('POST', '/ponds/', { token, body: { farm_id, cod } }));
    north = await pond(place.owner.token, place.farmId, 'V-01');
    south = await pond(place.owner.token, place.farmId, 'V-02');
    elsewhere = await pond(place.stranger.token, place.strangersFarmId, 'S-01');
  });
  afterAll(() => app.close());

  const path = () => `/farms/${place.farmId}/console`;
  const get = async () => body(await app.call('GET', path(), { token: place.viewer.token }));
  const put = (sent: unknown, headers = {}, token = place.manager.token) =>
    app.call('PUT', path(), { token, body: sent, headers });

  it('is nothing at first, and then for everybody what a manager put there', async () => {
    expect(await get()).toEqual({
      farm_id: place.farmId,
      wall: [],
      alarm_responses: {},
      updated_at: null,
    });
    const wall = [
      { pond_id: north, column: 0, row: 0 },
      { pond_id: south, column: 3, row: 1 },
    ];
    expect((await put({ wall })).status).toBe(200);
    const response = '  Ligar o gerador, depois chamar o Raimundo.  ';
    expect((await put({ alarm_responses: { POWER_FAILURE: response } })).status).toBe(200);
    expect(await get()).toMatchObject({ wall, alarm_responses: { POWER_FAILURE: response.trim() } });
    await put({ alarm_responses: { LOW_PH: 'Calcário.', POWER_FAILURE: null } });
    expect(await get()).toMatchObject({ wall, alarm_responses: { LOW_PH: 'Calcário.' } });
    await put({ wall: [] });
    expect(await get()).toMatchObject({ wall: [], alarm_responses: { LOW_PH: 'Calcário.' } });
  });

  it('keeps every pond once, in a place of its own, and only ponds and alarms that there are', async () => {
    const at = (pond_id: string, column = 0, row = 0) => ({ pond_id, column, row });
    const wrong: readonly [string, unknown][] = [
      ['wall.0.pond_id', { wall: [at(elsewhere)] }],
      ['wall.1.pond_id', { wall: [at(north), at(north, 1)] }],
      ['wall.1', { wall: [at(north), at(south)] }],
      ['wall.0.column', { wall: [at(north, 100)] }],
      ['wall.0.row', { wall: [at(north, 0, -1)] }],
      ['alarm_responses', { alarm_responses: { MOON: 'Olhar.' } }],
      ['alarm_responses.LOW_PH', { alarm_responses: { LOW_PH: 'x'.repeat(1_001) } }],
      ['alarm_responses.LOW_PH', { alarm_responses: { LOW_PH: ' ' } }],
    ];
    for (const [field, sent] of wrong)
      expect([field, await outcomeOf(app, () => put(sent))]).toEqual([field, refused(422, field)]);
  });

  it('is arranged by those who manage the farm; what changes nothing writes nothing', async () => {
    const sent = { wall: [{ pond_id: north, column: 5, row: 5 }] };
    for (const { token } of [place.technician, place.viewer])
      expect(await outcomeOf(app, () => put(sent, {}, token))).toEqual(refused(403));
    expect(await outcomeOf(app, () => put(sent, {}, place.stranger.token))).toEqual(refused(404));
    const first = await put(sent);
    const before = await writesOf(app);
    expect((await put(sent)).status).toBe(200);
    expect((await put({})).status).toBe(200);
    expect(await writesOf(app)).toBe(before);
    await put({ wall: [] });
    const tag = first.headers.get('etag') ?? '';
    expect(await outcomeOf(app, () => put(sent, { 'If-Match': tag }))).toEqual(refused(412));
  });

  it('two first changes at the same moment both hold', async () => {
    const { token } = place.stranger;
    const at = `/farms/${place.strangersFarmId}/console`;
    const replies = await Promise.all([
      app.call('PUT', at, { token, body: { wall: [{ pond_id: elsewhere, column: 2, row: 0 }] } }),
      app.call('PUT', at, { token, body: { alarm_responses: { LOW_OXYGEN: 'Ligar tudo.' } } }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(body(await app.call('GET', at, { token }))).toMatchObject({
      wall: [{ pond_id: elsewhere, column: 2, row: 0 }],
      alarm_responses: { LOW_OXYGEN: 'Ligar tudo.' },
    });
  });
});
