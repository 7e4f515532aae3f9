import { afterAll, beforeAll, expect, it } from 'vitest';
import { command } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import { update } from '#core/changes.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBoundFarm, bindFarm, orderArrives, remoteOf, stateFrame } from './a-bound-farm.ts';

type Json = Record<string, unknown>;

onBothEngines('on the hosted instance, a farm with a gateway', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, [
      '--role',
      'hosted',
      '--jwt-secret',
      'a secret that has at least 32 letters',
    ]);
  });
  afterAll(() => app.close());

  const shown = async (token: string, id: string) =>
    body(await app.call('GET', `/control-points/${id}`, { token }));
  const journey = async (token: string, id: string, headers = {}) =>
    (await app.call('GET', `/control-points/${id}/commands`, { token, headers })).body as Json[];
  const order = (token: string, id: string, target: 'on' | 'off', input: Json = {}) =>
    app.call('POST', `/control-points/${id}/turn-${target}`, { token, body: input });
  const notices = async (token: string) =>
    ((await app.call('GET', '/notifications/', { token })).body as { notifications?: Json[] } & Json[]) ?? [];
  const rowOf = async (id: string) => (await app.control.registry.refresh(id))?.row;

  it('is ordered by an order on its way, shown as wanted, that leaves the shadow to the gateway', async () => {
    const { token, point, streamId, ownerId } = await aBoundFarm(app);
    const before = await rowOf(point.id);
    const ordered = await order(token, point.id, 'on', { for_s: 600, reason: 'madrugada' });
    expect(ordered.status).toBe(200);
    const expires_at = new Date(app.clock.now() + 60_000).toISOString();
    const { order_id: id } = body(ordered) as { order_id: string };
    const pending = { id, target_status: 'ON', state: 'pending', expires_at };
    expect(body(ordered)).toMatchObject({
      id: point.id,
      target_status: 'ON',
      current_status: null,
      version: 1,
      hold_until: new Date(app.clock.now() + 600_000).toISOString(),
      pending,
    });
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'ON', pending });
    const list = (await app.call('GET', '/control-points/', { token })).body as Json[];
    expect(list).toMatchObject([{ id: point.id, target_status: 'ON', pending: { id } }]);
    expect(await rowOf(point.id)).toEqual(before);
    app.clock.advance(1_000);
    expect(await remoteOf(app).parts.commandsToSend(streamId)).toEqual([
      {
        is: 'command',
        id,
        control_point_id: point.id,
        target_status: 'ON',
        issued_by: ownerId,
        reason: 'madrugada',
        hold_s: 600,
        basis: { version: 1, epoch: point.epoch },
        is_forced: false,
        age_ms: 1_000,
        ttl_ms: 60_000,
        answers_still: true,
      },
    ]);
    expect(await shown(token, point.id)).toMatchObject({ pending: { state: 'sent' } });
  });

  it('is ordered on what its gateway says now, while the rows of a long silence are still on their way', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const live = {
      id: point.id,
      is_online: true,
      heard_at_ms: app.clock.now(),
      consumption: 4,
      current_status: 'ON',
      target_status: 'ON',
      version: 121,
      epoch: point.epoch,
    } as const;
    remoteOf(app).parts.live(streamId, { is: 'live', is_all: true, points: [live] });
    expect(await shown(token, point.id)).toMatchObject({
      target_status: 'ON',
      current_status: 'ON',
      version: 121,
    });
    await order(token, point.id, 'off');
    expect(await remoteOf(app).parts.commandsToSend(streamId)).toMatchObject([
      { target_status: 'OFF', basis: { version: 121, epoch: point.epoch } },
    ]);
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'OFF', pending: { state: 'sent' } });
    expect(await rowOf(point.id)).toMatchObject({ version: 1, target_status: 'OFF' });
  });

  it('is told as not carried out by the gateway alone once it had the word that it counts', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const { parts, expireOrders } = remoteOf(app);
    const id = String(body(await order(token, point.id, 'on', { expires_in_s: 30 }))['order_id']);
    await parts.commandsToSend(streamId);
    app.clock.advance(20_000);
    expect(await parts.still(streamId + 1_000, id)).toBe(null);
    expect(await parts.still(streamId, id)).toBe(10_000);
    app.clock.advance(20_000);
    await expireOrders();
    expect(await journey(token, point.id)).toMatchObject([{ state: 'confirming' }]);
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'ON', pending: { id } });
    expect(await parts.still(streamId, id)).toBe(null);
    // over the next line it is asked after again, however late
    parts.connected(streamId, true);
    expect(await parts.commandsToSend(streamId)).toMatchObject([{ id }]);
    await parts.commandState(streamId, stateFrame(id, 'expired', 'TOO_LATE'));
    expect(await journey(token, point.id)).toMatchObject([
      { state: 'expired', result: expect.stringContaining('tarde demais') },
    ]);
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'OFF' });
  });

  it('counts when the gateway asks, though the database lost that it was sent', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const { parts } = remoteOf(app);
    const id = String(body(await order(token, point.id, 'on'))['order_id']);
    await parts.commandsToSend(streamId);
    await app.database.commit({ actor: null, changes: [update(command, id, { state: 'pending' })] });
    expect(await parts.still(streamId, id)).toBe(60_000);
    expect(await journey(token, point.id)).toMatchObject([{ state: 'confirming' }]);
    // it is under way already
    expect(await parts.commandsToSend(streamId)).toEqual([]);
  });

  it('does not count any more when its time is over before the gateway asks', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const { parts, expireOrders } = remoteOf(app);
    const id = String(body(await order(token, point.id, 'on', { expires_in_s: 30 }))['order_id']);
    await parts.commandsToSend(streamId);
    app.clock.advance(30_000);
    expect(await parts.still(streamId, id)).toBe(null);
    await expireOrders();
    expect(await parts.still(streamId, id)).toBe(null);
    expect(await journey(token, point.id)).toMatchObject([
      { state: 'expired', result: expect.stringContaining('não respondeu') },
    ]);
  });

  it('waits a day for a gateway that had the word and was never heard again', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const { parts, expireOrders } = remoteOf(app);
    const id = String(body(await order(token, point.id, 'on'))['order_id']);
    await parts.commandsToSend(streamId);
    await parts.still(streamId, id);
    app.clock.advance(22 * 3_600_000);
    await expireOrders();
    expect(await journey(token, point.id)).toMatchObject([{ state: 'confirming' }]);
    // an instance that was away for days looks at it all the same
    app.clock.advance(72 * 3_600_000);
    await expireOrders();
    expect(await journey(token, point.id)).toMatchObject([
      { state: 'expired', result: expect.stringContaining('não respondeu') },
    ]);
  });

  it('is told as known to nobody while a gateway that had the word is silent, and after the day that it is waited for', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const { parts, expireOrders } = remoteOf(app);
    const id = String(body(await order(token, point.id, 'on'))['order_id']);
    await parts.commandsToSend(streamId);
    await parts.still(streamId, id);
    for (const hours of [1, 20]) {
      app.clock.advance(hours * 3_600_000);
      await expireOrders();
      // the target is the gateway's again: that the motor was switched is not said, nor that it was not
      const told = await shown(token, point.id);
      expect(told).toMatchObject({ target_status: 'OFF', pending: { id, is_untold: true } });
      expect(JSON.stringify(await notices(token))).not.toContain(point.cod);
    }
    app.clock.advance(4 * 3_600_000);
    await expireOrders();
    expect(await shown(token, point.id)).not.toHaveProperty('pending');
    const told = JSON.stringify(await notices(token));
    expect(told).toContain('não se sabe se a ordem de ligar');
    expect(told).not.toContain('não foi executada');
  });

  it('answers an order in the shape of the contract, and more', async () => {
    const { token, point } = await aBoundFarm(app);
    const free = await aFarmWith(app);
    const local = await aControlPoint(app, free);
    const plain = body(await order(free.token, local.id, 'on'));
    const remote = body(await order(token, point.id, 'on'));
    expect(Object.keys(remote).filter((name) => name !== 'pending')).toEqual(Object.keys(plain));
    expect(plain).not.toHaveProperty('pending');
  });

  it('is shown as the gateway has it again when the order is void, and whoever ordered is told why', async () => {
    const { token, point, streamId, ownerId } = await aBoundFarm(app);
    await app.kernel.commit({ changes: [update(user, ownerId, { language: 'en' })], actor: null });
    const ordered = await order(token, point.id, 'on', { expires_in_s: 30 });
    app.clock.advance(30_000);
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'OFF' });
    expect(await shown(token, point.id)).not.toHaveProperty('pending');
    expect(await remoteOf(app).parts.commandsToSend(streamId)).toEqual([]);
    await remoteOf(app).expireOrders();
    await remoteOf(app).expireOrders();
    expect(await journey(token, point.id, { 'accept-language': 'en' })).toMatchObject([
      {
        id: body(ordered)['order_id'],
        state: 'expired',
        issued_by: ownerId,
        result: 'the gateway of the farm was not reached in time',
      },
    ]);
    const told = JSON.stringify(await notices(token));
    expect(told.match(/Order not carried out/g)).toHaveLength(1);
    const logs = (await app.call('GET', `/logs/control-points/${point.id}`, { token })).body as Json[];
    expect(logs.filter(({ action }) => action === 'order_expired')).toHaveLength(1);
  });

  it('is shown with a void order as void at once, whoever notes it later', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    await order(token, point.id, 'on', { expires_in_s: 30 });
    app.clock.advance(29_999);
    expect(await journey(token, point.id)).toMatchObject([{ state: 'pending', result: null }]);
    app.clock.advance(1);
    const endedAt = new Date(app.clock.now()).toISOString();
    const inEnglish = { 'accept-language': 'en' };
    // nobody has noted anything: the process that does it has just died
    app.clock.advance(40_000);
    expect(await journey(token, point.id, inEnglish)).toMatchObject([
      { state: 'expired', state_at: endedAt, result: 'the gateway of the farm was not reached in time' },
    ]);
    await order(token, point.id, 'off', { expires_in_s: 30 });
    await remoteOf(app).parts.commandsToSend(streamId);
    app.clock.advance(30_000);
    expect(await journey(token, point.id, inEnglish)).toMatchObject([
      { state: 'expired', result: 'the gateway of the farm did not answer in time' },
      { state: 'superseded' },
    ]);
  });

  it('takes an order of at most a quarter of an hour', async () => {
    const { token, point } = await aBoundFarm(app);
    for (const expires_in_s of [0, 901, 1.5]) {
      expect((await order(token, point.id, 'on', { expires_in_s })).status).toBe(400);
    }
    expect((await order(token, point.id, 'on', { expires_in_s: 900 })).status).toBe(200);
  });

  it('has at most one order of a control point on its way: the newer one voids the older', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    await order(token, point.id, 'on');
    const off = await order(token, point.id, 'off', { force: true });
    expect(
      (await journey(token, point.id)).map(({ state, target_status }) => [target_status, state]),
    ).toEqual([
      ['OFF', 'pending'],
      ['ON', 'superseded'],
    ]);
    const sent = await remoteOf(app).parts.commandsToSend(streamId);
    expect(sent).toMatchObject([{ id: body(off)['order_id'], target_status: 'OFF', is_forced: true }]);
  });

  it('two orders at the same moment leave one on its way', async () => {
    const { token, point } = await aBoundFarm(app);
    await Promise.all([1, 2, 3, 4].map(() => order(token, point.id, 'on')));
    const states = (await journey(token, point.id)).map(({ state }) => state);
    expect(states.filter((state) => state === 'pending')).toHaveLength(1);
    expect(states).toHaveLength(4);
  });

  it('says how far an order got, from the words of the gateway and of no other', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const id = String(body(await order(token, point.id, 'on'))['order_id']);
    const { parts } = remoteOf(app);
    await parts.commandsToSend(streamId);
    await parts.commandState(streamId + 1_000, stateFrame(id, 'done'));
    expect(await journey(token, point.id)).toMatchObject([{ state: 'sent' }]);
    await parts.commandState(streamId, stateFrame(id, 'accepted'));
    expect(await shown(token, point.id)).toMatchObject({
      target_status: 'ON',
      pending: { state: 'accepted' },
    });
    await parts.commandState(streamId, stateFrame(id, 'done'));
    await parts.commandState(streamId, stateFrame(id, 'rejected', 'late nonsense'));
    expect(await journey(token, point.id)).toMatchObject([{ state: 'done', result: null }]);
  });

  it('tells whoever ordered when the gateway refused, in his language', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const id = String(body(await order(token, point.id, 'on'))['order_id']);
    await remoteOf(app).parts.commandsToSend(streamId);
    await remoteOf(app).parts.commandState(streamId, stateFrame(id, 'rejected', 'LOCKED_OUT: correia solta'));
    expect(JSON.stringify(await notices(token))).toContain(
      'o ponto de controle está bloqueado (correia solta)',
    );
    expect(await shown(token, point.id)).toMatchObject({ target_status: 'OFF' });
  });

  it('gets what was sent over a dead line again, and only then', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const { parts } = remoteOf(app);
    parts.connected(streamId, true);
    const id = body(await order(token, point.id, 'on'))['order_id'];
    expect(await parts.commandsToSend(streamId)).toMatchObject([{ id }]);
    expect(await parts.commandsToSend(streamId)).toEqual([]);
    parts.connected(streamId, false);
    parts.connected(streamId, true);
    expect(await parts.commandsToSend(streamId)).toMatchObject([{ id }]);
  });

  it('believes the row of the gateway where its answer was lost', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const id = String(body(await order(token, point.id, 'on'))['order_id']);
    await remoteOf(app).parts.commandsToSend(streamId);
    await orderArrives(app, id, point.id, 'APPLIED');
    app.clock.advance(61_000);
    await remoteOf(app).expireOrders();
    expect(await journey(token, point.id)).toMatchObject([{ state: 'done' }]);
    expect(JSON.stringify(await notices(token))).not.toContain('order_expired');
  });

  it('an aerator follows when the gateway took the order, not before', async () => {
    const { token, farmId, point, streamId } = await aBoundFarm(app);
    const pond = await app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: 'V-1' } });
    const made = await app.call('POST', '/aerators/', {
      token,
      body: { pond_id: body(pond)['id'], name: 'Pá', device_id: point.device_id, power_kw: 2 },
    });
    const path = `/aerators/${body(made)['id']}`;
    const switched = await app.call('POST', `${path}/control`, { token, body: { status: 'ON' } });
    expect(body(switched)).toMatchObject({
      status: 'ON',
      control_point_id: point.id,
      pending: { state: 'pending' },
    });
    expect(body(await app.call('GET', path, { token }))).toMatchObject({ status: 'OFF' });
    const [frame] = await remoteOf(app).parts.commandsToSend(streamId);
    await remoteOf(app).parts.commandState(streamId, stateFrame(frame?.id ?? '', 'accepted'));
    expect(body(await app.call('GET', path, { token }))).toMatchObject({ status: 'ON' });
  });

  it('keeps what the gateway owns out of its edits', async () => {
    const { token, point } = await aBoundFarm(app);
    const before = await rowOf(point.id);
    const path = `/control-points/${point.id}`;
    expect((await app.call('PUT', `${path}/settings`, { token, body: { min_on_s: 90 } })).status).toBe(200);
    expect((await app.call('PUT', path, { token, body: { cod: `NEW-${point.cod}` } })).status).toBe(200);
    const rule = { action: 'ON', start_time: '2026-03-03T18:00:00Z', repeat_pattern: 'DAILY' };
    const made = await app.call('POST', `${path}/schedules`, { token, body: rule });
    expect(made.status).toBe(201);
    const id = body(made)['id'];
    await app.call('PATCH', `/schedules/${id}`, { token, body: { is_active: false } });
    await app.call('DELETE', `/schedules/${id}`, { token });
    await app.call('PUT', `/farms/${before?.farm_id}`, { token, body: { timezone: 'America/Manaus' } });
    const { min_on_s: _m, cod: _c, rev: _r, updated_at: _u, ...kept } = (await rowOf(point.id)) ?? {};
    expect(before).toMatchObject(kept as Json);
    expect(kept).toMatchObject({ config_rev: 1, schedule_rev: 1, base_at: before?.base_at });
  });

  it('is locked out on the farm alone', async () => {
    const { token, point } = await aBoundFarm(app);
    const path = `/control-points/${point.id}/lock-out`;
    const refused = await app.call('POST', path, { token, body: { reason: 'belt' } });
    expect(refused.status).toBe(409);
    expect(body(refused)).toMatchObject({ code: 'ON_GATEWAY_ONLY' });
    expect((await app.call('DELETE', path, { token })).status).toBe(409);
    expect(await rowOf(point.id)).toMatchObject({ locked_out: false });
  });

  it('gets another device on the farm alone, and so do its aerators', async () => {
    const { token, farmId, point } = await aBoundFarm(app);
    const pond = await app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: 'V-9' } });
    const aerator = { pond_id: body(pond)['id'], name: 'Pá', device_id: 'pa-9', power_kw: 2 };
    const made = body(await app.call('POST', '/aerators/', { token, body: aerator }));
    const paths = [`/control-points/${point.id}`, `/aerators/${String(made['id'])}`];
    const before = await rowOf(point.id);
    for (const path of paths) {
      const refused = await app.call('PUT', path, { token, body: { device_id: 'of-somebody-else' } });
      expect([path, refused.status, body(refused)['code']]).toEqual([path, 409, 'ON_GATEWAY_ONLY']);
    }
    expect(await rowOf(point.id)).toEqual(before);
    expect(body(await app.call('GET', paths[1] ?? '', { token }))['device_id']).toBe('pa-9');
    // the same name again is no change
    const same = { device_id: point.device_id };
    expect((await app.call('PUT', paths[0] ?? '', { token, body: same })).status).toBe(200);
  });

  it('answers controllers that reach it with the last known target, and stores nothing', async () => {
    const { token, point } = await aBoundFarm(app);
    const key = body(await app.call('POST', `/control-points/${point.id}/device-key`, { token }));
    await order(token, point.id, 'on');
    const before = await rowOf(point.id);
    const beat = await app.call('POST', '/devices/heartbeat', {
      token: String(key['key']),
      body: { device_id: point.device_id, current_status: 'ON', consumption: 3 },
    });
    expect(beat.status).toBe(200);
    expect(body(beat)).toMatchObject({ target_status: 'OFF', version: 1 });
    expect(await rowOf(point.id)).toEqual(before);
    expect(await shown(token, point.id)).toMatchObject({ last_heartbeat: null, is_online: false });
  });

  it('is seen through its gateway, and says since when it is not', async () => {
    const { token, point, streamId } = await aBoundFarm(app);
    const { parts } = remoteOf(app);
    const blind = await shown(token, point.id);
    expect(blind).toMatchObject({ is_online: false, last_heartbeat: null });
    expect(blind['gateway_silent_since']).not.toBeNull();
    parts.connected(streamId, true);
    const heard_at_ms = app.clock.now() - 20_000;
    const live = {
      id: point.id,
      is_online: true,
      heard_at_ms,
      consumption: 1.2,
      current_status: 'ON',
      target_status: 'OFF',
    } as const;
    parts.live(streamId, { is: 'live', is_all: true, points: [live] });
    const last_heartbeat = new Date(heard_at_ms).toISOString();
    const seen = { is_online: true, last_heartbeat, consumption: 1.2, gateway_silent_since: null };
    expect(await shown(token, point.id)).toMatchObject(seen);
    expect(body(await app.call('GET', `/devices/status/${point.device_id}`, { token }))).toMatchObject(seen);
    const lost = app.clock.now();
    parts.connected(streamId, false);
    app.clock.advance(61_000);
    expect(await shown(token, point.id)).toMatchObject({
      is_online: false,
      last_heartbeat,
      gateway_silent_since: new Date(lost).toISOString(),
    });
  });

  it('believes no gateway about control points of another', async () => {
    const one = await aBoundFarm(app);
    const other = await aBoundFarm(app);
    const { parts } = remoteOf(app);
    parts.connected(other.streamId, true);
    const live = {
      id: one.point.id,
      is_online: true,
      heard_at_ms: 1,
      consumption: 9,
      current_status: 'ON',
      target_status: 'ON',
    } as const;
    parts.live(other.streamId, { is: 'live', is_all: false, points: [live] });
    expect(await shown(one.token, one.point.id)).toMatchObject({ is_online: false, consumption: 0 });
  });

  it('is left alone by the executor of the hosted instance from the moment it is bound', async () => {
    const { token, farmId } = await aFarmWith(app);
    const me = body(await app.call('GET', '/users/me', { token }));
    const point = await aControlPoint(app, { token, farmId });
    const start_time = new Date(app.clock.now() + 30_000).toISOString();
    await app.call('POST', `/control-points/${point.id}/schedules`, {
      token,
      body: { action: 'ON', start_time },
    });
    await remoteOf(app).work.control();
    app.clock.advance(31_000);
    await bindFarm(app, farmId, String(me['id']));
    await remoteOf(app).work.control();
    expect(await rowOf(point.id)).toMatchObject({ target_status: 'OFF', version: 1 });
  });
});
