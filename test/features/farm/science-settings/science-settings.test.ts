import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { farmScience } from '#contract/resources/science.ts';
import { insert } from '#core/changes.ts';
import { mergedConstants } from '#features/farm/science-settings/merge-constants.ts';
import { RISING_CONSTANTS, ruleOf } from '#science/constant-rules.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import {
  type App,
  aStaffedFarm,
  outcomeOf,
  refused,
  type StaffedFarm,
  writesOf,
} from '#test/staffed-farm.ts';

type Figures = Record<string, Record<string, unknown>>;

describe('the rules of figures', () => {
  const leaves = (value: unknown, path: string): { path: string; value: unknown }[] => {
    if (Array.isArray(value)) return value.flatMap((line) => leaves(line, `${path}[]`));
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).flatMap(([name, each]) => leaves(each, path ? `${path}.${name}` : name));
    }
    return [{ path, value }];
  };

  it('every number has a rule, and its default keeps it', () => {
    const broken = leaves(SCIENCE_DEFAULTS, '').filter(({ path, value }) => {
      if (typeof value !== 'number') return false;
      const rule = ruleOf(path);
      return rule === null || value < rule.least || value > rule.most;
    });
    expect(broken).toEqual([]);
  });

  it('every figure that must be below another exists', () => {
    const known = new Set(leaves(SCIENCE_DEFAULTS, '').map(({ path }) => path));
    expect(RISING_CONSTANTS.flat().filter((path) => !known.has(path))).toEqual([]);
  });

  it('what another version has written and this one does not know is left out', () => {
    const merged = mergedConstants({
      growth: { harvestWeightG: { vannamei: 15, gigas: 9 }, onTrackWithinPercent: 'wide' },
      moon: { phase: 1 },
    });
    expect(merged.growth.harvestWeightG).toEqual({ vannamei: 15, monodon: 30 });
    expect(merged.growth.onTrackWithinPercent).toBe(5);
    expect('moon' in merged).toBe(false);
  });
});

it('an error of the forecast set for all its hours holds as that of each hour', () => {
  const merged = mergedConstants({ aeration: { forecast: { methodErrorMgL: 0.9, warnBelowMgL: 5 } } });
  expect(merged.aeration.forecast).toMatchObject({ methodErrorMgLPerHour: 0.1, warnBelowMgL: 5 });
});

onBothEngines('figures a farm sets for itself', (_open, engine) => {
  let app: App;
  let place: StaffedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    place = await aStaffedFarm(app);
  });
  afterAll(() => app.close());

  const path = () => `/farms/${place.farmId}/science`;
  const get = async () => body(await app.call('GET', path(), { token: place.viewer.token }));
  const put = (sent: unknown, headers = {}) =>
    app.call('PUT', path(), { token: place.manager.token, body: sent, headers });
  const holds = async () => (await get())['constants'] as Figures;

  it('what another version has left behind is told as unread, and can be cleared', async () => {
    const farm = await aStaffedFarm(app);
    const at = app.kernel.now();
    await app.kernel.commit({
      actor: null,
      changes: [
        insert(farmScience, {
          id: app.kernel.idOf(`farm_science:${farm.farmId}`),
          farm_id: farm.farmId,
          overrides: { moon: { phase: 1 }, aeration: { forecast: { methodErrorMgL: 0.9 } } },
          updated_by: null,
          created_at: new Date(at).toISOString(),
          updated_at: null,
        }),
      ],
    });
    const own = `/farms/${farm.farmId}/science`;
    const seen = body(await app.call('GET', own, { token: farm.manager.token }));
    expect(seen).toMatchObject({
      unread: ['moon'],
      overrides: { aeration: { forecast: { methodErrorMgLPerHour: 0.1 } } },
    });
    const cleared = await app.call('PUT', own, { token: farm.manager.token, body: { moon: null } });
    expect(cleared).toMatchObject({
      status: 200,
      body: { unread: [], overrides: { aeration: { forecast: { methodErrorMgLPerHour: 0.1 } } } },
    });
  });

  it('before anybody sets one the defaults hold, each number with its unit and range', async () => {
    const answer = await get();
    expect(answer['constants']).toEqual(answer['defaults']);
    expect(answer).toMatchObject({ overrides: {}, updated_at: null, updated_by: null });
    expect(answer['rules']).toEqual(
      expect.arrayContaining([
        { path: 'growth.harvestWeightG.vannamei', unit: 'g', min: 1, max: 100 },
        { path: 'water.ammoniaBasis', words: ['NH3', 'TAN'] },
        { path: 'feeding.temperatureFactor[].at', unit: '°C', min: 0, max: 50 },
        { path: 'energy.discountWindows[].from', unit: 'HH:MM' },
      ]),
    );
  });

  it('one figure changes, the others stay; null goes back to the default', async () => {
    const reply = await put({ growth: { harvestWeightG: { vannamei: 15 } }, water: { ammoniaBasis: 'TAN' } });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        overrides: { growth: { harvestWeightG: { vannamei: 15 } }, water: { ammoniaBasis: 'TAN' } },
        updated_by: place.manager.user.id,
        updated_at: '2026-03-02T12:00:00.000Z',
      },
    });
    await put({ energy: { tariffPerKwh: 0.8 } });
    expect((await holds())['growth']).toMatchObject({ harvestWeightG: { vannamei: 15, monodon: 30 } });
    await put({ growth: { harvestWeightG: { vannamei: null } } });
    expect((await get())['overrides']).toEqual({
      water: { ammoniaBasis: 'TAN' },
      energy: { tariffPerKwh: 0.8 },
    });
    await put({ water: null, energy: null });
    const answer = await get();
    expect(answer['constants']).toEqual(answer['defaults']);
  });

  it('the alarm and the ration stop feeding at one oxygen: what is set leads, and two that differ are refused', async () => {
    type Held = {
      water: { criticalOxygenMgL: number };
      feeding: { oxygenFactor: { at: number; factor: number }[] };
    };
    const both = async () => {
      const { water, feeding } = (await holds()) as unknown as Held;
      return [water.criticalOxygenMgL, feeding.oxygenFactor[0]];
    };
    expect(await both()).toEqual([2, { at: 2, factor: 0 }]);
    await put({ water: { criticalOxygenMgL: 2.5 } });
    expect(await both()).toEqual([2.5, { at: 2.5, factor: 0 }]);
    await put({ water: { criticalOxygenMgL: 1.5 } });
    expect(await both()).toEqual([1.5, { at: 1.5, factor: 0 }]);
    const table = (at: number) => ({
      oxygenFactor: [
        { at, factor: 0 },
        { at: 4, factor: 1 },
      ],
    });
    const refused = await put({ feeding: table(2.5) });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'feeding.oxygenFactor', code: 'CONTRADICTS' }] },
    });
    await put({ water: null, feeding: table(2.5) });
    expect(await both()).toEqual([2.5, { at: 2.5, factor: 0 }]);
    // what is stored from before holds by the stricter
    expect(
      mergedConstants({ water: { criticalOxygenMgL: 1 }, feeding: table(2.5) }).water.criticalOxygenMgL,
    ).toBe(2.5);
    expect(
      mergedConstants({ water: { criticalOxygenMgL: 2.8 }, feeding: table(2) }).feeding.oxygenFactor[0],
    ).toEqual({ at: 2.8, factor: 0 });
    await put({ water: null, feeding: null });
  });

  it.each([
    [
      'feed that grows as oxygen falls',
      {
        feeding: {
          oxygenFactor: [
            { at: 2, factor: 0 },
            { at: 3, factor: 1 },
            { at: 4, factor: 0.5 },
          ],
        },
      },
      'feeding.oxygenFactor[2].factor',
    ],
    [
      'feed that grows with ammonia',
      {
        feeding: {
          ammoniaFactor: [
            { at: 0.1, factor: 0.5 },
            { at: 0.6, factor: 1 },
          ],
        },
      },
      'feeding.ammoniaFactor[1].factor',
    ],
    [
      'salt that makes nitrite worse',
      {
        water: {
          nitriteSafe: [
            { salinityPpt: 1, mgL: 5 },
            { salinityPpt: 30, mgL: 1 },
          ],
        },
      },
      'water.nitriteSafe[1].mgL',
    ],
    [
      'ammonia that is grave only beyond what kills',
      { water: { alerts: { HIGH_AMMONIA: { highFrom: 1.3 } } } },
      'water.alerts.HIGH_AMMONIA.highFrom',
    ],
    [
      'deadly oxygen above the grave one',
      { water: { criticalOxygenMgL: 3.5 } },
      'water.alerts.LOW_OXYGEN.highFrom',
    ],
    [
      'a ration that no oxygen stops',
      { feeding: { oxygenFactor: [{ at: 2, factor: 0.5 }] } },
      'feeding.oxygenFactor',
    ],
  ])('%s is refused', async (_what, sent, path) => {
    const refused = await put(sent);
    expect(refused).toMatchObject({ status: 422 });
    expect((refused.body as { errors: { path: string }[] }).errors[0]?.path).toBe(path);
  });

  it('a list is replaced whole', async () => {
    const oxygenFactor = [
      { at: 2.5, factor: 0 },
      { at: 4.5, factor: 1 },
    ];
    await put({ feeding: { oxygenFactor } });
    expect((await holds())['feeding']).toMatchObject({ oxygenFactor });
    const discountWindows = [{ from: '21:30', to: '06:00', discountPercent: 70 }];
    await put({ energy: { discountWindows } });
    expect((await holds())['energy']).toMatchObject({ discountWindows });
    await put({ feeding: null, energy: null });
  });

  it.each([
    ['an unknown section', { moon: 1 }, 'moon'],
    ['an unknown figure', { growth: { speed: 1 } }, 'growth.speed'],
    [
      'a number out of range',
      { growth: { harvestWeightG: { vannamei: 0 } } },
      'growth.harvestWeightG.vannamei',
    ],
    ['a text for a number', { energy: { tariffPerKwh: '0.5' } }, 'energy.tariffPerKwh'],
    ['a number for a section', { growth: 5 }, 'growth'],
    ['an unknown word', { water: { ammoniaBasis: 'NH4' } }, 'water.ammoniaBasis'],
    ['no time of day', { aeration: { fixedNight: { dusk: '25:00' } } }, 'aeration.fixedNight.dusk'],
    ['a list of nothing', { feeding: { oxygenFactor: [] } }, 'feeding.oxygenFactor'],
    ['half a line', { feeding: { oxygenFactor: [{ at: 3 }] } }, 'feeding.oxygenFactor[0].factor'],
    [
      'lines that do not rise',
      {
        feeding: {
          oxygenFactor: [
            { at: 3, factor: 0 },
            { at: 3, factor: 1 },
          ],
        },
      },
      'feeding.oxygenFactor[1].at',
    ],
    [
      'meals that are not the whole ration',
      { feeding: { coolWater: { meals: [{ time: '08:00', percent: 90 }] } } },
      'feeding.coolWater.meals',
    ],
    ['ON above OFF', { aeration: { proposedSetPoints: { onMgL: 6 } } }, 'aeration.proposedSetPoints.offMgL'],
    [
      'a limit beyond its opposite',
      { water: { alerts: { LOW_TEMPERATURE: { limit: 33 } } } },
      'water.alerts.HIGH_TEMPERATURE.limit',
    ],
  ])('%s is 422 with its path, and nothing is set', async (_what, sent, field) => {
    expect(await outcomeOf(app, () => put(sent))).toEqual(refused(422, field));
  });

  it('a key that every object has by nature is unknown like any other', async () => {
    const sent = '{"growth":{"__proto__":{"harvestWeightG":{"vannamei":1}},"constructor":1}}';
    expect((await put(sent)).status).toBe(422);
  });

  it('what changes nothing writes nothing; an outdated If-Match is 412; each change is in the audit', async () => {
    const reply = await put({ growth: { biometryEveryDays: 10 } });
    const before = await writesOf(app);
    expect((await put({ growth: { biometryEveryDays: 10 } })).status).toBe(200);
    expect((await put({})).status).toBe(200);
    expect(await writesOf(app)).toBe(before);
    await put({ growth: { biometryEveryDays: 12 } });
    const tag = reply.headers.get('etag') ?? '';
    expect(
      await outcomeOf(app, () => put({ growth: { biometryEveryDays: 14 } }, { 'If-Match': tag })),
    ).toEqual(refused(412));
    const entries = await app.database.read
      .selectFrom('logs')
      .select('details')
      .where('entity_id', '=', place.farmId)
      .where('entity_name', '=', 'Science settings')
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    expect(JSON.parse(entries[0]?.details ?? '')).toMatchObject({
      before: { growth: { biometryEveryDays: 10 } },
      after: { growth: { biometryEveryDays: 12 } },
    });
  });

  it('two first changes at the same moment both hold', async () => {
    const { token } = place.stranger;
    const at = `/farms/${place.strangersFarmId}/science`;
    const replies = await Promise.all([
      app.call('PUT', at, { token, body: { growth: { biometryEveryDays: 9 } } }),
      app.call('PUT', at, { token, body: { energy: { tariffPerKwh: 0.9 } } }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(body(await app.call('GET', at, { token }))['overrides']).toEqual({
      growth: { biometryEveryDays: 9 },
      energy: { tariffPerKwh: 0.9 },
    });
  });

  it('everybody on the farm reads, owner and managers set, to strangers it is missing', async () => {
    for (const { token } of [place.technician, place.viewer])
      expect(await outcomeOf(app, () => app.call('PUT', path(), { token, body: {} }))).toEqual(refused(403));
    const { token } = place.stranger;
    expect(await outcomeOf(app, () => app.call('GET', path(), { token }))).toEqual(refused(404));
  });
});
