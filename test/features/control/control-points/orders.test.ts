import { afterAll, beforeAll, expect, it } from 'vitest';
import { aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

onBothEngines('orders to a control point', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let token: string;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token, farmId } = await aFarmWith(app));
  });
  afterAll(() => app.close());

  const heartbeat = (deviceId: string, status: string, more = {}) =>
    app.call('POST', '/devices/heartbeat', {
      token,
      body: { device_id: deviceId, current_status: status, ...more },
    });

  it('reach the controller with its next heartbeat, and its report comes back', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const ordered = await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    expect(ordered.status).toBe(200);
    expect(body(ordered)).toMatchObject({ id: point.id, target_status: 'ON', current_status: null });
    const first = await heartbeat(point.device_id, 'off');
    expect(body(first)).toMatchObject({ target_status: 'ON', version: 2, poll_interval_s: 30 });
    await heartbeat(point.device_id, 'on', { version: 2, epoch: point.epoch });
    const shown = await app.call('GET', `/control-points/${point.id}`, { token });
    expect(body(shown)).toMatchObject({ current_status: 'ON', target_status: 'ON', is_online: true });
    const orders = await app.call('GET', `/control-points/${point.id}/orders`, { token });
    expect(body(orders)).toMatchObject([{ state: 'APPLIED', origin: 'LOCAL', version: 2 }]);
  });

  it('are superseded by the next one', async () => {
    const point = await aControlPoint(app, { token, farmId });
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    await app.call('POST', `/control-points/${point.id}/turn-off`, { token });
    const orders = await app.call('GET', `/control-points/${point.id}/orders`, { token });
    expect((orders.body as { state: string }[]).map(({ state }) => state)).toEqual(['SENT', 'SUPERSEDED']);
  });

  it('with a time go back to the rules when it is over', async () => {
    const point = await aControlPoint(app, { token, farmId });
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token, body: { for_s: 600 } });
    await app.control.executor.tick();
    expect(body(await heartbeat(point.device_id, 'OFF'))).toMatchObject({ target_status: 'ON' });
    app.clock.advance(601_000);
    await app.control.executor.tick();
    expect(body(await heartbeat(point.device_id, 'ON'))).toMatchObject({ target_status: 'OFF' });
  });

  it('with a misspelt time hold as without one, and say so', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const order = (sent: unknown) =>
      app.call('POST', `/control-points/${point.id}/turn-on`, { token, body: sent });
    const misspelt = await order({ for_seconds: 600 });
    expect(misspelt.status).toBe(200);
    expect(body(misspelt)).toMatchObject({
      target_status: 'ON',
      hold_until: null,
      warnings: [
        { code: 'UNKNOWN_FIELD', message: expect.stringMatching(/^for_seconds: .*known are for_s, reason/) },
      ],
    });
    expect(body(await order({ for_s: 600, colour: 'blue' }))).not.toHaveProperty('warnings');
    expect(body(await order({}))).not.toHaveProperty('warnings');
  });

  it('start nothing that is locked out, whoever asks', async () => {
    const point = await aControlPoint(app, { token, farmId });
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    await app.call('POST', `/control-points/${point.id}/lock-out`, {
      token,
      body: { reason: 'belt is off' },
    });
    expect(body(await heartbeat(point.device_id, 'ON'))).toMatchObject({ target_status: 'OFF' });
    const refused = await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    expect(refused.status).toBe(409);
    expect(body(refused)).toMatchObject({ code: 'LOCKED_OUT' });
    await app.control.executor.tick();
    expect(body(await heartbeat(point.device_id, 'OFF'))).toMatchObject({ target_status: 'OFF' });
    await app.call('DELETE', `/control-points/${point.id}/lock-out`, { token });
    await app.control.executor.tick();
    expect(body(await heartbeat(point.device_id, 'OFF'))).toMatchObject({ target_status: 'ON' });
  });

  it.each(['ON', 'OFF'] as const)(
    '%s that the controller refuses stay what the person wants',
    async (wanted) => {
      const point = await aControlPoint(app, { token, farmId });
      const other = wanted === 'ON' ? 'OFF' : 'ON';
      const turn = (status: string) =>
        app.call('POST', `/control-points/${point.id}/turn-${status.toLowerCase()}`, { token });
      await turn(other);
      await heartbeat(point.device_id, other);
      await turn(wanted);
      const view = app.control.registry.byId(point.id);
      const controller = {
        controlPointId: point.id,
        deviceId: point.device_id,
        mqttId: point.mqtt_id,
        keyId: '',
      };
      await app.control.door.reported(controller, {
        epoch: point.epoch,
        version: view?.row.version ?? 0,
        current_status: other,
        ack: 'refused',
        reason: 'door open',
      });
      app.clock.advance(5_000);
      await app.control.executor.tick();
      const shown = await app.call('GET', `/control-points/${point.id}`, { token });
      const orders = await app.call('GET', `/control-points/${point.id}/orders`, { token });
      expect(body(shown)).toMatchObject({ target_status: wanted, target_origin: 'LOCAL' });
      expect((orders.body as { state: string }[]).map(({ state }) => state)).toEqual(['REJECTED', 'APPLIED']);
    },
  );

  it('pass a controller that knows a newer version than a restored database', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const answer = await heartbeat(point.device_id, 'OFF', { version: 40, epoch: point.epoch });
    expect(body(answer)).toMatchObject({ version: 41 });
  });

  it('are logged with who, why and when', async () => {
    const point = await aControlPoint(app, { token, farmId });
    await app.call('POST', `/control-points/${point.id}/turn-on`, {
      token,
      body: { reason: 'low oxygen at V-03' },
    });
    const logs = await app.call('GET', `/logs/control-points/${point.id}`, { token });
    expect((logs.body as { action: string; details: unknown }[])[0]).toMatchObject({
      action: 'turn_on',
      details: { reason: 'low oxygen at V-03', version: 2 },
    });
  });

  it('find their control point by its id in capitals, too', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const shown = await app.call('GET', `/control-points/${point.id.toUpperCase()}`, { token });
    expect(body(shown)).toMatchObject({ id: point.id });
  });
});
