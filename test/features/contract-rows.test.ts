import { afterAll, beforeAll, expect, it } from 'vitest';
import { csvText } from '#core/csv-text.ts';
import { aBatch, aPondToStock, type StockedPond } from '#test/a-batch.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type App, aStaffedFarm } from '#test/staffed-farm.ts';

// Rows of the interface that were answered otherwise. Today is 2 March 2026.

onBothEngines('rows of the interface', (_open, engine) => {
  let app: App;
  let farm: StockedPond;
  beforeAll(async () => {
    app = await startApp(engine, ['--local-plan', 'ENTERPRISE']);
    farm = await aPondToStock(app);
  });
  afterAll(() => app.close());

  const call = (method: string, path: string, sent?: Record<string, unknown>) =>
    app.call(method, path, { token: farm.token, ...(sent === undefined ? {} : { body: sent }) });

  it('a control point on a farm of somebody else is answered as on one that is not', async () => {
    const { farmId } = await aStaffedFarm(app);
    const on = async (farm_id: string) => {
      const reply = await call('POST', '/control-points/', {
        farm_id,
        cod: 'CP-1',
        target_status: 'OFF',
        device_id: 'esp-1',
      });
      return [reply.status, body(reply)['detail']];
    };
    const answered = await on(farmId);
    expect(answered[0]).toBe(404);
    expect(answered).toEqual(await on(app.kernel.newId()));
  });

  it('coordinates are strings: numbers are refused with the status of each resource', async () => {
    const pond = await call('POST', '/ponds/', { farm_id: farm.farmId, cod: 'N-1', lat: -3.7 });
    expect(pond).toMatchObject({ status: 400, body: { errors: [{ path: 'lat' }] } });
    const place = await call('PUT', `/farms/${farm.farmId}`, { lng: -38.5 });
    expect(place).toMatchObject({ status: 422, body: { errors: [{ path: 'lng' }] } });
    expect((await call('PUT', `/farms/${farm.farmId}`, { lng: '-38.5' })).status).toBe(200);
  });

  it('a partial harvest takes its date and price by both names', async () => {
    const id = await aBatch(app, farm);
    const taken = await call('POST', `/batches/${id}/harvests`, {
      date: '2026-02-20',
      quantity: 100,
      weight_kg: 1,
      price: 30,
    });
    expect(taken).toMatchObject({
      status: 201,
      body: { harvest_date: '2026-02-20T03:00:00.000Z', price_per_kg: 30, revenue: 30 },
    });
    const corrected = await call('PUT', `/batches/${id}/harvests/${String(body(taken)['id'])}`, {
      price: 20,
    });
    expect(corrected).toMatchObject({
      status: 200,
      body: { harvest_date: '2026-02-20T03:00:00.000Z', price_per_kg: 20 },
    });
  });

  it('a schedule moves to another control point of its farm, and says so', async () => {
    const point = async (cod: string) =>
      String(
        body(
          await call('POST', '/control-points/', {
            farm_id: farm.farmId,
            cod,
            target_status: 'OFF',
            device_id: `esp-${cod}`,
          }),
        )['id'],
      );
    const [one, other] = [await point('CP-A'), await point('CP-B')];
    const made = await call('POST', `/control-points/${one}/schedules`, {
      action: 'ON',
      start_time: '2026-03-05T20:00:00Z',
    });
    const path = `/schedules/${String(body(made)['id'])}`;
    expect((await call('PATCH', path, { control_point_id: one })).status).toBe(200);
    expect(await call('PATCH', path, { control_point_id: other })).toMatchObject({
      status: 200,
      body: { control_point_id: other },
    });
    expect((await call('GET', `/control-points/${one}/schedules`)).body).toEqual([]);
  });

  it('a change says what of it cannot be changed; what was read and is sent back says nothing', async () => {
    const id = await aBatch(app, farm);
    const batch = body(await call('GET', `/batches/${id}`));
    const wrong = await call('PUT', `/batches/${id}`, {
      notes: 'x',
      batch_code: 'X-9',
      end_reason: 'monodon',
      final_weight_kg: 7,
    });
    expect(wrong).toMatchObject({
      status: 200,
      body: {
        notes: 'x',
        batch_code: batch['batch_code'],
        warnings: [
          {
            code: 'NOT_CHANGED',
            message:
              'batch_code, end_reason, final_weight_kg: not changed; what can be changed here is expected_harvest_date, survival_rate, notes, species, lineage, larva_origin, start_date, initial_count, initial_avg_weight, initial_density',
          },
        ],
      },
    });
    const again = await call('PUT', `/batches/${id}`, { ...body(await call('GET', `/batches/${id}`)) });
    expect(body(again)['warnings'] ?? []).toEqual([]);
    const unknown = await call('PUT', `/batches/${id}`, { nobody_knows: 1 });
    expect(body(unknown)['warnings'] ?? []).toEqual([]);
    const point = await call('POST', '/control-points/', {
      farm_id: farm.farmId,
      cod: 'CP-N',
      target_status: 'OFF',
      device_id: 'esp-CP-N',
    });
    const moved = await call('PUT', `/control-points/${String(body(point)['id'])}`, { target_status: 'ON' });
    expect(moved).toMatchObject({ status: 200, body: { target_status: 'OFF' } });
  });

  it('what a thing belongs to, and what else it never changes, is told too; ids in either form say nothing', async () => {
    const other = String(body(await call('POST', '/ponds/', { farm_id: farm.farmId, cod: 'V-O' }))['id']);
    const batch = await aBatch(app, farm);
    const made = async (path: string, sent: Record<string, unknown>) => {
      const reply = await call('POST', path, sent);
      return String(body(reply)['id']);
    };
    const aerator = await made('/aerators/', {
      pond_id: farm.pondId,
      name: 'A',
      device_id: 'aer-x',
      power_kw: 1,
    });
    const expense = {
      batch_id: batch,
      category: 'LABOR',
      amount: 1,
      description: 'x',
      expense_date: '2026-03-01',
    };
    const bill = await made('/financial/expenses', expense);
    const task = await made(`/farms/${farm.farmId}/tasks`, { text: 'x' });
    const channel = await made('/notification-channels/', {
      kind: 'WEBHOOK',
      address: 'http://127.0.0.1:9/x',
    });
    const token = await made('/access-tokens', { name: 'x', scopes: ['read'] });
    const id = app.kernel.newId();
    for (const [method, path, sent, named] of [
      ['PUT', `/ponds/${farm.pondId}`, { farm_id: id }, 'farm_id'],
      ['PUT', `/aerators/${aerator}`, { pond_id: other }, 'pond_id'],
      ['PUT', `/farms/${farm.farmId}`, { owner_id: id }, 'owner_id'],
      ['PUT', `/financial/expenses/${bill}`, { batch_id: id }, 'batch_id'],
      ['PUT', `/tasks/${task}`, { farm_id: id }, 'farm_id'],
      ['PATCH', `/notification-channels/${channel}`, { kind: 'EMAIL' }, 'kind'],
      ['PATCH', `/access-tokens/${token}`, { scopes: ['control'] }, 'scopes'],
    ] as const) {
      const reply = await call(method, path, sent);
      expect([path, reply.status, body(reply)['warnings']]).toMatchObject([
        path,
        200,
        [{ code: 'NOT_CHANGED', message: expect.stringMatching(`^${named}: not changed`) }],
      ]);
    }
    const { numeric_id } = body(await call('GET', `/batches/${batch}`));
    for (const batch_id of [batch, batch.toUpperCase(), numeric_id]) {
      const same = await call('PUT', `/financial/expenses/${bill}`, { batch_id, updated_at: null });
      expect(body(same)['warnings'] ?? []).toEqual([]);
    }
  });

  it('a schedule is no change of its control point', async () => {
    const made = await call('POST', '/control-points/', {
      farm_id: farm.farmId,
      cod: 'CP-U',
      target_status: 'OFF',
      device_id: 'esp-CP-U',
    });
    const path = `/control-points/${String(body(made)['id'])}`;
    const schedule = await call('POST', `${path}/schedules`, {
      action: 'ON',
      start_time: '2026-03-05T20:00:00Z',
    });
    expect(schedule.status).toBe(201);
    const one = `/schedules/${String(body(schedule)['id'])}`;
    expect((await call('PATCH', one, { is_active: false })).status).toBe(200);
    expect((await call('DELETE', one)).status).toBe(204);
    expect(body(await call('GET', path))).toMatchObject({ updated_at: null });
  });

  it('orders of a control point are listed whole unless a page is asked for', async () => {
    const made = await call('POST', '/control-points/', {
      farm_id: farm.farmId,
      cod: 'CP-L',
      target_status: 'OFF',
      device_id: 'esp-CP-L',
    });
    const path = `/control-points/${String(body(made)['id'])}`;
    for (let n = 0; n < 104; n += 1)
      expect((await call('POST', `${path}/turn-${n % 2 === 0 ? 'on' : 'off'}`)).status).toBe(200);
    const all = await call('GET', `${path}/orders`);
    const total = Number(all.headers.get('x-total-count'));
    expect([total >= 104, (all.body as unknown[]).length]).toEqual([true, total]);
    const page = await call('GET', `${path}/orders?limit=3&skip=1`);
    expect(page.body).toEqual((all.body as unknown[]).slice(1, 4));
  });

  it('an order by the old path answers the level that it makes', async () => {
    await call('POST', '/control-points/', {
      farm_id: farm.farmId,
      cod: 'CP-S',
      target_status: 'OFF',
      device_id: 'esp-CP-S',
    });
    const told = body(await call('PUT', '/iot/shadow/esp-CP-S', { target_status: 'ON' }));
    expect(told).toMatchObject({ target_status: 'ON' });
    expect(body(await call('GET', '/iot/shadow/esp-CP-S'))).toMatchObject({
      target_status: 'ON',
      version: told['version'],
      target_origin: told['target_origin'],
    });
  });

  it('ids in files keep every digit', async () => {
    const id = await aBatch(app, farm);
    const { numeric_id } = body(await call('GET', `/batches/${id}`));
    const file = await call('GET', `/exports/batch/${id}/report/csv`);
    expect(String(file.body)).toContain(`batch,batch_id,${String(numeric_id)},`);
  });

  it('a low oxygen of years ago is told in the answer, and alarms nobody now', async () => {
    const measured = await call('POST', '/water-quality/', {
      pond_id: farm.pondId,
      measurement_date: '2001-05-01T08:00:00Z',
      dissolved_oxygen: 1.2,
    });
    expect(measured).toMatchObject({
      status: 201,
      body: { alerts_triggered: [{ type: 'LOW_OXYGEN', resolved: true }] },
    });
    expect(body(await call('GET', '/notifications/?type=ALERT'))['notifications']).toEqual([]);
    expect(body(await call('GET', `/water-quality/pond/${farm.pondId}/alerts`))).toMatchObject({
      summary: { total_alerts: 1, unresolved: 0 },
    });
  });

  it('feed that was hardly recorded makes no conversion, never 0 and never EXCELLENT', async () => {
    const id = await aBatch(app, farm);
    await call('POST', '/biometries/', {
      batch_id: id,
      measurement_date: '2026-03-01T12:00:00Z',
      sample_size: 100,
      total_weight_g: 900,
    });
    await call('POST', '/feeding/', {
      batch_id: id,
      feed_type: '35%',
      quantity_kg: 2.5,
      cost_per_kg: 6,
      feed_date: '2026-03-01',
    });
    expect(body(await call('GET', `/feeding/batch/${id}/summary`))).toMatchObject({
      fca_analysis: { fca: null, efficiency_rating: null },
    });
  });

  it('the farm’s own level of what kills decides the advice, and reading tells what entering told', async () => {
    const science = await call('PUT', `/farms/${farm.farmId}/science`, {
      water: { criticalOxygenMgL: 2.5 },
    });
    expect(science.status).toBe(200);
    const pond = await call('POST', '/ponds/', { farm_id: farm.farmId, cod: 'V-AD' });
    const pondId = String(body(pond)['id']);
    const low = async (dissolved_oxygen: number, time: string) => {
      const measurement_date = `2026-03-02T${time}:00Z`;
      return body(
        await call('POST', '/water-quality/', { pond_id: pondId, dissolved_oxygen, measurement_date }),
      );
    };
    const [bad, deadly] = [await low(2.8, '11:00'), await low(2.4, '11:30')];
    const adviceIn = (alerts: unknown) => (alerts as { advice: string }[]).map(({ advice }) => advice);
    const [mild] = adviceIn(bad['alerts_triggered']);
    const [grave] = adviceIn(deadly['alerts_triggered']);
    expect(grave).toContain('chame ajuda');
    expect(mild).not.toBe(grave);
    const all = body(await call('GET', `/water-quality/pond/${pondId}/alerts`));
    expect(adviceIn(all['alerts'])).toEqual(expect.arrayContaining([mild, grave]));
    const latest = body(await call('GET', `/water-quality/pond/${pondId}/latest`));
    expect(adviceIn(latest['alerts'])).toContain(grave);
    const listed = await call('GET', `/alerts/?include=all&farm_id=${farm.farmId}`);
    expect(adviceIn(listed.body)).toContain(grave);
  });

  it('every status that a finished batch answers is documented', async () => {
    const { paths } = body(await call('GET', '/openapi.json')) as {
      paths: Record<string, { get?: { responses: object } }>;
    };
    const [, document] = Object.entries(paths).find(([path]) => path.includes('/optimal-harvest/')) ?? [];
    expect(Object.keys(document?.get?.responses ?? {})).toContain('409');
  });
});

it('no file shows what binary fractions leave of a figure', () => {
  const csv = csvText({ bom: '0', separator: 'comma' });
  expect(csv.row([4.6000000000000005, 0.1 + 0.2, 1_234_567.891, 0])).toBe('4.6,0.3,1234567.891,0\r\n');
  expect(csv.row([281_474_976_710_655])).toBe('281474976710655\r\n');
});
