import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { alert } from '#contract/resources/alerts.ts';
import { firmwareTarget, type RolloutDetail } from '#contract/resources/firmware.ts';
import { insert, update } from '#core/changes.ts';
import { alertRow } from '#test/farm-rows.ts';
import { aFirmwareFarm, aPublisher, type FirmwareFarm } from './a-firmware-farm.ts';

// The whole way over real sockets: gateway, broker, download, and simulated controllers that restart and prove themselves.

const statesOf = ({ targets }: RolloutDetail) => targets.map(({ state }) => state);
const reasonsOf = ({ targets }: RolloutDetail) => targets.map(({ reason }) => reason);

describe('a rollout', () => {
  let farm: FirmwareFarm;
  beforeAll(async () => {
    farm = await aFirmwareFarm();
  });
  afterAll(() => farm.close());
  afterEach(() => farm.sendHome());

  const isOver = (id: string) => async () => (await farm.rollout(id)).finished_at !== null;

  it('asks one controller first, then the others in waves, and every one runs the new version', async () => {
    const fleet = await farm.controllers(4);
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.1.0'), wave_size: 2 });
    await farm.until(async () => statesOf(await farm.rollout(id)).includes('done'));
    expect(fleet.versions()).toEqual(['1.1.0', '1.0.0', '1.0.0', '1.0.0']);
    await farm.until(isOver(id));
    const over = await farm.rollout(id);
    expect(over).toMatchObject({ state: 'done', counts: { total: 4, done: 4, failed: 0 } });
    expect(over.targets.map(({ wave, from_version }) => [wave, from_version])).toEqual([
      [0, '1.0.0'],
      [1, '1.0.0'],
      [1, '1.0.0'],
      [2, '1.0.0'],
    ]);
    expect(fleet.versions()).toEqual(['1.1.0', '1.1.0', '1.1.0', '1.1.0']);
    const news = (await farm.call('GET', '/notifications/')).body as {
      notifications: { title: string }[];
    };
    expect(news.notifications.map(({ title }) => title)).toContain('Firmware 1.1.0: atualização concluída');
  });

  it('stops at a firmware that never finds the gateway: its canary goes back by itself, nobody else is asked', async () => {
    const fleet = await farm.controllers(3);
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.2.0', 'sim:no_network;') });
    await farm.until(isOver(id));
    const over = await farm.rollout(id);
    expect(over.state).toBe('stopped');
    expect(statesOf(over)).toEqual(['rolled_back', 'cancelled', 'cancelled']);
    expect(reasonsOf(over)).toEqual(['NOT_CONNECTED', 'ROLLOUT_STOPPED', 'ROLLOUT_STOPPED']);
    await farm.pass(10);
    expect(fleet.versions()).toEqual(['1.0.0', '1.0.0', '1.0.0']);
    expect(over.reason).toContain('não voltou a falar com o gateway');
  });

  it('takes back a firmware that crashes at its start', async () => {
    const fleet = await farm.controllers(1);
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.2.1', 'sim:crash;') });
    await farm.until(isOver(id));
    expect(reasonsOf(await farm.rollout(id))).toEqual(['CRASHED']);
    expect(fleet.versions()).toEqual(['1.0.0']);
  });

  it('is refused by controllers that know another publisher, before anything restarts', async () => {
    const fleet = await farm.controllers(1, [aPublisher().key]);
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.3.0') });
    await farm.until(isOver(id));
    expect(reasonsOf(await farm.rollout(id))).toEqual(['SIGNATURE_WRONG']);
    expect(fleet.versions()).toEqual(['1.0.0']);
  });

  it('restarts nothing while an oxygen alarm is active, and goes on after it', async () => {
    const fleet = await farm.controllers(1);
    const [point] = fleet.points;
    const alarm = {
      ...alertRow({ id: randomUUID(), farm_id: farm.farmId, control_point_id: point?.id ?? null }),
      type: 'LOW_OXYGEN' as const,
    };
    const firmware_id = await farm.stored('1.4.0');
    const { id } = await farm.begin(fleet, { firmware_id });
    await farm.until(async () => statesOf(await farm.rollout(id))[0] !== 'waiting');
    await farm.app.kernel.commit({ changes: [insert(alert, alarm)], actor: null });
    await farm.until(async () => statesOf(await farm.rollout(id))[0] === 'ready');
    await farm.pass(60);
    expect(await farm.rollout(id)).toMatchObject({
      targets: [{ state: 'ready' }],
      waiting_for: { code: 'OXYGEN_ALARM', message: expect.stringContaining(point?.cod ?? '?') },
    });
    expect(fleet.versions()).toEqual(['1.0.0']);
    await farm.app.kernel.commit({
      changes: [update(alert, alarm.id, { status: 'RESOLVED' })],
      actor: null,
    });
    await farm.until(isOver(id));
    expect(fleet.versions()).toEqual(['1.4.0']);
  });

  it('waits for its time of day on the farm', async () => {
    const fleet = await farm.controllers(1);
    // UTC-3, ten minutes from now
    const local = new Date(farm.app.clock.now() - 3 * 3_600_000 + 600_000).toISOString().slice(11, 16);
    const window = { from: local, to: '23:50' };
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.5.0'), window });
    await farm.pass(60);
    expect(await farm.rollout(id)).toMatchObject({
      waiting_for: { code: 'OUTSIDE_WINDOW' },
      targets: [{ state: 'waiting' }],
    });
    await farm.until(isOver(id));
    expect(fleet.versions()).toEqual(['1.5.0']);
  });

  it('never restarts two aerators of one pond at once', async () => {
    const fleet = await farm.controllers(3);
    const [first, second, third] = fleet.points;
    const pondId = await farm.aPond(first?.id ?? null);
    await farm.aPond(third?.id ?? null);
    // the pond has an aerator that hangs on another controller, too
    const made = await farm.call('POST', '/aerators/', {
      pond_id: pondId,
      name: 'Aerador 2',
      device_id: second?.device_id,
      power_kw: 1.5,
    });
    expect(made.status).toBe(201);
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.6.0'), canary_size: 3 });
    await farm.until(async () => statesOf(await farm.rollout(id)).includes('done'));
    const waves = (await farm.rollout(id)).targets.map(({ wave }) => wave);
    expect(waves[0]).not.toEqual(waves[1]);
    await farm.until(isOver(id));
    expect(fleet.versions()).toEqual(['1.6.0', '1.6.0', '1.6.0']);
  });

  it('does not go on while paused, and a cancelled one asks nobody', async () => {
    const fleet = await farm.controllers(2);
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.7.0') });
    await farm.call('PUT', `/firmware/rollouts/${id}/state`, { state: 'paused', reason: 'feeding' });
    await farm.pass(90);
    expect(await farm.rollout(id)).toMatchObject({ state: 'paused', reason: 'feeding', counts: { done: 0 } });
    const end = await farm.call('PUT', `/firmware/rollouts/${id}/state`, { state: 'cancelled' });
    expect(end.body).toMatchObject({ state: 'cancelled', counts: { left_out: 2 } });
    const again = await farm.call('PUT', `/firmware/rollouts/${id}/state`, { state: 'running' });
    expect(again).toMatchObject({ status: 409, body: { code: 'ROLLOUT_OVER' } });
    await farm.pass(10);
    expect(fleet.versions()).toEqual(['1.0.0', '1.0.0']);
  });

  /** Its controllers fetch and check, and wait with it for an alarm to end. */
  async function readyUnderAlarm(fleet: Parameters<typeof farm.begin>[0], wish: Record<string, unknown>) {
    const alarm = {
      ...alertRow({ id: randomUUID(), farm_id: farm.farmId, control_point_id: null }),
      type: 'LOW_OXYGEN' as const,
    };
    const begun = await farm.begin(fleet, wish);
    // offered, or on with it already: a controller does not wait to be seen
    await farm.until(async () => statesOf(await farm.rollout(begun.id)).some((state) => state !== 'waiting'));
    await farm.app.kernel.commit({ changes: [insert(alert, alarm)], actor: null });
    await farm.until(async () => statesOf(await farm.rollout(begun.id)).includes('ready'));
    return { ...begun, endOfAlarm: update(alert, alarm.id, { status: 'RESOLVED' }) };
  }

  it('goes on with the others when a controller goes away that was ready, which has its turn once it is back', async () => {
    const fleet = await farm.controllers(2);
    const { id, endOfAlarm } = await readyUnderAlarm(fleet, { firmware_id: await farm.stored('1.7.1') });
    const on = [fleet.points[0]?.device_id ?? ''];
    fleet.fleet.inject({ kind: 'power_cut', on });
    await farm.app.kernel.commit({ changes: [endOfAlarm], actor: null });
    await farm.until(async () => statesOf(await farm.rollout(id)).includes('done'));
    await farm.until(async () => (await farm.rollout(id)).waiting_for?.code === 'NOBODY_CONNECTED', 1);
    expect(statesOf(await farm.rollout(id))).toEqual(['waiting', 'done']);
    fleet.fleet.inject({ kind: 'power_return', on });
    await farm.until(isOver(id));
    expect(fleet.versions()).toEqual(['1.7.1', '1.7.1']);
  });

  it('that is cancelled goes on to count a controller it allowed to restart: no other of its pond restarts meanwhile', async () => {
    const fleet = await farm.controllers(2);
    const [first, second] = fleet.points;
    if (first === undefined || second === undefined) throw new Error('two controllers were made');
    const pond_id = await farm.aPond(first.id);
    await farm.call('POST', '/aerators/', {
      pond_id,
      name: 'Aerador 2',
      device_id: second.device_id,
      power_kw: 1.5,
    });
    const firmware_id = await farm.stored('1.7.2');
    const { id, endOfAlarm, targets } = await readyUnderAlarm({ points: [first] }, { firmware_id });
    // it goes away with the leave to restart, and nobody knows whether it does
    const on = [first.device_id];
    fleet.fleet.inject({ kind: 'power_cut', on });
    await farm.until(() => farm.app.control.registry.byId(first.id)?.presence.isConnected === false);
    const allowed = update(firmwareTarget, targets[0]?.id ?? '', {
      state: 'approved',
      state_at: new Date(farm.app.clock.now()).toISOString(),
    });
    await farm.app.kernel.commit({ changes: [allowed, endOfAlarm], actor: null });
    const end = await farm.call('PUT', `/firmware/rollouts/${id}/state`, { state: 'cancelled' });
    expect(end.body).toMatchObject({ state: 'cancelled', counts: { under_way: 1, left_out: 0 } });
    const other = await farm.begin({ points: [second] }, { firmware_id });
    await farm.pass(120);
    expect(await farm.rollout(other.id)).toMatchObject({
      targets: [{ state: 'waiting' }],
      waiting_for: { code: 'POND_BUSY' },
    });
    fleet.fleet.inject({ kind: 'power_return', on });
    await farm.until(isOver(other.id));
    expect(statesOf(await farm.rollout(id))).toEqual(['cancelled']);
    expect(fleet.versions()).toEqual(['1.0.0', '1.7.2']);
    // had it restarted all the same, its own word would count
    const word = { job: `${targets[0]?.id}.1`, state: 'done', version: '1.7.2' } as const;
    await farm.app.control.firmware.takeProgress(first.id, word);
    expect(statesOf(await farm.rollout(id))).toEqual(['done']);
  });

  it('gives no controller up because the clock of the box is set right while it restarts', async () => {
    const fleet = await farm.controllers(1);
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.7.3') });
    await farm.until(async () =>
      ['installing', 'confirming'].includes(statesOf(await farm.rollout(id))[0] ?? ''),
    );
    farm.app.stepWallClock(20 * 60_000);
    await farm.pass(4);
    expect(['installing', 'confirming', 'done']).toContain(statesOf(await farm.rollout(id))[0]);
    await farm.until(isOver(id));
    expect(statesOf(await farm.rollout(id))).toEqual(['done']);
  });

  it('survives a power cut in the middle of a download, and can be taken back as a whole', async () => {
    const fleet = await farm.controllers(1);
    const before = await farm.stored('1.0.0');
    const { id } = await farm.begin(fleet, { firmware_id: await farm.stored('1.8.0') });
    await farm.until(async () => statesOf(await farm.rollout(id))[0] !== 'waiting');
    const on = [fleet.points[0]?.device_id ?? ''];
    fleet.fleet.inject({ kind: 'power_cut', on });
    await farm.pass(20);
    fleet.fleet.inject({ kind: 'power_return', on });
    await farm.until(isOver(id));
    expect(fleet.versions()).toEqual(['1.8.0']);
    const back = await farm.call('POST', `/firmware/rollouts/${id}/roll-back`);
    expect(back).toMatchObject({ status: 201, body: { firmware_id: before, allow_older: true } });
    await farm.until(isOver((back.body as RolloutDetail).id));
    expect(fleet.versions()).toEqual(['1.0.0']);
  });
});
