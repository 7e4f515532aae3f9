import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShadowDesired } from '#contract/mqtt/messages.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';

describe('an order can be followed from the request to the relay', () => {
  let app: App;
  const told: { mqttId: string; level: ShadowDesired }[] = [];
  const lines = (orderId: unknown) =>
    app.sentences
      .filter(({ fields }) => fields['order_id'] === orderId)
      .map(({ fields, sentence }) => ({ sentence, ...fields }));

  beforeAll(async () => {
    app = await startApp();
    app.control.attach({
      publishShadow: (mqttId, level) => void told.push({ mqttId, level }),
      publishConfig: () => undefined,
      publishSchedule: () => undefined,
      publishOta: () => undefined,
      forget: () => undefined,
      isConnected: () => true,
    });
  });
  afterAll(() => app.close());

  it('by one id in the answer, the log, the audit and the order, and by epoch and version over MQTT', async () => {
    const { token, farmId } = await aFarmWith(app);
    const { id, device_id, mqtt_id, epoch, cod } = await aControlPoint(app, { token, farmId });
    const answer = await app.call('POST', `/control-points/${id}/turn-on`, {
      token,
      headers: { 'X-Request-Id': 'console-42' },
    });
    expect(answer.headers.get('x-request-id')).toBe('console-42');
    const { order_id, version } = body(answer);
    app.clock.advance(700);
    await app.call('POST', '/devices/heartbeat', {
      token,
      body: { device_id, current_status: 'ON', version, epoch },
    });

    const where = { control_point_id: id, cod, device_id };
    const level = { epoch, version };
    expect(lines(order_id)).toEqual([
      {
        sentence: 'order given',
        order_id,
        request_id: 'console-42',
        target_status: 'ON',
        origin: 'LOCAL',
        ...where,
        ...level,
      },
      { sentence: 'level of an order told to its controller', order_id, mqtt_id, ...level },
      { sentence: 'order went on', order_id, state: 'APPLIED', after_ms: 700, ...where },
    ]);
    expect(told.at(-1)).toMatchObject({ mqttId: mqtt_id, level });
    const entries = (await app.call('GET', `/logs/control-points/${id}`, { token })).body;
    expect(JSON.stringify(entries)).toContain('"request_id":"console-42"');
    expect(JSON.stringify(entries)).toContain(`"order_id":"${String(order_id)}"`);
    const orders = (await app.call('GET', `/control-points/${id}/orders`, { token })).body;
    expect(orders).toMatchObject([{ id: order_id, version, state: 'APPLIED' }]);
  });

  it('also when an aerator is switched', async () => {
    const { token, farmId } = await aFarmWith(app);
    const { device_id } = await aControlPoint(app, { token, farmId });
    const pond = await app.call('POST', '/ponds/', {
      token,
      body: { farm_id: farmId, cod: 'V-1', area_m2: 1_000, depth_m: 1 },
    });
    const made = await app.call('POST', '/aerators/', {
      token,
      body: { pond_id: body(pond)['id'], name: 'Pá 1', power_kw: 1.5, device_id },
    });
    const done = await app.call('POST', `/aerators/${String(body(made)['id'])}/control`, {
      token,
      headers: { 'X-Request-Id': 'console-43' },
      body: { status: 'ON' },
    });
    expect(done.status).toBe(200);
    expect(app.sentences.filter(({ fields }) => fields['request_id'] === 'console-43')).toHaveLength(1);
  });
});
