import { afterEach, describe, expect, test, vi } from 'vitest';
import { isPrivateAddress } from '#adapters/http/client-address.ts';
import { openBus } from '#adapters/modbus/open-bus.ts';
import { createSlaves, type ProbeFault, type SimProbe } from '#sim/probe/modbus-slave.ts';
import { type PondValues, pondAt } from '#sim/probe/models.ts';
import { startProbePty, startProbeTcp } from '#sim/probe/run-probe.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';

const opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

const GOOD = { ...pondAt(12, () => 0.5), dissolved_oxygen: 6, temperature: 28, oxygen_saturation: 80 };

/** A farm with one pond and one simulated probe in it, its clock turned by hand. */
async function aProbedPond({
  serial = false,
  probes = 1,
  ...more
}: { serial?: boolean; probes?: number } & Record<string, unknown> = {}) {
  const app = await startApp();
  const water: PondValues = { ...GOOD };
  const all = Array.from(
    { length: probes },
    (_, index): SimProbe => ({ unitId: index + 1, model: 'in-situ-odo', fixed: {}, faults: new Set() }),
  );
  const slaves = createSlaves({ pond: () => water }, all);
  const line = serial
    ? await startProbePty(slaves)
    : await startProbeTcp(slaves, { port: 0, framing: 'tcp' });
  opened.push({
    async close() {
      await app.technicians?.probes.stop();
      await app.close();
      await line.close();
    },
  });
  const { token, farmId } = await aFarmWith(app);
  const post = (path: string, sent: unknown) => app.call('POST', path, { token, body: sent });
  const pond = body(
    await post('/ponds/', {
      farm_id: farmId,
      cod: 'V-01',
      type: 'FATTENING',
      area: 5000,
      max_depth: 1.6,
      min_depth: 1.2,
    }),
  );
  const place = serial
    ? { kind: 'serial', device: line.at }
    : { kind: 'tcp', host: '127.0.0.1', port: line.at };
  const bus = body(await post('/probe-buses/', { farm_id: farmId, name: 'Barramento 1', ...place }));
  const probe = await post('/probes/', {
    pond_id: pond['id'],
    probe_bus_id: bus['id'],
    name: 'Sonda OD',
    unit_id: 1,
    probe_profile_id: 'in-situ-odo',
    ...more,
  });
  const get = async (path: string) => (await app.call('GET', path, { token })).body as Record<string, never>;
  return {
    app,
    token,
    farmId,
    water,
    line,
    post,
    get,
    pond,
    bus,
    probe: body(probe),
    sim: all[0] as SimProbe,
  };
}
type Probed = Awaited<ReturnType<typeof aProbedPond>>;

/** So many regular readings, ten seconds apart, with the quick ones they may ask for. */
async function readTimes({ app }: Pick<Probed, 'app'>, times: number, quick = 5): Promise<void> {
  for (let reading = 0; reading < times; reading += 1) {
    for (let look = 0; look < quick; look += 1) {
      await app.technicians?.probes.watch.pollDue();
      app.clock.advance(400);
    }
    app.clock.advance(10_000 - quick * 400);
    await app.technicians?.probes.watch.look();
  }
}

const setFault = (sim: SimProbe, ...faults: ProbeFault[]) => {
  sim.faults = new Set(faults);
};

async function measurementsOf({ get, pond }: Probed) {
  const journal: { measurements?: Record<string, unknown>[] } = await get(
    `/water-quality/pond/${pond['id']}`,
  );
  return journal.measurements ?? [];
}
async function openAlerts({ get, pond }: Probed) {
  const found: { alerts?: { type: string; value: number }[] } = await get(
    `/water-quality/pond/${pond['id']}/alerts?resolved=false`,
  );
  return (found.alerts ?? []).map(({ type, value }) => [type, value]);
}

describe('a probe in a pond', () => {
  test('becomes measurements of its own kind: the first soon, then a median every five minutes', async () => {
    const probed = await aProbedPond({ serial: true });
    await readTimes(probed, 4);
    expect(await measurementsOf(probed)).toMatchObject([
      { source: 'probe', dissolved_oxygen: 6, temperature: 28, created_by: null },
    ]);
    await readTimes(probed, 31, 1);
    expect(await measurementsOf(probed)).toHaveLength(2);
  });

  test('oxygen below its limit is an alert within two seconds of the reading that saw it', async () => {
    const probed = await aProbedPond();
    await readTimes(probed, 4);
    probed.water.dissolved_oxygen = 3.9;
    probed.app.clock.advance(10_000);
    const seenAt = probed.app.clock.now();
    while ((await openAlerts(probed)).length === 0 && probed.app.clock.now() - seenAt < 5_000) {
      await probed.app.technicians?.probes.watch.pollDue();
      if ((await openAlerts(probed)).length === 0) probed.app.clock.advance(200);
    }
    expect(probed.app.clock.now() - seenAt).toBeLessThanOrEqual(2_000);
    expect(await openAlerts(probed)).toEqual([['LOW_OXYGEN', 3.9]]);
  });

  test('oxygen that is low when the gateway starts is an alert within two seconds of its first reading', async () => {
    const probed = await aProbedPond({ poll_s: 300 });
    probed.water.dissolved_oxygen = 3.9;
    const firstReadAt = probed.app.clock.now();
    while ((await openAlerts(probed)).length === 0 && probed.app.clock.now() - firstReadAt < 5_000) {
      // one reading of them fails
      const ms = probed.app.clock.now() - firstReadAt;
      setFault(probed.sim, ...(ms > 0 && ms <= 400 ? (['exception'] as const) : []));
      await probed.app.technicians?.probes.watch.pollDue();
      if ((await openAlerts(probed)).length === 0) probed.app.clock.advance(200);
    }
    expect(await openAlerts(probed)).toEqual([['LOW_OXYGEN', 3.9]]);
    expect(probed.app.clock.now() - firstReadAt).toBeLessThanOrEqual(2_000);
  });

  test('one wrong reading wakes nobody, and good water ends the alarm', async () => {
    const probed = await aProbedPond();
    await readTimes(probed, 4);
    probed.water.dissolved_oxygen = 3.9;
    await probed.app.technicians?.probes.watch.pollDue();
    probed.water.dissolved_oxygen = 6;
    await readTimes(probed, 3);
    expect(await openAlerts(probed)).toEqual([]);
    probed.water.dissolved_oxygen = 3.9;
    await readTimes(probed, 2);
    expect(await openAlerts(probed)).toHaveLength(1);
    probed.water.dissolved_oxygen = 6;
    await readTimes(probed, 32);
    expect(await openAlerts(probed)).toEqual([]);
  });

  test('its low oxygen starts the motor of its pond, and its silence never stops it', async () => {
    const probed = await aProbedPond();
    const { app, token, farmId } = probed;
    const point = await aControlPoint(app, { token, farmId });
    await app.call('PUT', `/ponds/${probed.pond['id']}`, { token, body: { control_point_id: point.id } });
    const levels = { do_on: 4.5, do_off: 5.5, do_emergency: 3 };
    await app.call('PUT', `/control-points/${point.id}/settings`, { token, body: levels });
    const target = async () => {
      await app.control.executor.tick();
      return (await probed.get(`/control-points/${point.id}`))['target_status'];
    };
    await readTimes(probed, 8);
    expect(await target()).toBe('OFF');
    probed.water.dissolved_oxygen = 4.4;
    await readTimes(probed, 2);
    expect(await target()).toBe('ON');
    setFault(probed.sim, 'nan');
    probed.water.dissolved_oxygen = 7;
    for (let minutes = 0; minutes < 60; minutes += 5) {
      app.clock.advance(5 * 60_000);
      await readTimes(probed, 1);
      expect(await target()).toBe('ON');
    }
  });

  test('what it cannot measure is shown as a fault and stored nowhere', async () => {
    const probed = await aProbedPond();
    setFault(probed.sim, 'nan');
    await readTimes(probed, 5);
    const shown = await probed.get(`/probes/${probed.probe['id']}`);
    expect(shown).toMatchObject({ quality: 'fault', trouble: null });
    expect(shown['readings']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ parameter: 'dissolved_oxygen', value: null, reason: 'NOT_MEASURED' }),
      ]),
    );
    expect(await measurementsOf(probed)).toEqual([]);
  });

  test('one that falls silent is stale after a minute, says what to do, and its people are told after ten', async () => {
    const probed = await aProbedPond();
    await readTimes(probed, 4);
    await probed.line.close();
    await readTimes(probed, 8);
    const stale = await probed.get(`/probes/${probed.probe['id']}`);
    expect(stale).toMatchObject({
      quality: 'stale',
      trouble: { code: expect.any(String), next: expect.any(String) },
    });
    await probed.app.technicians?.probes.tell();
    probed.app.clock.advance(10 * 60_000);
    await probed.app.technicians?.probes.tell();
    await probed.app.technicians?.probes.tell();
    const { body: list } = await probed.app.call('GET', '/notifications/', { token: probed.token });
    expect(JSON.stringify(list).match(/probe_trouble/g)).toHaveLength(1);
  });

  test('what is due for calibration is told once, until the date is entered', async () => {
    // the clock of these tests begins on 2 March at noon
    const probed = await aProbedPond({ calibration_days: 30, calibrated_at: '2026-01-31T13:00:00Z' });
    const due = async () => (await probed.get(`/probes/${probed.probe['id']}`))['is_calibration_due'];
    expect(await due()).toBe(false);
    probed.app.clock.advance(2 * 3_600_000);
    expect(await due()).toBe(true);
    await probed.app.technicians?.probes.tell();
    await probed.app.technicians?.probes.tell();
    const { body: list } = await probed.app.call('GET', '/notifications/', { token: probed.token });
    expect(JSON.stringify(list).match(/probe_calibration_due/g)).toHaveLength(1);
    await probed.post(`/probes/${probed.probe['id']}/calibrations`, { notes: 'ar saturado, 100 %' });
    expect(await due()).toBe(false);
  });
});

describe('setting up probes', () => {
  test('a search finds who is on the bus, and a reading by hand shows whether the profile fits', async () => {
    const probed = await aProbedPond({ probes: 3 });
    const bus = `/probe-buses/${probed.bus['id']}`;
    expect((await probed.post(`${bus}/scan`, { from: 1, to: 4 })).status).toBe(202);
    const scan = await vi.waitUntil(
      async () => {
        const now = await probed.get(`${bus}/scan`);
        return now['state'] === 'running' ? null : now;
      },
      { interval: 20, timeout: 60_000 },
    );
    expect(scan).toMatchObject({ state: 'done', asked: 4, total: 4 });
    expect(scan['found']).toEqual([1, 2, 3].map((unit_id) => ({ unit_id, answer: 'refused' })));
    const fits = await probed.post(`${bus}/read`, { unit_id: 2, probe_profile_id: 'in-situ-odo' });
    expect(body(fits)['readings']).toContainEqual(
      expect.objectContaining({ parameter: 'dissolved_oxygen', value: 6, quality: 'good' }),
    );
    const not = await probed.post(`${bus}/read`, { unit_id: 2, probe_profile_id: 'hach-ldo' });
    expect([not.status, body(not)['code']]).toEqual([409, 'REFUSED']);
  });

  test('an answer that lay on the line while the box stood still is heard', async () => {
    const patience = { timeoutMs: 150, tries: 1, lateMs: 0 };
    const pond = () => {
      const until = performance.now() + 2 * patience.timeoutMs;
      while (performance.now() < until);
      return GOOD;
    };
    const probe: SimProbe = { unitId: 1, model: 'in-situ-odo', fixed: {}, faults: new Set() };
    const line = await startProbeTcp(createSlaves({ pond }, [probe]), { port: 0, framing: 'tcp' });
    opened.push(line);
    const found = await openBus(
      { monotonic: () => performance.now(), isOnFarmNetwork: isPrivateAddress },
      {
        kind: 'tcp',
        host: '127.0.0.1',
        port: Number(line.at),
        device: null,
        baud: 9600,
        parity: 'none',
        stopBits: 1,
      },
    );
    if (found.is === 'trouble') throw new Error(found.code);
    opened.push(found.link);
    const read = { unitId: 1, functionCode: 4, address: 2, count: 2 } as const;
    expect(await found.link.read(read, patience)).toMatchObject({ is: 'words' });
  });

  test('a port without probes is closed again, so that others can use it', async () => {
    const probed = await aProbedPond({ serial: true });
    await readTimes(probed, 1);
    const id = String(probed.bus['id']);
    expect(probed.app.technicians?.probes.watch.knownLine(id)?.isOpen()).toBe(true);
    await probed.app.call('DELETE', `/probes/${probed.probe['id']}`, { token: probed.token });
    probed.app.clock.advance(31_000);
    await probed.app.technicians?.probes.watch.pollDue();
    await probed.app.technicians?.probes.watch.look();
    expect(probed.app.technicians?.probes.watch.knownLine(id)).toBeNull();
  });

  test('a model that is not shipped is described by its registers, and kept while a probe is read by it', async () => {
    const probed = await aProbedPond();
    const registers = [{ parameter: 'temperature', function_code: 4, address: 6, type: 'f32' }];
    const profile = body(
      await probed.post('/probe-profiles/', { farm_id: probed.farmId, name: 'Só temperatura', registers }),
    );
    const path = `/probes/${probed.probe['id']}`;
    await probed.app.call('PUT', path, { token: probed.token, body: { probe_profile_id: profile['id'] } });
    await readTimes(probed, 1);
    expect((await probed.get(path))['readings']).toMatchObject([{ parameter: 'temperature', value: 28 }]);
    const gone = await probed.app.call('DELETE', `/probe-profiles/${profile['id']}`, { token: probed.token });
    expect([gone.status, body(gone)['code']]).toEqual([409, 'PROFILE_IN_USE']);
    const list = await probed.app.call('GET', `/probe-profiles/?farm_id=${probed.farmId}`, {
      token: probed.token,
    });
    expect(list.body).toHaveLength(6);
  });

  test('a bus is a serial port or an address of the farm, and no two are at one place', async () => {
    const probed = await aProbedPond();
    const make = async (fields: Record<string, unknown>) =>
      (await probed.post('/probe-buses/', { farm_id: probed.farmId, name: 'X', ...fields })).status;
    expect(await make({ kind: 'serial', device: '/dev/ttyUSB7' })).toBe(201);
    const refused = {
      withoutPort: await make({ kind: 'serial' }),
      noPort: await make({ kind: 'serial', device: '/etc/passwd' }),
      climbing: await make({ kind: 'serial', device: '/dev/../etc/passwd' }),
      internet: await make({ kind: 'tcp', host: '203.0.113.9' }),
      nameOnInternet: await make({ kind: 'tcp', host: 'example.com' }),
      taken: await make({ kind: 'serial', device: '/dev/ttyUSB7' }),
    };
    expect(Object.values(refused)).toEqual([422, 422, 422, 422, 422, 400]);
    const path = `/probe-buses/?farm_id=${probed.farmId}`;
    expect((await probed.app.call('GET', path, { token: probed.token })).body).toHaveLength(2);
  });

  test('a probe hangs on a bus and in a pond of its own farm, and no two at one place', async () => {
    const probed = await aProbedPond();
    const other = await aFarmWith(probed.app as App);
    const bus = await probed.app.call('POST', '/probe-buses/', {
      token: other.token,
      body: { farm_id: other.farmId, name: 'Longe', kind: 'tcp', host: '10.0.0.9' },
    });
    const wanted = { pond_id: probed.pond['id'], name: 'S', unit_id: 1, probe_profile_id: 'in-situ-odo' };
    const far = await probed.post('/probes/', { ...wanted, probe_bus_id: body(bus)['id'] });
    const twice = await probed.post('/probes/', { ...wanted, probe_bus_id: probed.bus['id'] });
    expect([far.status, twice.status, body(twice)['code']]).toEqual([422, 409, 'PLACE_TAKEN']);
  });
});
