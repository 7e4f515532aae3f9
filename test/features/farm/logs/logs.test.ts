import { afterAll, beforeAll, expect, it } from 'vitest';
import { audit, JOURNAL_ROWS, journalAnswer } from '#core/audit.ts';
import { joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type App, aControlPoint, aStaffedFarm, type StaffedFarm } from '#test/staffed-farm.ts';

const NOBODYS = '01900000-0000-7000-8000-00000000dead';
const aBatchBody = {
  species: 'Litopenaeus vannamei',
  lineage: 'SPF',
  larva_origin: 'Aracati',
  start_date: '2026-02-01',
  initial_count: 60_000,
  initial_avg_weight: 0.01,
  initial_density: 20,
};
const aFeedingBody = {
  feed_type: '35 %',
  quantity_kg: 80,
  cost_per_kg: 6,
  feed_date: '2026-03-02T11:00:00Z',
};
type Entry = { id: string; entity_id: string; action: string; timestamp: string };

onBothEngines('logs', (_open, engine) => {
  let app: App;
  let place: StaffedFarm;
  let first: string;
  let second: string;
  const ENTRIES = 1203;
  beforeAll(async () => {
    app = await startApp(engine);
    place = await aStaffedFarm(app);
    const owned = { farm_id: place.farmId, owner_id: place.owner.user.id };
    first = (await aControlPoint(app, { ...owned, cod: 'PC-01', device_id: 'dev-01' })).id;
    second = (await aControlPoint(app, { ...owned, cod: 'PC-02', device_id: 'dev-02' })).id;
    const entries = Array.from({ length: ENTRIES }, (_, n) =>
      audit(app.kernel, {
        farm_id: place.farmId,
        entity_type: n % 3 === 2 ? 'AERATOR' : 'CONTROL_POINT',
        entity_id: n % 3 === 2 ? NOBODYS : n % 3 === 0 ? first : second,
        entity_name: 'PC ção',
        action: n % 2 === 0 ? 'turn_on' : 'turn_off',
        user_id: n === 0 ? null : place.owner.user.id,
        ...(n === 0 ? { origin: 'SCHEDULE' as const, details: { late_s: 12, why: 'após queda' } } : {}),
        // equal instants on both sides of a chunk's end
        at: Date.UTC(2026, 2, 1) + (n === 0 ? -1 : Math.floor(n / 9)) * 1000,
      }),
    );
    await app.kernel.commit({ changes: entries, actor: null });
  });
  afterAll(() => app.close());

  const get = (path: string, token = place.owner.token) => app.call('GET', `/logs/${path}`, { token });
  const entriesOf = async (path: string) => (await get(path)).body as Entry[];

  it('a control point tells what happened to it, newest first, whole', async () => {
    const entries = await entriesOf(`control-points/${first}`);
    expect(entries).toHaveLength(401);
    expect(new Set(entries.map(({ entity_id }) => entity_id))).toEqual(new Set([first]));
    const sorted = [...entries].sort((a, b) =>
      `${a.timestamp} ${a.id}` < `${b.timestamp} ${b.id}` ? 1 : -1,
    );
    expect(entries).toEqual(sorted);
    expect(entries.at(-1)).toEqual({
      id: expect.any(String),
      entity_type: 'CONTROL_POINT',
      entity_id: first,
      entity_name: 'PC ção',
      action: 'turn_on',
      user_id: null,
      timestamp: '2026-02-28T23:59:59.000Z',
      origin: 'SCHEDULE',
      details: { late_s: 12, why: 'após queda' },
      clock_quality: 'trusted',
    });
  });

  it('a farm tells of all its control points, and of everything when asked, across chunks', async () => {
    const reply = await get(`farm/${place.farmId}/control-points`, place.viewer.token);
    const entries = reply.body as Entry[];
    expect(entries).toHaveLength(802);
    expect(reply.headers.get('x-total-count')).toBe('802');
    expect(reply.headers.get('link')).toBeNull();
    expect(new Set(entries.map(({ id }) => id)).size).toBe(802);
    expect(new Set(entries.map(({ entity_id }) => entity_id))).toEqual(new Set([first, second]));
    const sorted = [...entries].sort((a, b) =>
      `${a.timestamp} ${a.id}` < `${b.timestamp} ${b.id}` ? 1 : -1,
    );
    expect(entries).toEqual(sorted);
    expect(await entriesOf(`farm/${place.farmId}/control-points?include=all`)).toHaveLength(ENTRIES);
  });

  it('skip and limit cut the list', async () => {
    const all = await entriesOf(`farm/${place.farmId}/control-points`);
    const cut = await get(`farm/${place.farmId}/control-points?skip=490&limit=20`);
    expect(cut.body).toEqual(all.slice(490, 510));
    expect(cut.headers.get('x-total-count')).toBeNull();
    expect(await entriesOf(`farm/${place.farmId}/control-points?skip=800`)).toEqual(all.slice(800));
  });

  it('strangers are 403, what does not exist is 404, a wrong page is 422', async () => {
    const statusOf = async (path: string, token?: string) => (await get(path, token)).status;
    for (const path of [`farm/${place.farmId}/control-points`, `control-points/${first}`]) {
      expect(await statusOf(path, place.stranger.token)).toBe(403);
      for (const { token } of [place.manager, place.technician, place.viewer])
        expect(await statusOf(path, token)).toBe(200);
      for (const query of ['limit=0', 'limit=10001', 'skip=-1', 'limit=x'])
        expect(await get(`${path}?${query}`)).toMatchObject({
          status: 422,
          body: { errors: [{ path: query.split('=')[0] }] },
        });
    }
    expect(await statusOf(`farm/${NOBODYS}/control-points`)).toBe(404);
    expect(await statusOf(`control-points/${NOBODYS}`)).toBe(404);
    expect(await statusOf('control-points/PC-01')).toBe(404);
    expect((await app.call('GET', `/logs/control-points/${first}`)).status).toBe(401);
  });

  it('what happens to an aerator is among everything on its farm', async () => {
    const pond = await app.call('POST', '/ponds/', {
      token: place.stranger.token,
      body: { farm_id: place.strangersFarmId, cod: 'S-1' },
    });
    const { id: pond_id } = pond.body as { id: string };
    const body = { pond_id, name: 'Pá', device_id: 'pa-1', power_kw: 1 };
    await app.call('POST', '/aerators/', { token: place.stranger.token, body });
    const path = `/logs/farm/${place.strangersFarmId}/control-points`;
    const all = await app.call('GET', `${path}?include=all`, { token: place.stranger.token });
    expect(all.body).toMatchObject([{ entity_type: 'AERATOR', action: 'create', entity_name: 'Pá' }]);
    expect((await app.call('GET', path, { token: place.stranger.token })).body).toEqual([]);
  });

  it('a measurement that was corrected tells who did it, when, and what it said before', async () => {
    const made = async (path: string, body: unknown) =>
      ((await app.call('POST', path, { token: place.owner.token, body })).body as { id: string }).id;
    const pond = await made('/ponds/', { farm_id: place.farmId, cod: 'V-07' });
    const id = await made('/water-quality/', { pond_id: pond, dissolved_oxygen: 40.2, ph: 7.9 });
    expect((await get(`measurements/${id}`)).body).toEqual([]);
    await app.call('PUT', `/water-quality/${id}`, {
      token: place.manager.token,
      body: { dissolved_oxygen: 4.2 },
    });
    expect((await get(`measurements/${id}`, place.viewer.token)).body).toEqual([
      expect.objectContaining({
        action: 'update',
        user_id: place.manager.user.id,
        user_name: place.manager.user.name,
        timestamp: new Date(app.clock.now()).toISOString(),
        details: {
          record: 'measurement',
          before: { dissolved_oxygen: 40.2 },
          after: { dissolved_oxygen: 4.2 },
        },
      }),
    ]);
    const stranger = await app.signUp();
    expect((await get(`measurements/${id}`, stranger.token)).status).toBe(404);
    expect((await get(`measurements/${NOBODYS}`)).status).toBe(404);
  });

  it('a farm tells what was changed of itself and of the roles on it, before and after, and nothing where nothing changed', async () => {
    const { token } = place.owner;
    const { farmId } = place;
    const person = await app.signUp();
    const put = (body: object) => app.call('PUT', `/farms/${farmId}`, { token, body });
    const hasRole = (role: string) => joinFarm(app, { token, farmId }, person, role);
    await put({ description: 'Berçários a leste' });
    await put({ description: 'Berçários a leste' });
    await hasRole('VIEWER');
    await hasRole('TECHNICIAN');
    await app.call('DELETE', `/farms/${farmId}/members/${person.user.id}`, { token });
    const { body } = await get(`farms/${farmId}`);
    const of = { record: 'farm_member', member_id: person.user.id };
    const role = (before: string | null, after: string | null) => ({
      ...of,
      before: { role: before },
      after: { role: after },
    });
    const entries = body as { user_name: string; details: unknown }[];
    expect(entries.slice(0, 4).map(({ details }) => details)).toEqual([
      role('TECHNICIAN', null),
      role('VIEWER', 'TECHNICIAN'),
      role(null, 'VIEWER'),
      { record: 'farm', before: { description: null }, after: { description: 'Berçários a leste' } },
    ]);
    expect(entries[0]?.user_name).toBe(place.owner.user.name);
    expect((await get(`farms/${farmId}`, person.token)).status).toBe(404);
  });

  it('a pond tells of itself, of what airs it, of its batches and their records, deleted ones too, and of no other pond', async () => {
    const { token } = place.owner;
    const made = async (path: string, body: unknown) =>
      ((await app.call('POST', path, { token, body })).body as { id: string }).id;
    const point = await aControlPoint(app, {
      farm_id: place.farmId,
      owner_id: place.owner.user.id,
      cod: 'PC-08',
      device_id: 'dev-08',
    });
    const [pond, other] = await Promise.all(
      ['V-08', 'V-09'].map((cod) =>
        made('/ponds/', { farm_id: place.farmId, cod, control_point_id: cod === 'V-08' ? point.id : null }),
      ),
    );
    const aerator = (pond_id: unknown, name: string) =>
      made('/aerators/', { pond_id, name, device_id: name, power_kw: 1 });
    const [here] = [await aerator(pond, 'pá-08'), await aerator(other, 'pá-09')];
    await app.call('DELETE', `/aerators/${here}`, { token });
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    const water = await made('/water-quality/', { pond_id: pond, dissolved_oxygen: 3.1 });
    await app.call('DELETE', `/water-quality/${water}`, { token });
    const batch = await made('/batches/', { ...aBatchBody, pond_id: other, batch_code: 'L-08' });
    await made('/transfers/', {
      source_pond_id: other,
      destination_pond_id: pond,
      batch_id: batch,
      quantity: 1_000,
    });
    const fed = await made('/feeding/', { ...aFeedingBody, batch_id: batch });
    await app.call('PUT', `/feeding/${fed}`, { token, body: { quantity_kg: 8 } });

    const entries = (await get(`ponds/${pond}`, place.viewer.token)).body as (Entry & {
      user_name: string;
    })[];
    const told = entries.map(({ action, entity_id }) => `${action} ${entity_id}`).toSorted();
    expect(told).toEqual(
      [
        `create ${here}`,
        `delete ${here}`,
        `turn_on ${point.id}`,
        `alert_created ${pond}`,
        `alert_resolved ${pond}`,
        `delete ${water}`,
        `transfer ${entries.find(({ action }) => action === 'transfer')?.entity_id}`,
        `update ${fed}`,
      ].toSorted(),
    );
    expect(entries.find(({ action }) => action === 'turn_on')?.user_name).toBe(place.owner.user.name);
    expect(await entriesOf(`ponds/${pond}?skip=2&limit=3`)).toEqual(entries.slice(2, 5));
    expect((await get(`ponds/${pond}`, place.stranger.token)).status).toBe(404);
    expect((await get(`ponds/${NOBODYS}`)).status).toBe(404);
  });
});

it('a journal without limit ends at 10,000 rows, says how many there are and where the next begin', async () => {
  const pages: unknown[] = [];
  const journal = {
    count: async () => 25_000,
    async *rows(page: unknown) {
      pages.push(page);
      yield page;
    },
  };
  const first = await journalAnswer({ skip: 0, limit: undefined, include: 'all' }, journal);
  expect({ ...first, rows: undefined }).toEqual({
    status: 200,
    rows: undefined,
    total: 25_000,
    headers: { Link: `<?skip=${JOURNAL_ROWS}&include=all>; rel="next"` },
  });
  const last = await journalAnswer({ skip: 20_000 }, journal);
  expect({ total: last.total, headers: last.headers }).toEqual({ total: 25_000, headers: undefined });
  const cut = await journalAnswer({ skip: 3, limit: 7 }, journal);
  expect({ total: cut.total, headers: cut.headers }).toEqual({ total: undefined, headers: undefined });
  for (const { rows } of [first, last, cut]) for await (const row of rows ?? []) void row;
  expect(pages).toEqual([
    { skip: 0, limit: 10_000 },
    { skip: 20_000, limit: 10_000 },
    { skip: 3, limit: 7 },
  ]);
});
