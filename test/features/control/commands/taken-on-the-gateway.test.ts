import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takenQueries } from '#adapters/sql/queries/control/commands.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { takeCommand } from '#features/control/commands/take-command.ts';
import { type App, aControlPoint, aFarmWith, body, startApp, startAppBeside } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { describeOnPostgres } from '#test/postgres.ts';
import { aCommand, ordersOf, take } from './a-command.ts';

onBothEngines('an order from afar on the gateway of the farm', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  const told: unknown[] = [];
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token, farmId } = await aFarmWith(app));
    app.commands?.parts.onCommandState((frame) => told.push(frame));
  });
  afterAll(() => app.close());

  const aPoint = () => aControlPoint(app, { token, farmId });
  const heartbeat = (deviceId: string, status: string, more = {}) =>
    app.call('POST', '/devices/heartbeat', {
      token,
      body: { device_id: deviceId, current_status: status, ...more },
    });
  const targetOf = (id: string) => app.control.registry.byId(id)?.row.target_status;

  it('switches, with who ordered it, and tells when the controller did it', async () => {
    const point = await aPoint();
    const { user } = await app.signUp();
    const frame = aCommand(app, point, { issued_by: user.id, reason: 'low oxygen' });
    expect(await take(app, frame)).toEqual({
      is: 'command_state',
      id: frame.id,
      state: 'accepted',
      result: null,
    });
    const [order] = await ordersOf(app, token, point.id);
    expect(order).toMatchObject({ id: frame.id, origin: 'REMOTE', issued_by: user.id, reason: 'low oxygen' });
    const answer = await heartbeat(point.device_id, 'OFF');
    expect(body(answer)).toMatchObject({ target_status: 'ON', version: 2 });
    await heartbeat(point.device_id, 'ON', { version: 2, epoch: point.epoch });
    await expect
      .poll(() => told)
      .toContainEqual({ is: 'command_state', id: frame.id, state: 'done', result: null });
    expect(await take(app, frame)).toMatchObject({ state: 'done' });
    expect(await ordersOf(app, token, point.id)).toHaveLength(1);
  });

  it('that took too long on its way is void, wherever the time went', async () => {
    const point = await aPoint();
    const old = aCommand(app, point, { age_ms: 60_001 });
    expect(await take(app, old)).toMatchObject({ state: 'expired', result: 'TOO_LATE' });
    const young = aCommand(app, point, { age_ms: 59_000 });
    const receivedAt = app.clock.now();
    app.clock.advance(1_500);
    expect(await take(app, young, receivedAt)).toMatchObject({ state: 'expired' });
    // and stays so, though it is told younger
    expect(await take(app, { ...young, age_ms: 0 })).toMatchObject({ state: 'expired' });
    expect(targetOf(point.id)).toBe('OFF');
    expect(await ordersOf(app, token, point.id)).toEqual([]);
  });

  it('that a wrong clock of the gateway would call old is as young as it is', async () => {
    const point = await aPoint();
    const frame = aCommand(app, point, { age_ms: 59_000 });
    app.stepWallClock(50 * 365 * 86_400_000);
    expect(await take(app, frame)).toMatchObject({ state: 'accepted' });
    app.stepWallClock(-50 * 365 * 86_400_000);
  });

  it('that comes twice, even at the same moment, switches once', async () => {
    const point = await aPoint();
    const frame = aCommand(app, point);
    const answers = await Promise.all([take(app, frame), take(app, frame), take(app, frame)]);
    expect(answers.map(({ state }) => state)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await ordersOf(app, token, point.id)).toHaveLength(1);
    expect(app.control.registry.byId(point.id)?.row.version).toBe(2);
    await app.call('POST', `/control-points/${point.id}/turn-off`, { token });
    expect(await take(app, frame)).toMatchObject({ state: 'superseded', result: 'NEWER_ORDER' });
    expect(targetOf(point.id)).toBe('OFF');
  });

  it('under the id of an order that was given here already is refused, and changes neither', async () => {
    const [point, other] = [await aPoint(), await aPoint()];
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    const [given] = await ordersOf(app, token, point.id);
    const id = String(given?.['id']);
    for (const of of [point, other]) {
      const frame = aCommand(app, of, { id, target_status: of === point ? 'OFF' : 'ON', is_forced: true });
      expect(await take(app, frame)).toEqual({
        is: 'command_state',
        id,
        state: 'rejected',
        result: 'ID_TAKEN',
      });
    }
    expect([targetOf(point.id), targetOf(other.id)]).toEqual(['ON', 'OFF']);
    expect(await ordersOf(app, token, point.id)).toEqual([given]);
    expect(await ordersOf(app, token, other.id)).toEqual([]);
  });

  it('follows an earlier one from afar that whoever ordered had not seen carried out', async () => {
    const point = await aPoint();
    const basis = aCommand(app, point).basis;
    expect(await take(app, aCommand(app, point, { basis }))).toMatchObject({ state: 'accepted' });
    const off = aCommand(app, point, { basis, target_status: 'OFF' });
    expect(await take(app, off)).toMatchObject({ state: 'accepted' });
    expect(targetOf(point.id)).toBe('OFF');
  });

  it('is superseded by whoever switched on the farm meanwhile, unless it was confirmed', async () => {
    const point = await aPoint();
    const { basis } = aCommand(app, point);
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    const off = aCommand(app, point, { basis, target_status: 'OFF' });
    expect(await take(app, off)).toMatchObject({ state: 'superseded', result: 'CHANGED_ON_FARM' });
    expect(targetOf(point.id)).toBe('ON');
    const forced = aCommand(app, point, { basis, target_status: 'OFF', is_forced: true });
    expect(await take(app, forced)).toMatchObject({ state: 'accepted' });
    // and the order of the farm does not take it back a second later
    await app.control.executor.tick();
    expect(targetOf(point.id)).toBe('OFF');
  });

  it('does not go before an order of the farm that was seen and still holds', async () => {
    const point = await aPoint();
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    const off = aCommand(app, point, { target_status: 'OFF' });
    expect(await take(app, off)).toMatchObject({ state: 'superseded', result: 'LOCAL_HOLD' });
    await app.control.executor.tick();
    expect(targetOf(point.id)).toBe('ON');
  });

  it('is superseded by a schedule that switched meanwhile', async () => {
    const point = await aPoint();
    const { basis } = aCommand(app, point);
    const start = new Date(app.clock.now() + 60_000).toISOString();
    const made = await app.call('POST', `/control-points/${point.id}/schedules`, {
      token,
      body: { action: 'ON', start_time: start },
    });
    expect(made.status).toBe(201);
    app.clock.advance(61_000);
    await app.control.executor.tick();
    expect(targetOf(point.id)).toBe('ON');
    const off = aCommand(app, point, { basis, target_status: 'OFF' });
    expect(await take(app, off)).toMatchObject({ state: 'superseded', result: 'CHANGED_ON_FARM' });
  });

  it('starts nothing that is locked out, forced or not', async () => {
    const point = await aPoint();
    const { basis } = aCommand(app, point);
    await app.call('POST', `/control-points/${point.id}/lock-out`, {
      token,
      body: { reason: 'belt is off' },
    });
    for (const is_forced of [false, true]) {
      const frame = aCommand(app, point, { basis, is_forced });
      expect(await take(app, frame)).toMatchObject({ state: 'rejected', result: 'LOCKED_OUT: belt is off' });
    }
    expect(targetOf(point.id)).toBe('OFF');
  });

  it('never goes before a safety rule that decided meanwhile, forced or not', async () => {
    const point = await aPoint();
    const { basis } = aCommand(app, point);
    const locked = `/control-points/${point.id}/lock-out`;
    await app.call('POST', locked, { token, body: { reason: 'work' } });
    await app.call('DELETE', locked, { token });
    for (const is_forced of [false, true]) {
      const frame = aCommand(app, point, { basis, is_forced });
      expect(await take(app, frame)).toMatchObject({ state: 'superseded', result: 'SAFETY' });
    }
  });

  it('stops nothing that airs in an emergency', async () => {
    const point = await aPoint();
    await app.call('PUT', `/control-points/${point.id}/settings`, {
      token,
      body: { do_on: 4, do_off: 5, do_emergency: 3 },
    });
    const pond = await app.call('POST', '/ponds/', {
      token,
      body: {
        farm_id: farmId,
        cod: 'V-77',
        pond_type: 'FATTENING',
        size_m2: 1000,
        depth_m: 1.5,
        control_point_id: point.id,
      },
    });
    expect(pond.status).toBe(201);
    const low = await app.call('POST', '/water-quality/', {
      token,
      body: { pond_id: body(pond)['id'], dissolved_oxygen: 1.2 },
    });
    expect(low.status).toBe(201);
    await app.control.oxygen.settled();
    // motors of a farm start one after the other
    app.clock.advance(10_000);
    await app.control.executor.tick();
    expect(targetOf(point.id)).toBe('ON');
    const off = aCommand(app, point, { target_status: 'OFF', is_forced: true });
    expect(await take(app, off)).toMatchObject({ state: 'rejected', result: 'OXYGEN_EMERGENCY' });
    expect(targetOf(point.id)).toBe('ON');
  });

  it('to a control point that is not here is refused, and that is remembered', async () => {
    const point = await aPoint();
    const frame = aCommand(app, point, { control_point_id: farmId });
    expect(await take(app, frame)).toMatchObject({ state: 'rejected', result: 'UNKNOWN_CONTROL_POINT' });
    expect(await take(app, { ...frame, control_point_id: point.id })).toMatchObject({ state: 'rejected' });
    expect(targetOf(point.id)).toBe('OFF');
  });

  it('with a time goes back to the rules when it is over', async () => {
    const point = await aPoint();
    expect(await take(app, aCommand(app, point, { hold_s: 600 }))).toMatchObject({ state: 'accepted' });
    app.clock.advance(601_000);
    await app.control.executor.tick();
    expect(targetOf(point.id)).toBe('OFF');
  });

  it('tells how every control point stands', async () => {
    const point = await aPoint();
    await heartbeat(point.device_id, 'OFF', { consumption: 1.5 });
    expect(app.commands?.parts.livePoints().find(({ id }) => id === point.id)).toMatchObject({
      is_online: true,
      heard_at_ms: app.clock.now(),
      consumption: 1.5,
      current_status: 'OFF',
      target_status: 'OFF',
    });
  });
});

describeOnPostgres('the run after a power cut', () => {
  it('does not fire a taken order again, but answers from what the controller reports', async () => {
    const app = await startApp('postgres');
    const { token, farmId } = await aFarmWith(app);
    const point = await aControlPoint(app, { token, farmId });
    const frame = aCommand(app, point);
    expect(await take(app, frame)).toMatchObject({ state: 'accepted' });
    // the next run on the same disk
    const next = await startAppBeside(app);
    next.clock.set(app.clock.now() + 3_600_000);
    expect(await take(next, frame)).toMatchObject({ state: 'accepted' });
    expect(await ordersOf(next, token, point.id)).toHaveLength(1);
    const report = { device_id: point.device_id, current_status: 'ON', version: 2, epoch: point.epoch };
    await next.call('POST', '/devices/heartbeat', { token, body: report });
    expect(await take(next, frame)).toMatchObject({ state: 'done' });
    expect(next.control.registry.byId(point.id)?.row.version).toBe(2);
    await next.close();
    await app.close();
  });
});

describe('a gateway whose disk takes nothing', () => {
  it('refuses an order from afar, because it could not tell it from the same order again', async () => {
    const app = await startApp('sqlite');
    const { token, farmId } = await aFarmWith(app);
    const point = await aControlPoint(app, { token, farmId });
    const view = () => app.control.registry.byId(point.id);
    const answer = await takeCommand(
      {
        ...app.kernel,
        monotonic: app.clock.now,
        queries: takenQueries(app.database.read),
        memory: app.control.registry,
        giveOrder: app.control.giveOrder,
        emergencyOf: () => null,
        localHold: () => null,
        commit: () => Promise.reject(new StorageUnavailable('full', null)),
      },
      aCommand(app, point),
      app.clock.now() + 60_000,
    );
    expect(answer).toMatchObject({ state: 'rejected', result: 'STORAGE' });
    expect(view()).toMatchObject({ unsaved: null, row: { target_status: 'OFF', version: 1 } });
    await app.close();
  });
});
