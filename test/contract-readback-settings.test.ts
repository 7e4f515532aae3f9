import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScienceSettingsAnswer } from '#contract/resources/science.ts';
import { ALERT_TYPES } from '#contract/words.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { apiDocument } from '#test/api-document.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { type Engine, onBothEngines } from '#test/databases.ts';
import { operationOf } from '#test/sample-request.ts';

// Settings of a farm as a whole, and of what hangs on its box: every field that the document says a PUT takes is sent alone,
// answered, and found by whoever reads afterwards, and the fields beside it stay.

type Table = Record<string, unknown>;
type Settings = {
  /** The route as it is declared. */
  route: string;
  path: string;
  /** Values for each field, one after the other; a field of the document that is not here is missed. */
  values: Readonly<Record<string, readonly unknown[]>>;
  /** What must be said beside a field for it to be allowed. */
  beside?: Readonly<Record<string, Table>>;
  always?: Table;
  /** Fields that name what is done, and are no value that could be read. */
  acts?: readonly string[];
  read: () => Promise<Table | undefined>;
  /** Fields that follow from another. */
  follows?: readonly string[];
};

let app: App;
let farm: { token: string; farmId: string };

function onAFarm(engine: Engine) {
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aFarmWith(app);
  });
  afterAll(() => app.close());
}
const call = (method: string, path: string, sent?: unknown) =>
  app.call(method, path, { token: farm.token, ...(sent === undefined ? {} : { body: sent }) });
const get = async (path: string) => body(await call('GET', path));
const made = async (path: string, sent: Table) => {
  const reply = await call('POST', path, sent);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return String(body(reply)['id']);
};
const aPond = (cod: string) => made('/ponds/', { farm_id: farm.farmId, cod });

/** Whatever was sent is answered and read; the rest is as before. */
async function walk({
  route,
  path,
  values,
  beside = {},
  always = {},
  acts = [],
  read,
  follows = [],
}: Settings) {
  const [method = '', declared = ''] = route.split(' ');
  const document = apiDocument(app.routes);
  const schema = operationOf(document, { method, path: declared } as never).requestBody?.content[
    'application/json'
  ]?.schema;
  const documented = Object.keys(schema?.properties ?? {});
  const walked = [...Object.keys(values), ...acts, ...Object.keys(always)];
  expect(
    documented.filter((field) => !walked.includes(field)),
    route,
  ).toEqual([]);
  expect(documented.length).toBeGreaterThan(0);
  for (const [field, each] of Object.entries(values)) {
    for (const value of each) {
      const before = await read();
      const with_ = { ...always, ...beside[field] };
      const reply = await call(method, path, { ...with_, [field]: value, nobody_knows: 1 });
      expect(reply.status, `${field} ${JSON.stringify([value, reply.body])}`).toBe(200);
      const after = await read();
      expect(after?.[field], `${route} ${field}`).toEqual(value);
      const told = body(reply);
      if (Object.hasOwn(told, field)) expect(told[field], `${route} ${field}, answered`).toEqual(value);
      const moved = Object.keys(before ?? {}).filter(
        (name) =>
          name !== field &&
          name !== 'updated_at' &&
          !follows.includes(name) &&
          !Object.hasOwn(with_, name) &&
          JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
      );
      expect(moved, `${route} ${field} moved others`).toEqual([]);
    }
  }
}

onBothEngines('settings of a farm are read back:', (_open, engine) => {
  onAFarm(engine);

  it('what is arranged for its screens', async () => {
    const [one, two] = [await aPond('V-01'), await aPond('V-02')];
    await walk({
      route: 'PUT /farms/{farm_id}/console',
      path: `/farms/${farm.farmId}/console`,
      values: {
        wall: [
          [{ pond_id: one, column: 99, row: 0 }],
          [
            { pond_id: two, column: 0, row: 7 },
            { pond_id: one, column: 3, row: 99 },
          ],
          [],
        ],
        alarm_responses: [
          Object.fromEntries(ALERT_TYPES.map((type) => [type, `Chamar ${type}.\nDepois medir.`])),
        ],
      },
      read: () => get(`/farms/${farm.farmId}/console`),
    });
  });

  it('how its sirens sound', async () => {
    await walk({
      route: 'PUT /farms/{farm_id}/siren/settings',
      path: `/farms/${farm.farmId}/siren/settings`,
      values: { sound_minutes: [1, 60, 7], pause_minutes: [60, 1, 11] },
      read: () => get(`/farms/${farm.farmId}/siren`),
    });
  });

  it('every figure behind its advice, by itself', async () => {
    const path = `/farms/${farm.farmId}/science`;
    const at = (table: unknown, names: readonly string[]) =>
      names.reduce<unknown>((inner, name) => (inner as Table | undefined)?.[name], table);
    const { rules } = (await get(path)) as unknown as ScienceSettingsAnswer;
    const paths = new Set(rules.map((rule) => rule.path.split('[]')[0] ?? ''));
    let read = 0;
    const refused: string[] = [];
    for (const each of paths) {
      const names = each.split('.');
      const rule = rules.find((one) => one.path === each);
      const standard = at(SCIENCE_DEFAULTS, names);
      const near =
        typeof standard === 'number'
          ? [1.0123, 0.9877, 1.1]
              .map((by) => standard * by)
              .filter((value) => value >= (rule?.min ?? 0) && value <= (rule?.max ?? value))
          : (rule?.words?.filter((word) => word !== standard) ?? []);
      // lists, and what stands at the end of its range: as they are, and as the farm's own
      const sent = [...near, standard];
      for (const value of sent) {
        const reply = await call(
          'PUT',
          path,
          names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value),
        );
        // another figure sets its bounds
        if (reply.status === 422) continue;
        expect(reply.status, each).toBe(200);
        const told = await get(path);
        expect(at(told['overrides'], names), each).toEqual(
          typeof value === 'number' ? expect.closeTo(value, 10) : value,
        );
        expect(at(told['constants'], names), each).toEqual(
          typeof value === 'number' ? expect.closeTo(value, 10) : value,
        );
        expect([told['updated_by'], body(reply)['overrides']]).toEqual([
          expect.any(String),
          told['overrides'],
        ]);
        read += 1;
        break;
      }
      if (at((await get(path))['overrides'], names) === undefined) refused.push(each);
      await call('PUT', path, { [names[0] ?? '']: null });
      expect((await get(path))['overrides']).toEqual({});
    }
    expect(refused).toEqual([]);
    expect(read).toBeGreaterThan(150);
  }, 120_000);
});

describe('settings of what hangs on a box are read back:', () => {
  onAFarm('sqlite');
  const register = {
    parameter: 'temperature',
    function_code: 4,
    address: 65_534,
    type: 'f32',
    word_order: '3412',
    scale: -0.001,
    offset: 273.15,
    not_measured: [-9999, 65_535],
    min: -5,
    max: 60,
  };
  const line = (farm_id: string) => ({ name: 'Linha 1', kind: 'tcp', host: '127.0.0.1', farm_id });

  it('a bus of probes', async () => {
    const id = await made('/probe-buses/', line(farm.farmId));
    const serial = { kind: 'serial', device: '/dev/serial/by-id/usb-1-port0', host: null };
    await walk({
      route: 'PUT /probe-buses/{probe_bus_id}',
      path: `/probe-buses/${id}`,
      values: {
        name: ['Linha do norte'],
        host: ['127.0.0.2'],
        port: [1, 65_535, 4_001],
        is_enabled: [false, true],
        kind: ['rtu_over_tcp', 'tcp'],
        baud: [1200, 115_200],
        parity: ['odd', 'even'],
        stop_bits: [2],
        device: ['/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0'],
      },
      beside: { device: serial },
      read: () => get(`/probe-buses/${id}`),
      follows: ['state', 'trouble', 'figures'],
    });
  });

  it('a model of probes, with every part of a register', async () => {
    const id = await made('/probe-profiles/', {
      farm_id: farm.farmId,
      name: 'Minha sonda',
      registers: [{ parameter: 'ph', address: 0 }],
    });
    await walk({
      route: 'PUT /probe-profiles/{probe_profile_id}',
      path: `/probe-profiles/${id}`,
      values: { name: ['Sonda nova'], notes: ['Endereço 1 de fábrica.\nCalibrar.', null] },
      acts: ['registers'],
      read: async () =>
        ((await call('GET', `/probe-profiles/?farm_id=${farm.farmId}`)).body as Table[]).find(
          (one) => one['id'] === id,
        ),
    });
    const reply = await call('PUT', `/probe-profiles/${id}`, { registers: [register] });
    expect(body(reply)['registers']).toEqual([expect.objectContaining(register)]);
  });

  it('a probe', async () => {
    const bus = await made('/probe-buses/', line(farm.farmId));
    const other = await made('/probe-buses/', { ...line(farm.farmId), host: '127.0.0.3' });
    const [pond, next] = [await aPond('S-01'), await aPond('S-02')];
    const profile = await made('/probe-profiles/', {
      farm_id: farm.farmId,
      name: 'Da casa',
      registers: [register],
    });
    const id = await made('/probes/', {
      pond_id: pond,
      probe_bus_id: bus,
      name: 'OD 1',
      unit_id: 1,
      probe_profile_id: 'in-situ-odo',
      is_enabled: false,
    });
    await walk({
      route: 'PUT /probes/{probe_id}',
      path: `/probes/${id}`,
      values: {
        name: ['OD norte'],
        unit_id: [247, 2],
        probe_profile_id: [profile],
        poll_s: [2, 300],
        is_enabled: [true, false],
        calibrated_at: ['2026-01-05T10:00:00.000Z', null],
        calibration_days: [730, null, 1],
        pond_id: [next],
        probe_bus_id: [other],
      },
      read: () => get(`/probes/${id}`),
      follows: [
        'pond_cod',
        'profile_name',
        'calibration_due_at',
        'is_calibration_due',
        'readings',
        'quality',
        'trouble',
      ],
    });
  });

  it('a relay', async () => {
    const [carrier, point] = [
      await aControlPoint(app, { ...farm, cod: 'R-1' }),
      await aControlPoint(app, { ...farm, cod: 'R-2' }),
    ];
    const adopted = await call('PUT', `/control-points/${carrier.id}/relay`, {
      kind: 'tasmota',
      mqtt_host: '192.168.1.9',
    });
    expect(adopted.status).toBe(200);
    await walk({
      route: 'PUT /control-points/{control_point_id}/relay',
      path: `/control-points/${point.id}/relay`,
      always: { kind: 'tasmota' },
      values: { channel: [1, 4], load: ['motor', 'contactor'], carrier_id: [carrier.id] },
      beside: { carrier_id: { channel: 2 } },
      acts: ['discovered_id', 'mqtt_host'],
      read: async () => (await get(`/control-points/${point.id}/relay`))['relay'] as Table | undefined,
      // each adoption gives a new key and begins anew
      follows: ['created_at', 'channel', 'load', 'carrier_id', 'mqtt_id', 'kind', 'warnings'],
    });
  });

  it('what is wrong with virtual controllers', async () => {
    const reply = await call('POST', '/simulator/controllers', { farm_id: farm.farmId, count: 2 });
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    const shown = async () =>
      (await get(`/simulator?farm_id=${farm.farmId}`))['controllers'] as {
        control_point_id: string;
        conditions: Table;
      }[];
    const [first, second] = await shown();
    await walk({
      route: 'PUT /simulator/conditions',
      path: '/simulator/conditions',
      always: { farm_id: farm.farmId, control_point_ids: [first?.control_point_id] },
      values: {
        power: ['off', 'on'],
        network: ['down', 'up'],
        delay_ms: [10_000, 1],
        loss: [0.9, 0.125],
        clock_skew_s: [-86_400, 3_600],
        stuck_at: ['ON', 'OFF', null],
        breaker: ['tripped', 'closed'],
        hand_switch: ['ON', 'OFF', 'AUTO'],
      },
      read: async () => (await shown())[0]?.conditions,
    });
    expect((await shown())[1]?.conditions).toEqual(second?.conditions);
  });
});
