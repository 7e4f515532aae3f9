import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { remembered, SILENT, sirenNow } from '#features/alarms/siren/sound-sirens.ts';
import { startApp } from '#test/app.ts';
import { type App, aStaffedFarm, created, type StaffedFarm } from '#test/staffed-farm.ts';

const MINUTE = 60_000;
type Json = Record<string, unknown>;

describe('the rhythm of a siren', () => {
  const times = { soundMs: 3 * MINUTE, pauseMs: 2 * MINUTE };
  const heard = remembered(SILENT, new Set(['low oxygen']), 1_000);
  const stateAt = (minutes: number, memory = heard) =>
    sirenNow(memory, times, 1_000 + minutes * MINUTE).state;

  it('sounds, pauses, and sounds again while nobody acknowledges', () => {
    expect([0, 2.9, 3, 4.9, 5, 8, 1_000_000].map((minute) => stateAt(minute))).toEqual([
      'sounding',
      'sounding',
      'pausing',
      'pausing',
      'sounding',
      'pausing',
      'sounding',
    ]);
  });
  it('a hush ends in the sound, and another alarm ends the hush', () => {
    const hushed = { ...heard, hushedUntil: 1_000 + 10 * MINUTE };
    expect([1, 9.9, 10, 13].map((minute) => stateAt(minute, hushed))).toEqual([
      'hushed',
      'hushed',
      'sounding',
      'pausing',
    ]);
    const second = remembered(hushed, new Set(['low oxygen', 'power']), 1_000 + 4 * MINUTE);
    expect(stateAt(4, second)).toBe('sounding');
  });
  it('is quiet once nobody is waited for', () => {
    expect(stateAt(1, remembered(heard, new Set(), 2_000))).toBe('quiet');
  });
});

describe('a control point that is a siren', () => {
  let app: App;
  let place: StaffedFarm;
  let sirenId: string;
  let pondId: string;
  let made = 0;

  beforeAll(async () => {
    app = await startApp('sqlite', ['--trust-clock', 'yes']);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    made += 1;
    place = await aStaffedFarm(app);
    sirenId = await aPoint('SIRENE');
    pondId = await created(ask('POST', '/ponds/', { farm_id: place.farmId, cod: 'V-01' }));
    await ask('PUT', `/control-points/${sirenId}/settings`, { is_siren: true });
    await app.control.executor.tick();
  });

  const ask = (method: string, path: string, body?: Json, token = place.owner.token) =>
    app.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const aPoint = (cod: string) =>
    created(
      ask('POST', '/control-points/', {
        farm_id: place.farmId,
        cod,
        device_id: `${cod}-${made}`,
        target_status: 'OFF',
      }),
    );
  const lowOxygen = () => ask('POST', '/water-quality/', { pond_id: pondId, dissolved_oxygen: 1.5 });
  const siren = async () => (await ask('GET', `/farms/${place.farmId}/siren`)).body as Json;
  async function wantedAfter(minutes: number): Promise<unknown> {
    app.clock.advance(minutes * MINUTE);
    await app.control.executor.tick();
    return (await ask('GET', `/control-points/${sirenId}`)).body;
  }
  const ON = expect.objectContaining({ target_status: 'ON', target_origin: 'SAFETY', is_siren: true });
  const OFF = expect.objectContaining({ target_status: 'OFF' });

  it('sounds for low oxygen until somebody acknowledges it', async () => {
    await lowOxygen();
    expect(await wantedAfter(0)).toEqual(ON);
    const shown = await siren();
    expect(shown).toMatchObject({
      state: 'sounding',
      alerts: [{ type: 'LOW_OXYGEN' }],
      sirens: [{ cod: 'SIRENE', target_status: 'ON' }],
    });
    const [alert] = shown['alerts'] as { id: string }[];
    await ask('POST', `/alerts/${alert?.id}/acknowledge`, undefined, place.technician.token);
    expect(await wantedAfter(0)).toEqual(OFF);
    expect(await siren()).toMatchObject({ state: 'quiet', alerts: [] });
  });

  it('falls silent after its minutes and sounds again after the pause', async () => {
    await ask('PUT', `/farms/${place.farmId}/siren/settings`, { sound_minutes: 2, pause_minutes: 10 });
    await lowOxygen();
    expect(await wantedAfter(0)).toEqual(ON);
    expect(await wantedAfter(2)).toEqual(OFF);
    expect(await siren()).toMatchObject({ state: 'pausing', sound_minutes: 2, pause_minutes: 10 });
    expect(await wantedAfter(10)).toEqual(ON);
  });

  it('is hushed by a person, who has not acknowledged by that', async () => {
    await lowOxygen();
    expect(await wantedAfter(0)).toEqual(ON);
    const viewer = await ask('POST', `/farms/${place.farmId}/siren/hush`, { minutes: 5 }, place.viewer.token);
    expect(viewer.status).toBe(403);
    await ask('POST', `/farms/${place.farmId}/siren/hush`, { minutes: 5 });
    expect(await wantedAfter(1)).toEqual(OFF);
    expect(await wantedAfter(4)).toEqual(ON);
  });

  it.each([60, -60, 20 * 60, -20 * 60])(
    'is silent for as long as was said over a step of the clock by %i minutes, and not again later',
    async (minutes) => {
      await lowOxygen();
      expect(await wantedAfter(0)).toEqual(ON);
      const [alert] = (await siren())['alerts'] as { id: string }[];
      await ask('POST', `/alerts/${alert?.id}/silence`, { minutes: 30, reason: 'on my way' });
      expect(await wantedAfter(1)).toEqual(OFF);
      app.stepWallClock(minutes * MINUTE);
      app.lookAtClock();
      // at once: before the row has followed
      expect(await wantedAfter(0)).toEqual(OFF);
      const marked = async () =>
        ((await ask('GET', '/alerts/?include=all')).body as Json[]).find(({ id }) => id === alert?.id);
      await expect
        .poll(async () => Date.parse(String((await marked())?.['silenced_until'])) - app.kernel.now())
        .toBe(29 * MINUTE);
      expect(await wantedAfter(28)).toEqual(OFF);
      expect(await wantedAfter(2)).toEqual(ON);
      app.stepWallClock(-minutes * MINUTE);
      app.lookAtClock();
      expect(await wantedAfter(0)).toEqual(ON);
    },
  );

  it('is tested for some seconds', async () => {
    await ask('POST', `/farms/${place.farmId}/siren/test`, { seconds: 6 });
    expect(await wantedAfter(0)).toEqual(ON);
    expect(await siren()).toMatchObject({ state: 'testing' });
    expect(await wantedAfter(0.1)).toEqual(OFF);
  });

  it('sounds although the clock is not to be trusted, and not while it is locked out', async () => {
    await lowOxygen();
    await ask('POST', `/control-points/${sirenId}/lock-out`, { reason: 'on the ladder' });
    expect(await wantedAfter(0)).toEqual(OFF);
    await ask('DELETE', `/control-points/${sirenId}/lock-out`);
    app.stepWallClock(-40 * 24 * 60 * MINUTE);
    expect(await wantedAfter(0)).toEqual(ON);
    app.stepWallClock(40 * 24 * 60 * MINUTE);
  });

  it('takes no order, no schedule, no pond and no oxygen level', async () => {
    const said = await Promise.all([
      ask('POST', `/control-points/${sirenId}/turn-on`),
      ask('POST', `/control-points/${sirenId}/turn-off`),
      ask('POST', `/control-points/${sirenId}/schedules`, {
        action: 'ON',
        start_time: '2026-03-02T12:00:00Z',
        repeat_pattern: 'DAILY',
      }),
      ask('POST', '/ponds/', { farm_id: place.farmId, cod: 'V-02', control_point_id: sirenId }),
      ask('PUT', `/control-points/${sirenId}/settings`, { do_on: 4 }),
    ]);
    expect(said.map(({ status, body }) => [status, (body as Json)['code']])).toEqual([
      [409, 'IS_SIREN'],
      [409, 'IS_SIREN'],
      [409, 'IS_SIREN'],
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
    ]);
  });

  it('cannot be made of a control point that airs a pond', async () => {
    const aerator = await aPoint('AERADOR');
    await ask('POST', '/ponds/', { farm_id: place.farmId, cod: 'V-03', control_point_id: aerator });
    const { status, body } = await ask('PUT', `/control-points/${aerator}/settings`, { is_siren: true });
    expect([status, (body as Json)['code']]).toEqual([409, 'SIREN_IN_USE']);
  });

  it('cannot be made of the device of an aerator, and no aerator of its device', async () => {
    const point = await aPoint('PONTO');
    const anAerator = (device_id: string) =>
      ask('POST', '/aerators/', { pond_id: pondId, name: 'Chafariz', device_id, power_kw: 1.5 });
    expect((await anAerator(`PONTO-${made}`)).status).toBe(201);
    const marked = await ask('PUT', `/control-points/${point}/settings`, { is_siren: true });
    expect([marked.status, (marked.body as Json)['code']]).toEqual([409, 'SIREN_IN_USE']);
    expect((marked.body as Json)['detail']).toContain('aerator Chafariz of pond V-01');
    expect((await anAerator(`SIRENE-${made}`)).status).toBe(400);
    const aerators = (await ask('GET', `/aerators/?pond_id=${pondId}`)).body as Json[];
    expect(aerators.map(({ device_id }) => device_id)).toEqual([`PONTO-${made}`]);
  });

  it('never is an aerator, too, when it is marked in the moment its device becomes that of an aerator or a pond gets it', async () => {
    const mark = (id: string) => ask('PUT', `/control-points/${id}/settings`, { is_siren: true });
    const tries = Array.from({ length: 6 }, async (_, n) => {
      const cod = `JUNTO-${n}`;
      const device_id = `${cod}-${made}`;
      const id = await aPoint(cod);
      const said = await Promise.all([
        mark(id),
        ...(n % 2 === 0
          ? [ask('POST', '/aerators/', { pond_id: pondId, name: cod, device_id, power_kw: 1.5 })]
          : [ask('POST', '/ponds/', { farm_id: place.farmId, cod, control_point_id: id })]),
      ]);
      return said.map(({ status }) => status < 300);
    });
    for (const [isSiren, isAerator] of await Promise.all(tries)) expect(isSiren).toBe(!isAerator);
  });

  it('takes no identity that an aerator bears', async () => {
    await ask('POST', '/aerators/', {
      pond_id: pondId,
      name: 'Pás',
      device_id: `PAS-${made}`,
      power_kw: 1.5,
    });
    const taken = await ask('PUT', `/control-points/${sirenId}`, { device_id: `PAS-${made}` });
    expect([taken.status, (taken.body as Json)['code']]).toEqual([409, 'SIREN_IN_USE']);
  });

  it('has to be there to be tested', async () => {
    await ask('PUT', `/control-points/${sirenId}/settings`, { is_siren: false });
    const { status, body } = await ask('POST', `/farms/${place.farmId}/siren/test`, {});
    expect([status, (body as Json)['code']]).toEqual([409, 'NO_SIREN']);
  });
});
