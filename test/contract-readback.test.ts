import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '#core/route.ts';
import { apiDocument } from '#test/api-document.ts';
import { type App, body, type Reply, type SignedUp, startApp } from '#test/app.ts';
import { type Engine, onBothEngines } from '#test/databases.ts';
import { aFarm, deviceIdOf } from '#test/farm-rows.ts';
import { type ApiDocument, type JsonSchema, type Names, operationOf } from '#test/sample-request.ts';
import { isInTurn } from '#test/turn.ts';

// Every field that the document says a PUT or PATCH takes: another value is sent, the answer has it, and whoever reads
// afterwards finds it. What nobody documented changes nothing. A field that is taken and forgotten tells the farm that a
// correction stands which does not.

onBothEngines('a change of every field', (_open, engine) => isReadBack(engine));

/** Where what was changed is read, when not at its own path: a list with a line of it. */
const READ_IN: Readonly<Record<string, (names: Names) => string>> = {
  'PATCH /schedules/{schedule_id}': ({ control_point }) => `/control-points/${control_point}/schedules`,
  'PUT /batches/{batch_id}/harvests/{harvest_id}': ({ batch }) => `/batches/${batch}/harvests`,
};
/** Other names under which a field is answered, and what is made of it. */
const SHOWN_AS: Readonly<Record<string, readonly [field: string, of: (sent: never) => unknown]>> = {
  'PUT /aerators/{aerator_id} power_watts': ['power_kw', (watts: number) => watts / 1000],
  'PUT /batches/{batch_id}/harvests/{harvest_id} date': ['harvest_date', (at: string) => at],
  'PUT /batches/{batch_id}/harvests/{harvest_id} price': ['price_per_kg', (price: number) => price],
  'PUT /batches/{batch_id}/losses/{loss_id} date': ['lost_at', (at: string) => at],
};
/** Fields that are no value of the row: what they do is another test's. */
const ACTS: ReadonlySet<string> = new Set([
  'PATCH /schedules/{schedule_id} apply_now',
  'PUT /biometries/{biometry_id} subsamples',
  // of a water exchange alone: records.test.ts
  'PUT /records/{record_id} source',
  // of signs of disease and laboratory results alone: health-records.test.ts
  'PUT /records/{record_id} signs',
  'PUT /records/{record_id} affected_percent',
  'PUT /records/{record_id} severity',
  'PUT /records/{record_id} disease',
  'PUT /records/{record_id} disease_name',
  'PUT /records/{record_id} sample',
  'PUT /records/{record_id} method',
  'PUT /records/{record_id} result',
  'PUT /records/{record_id} result_on',
  'PUT /records/{record_id} report_number',
  // of feeding trays alone: feed-trays.test.ts
  'PUT /records/{record_id} trays',
  'PUT /records/{record_id} feeding_id',
  // of a preparation alone: pond-preparation.test.ts
  'PUT /records/{record_id} step',
  'PUT /records/{record_id} ended_on',
  // of a meter reading alone: meter-readings.test.ts
  'PUT /records/{record_id} meter',
  'PUT /records/{record_id} meter_factor',
  'PUT /records/{record_id} meter_change',
  // it goes with its own repeat: tasks.test.ts
  'PUT /tasks/{task_id} repeat',
  'PUT /tasks/{task_id} days_of_week',
  'PUT /tasks/{task_id} assignee_id',
  'PUT /users/me password',
  'PUT /users/me current_password',
  'PUT /users/me email',
  // it needs animals in another pond: transfers.test.ts
  'PUT /transfers/{transfer_id} source_pond_id',
]);
const DAY = '2026-02-20T10:00:00.000Z';
/** What no schema says of a value: it must fit what else stands in the row. */
const VALUES: Readonly<Record<string, unknown>> = {
  state: 'SP',
  zip_code: '01310-100',
  lat: '-4.5',
  lng: '-37.25',
  timezone: 'America/Recife',
  language: 'en',
  expected_harvest_date: '2026-05-01T03:00:00.000Z',
  start_date: '2026-01-10',
  expires_on: '2026-09-01',
  first_day: '2026-02-10',
  ended_on: '2027-09-01',
  remind_at: '06:30',
  start_time: '2026-02-20T21:00:00.000Z',
  individual_weights_g: Array.from({ length: 100 }, () => 9),
  is_siren: false,
  allow_unkeyed: false,
  do_off: 9.5,
};
const BESIDE: Readonly<Record<string, object>> = {
  end_time: { repeat_pattern: 'ONCE', days_of_week: null, start_time: '2026-02-20T09:00:00.000Z' },
  repeat_pattern: { days_of_week: null },
  days_of_week: { repeat_pattern: 'WEEKLY' },
  do_on: { do_off: 9 },
  do_off: { do_on: 1 },
  do_emergency: { do_on: 5, do_off: 9 },
  quiet_from: { quiet_to: '06:00' },
  quiet_to: { quiet_from: '22:00' },
};

function isReadBack(engine: Engine): void {
  let app: App;
  let document: ApiDocument;
  let owner: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine, ['--local-plan', 'ENTERPRISE']);
    document = apiDocument(app.routes);
    owner = await app.signUp();
  });
  afterAll(() => app.close());

  const call = (method: string, path: string, sent?: unknown): Promise<Reply> =>
    app.call(method, path, { token: owner.token, ...(sent === undefined ? {} : { body: sent }) });

  async function aThing(route: Route) {
    const ids = await aFarm(app.kernel, owner.user.id);
    const second = body(await call('POST', '/ponds/', { farm_id: ids.farm, cod: 'V-2' }))['id'];
    const third = body(await call('POST', '/ponds/', { farm_id: ids.farm, cod: 'V-3' }))['numeric_id'];
    const moved = await call('POST', '/transfers/', {
      batch_id: ids.batch,
      source_pond_id: ids.pond,
      destination_pond_id: second,
      quantity: 10_000,
      transfer_date: '2026-02-15T10:00:00Z',
    });
    expect(moved.status).toBe(201);
    const point = body(
      await call('POST', '/control-points/', {
        farm_id: ids.farm,
        cod: `CP-${ids.farm}`,
        target_status: 'OFF',
        device_id: `device-${ids.farm.slice(0, 8)}`,
      }),
    )['id'];
    const address = body(
      await call('POST', '/addresses/', {
        street: 'Rua A',
        number: 1,
        city: 'Acaraú',
        state: 'CE',
        zip_code: '62580000',
      }),
    )['id'];
    const names = {
      ...ids,
      transfer: String(body(moved)['id']),
      feeding: ids.feeding_record,
      record: ids.farm_record,
      entry: ids.feed_stock,
      lot: ids.harvest_lot,
      address,
      user: owner.user.id,
      device: deviceIdOf(ids.control_point),
    } as unknown as Names & Record<string, string>;
    const path = route.path.replaceAll(
      /\{(\w+)\}/g,
      (_, field: string) => names[field.replace(/_id$/, '')] ?? field,
    );
    return {
      path,
      names,
      others: { pond: second, destination_pond: third, control_point: point, address } as Record<
        string,
        unknown
      >,
    };
  }

  /** Another value than the one that stands there. */
  function otherThan(
    schema: JsonSchema,
    name: string,
    was: unknown,
    others: Record<string, unknown>,
  ): unknown {
    const known = name.endsWith('_id') ? others[name.replace(/_id$/, '')] : VALUES[name];
    if (known !== undefined) return known;
    const one = (schema.anyOf ?? []).find(({ type }) => type !== 'null') ?? schema;
    if (one.enum)
      return (
        one.enum.find((word) => word !== was && String(word) === String(word).toUpperCase()) ?? one.enum[0]
      );
    if (one.format === 'date-time' || name.endsWith('_date') || name === 'date') return DAY;
    switch (one.type) {
      case 'boolean':
        return was !== true;
      case 'integer':
      case 'number': {
        const step = one.type === 'integer' ? 1 : 0.25;
        const up = (typeof was === 'number' ? was : (one.minimum ?? one.exclusiveMinimum ?? 0)) + step;
        return up <= (one.maximum ?? Number.POSITIVE_INFINITY) ? up : up - 2 * step;
      }
      case 'array':
        return name === 'days_of_week' ? [2, 5] : [];
      default:
        return `outro ${name}`;
    }
  }

  const isWalked = ({ method, path, access, body: takes, deprecated }: Route): boolean => {
    if ((method !== 'PUT' && method !== 'PATCH') || takes === undefined || deprecated) return false;
    if (path === '/users/me' || path === '/addresses/{address_id}') return true;
    if (access.who !== 'farm' || 'box' in access) return false;
    const [, things] = path.split('/');
    // settings of a farm as a whole, and what hangs on devices, have shapes and tests of their own
    return !/console|science|siren|relay|probe|simulator|bench/.test(path) && things !== 'alerts';
  };

  test('is answered and read back, and nothing else changes', async () => {
    const wrong: string[] = [];
    let [asked, changed] = [0, 0];
    for (const route of app.routes.filter(isWalked)) {
      const named = `${route.method} ${route.path}`;
      const schema = operationOf(document, route).requestBody?.content['application/json']?.schema;
      for (const [field, of] of Object.entries(schema?.properties ?? {})) {
        if (ACTS.has(`${named} ${field}`)) continue;
        // SQLite is asked about each of them every time
        asked += 1;
        if (engine === 'postgres' && !isInTurn(asked, 4)) continue;
        const { path, names, others } = await aThing(route);
        const readAt = READ_IN[named]?.(names) ?? path;
        const read = async (at = readAt) => {
          const { body: told } = await call('GET', at);
          const lines = told as unknown as Record<string, unknown>[];
          return Array.isArray(told)
            ? lines.find(({ id }) => path.endsWith(String(id)))
            : body({ body: told } as Reply);
        };
        const [shown, make] = SHOWN_AS[`${named} ${field}`] ?? [field, (sent: unknown) => sent];
        const before = await read();
        const value = otherThan(of, field, before?.[shown], others);
        const beside = BESIDE[field] ?? {};
        const reply = await call(route.method, path, { ...beside, [field]: value, nobody_knows: 1 });
        const moved = field === 'control_point_id' && readAt !== path;
        const after = await read(moved ? `/control-points/${String(value)}/schedules` : readAt);
        const wanted = JSON.stringify(make(value as never));
        const idOf = (at: unknown) => (at as { id?: unknown; uuid?: unknown } | null)?.uuid ?? at;
        const told = [reply.status, body(reply)?.[shown], after?.[shown]].map(idOf);
        const isRight = told[0] === 200 && told.slice(1).every((one) => JSON.stringify(one) === wanted);
        changed += 1;
        if (!isRight) {
          wrong.push(
            `${named} ${field}: sent ${wanted}, ${JSON.stringify([...told, reply.body]).slice(0, 300)}`,
          );
          continue;
        }
        const isOfIt = (name: string) =>
          name in beside ||
          [shown, field, 'updated_at', 'numeric_id'].includes(name) ||
          FOLLOWS[shown]?.includes(name) === true;
        const others_ = Object.keys(before ?? {}).filter(
          (name) => !isOfIt(name) && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
        );
        if (others_.length > 0) wrong.push(`${named} ${field}: changed ${others_.join(', ')} too`);
      }
    }
    expect(wrong).toEqual([]);
    expect(changed).toBeGreaterThan(engine === 'sqlite' ? 60 : 10);
  }, 300_000);
}

/** What follows from a field and is told beside it. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  happened_at: ['harvest_from'],
  withdrawal_days: ['harvest_from'],
  device_id: ['mqtt_id'],
  start_time: ['next_event_at'],
  end_time: ['next_event_at'],
  repeat_pattern: ['next_event_at'],
  days_of_week: ['next_event_at'],
  is_active: ['next_event_at'],
  // of a task
  every_days: ['due_on', 'next_due_on'],
  first_day: ['due_on', 'next_due_on'],
  ended_on: ['due_on', 'next_due_on'],
  survival_rate: ['estimated_survival_rate', 'current_biomass_kg', 'current_population', 'ponds'],
  start_date: ['days_active'],
  initial_count: ['current_biomass_kg', 'current_population', 'current_fca', 'ponds'],
  initial_avg_weight: ['current_biomass_kg', 'average_weight_g', 'current_fca', 'ponds'],
  quantity: ['average_weight_g', 'biomass_transferred'],
  weight_kg: ['average_weight_g', 'revenue'],
  price_per_kg: ['revenue', 'total_cost'],
  // of a harvest lot
  classes: ['revenue'],
  count: ['average_weight_g'],
  average_weight_g: ['count'],
  severity: ['told_as', 'dead_count'],
  dead_count: ['severity'],
  dead_weight_kg: ['told_as', 'severity', 'dead_count'],
  pond_id: ['severity', 'pond_cod'],
  lost_at: ['severity'],
  measurement_date: ['measurement_day'],
  sample_size: ['average_weight_g'],
  total_weight_g: ['average_weight_g'],
  individual_weights_g: ['coefficient_variation', 'weight_sd_g'],
  weight_sd_g: ['coefficient_variation'],
  average_weight: ['biomass_transferred'],
  destination_pond_id: ['destination_pond'],
  temperature: ['oxygen_saturation_percent'],
  dissolved_oxygen: ['oxygen_saturation_percent'],
  salinity: ['oxygen_saturation_percent', 'ammonia_as'],
  ph: ['ammonia_as'],
  ammonia: ['ammonia_as'],
  quantity_kg: ['total_cost', 'bags', 'bag_kg', 'left_kg'],
  bags: ['quantity_kg', 'total_cost', 'left_kg'],
  bag_kg: ['quantity_kg', 'total_cost', 'left_kg'],
  cost_per_kg: ['total_cost'],
};
