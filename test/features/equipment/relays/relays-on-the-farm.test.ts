import { connectAsync } from 'mqtt';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aFarmWithRelays, eventually } from './a-farm-with-relays.ts';

const LONG = 3_600_000;

describe.each(['tasmota', 'shelly'] as const)('a %s relay that was adopted and set as shown', (kind) => {
  test('comes in, is shown as online and follows an order, which is then applied', async () => {
    const farm = await aFarmWithRelays();
    const { id, device_id, persona } = await farm.connected(kind, { ageMs: LONG });
    await eventually(async () =>
      expect(await farm.status(device_id)).toMatchObject({
        is_online: true,
        current_status: 'OFF',
        via: 'mqtt',
      }),
    );
    farm.pass(120_000);
    expect((await farm.order(id, 'on')).status).toBe(200);
    await eventually(() => expect(persona.stateOf(1)).toBe('ON'));
    await eventually(async () =>
      expect(await farm.status(device_id)).toMatchObject({ current_status: 'ON', source: 'shadow' }),
    );
    await eventually(async () =>
      expect(await farm.orders(id)).toMatchObject([{ target_status: 'ON', state: 'APPLIED' }]),
    );
  });

  test('tells what its motor draws, and its energy is counted', async () => {
    const farm = await aFarmWithRelays();
    const { id, device_id, persona } = await farm.connected(kind, { ageMs: LONG });
    await eventually(async () => expect((await farm.relay(id)).is_listening).toBe(true));
    farm.pass(120_000);
    await farm.order(id, 'on');
    await eventually(() => expect(persona.stateOf(1)).toBe('ON'));
    await eventually(async () => expect((await farm.relay(id)).current_status).toBe('ON'));
    for (let minute = 0; minute < 3; minute += 1) {
      const before = (await farm.relay(id)).energy?.counted_wh ?? 0;
      farm.pass(60_000);
      await eventually(async () =>
        expect((await farm.relay(id)).energy?.counted_wh ?? 0).toBeGreaterThan(before),
      );
    }
    // what it said of the last minute may have come half by now
    await eventually(async () => expect((await farm.relay(id)).energy?.counted_wh ?? 0).toBeGreaterThan(70));
    expect(await farm.status(device_id)).toMatchObject({ consumption: 1.49 });
    expect(await farm.relay(id)).toMatchObject({
      power_w: 1_490,
      voltage_v: 220,
      energy: { refused_jumps: 0 },
    });
    await farm.relays.saveMeters();
    const stored = await farm.app.database.read.selectFrom('relay_meters').select('counted_wh').execute();
    expect(stored[0]?.counted_wh).toBeGreaterThan(70);
  });

  test('is told its target again whenever it comes back', async () => {
    const farm = await aFarmWithRelays();
    const { device_id, relay, persona } = await farm.connected(kind, { target_status: 'ON', ageMs: LONG });
    await eventually(async () => expect(await farm.status(device_id)).toMatchObject({ is_online: true }));
    farm.pass(5_000);
    await eventually(() => expect(persona.stateOf(1)).toBe('ON'));
    farm.pass(LONG);
    // switched off by somebody while the network was away
    relay.powerCut(0);
    persona.press(1);
    farm.pass(1);
    await eventually(() => expect(relay.counts().connects).toBe(2));
    await eventually(() => {
      farm.pass(5_000);
      expect(persona.stateOf(1)).toBe('ON');
    });
  });

  test('that somebody switched at its button stays so until the next order, and says so', async () => {
    const farm = await aFarmWithRelays();
    const { id, device_id, relay, persona } = await farm.connected(kind, { ageMs: LONG });
    await eventually(async () =>
      expect(await farm.status(device_id)).toMatchObject({ current_status: 'OFF' }),
    );
    farm.pass(120_000);
    relay.press(1);
    await eventually(async () =>
      expect(await farm.status(device_id)).toMatchObject({ current_status: 'ON', source: 'manual' }),
    );
    farm.pass(120_000);
    farm.pass(1_000);
    expect((await farm.relay(id)).warnings.map(({ code }) => code)).toEqual(['SET_BY_HAND']);
    expect(persona.stateOf(1)).toBe('ON');
    await farm.order(id, 'off');
    await eventually(() => expect(persona.stateOf(1)).toBe('OFF'));
  });

  test('waits for its turn to start after a power cut, and the order is put off, not lost', async () => {
    const farm = await aFarmWithRelays();
    const { id, relay, persona } = await farm.connected(kind, { ageMs: LONG });
    await eventually(async () => expect((await farm.relay(id)).is_listening).toBe(true));
    relay.powerCut(1_000);
    await farm.order(id, 'on');
    farm.pass(1_000);
    await eventually(() => expect(relay.counts().connects).toBe(2));
    await eventually(async () => expect((await farm.relay(id)).sends_in_s).toBeGreaterThan(30));
    await eventually(async () => expect(await farm.orders(id)).toMatchObject([{ state: 'ACKED' }]));
    expect(persona.stateOf(1)).toBe('OFF');
    farm.pass(240_000);
    await eventually(() => expect(persona.stateOf(1)).toBe('ON'));
  });

  test('follows a lock-out at once, whatever its minimum times say', async () => {
    const farm = await aFarmWithRelays();
    const { id, persona } = await farm.connected(kind, { target_status: 'ON', ageMs: LONG });
    await eventually(async () => expect((await farm.relay(id)).is_listening).toBe(true));
    farm.pass(5_000);
    await eventually(() => expect(persona.stateOf(1)).toBe('ON'));
    const locked = await farm.app.call('POST', `/control-points/${id}/lock-out`, {
      token: farm.owner.token,
      body: { reason: 'belt' },
    });
    expect(locked.status).toBe(200);
    await eventually(() => expect(persona.stateOf(1)).toBe('OFF'));
  });

  test('is offline as soon as the broker sees it go, and its will is no offence', async () => {
    const farm = await aFarmWithRelays();
    const { device_id, relay } = await farm.connected(kind, { ageMs: LONG });
    await eventually(async () => expect(await farm.status(device_id)).toMatchObject({ is_online: true }));
    relay.stop();
    await eventually(async () => expect(await farm.status(device_id)).toMatchObject({ is_online: false }));
    expect(farm.broker.counters.refusals()).toMatchObject({ wills_refused: 0, violation_kicks: 0 });
  });
});

test('a Tasmota that would forget its settings after a few power cuts, or wake up wrongly, is set right', async () => {
  const farm = await aFarmWithRelays();
  const { id, persona } = await farm.connected('tasmota', { ageMs: LONG });
  await eventually(async () => expect((await farm.relay(id)).is_listening).toBe(true));
  const ask = (name: string, value = '') =>
    persona.hear(`cmnd/${persona.setup.topic}/${name}`, value)[0]?.payload;
  ask('SetOption65', '0');
  ask('PowerOnState', '2');
  farm.broker.sendToRelay(`cmnd/${persona.setup.topic}/SetOption65`, '');
  farm.broker.sendToRelay(`cmnd/${persona.setup.topic}/PowerOnState`, '');
  await eventually(() =>
    expect([ask('SetOption65'), ask('PowerOnState')]).toEqual(['{"SetOption65":"ON"}', '{"PowerOnState":3}']),
  );
  await eventually(async () => expect((await farm.relay(id)).warnings).toEqual([]));
});

test('a Tasmota that spoke Portuguese, and no plain word, is understood once the lines are pasted', async () => {
  const farm = await aFarmWithRelays();
  const before = { StateText1: 'DESLIGADO', StateText2: 'LIGADO', SetOption4: '1', SetOption90: '1' };
  const { id, device_id, persona } = await farm.connected('tasmota', { ageMs: LONG, before });
  await eventually(async () =>
    expect(await farm.status(device_id)).toMatchObject({ is_online: true, current_status: 'OFF' }),
  );
  farm.pass(120_000);
  await farm.order(id, 'on');
  await eventually(() => expect(persona.stateOf(1)).toBe('ON'));
  await eventually(async () => expect(await farm.status(device_id)).toMatchObject({ current_status: 'ON' }));
});

test('a relay that got another topic is not shown as it stood before: nobody hears how it stands, or tells it anything', async () => {
  const farm = await aFarmWithRelays();
  const { id, device_id, relay, persona } = await farm.connected('tasmota', { ageMs: LONG });
  await eventually(async () => expect((await farm.relay(id)).current_status).toBe('OFF'));
  relay.press(1);
  await eventually(async () => expect(await farm.status(device_id)).toMatchObject({ current_status: 'ON' }));
  relay.stop();
  await eventually(async () => expect(await farm.status(device_id)).toMatchObject({ is_online: false }));
  const { user: username, clientId, password } = persona.setup;
  const again = await connectAsync(`mqtt://127.0.0.1:${farm.port}`, { username, clientId, password });
  onTestFinished(() => void again.end(true));
  await again.publishAsync('tele/pond-9/LWT', 'Online', { qos: 1 });
  await again.subscribeAsync('cmnd/pond-9/#').catch(() => undefined);
  farm.pass(30_000);
  await again.publishAsync('tele/pond-9/STATE', JSON.stringify({ POWER: 'OFF' }), { qos: 1 });
  expect(await farm.relay(id)).toMatchObject({
    is_connected: true,
    is_listening: false,
    current_status: null,
    warnings: [{ code: 'NOT_LISTENING' }],
  });
  expect(await farm.status(device_id)).toMatchObject({ is_online: false });
});

test('two control points share one relay of two channels, and each follows its own orders', async () => {
  const farm = await aFarmWithRelays();
  const first = await farm.connected('shelly', { channels: 2, ageMs: LONG });
  const second = await farm.point();
  const adopted = await farm.adopt(second.id, { kind: 'shelly', channel: 2, carrier_id: first.id });
  expect(adopted).toMatchObject({
    status: 200,
    body: { carrier_id: first.id, settings: { mqtt_password: null } },
  });
  await eventually(async () => expect((await farm.relay(second.id)).current_status).toBe('OFF'));
  farm.pass(120_000);
  await farm.order(second.id, 'on');
  await eventually(() => expect([first.persona.stateOf(1), first.persona.stateOf(2)]).toEqual(['OFF', 'ON']));
  await eventually(async () =>
    expect(await farm.status(second.device_id)).toMatchObject({ is_online: true, current_status: 'ON' }),
  );
  expect(
    await farm.adopt((await farm.point()).id, { kind: 'shelly', channel: 2, carrier_id: first.id }),
  ).toMatchObject({
    status: 409,
    body: { code: 'CHANNEL_TAKEN' },
  });
});

test('the second motor of a relay keeps its own turn after a power cut, long after the first has started', async () => {
  const farm = await aFarmWithRelays();
  const first = await farm.connected('shelly', { channels: 2, ageMs: LONG });
  const second = await farm.point();
  await farm.adopt(second.id, { kind: 'shelly', channel: 2, carrier_id: first.id });
  await eventually(async () => expect((await farm.relay(second.id)).current_status).toBe('OFF'));
  for (const [id, start_order] of [[first.id, 0] as const, [second.id, 15] as const]) {
    const set = { token: farm.owner.token, body: { start_order } };
    expect((await farm.app.call('PUT', `/control-points/${id}/settings`, set)).status).toBe(200);
  }
  first.relay.powerCut(1_000);
  for (const { id } of [first, second]) await farm.order(id, 'on');
  farm.pass(1_000);
  await eventually(() => expect(first.relay.counts().connects).toBe(2));
  await eventually(async () => expect((await farm.relay(second.id)).sends_in_s).toBeGreaterThan(100));
  farm.pass(70_000);
  await eventually(async () => expect((await farm.relay(first.id)).current_status).toBe('ON'));
  // its meter is asked, and it says how long it has been on
  farm.pass(5_000);
  await eventually(async () => expect((await farm.relay(first.id)).uptime_s).toBeGreaterThan(70));
  farm.pass(1_000);
  expect((await farm.relay(second.id)).sends_in_s).toBeGreaterThan(0);
  farm.pass(240_000);
  await eventually(() => expect(first.persona.stateOf(2)).toBe('ON'));
});
