import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { aBatch } from '#test/a-batch.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Eight in the evening on a farm three hours behind UTC. */
const EVENING = Date.UTC(2026, 2, 2, 23);

type Json = Record<string, unknown>;

onBothEngines('oxygen and the motors', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  let day = 0;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token, farmId } = await aFarmWith(app, { timezone: 'America/Fortaleza' }));
  });
  afterAll(() => app.close());
  beforeEach(() => {
    // each in an evening of its own
    app.clock.set(EVENING + 24 * HOUR * (day += 1));
  });

  async function aPondWithMotor(settings: Json = { do_on: 4, do_off: 5, do_emergency: 3 }) {
    const point = await aControlPoint(app, { token, farmId });
    const made = await app.call('POST', '/ponds/', {
      token,
      body: { farm_id: farmId, cod: `V-${point.cod}`, control_point_id: point.id },
    });
    const path = `/control-points/${point.id}/settings`;
    expect((await app.call('PUT', path, { token, body: settings })).status).toBe(200);
    return { point, pondId: String(body(made)['id']), pondCod: `V-${point.cod}` };
  }

  async function measure(pond_id: string, dissolved_oxygen: number, more: Json = {}): Promise<string> {
    const made = await app.call('POST', '/water-quality/', {
      token,
      body: { pond_id, dissolved_oxygen, ...more },
    });
    expect(made.status).toBe(201);
    await look();
    return String(body(made)['id']);
  }

  const pass = async (minutes: number) => {
    app.clock.advance(minutes * MINUTE);
    await look();
  };
  /** The next second in which what was committed has been read: a busy database may take more than one. */
  async function look(): Promise<void> {
    await app.control.oxygen.settled();
    await app.control.executor.tick();
  }
  const shown = async (id: string) => body(await app.call('GET', `/control-points/${id}`, { token }));
  const orders = async (id: string) =>
    (await app.call('GET', `/control-points/${id}/orders`, { token })).body as Json[];

  it('a low reading starts the motor at the next second, with the reason for whoever asks', async () => {
    const { point, pondId, pondCod } = await aPondWithMotor();
    await measure(pondId, 4.6);
    expect(await shown(point.id)).toMatchObject({ target_status: 'OFF', target_reason: null });
    await measure(pondId, 3.82);
    expect(await shown(point.id)).toMatchObject({ target_status: 'ON', target_origin: 'SAFETY' });
    const reason = `oxygen in pond ${pondCod}: 3.82 mg/L, at or below the ON level (4.00 mg/L)`;
    expect((await orders(point.id))[0]).toMatchObject({ origin: 'SAFETY', issued_by: null, reason });
    expect(await shown(point.id)).toMatchObject({ target_reason: reason });
    const logs = (await app.call('GET', `/logs/control-points/${point.id}`, { token })).body as Json[];
    expect(logs.find(({ action }) => action === 'turn_on')).toMatchObject({
      origin: 'SAFETY',
      user_id: null,
      details: { demand: 'SET_POINT', why: 'BELOW_ON_LEVEL', oxygen_mg_l: 3.82, level_mg_l: 4, reason },
    });
    await pass(15);
    await measure(pondId, 5.3);
    expect(await shown(point.id)).toMatchObject({ target_status: 'OFF' });
  });

  it('an emergency goes over a manual order, and every control point that airs the pond joins', async () => {
    const { point, pondId } = await aPondWithMotor();
    const other = await aControlPoint(app, { token, farmId });
    const aerator = { pond_id: pondId, name: 'Reforço', device_id: other.device_id, power_kw: 2 };
    expect((await app.call('POST', '/aerators/', { token, body: aerator })).status).toBe(201);
    await app.control.oxygen.settled();
    await app.call('POST', `/control-points/${point.id}/turn-off`, { token });
    await app.call('POST', `/control-points/${other.id}/turn-off`, { token });
    await measure(pondId, 3.4);
    expect(await shown(point.id)).toMatchObject({ target_status: 'OFF' });
    const reading = await measure(pondId, 2.6);
    await pass(0.1);
    expect(await shown(point.id)).toMatchObject({ target_status: 'ON', target_origin: 'SAFETY' });
    expect(await shown(other.id)).toMatchObject({ target_status: 'ON', target_origin: 'SAFETY' });
    await app.call('POST', `/control-points/${point.id}/lock-out`, { token, body: { reason: 'cabo solto' } });
    await pass(1);
    expect(await shown(point.id)).toMatchObject({ target_status: 'OFF' });
    expect(await shown(other.id)).toMatchObject({ target_status: 'ON' });
    // taken back: nobody knows, so it goes on; then somebody has measured
    expect((await app.call('DELETE', `/water-quality/${reading}`, { token })).status).toBe(204);
    await app.control.oxygen.settled();
    await pass(20);
    expect(await shown(other.id)).toMatchObject({ target_status: 'ON' });
    await measure(pondId, 5.1);
    expect(await shown(other.id)).toMatchObject({ target_status: 'OFF', target_origin: 'LOCAL' });
  });

  it('in an emergency a turn-off is refused before it reaches the motor; a lock-out stops it', async () => {
    const { point, pondId, pondCod } = await aPondWithMotor();
    const aerator = { pond_id: pondId, name: 'Pás', device_id: point.device_id, power_kw: 2 };
    const made = await app.call('POST', '/aerators/', { token, body: aerator });
    await measure(pondId, 2.4);
    const before = await shown(point.id);
    const given = (await orders(point.id)).length;
    const off = await app.call('POST', `/control-points/${point.id}/turn-off`, { token });
    const byAerator = await app.call('POST', `/aerators/${body(made)['id']}/control`, {
      token,
      body: { status: 'OFF' },
    });
    for (const refused of [off, byAerator]) {
      expect(refused.status).toBe(409);
      expect(body(refused)).toMatchObject({
        code: 'OXYGEN_EMERGENCY',
        detail: `${point.cod} airs in an emergency (oxygen in pond ${pondCod}: 2.40 mg/L, at or below the emergency level (3.00 mg/L)): only a lock-out stops it`,
      });
    }
    expect(await shown(point.id)).toEqual(before);
    expect(await orders(point.id)).toHaveLength(given);
    const on = await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    expect(on.status).toBe(200);
    await app.call('POST', `/control-points/${point.id}/lock-out`, { token, body: { reason: 'cabo solto' } });
    expect(await shown(point.id)).toMatchObject({
      target_status: 'OFF',
      target_reason: 'locked out: cabo solto',
    });
  });

  it('without set points a measurement switches nothing', async () => {
    const { point, pondId } = await aPondWithMotor({});
    await measure(pondId, 0.4);
    await pass(60);
    expect(await orders(point.id)).toEqual([]);
  });

  it('a corrected reading counts as it is now', async () => {
    const { point, pondId } = await aPondWithMotor();
    const id = await measure(pondId, 0.52);
    expect(await shown(point.id)).toMatchObject({ target_status: 'ON' });
    await pass(15);
    await app.call('PUT', `/water-quality/${id}`, { token, body: { dissolved_oxygen: 5.2 } });
    await pass(1);
    expect(await shown(point.id)).toMatchObject({ target_status: 'OFF' });
  });

  const forecast = async (pondId: string, language = 'en') =>
    body(
      await app.call('GET', `/ponds/${pondId}/oxygen-forecast`, {
        token,
        headers: { 'Accept-Language': language },
      }),
    );
  const alertsOf = async (wanted: string, pondId: string, status: string) => {
    const all = (await app.call('GET', `/alerts/?include=all&status=${status}`, { token })).body as Json[];
    return all.filter(({ type, pond_id }) => type === wanted && pond_id === pondId);
  };
  const forecastAlerts = (pondId: string, status = 'ACTIVE') =>
    alertsOf('LOW_OXYGEN_FORECAST', pondId, status);
  const requests = (pondId: string, status = 'ACTIVE') => alertsOf('MEASURE_OXYGEN', pondId, status);
  const notices = async (alertId: unknown) => {
    const list = (await app.call('GET', '/notifications/?type=ALERT&limit=100', { token })).body as {
      notifications: { data: Json; title: string; message: string }[];
    };
    return list.notifications.filter(({ data }) => data['alert_id'] === alertId);
  };

  it('a pond that is in danger already is told what to do now, and no hour that is past', async () => {
    const { pondId } = await aPondWithMotor({});
    await measure(pondId, 3.6);
    await pass(120);
    await measure(pondId, 2.8);
    const acute = String((await forecast(pondId, 'pt-BR'))['message']);
    expect(acute).toMatch(
      /oxigênio em cerca de 2,8 mg\/L, já abaixo de 4,0 mg\/L\. Ligue todos os aeradores do viveiro agora/,
    );
    expect(acute).not.toContain('antes dessa hora');
    await pass(30);
    await measure(pondId, 0.4);
    expect(String((await forecast(pondId, 'pt-BR'))['message'])).toMatch(
      /CRÍTICO, oxigênio em cerca de 0,4 mg\/L/,
    );
    // the trend over 30 days is told second
    const trend = body(await app.call('GET', `/water-quality/trend/${pondId}/dissolved_oxygen`, { token }));
    expect((trend['recommendations'] as string[])[0]).toMatch(
      /^CRÍTICO, viveiro .*: o oxigênio em 0,4 mg\/L às \d\d:\d\d\. Ligue todos os aeradores do viveiro agora/,
    );
    // what was read hours ago has fallen since: the level is not told as still to come
    const other = await aPondWithMotor({});
    await measure(other.pondId, 5);
    await pass(60);
    await measure(other.pondId, 4.5);
    await pass(240);
    const later = String((await forecast(other.pondId, 'pt-BR'))['message']);
    expect(later).toMatch(/já abaixo de 4,0 mg\/L\. Ligue todos os aeradores do viveiro agora/);
  });

  it('nobody is told to stop feeding a pond that is empty, with a forecast or without one', async () => {
    const { pondId } = await aPondWithMotor({});
    const batch = await aBatch(app, { token, pondId });
    await measure(pondId, 2.8);
    const stocked = await forecast(pondId);
    expect((await app.call('POST', `/batches/${batch}/finish`, { token, body: {} })).status).toBe(200);
    const once = await forecast(pondId);
    await pass(120);
    await measure(pondId, 1.9);
    const twice = await forecast(pondId);
    expect([stocked, once, twice]).toMatchObject([
      { why_none: 'ONE_READING', message: expect.stringMatching(/Last reading 2\.8 mg\/L.*\bmeal\b/) },
      { why_none: 'ONE_READING', message: expect.stringContaining('Last reading 2.8 mg/L. Switch on') },
      { why_none: null, message: expect.stringContaining('CRITICAL, oxygen at about 1.9 mg/L') },
    ]);
    for (const { message } of [once, twice]) expect(message).not.toMatch(/\bfeed|\bration|\bmeal/i);
    await app.forecast.watch.look();
    const [alarm] = await forecastAlerts(pondId);
    expect(alarm?.['message']).not.toMatch(/\braç|refeiç/i);
  });

  it('what is expected at dawn is told in the evening, once, and ends when it is no longer expected', async () => {
    const { pondId, pondCod } = await aPondWithMotor({});
    expect(await forecast(pondId)).toMatchObject({ forecast: null, why_none: 'NO_READING' });
    await measure(pondId, 6.2);
    await app.forecast.watch.look();
    expect(await forecast(pondId, 'pt-BR')).toMatchObject({
      why_none: 'ONE_READING',
      message: expect.stringContaining('Só uma leitura'),
    });
    await pass(180);
    await measure(pondId, 5.1);
    await app.forecast.watch.look();
    const found = await forecast(pondId);
    expect(found).toMatchObject({
      pond_id: pondId,
      why_none: null,
      emergency_level: 3.5,
      warn_below: 4,
      forecast: {
        dissolved_oxygen: 2.84,
        uncertainty: 0.9,
        chance_low: 0.95,
        outlook: 'WARN',
        measure_at: null,
      },
      message: expect.stringContaining(
        'oxygen expected at 05:30: 2.8 ± 0.9 mg/L. It reaches 4.0 mg/L at 01:',
      ),
    });
    // the straight line and the logarithm that were published of these two readings (Madenjian et al. 1987)
    const told = found['forecast'] as { dissolved_oxygen: number; uncertainty: number };
    for (const published of [2.72, 3.34])
      expect(Math.abs(told.dissolved_oxygen - published)).toBeLessThanOrEqual(told.uncertainty);
    expect(String(found['reaches_emergency_at']).slice(11, 13)).toBe('06');
    const [raised, ...more] = await forecastAlerts(pondId);
    expect(more).toEqual([]);
    expect(raised).toMatchObject({
      severity: 'HIGH',
      value: 2.84,
      threshold: 4,
      message: expect.stringContaining(`Viveiro ${pondCod}: oxigênio previsto para 05:30: 2,8 ± 0,9 mg/L`),
    });
    expect(await notices(raised?.['id'])).toHaveLength(1);

    // neither the same again nor a worse value of the same severity says anything new
    await pass(16);
    await measure(pondId, 5.02);
    await app.forecast.watch.look();
    await pass(44);
    await measure(pondId, 3.9);
    await app.forecast.watch.look();
    const [worse] = await forecastAlerts(pondId);
    expect(worse).toMatchObject({ id: raised?.['id'], severity: 'HIGH' });
    expect(Number(worse?.['value'])).toBeLessThan(2.5);
    expect(await notices(raised?.['id'])).toHaveLength(1);

    // aerators were switched on
    await pass(60);
    await measure(pondId, 5.4);
    await pass(20);
    await measure(pondId, 5.6);
    await app.forecast.watch.look();
    expect(await forecastAlerts(pondId)).toEqual([]);
    expect(await forecastAlerts(pondId, 'RESOLVED')).toHaveLength(1);
  });

  it('readings too few to rule a low dawn out are no alarm: people are asked to measure, and their answer decides', async () => {
    const { pondId, pondCod } = await aPondWithMotor({});
    await measure(pondId, 6.2);
    await pass(180);
    await measure(pondId, 5.6);
    await app.forecast.watch.look();
    expect(await forecast(pondId)).toMatchObject({ forecast: { outlook: 'MEASURE' } });
    expect(await forecastAlerts(pondId)).toEqual([]);
    const [asked, ...more] = await requests(pondId);
    expect(more).toEqual([]);
    expect(asked).toMatchObject({
      severity: 'LOW',
      message: expect.stringMatching(
        /poucas para descartar um amanhecer abaixo de 4,0 mg\/L: meça de novo às 01:15\. Se ninguém puder medir, deixe os aeradores ligados/,
      ),
    });
    expect(await notices(asked?.['id'])).toMatchObject([{ title: expect.stringContaining(pondCod) }]);
    await pass(60);
    await app.forecast.watch.look();
    expect(await notices(asked?.['id'])).toHaveLength(1);

    // at the hour asked for it is low: now it is an alarm, and the request is answered
    await pass(80);
    await measure(pondId, 4.4);
    await app.forecast.watch.look();
    await pass(45);
    await app.forecast.watch.look();
    const [raised] = await forecastAlerts(pondId);
    expect(raised).toMatchObject({ threshold: 4 });
    expect(await requests(pondId)).toEqual([]);
    expect(await requests(pondId, 'RESOLVED')).toHaveLength(1);
    expect(await notices(raised?.['id'])).toHaveLength(1);

    // the same again says nothing new; worse does
    await pass(16);
    await measure(pondId, 4.3);
    await app.forecast.watch.look();
    expect(await notices(raised?.['id'])).toHaveLength(1);
    await pass(16);
    await measure(pondId, 2.6);
    await app.forecast.watch.look();
    expect(await forecastAlerts(pondId)).toMatchObject([{ id: raised?.['id'], severity: 'HIGH' }]);
    expect((await notices(raised?.['id'])).length).toBeGreaterThanOrEqual(
      raised?.['severity'] === 'HIGH' ? 1 : 2,
    );
  });

  it('an answer that rules a low dawn out ends the request, and no alarm was raised', async () => {
    const { pondId } = await aPondWithMotor({});
    await measure(pondId, 6.2);
    await pass(180);
    await measure(pondId, 5.6);
    await app.forecast.watch.look();
    expect(await requests(pondId)).toHaveLength(1);
    await pass(140);
    await measure(pondId, 5.6);
    await app.forecast.watch.look();
    expect(await requests(pondId)).toEqual([]);
    expect(await forecastAlerts(pondId, 'RESOLVED')).toEqual([]);
  });

  it('a request that nobody answers is told once more, louder, while there is time, and ends with the night', async () => {
    const { pondId } = await aPondWithMotor({});
    await measure(pondId, 6.2);
    await pass(180);
    await measure(pondId, 5.6);
    await app.forecast.watch.look();
    const [asked] = await requests(pondId);
    await pass(3 * 60 + 5);
    await app.forecast.watch.look();
    expect(await requests(pondId)).toMatchObject([
      { id: asked?.['id'], severity: 'MEDIUM', message: expect.stringContaining('meça de novo agora') },
    ]);
    expect(await notices(asked?.['id'])).toHaveLength(2);
    expect(await forecastAlerts(pondId)).toEqual([]);
    await pass(3 * 60 + 30);
    await app.forecast.watch.look();
    expect(await requests(pondId)).toEqual([]);
  });

  it('a forecast made while the motor runs says that it counts on it', async () => {
    const { point, pondId } = await aPondWithMotor({});
    await measure(pondId, 6.2);
    await pass(180);
    await measure(pondId, 5.1);
    expect(String((await forecast(pondId, 'pt-BR'))['message'])).not.toContain('conta com os aeradores');
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    await look();
    expect(String((await forecast(pondId, 'pt-BR'))['message'])).toContain(
      'conta com os aeradores que estão ligados: não os desligue',
    );
  });

  it('after dawn the forecast of the night is over', async () => {
    const { pondId } = await aPondWithMotor({});
    await measure(pondId, 6.2);
    await pass(180);
    await measure(pondId, 5.1);
    await app.forecast.watch.look();
    expect(await forecastAlerts(pondId)).toHaveLength(1);
    await pass(6 * 60 + 31);
    await app.forecast.watch.look();
    expect(await forecastAlerts(pondId)).toEqual([]);
    expect(await forecast(pondId)).toMatchObject({ forecast: null, why_none: 'BY_DAY' });
  });

  it('a pond is found by its number, and by nobody who may not see it', async () => {
    const { pondId } = await aPondWithMotor({});
    const pond = body(await app.call('GET', `/ponds/${pondId}`, { token }));
    expect(await forecast(String(pond['numeric_id']))).toMatchObject({ pond_id: pondId });
    const stranger = await app.signUp();
    const refused = await app.call('GET', `/ponds/${pondId}/oxygen-forecast`, { token: stranger.token });
    expect(refused.status).toBe(404);
  });
});
