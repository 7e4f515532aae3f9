import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentHeartbeats } from '#adapters/sql/queries/cloud/merged-marks.ts';
import type { Commit } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { createDeviceWatch, deviceFacts } from '#features/alarms/alerts/watch-devices.ts';
import { createInstanceWatch, type InstanceConditions } from '#features/alarms/alerts/watch-instance.ts';
import { whyNoPostgres } from '#test/postgres-cluster.ts';
import { startFarm } from './a-farm.ts';
import { listeningSince } from './builders.ts';

const MINUTE = 60_000;

type App = Awaited<ReturnType<typeof startFarm>>;
type Point = Awaited<ReturnType<App['controlPoint']>>;

/** A watch as the gateway makes it at its start, over what is stored. */
function watchOf(
  app: App,
  { commit = app.kernel.commit, startedAt = 0 }: { commit?: Commit; startedAt?: number } = {},
) {
  const watch = createDeviceWatch({
    ...app.kernel,
    commit,
    monotonic: app.clock.now,
    alerting: app.alerts.alerting,
    queries: app.alerts.queries,
    devices: () =>
      deviceFacts(app.control.registry.all(), {
        monotonic: app.clock.now(),
        onlineAfterMs: MINUTE,
        isSimulating: () => false,
        limitsOf: app.control.motorLimits,
        isStocked: () => false,
      }),
    listening: () => listeningSince(startedAt),
    silences: () => silentHeartbeats(app.database.read),
  });
  app.database.onCommit(watch.follow);
  return watch;
}

describe.each(['sqlite', 'postgres'] as const)('the watch over controllers (%s)', (engine) => {
  describe.skipIf(engine === 'postgres' && whyNoPostgres() !== null)('on a whole program', () => {
    let app: App;
    beforeAll(async () => {
      app = await startFarm(engine);
    });
    afterAll(() => app.close());

    const ofPoint = async (point: Point, query = '?include=all') =>
      (await app.listed(query)).filter(({ control_point_id }) => control_point_id === point.id);
    const typesOn = async (point: Point) => (await ofPoint(point)).map(({ type }) => type);
    const told = async (point: Point) =>
      (await app.notifications()).filter(({ data }) => data['control_point_id'] === point.id);

    test('a silence too short for an alarm is in the log of the control point, with its end', async () => {
      const point = await app.controlPoint();
      await app.pass(2 * MINUTE);
      await point.heartbeat();
      await app.pass(4 * MINUTE);
      await point.heartbeat();
      await app.pass(5000);
      expect(await typesOn(point)).toEqual([]);
      const heard = (await app.logs(point.id)).filter(({ action }) => action.startsWith('heartbeat_'));
      expect(heard.map(({ action, user_id }) => [action, user_id])).toEqual([
        ['heartbeat_restored', null],
        ['heartbeat_lost', null],
      ]);
      // from the last report before it to the one that ended it
      expect(heard[0]?.details).toEqual({ silent_s: 240 });
    });

    test('a silence that goes on over a restart has its end in the log, and once only', async () => {
      const point = await app.controlPoint();
      await point.heartbeat();
      await app.pass(3 * MINUTE);
      const actions = async () =>
        (await app.logs(point.id)).flatMap(({ action }) => (action.startsWith('heartbeat_') ? action : []));
      expect(await actions()).toEqual(['heartbeat_lost']);
      // the watch of the next run looks first
      const next = watchOf(app);
      await next.tick();
      await point.heartbeat();
      await next.tick();
      expect(await actions()).toEqual(['heartbeat_restored', 'heartbeat_lost']);
      const [restored] = (await app.logs(point.id)).filter(({ action }) => action === 'heartbeat_restored');
      expect(restored?.details).toEqual({ silent_s: 180 });
      await watchOf(app).tick();
      expect(await actions()).toEqual(['heartbeat_restored', 'heartbeat_lost']);
      expect(await silentHeartbeats(app.database.read)).toEqual([]);
    });

    test('a controller that comes and goes is logged now and then, not each time', async () => {
      const point = await app.controlPoint();
      for (let round = 0; round < 20; round += 1) {
        await point.heartbeat();
        await app.pass(2 * MINUTE);
      }
      const heard = (await app.logs(point.id)).filter(({ action }) => action.startsWith('heartbeat_'));
      // 40 minutes: at its first fall and twice more
      expect(heard.length).toBeGreaterThanOrEqual(4);
      expect(heard.length).toBeLessThanOrEqual(6);
    });

    test('a controller that falls silent is offline after ten minutes, and well with its next report', async () => {
      const point = await app.controlPoint();
      await app.pass(2 * MINUTE);
      await point.heartbeat();
      await app.pass(10 * MINUTE);
      const before = await typesOn(point);
      await app.pass(10_000);
      const during = await ofPoint(point, '');
      await app.pass(10 * MINUTE);
      await point.heartbeat();
      await app.pass(5000);
      expect([before, during.map(({ type, severity, threshold }) => [type, severity, threshold])]).toEqual([
        [],
        [['DEVICE_OFFLINE', 'HIGH', 10]],
      ]);
      expect(await typesOn(point)).toEqual([]);
      expect((await app.logs(point.id)).map(({ action, user_id }) => [action, user_id])).toEqual(
        expect.arrayContaining([
          ['alert_created', null],
          ['alert_resolved', null],
        ]),
      );
      expect((await told(point)).map(({ title, message }) => [title, message])).toEqual([
        [
          `Controlador sem comunicação: ${point.cod}`,
          `O controlador ${point.cod} (${point.cod.replace('CP', 'V')}) está sem comunicação há mais de 10 minutos. Verifique a energia e a rede.`,
        ],
      ]);
    });

    test('a controller that never reported raises nothing', async () => {
      const point = await app.controlPoint();
      await app.pass(30 * MINUTE, MINUTE);
      expect(await typesOn(point)).toEqual([]);
    });

    test('a gateway that restarts in the middle neither forgets a silence nor tells of it twice', async () => {
      const point = await app.controlPoint();
      await point.heartbeat();
      await app.pass(11 * MINUTE);
      const restarted = watchOf(app);
      await restarted.tick();
      app.clock.advance(5 * MINUTE);
      await restarted.tick();
      const during = await typesOn(point);
      await point.heartbeat();
      await watchOf(app).tick();
      expect([during, await typesOn(point), (await told(point)).length]).toEqual([['DEVICE_OFFLINE'], [], 1]);
    });

    test('an offline alert that a person resolved does not come back for the same silence', async () => {
      const point = await app.controlPoint();
      await point.heartbeat();
      await app.pass(11 * MINUTE);
      const [offline] = await ofPoint(point);
      await app.call('PUT', `/alerts/${offline?.id}/resolve`, { token: app.owner.token });
      await app.pass(MINUTE);
      await watchOf(app).tick();
      expect(await typesOn(point)).toEqual([]);
    });

    test('an order that is not confirmed raises one alert, which its confirmation resolves', async () => {
      const point = await app.controlPoint();
      const { token } = app.owner;
      await point.heartbeat();
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
      for (let beats = 0; beats < 3; beats += 1) {
        await app.pass(25_000);
        await point.heartbeat();
      }
      const early = await typesOn(point);
      await app.pass(10_000);
      const late = await ofPoint(point);
      await point.heartbeat({ current_status: 'ON' });
      await app.pass(5000);
      expect([early, late.map(({ type, severity }) => [type, severity]), await typesOn(point)]).toEqual([
        [],
        [['COMMAND_NOT_CONFIRMED', 'HIGH']],
        [],
      ]);
    });

    test('a controller that was never there and is ordered is told, and the order taken back ends it', async () => {
      const point = await app.controlPoint();
      const { token } = app.owner;
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
      await app.pass(75_000);
      const early = await typesOn(point);
      await app.pass(10_000);
      const [alert] = await ofPoint(point);
      await point.heartbeat();
      await app.call('POST', `/control-points/${point.id}/turn-off`, { token });
      await app.pass(5000);
      expect([early, alert, await typesOn(point)]).toMatchObject([
        [],
        {
          type: 'COMMAND_NOT_CONFIRMED',
          severity: 'HIGH',
          message: expect.stringMatching(/nunca deu sinal/),
        },
        [],
      ]);
    });

    test('a control point that is entered before its controller, with its schedule, raises nothing', async () => {
      const point = await app.controlPoint();
      await app.call('POST', `/control-points/${point.id}/schedules`, {
        token: app.owner.token,
        body: { action: 'ON', start_time: new Date(app.clock.now() + MINUTE).toISOString() },
      });
      for (let minutes = 0; minutes < 5; minutes += 1) {
        await app.pass(MINUTE);
        await app.control.executor.tick();
      }
      const target = app.control.registry.byId(point.id)?.row.target_status;
      expect([target, await typesOn(point)]).toEqual(['ON', []]);
    });

    test('a refusal is told at once with its reason; a trouble that goes on says why it does now', async () => {
      const point = await app.controlPoint();
      const { token } = app.owner;
      await point.heartbeat();
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
      const { row } = app.control.registry.byId(point.id) ?? {};
      const controller = { controlPointId: point.id, deviceId: '', mqttId: '', keyId: '' };
      const answer = { epoch: row?.epoch ?? '', version: row?.version ?? 0, current_status: 'OFF' } as const;
      await app.control.door.reported(controller, { ...answer, ack: 'refused', reason: 'door open' });
      await app.pass(5000);
      const [refused] = await ofPoint(point);
      await app.control.door.reported(controller, { ...answer, ack: 'deferred' });
      for (let beats = 0; beats < 4; beats += 1) {
        await app.pass(25_000);
        await point.heartbeat();
      }
      const [deferred] = await ofPoint(point);
      expect([refused?.message, deferred?.message, refused?.id === deferred?.id]).toEqual([
        expect.stringMatching(/recusou a ordem de ficar ligado: door open\. Ele continua desligado/),
        expect.stringMatching(/adia a ordem/),
        true,
      ]);
      expect((await told(point)).map(({ data }) => data['alert_type'])).toEqual(['COMMAND_NOT_CONFIRMED']);
    });

    test('a controller that restarts again and again is one alert, until it is calm', async () => {
      const point = await app.controlPoint();
      const restart = async (boot_id: number) => {
        await point.heartbeat({ boot_id });
        await app.pass(10_000);
      };
      for (let boot = 0; boot < 3; boot += 1) await restart(boot);
      const early = await typesOn(point);
      for (let boot = 3; boot < 9; boot += 1) await restart(boot);
      const during = await ofPoint(point);
      for (let beats = 0; beats < 11; beats += 1) {
        await app.pass(30_000);
        await point.heartbeat({ boot_id: 8 });
      }
      expect([early, during, await typesOn(point)]).toMatchObject([
        [],
        [{ type: 'UNSTABLE', severity: 'MEDIUM', message: expect.stringMatching(/reiniciou 3 vezes/) }],
        [],
      ]);
      expect(await told(point)).toHaveLength(1);
    });

    test('a motor that chatters is one alert, and no other after a person resolved it', async () => {
      const point = await app.controlPoint();
      const { token } = app.owner;
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
      const chatter = async (times: number) => {
        for (let n = 0; n < times; n += 1) {
          await point.heartbeat({ current_status: n % 2 === 0 ? 'ON' : 'OFF' });
          await app.pass(10_000);
        }
      };
      await chatter(24);
      const alerts = await ofPoint(point);
      for (const { id } of alerts) await app.call('PUT', `/alerts/${id}/resolve`, { token });
      await chatter(6);
      expect([alerts.map(({ type }) => type).toSorted(), await typesOn(point)]).toEqual([
        ['COMMAND_NOT_CONFIRMED', 'UNSTABLE'],
        [],
      ]);
      expect(await told(point)).toHaveLength(2);
    });

    test('a motor that is on without current raises one alert, until current flows', async () => {
      const point = await app.controlPoint();
      const { token } = app.owner;
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
      const beat = async (motor_current_ma: number) => {
        await point.heartbeat({ current_status: 'ON', motor_current_ma });
        await app.pass(10_000);
      };
      await beat(0);
      const once = await typesOn(point);
      await beat(12);
      const twice = await ofPoint(point);
      await beat(3100);
      expect([once, twice.map(({ type, value }) => [type, value]), await typesOn(point)]).toEqual([
        [],
        [['NO_CURRENT', 12]],
        [],
      ]);
    });

    test('a power cut is one alert and one notification for the farm, and ends with the power', async () => {
      const farm = await app.newFarm('Fazenda Leste');
      const points: Point[] = [];
      for (let n = 0; n < 4; n += 1) points.push(await app.controlPoint(farm));
      const beat = (facts: object = {}) => Promise.all(points.map((point) => point.heartbeat(facts)));
      const types = async () => (await app.listed(`?farm_id=${farm.id}&include=all`)).map(({ type }) => type);
      await beat();
      await app.pass(30_000);
      await beat();
      await app.pass(15 * MINUTE);
      const during = await types();
      const notices = (await app.notifications()).filter(({ data }) => data['farm_id'] === farm.id);
      await beat({ power_ok: true });
      await app.pass(10_000);
      expect([during, notices.length, await types()]).toEqual([['POWER_FAILURE'], 1, []]);
    });

    test('a controller that tells of a power cut raises it at once, also through a restart', async () => {
      const farm = await app.newFarm('Fazenda Centro');
      const point = await app.controlPoint(farm);
      await point.heartbeat({ power_ok: false });
      await app.watches.tick();
      const restarted = watchOf(app);
      await restarted.tick();
      const during = await typesOn(point);
      await point.heartbeat({ power_ok: true });
      await restarted.tick();
      expect([during, await typesOn(point)]).toEqual([['POWER_FAILURE'], []]);
    });

    test('a power failure takes in what its controller did not confirm, never the oxygen of a pond; what still stands after it shows again', async () => {
      const farm = await app.newFarm('Fazenda Oeste');
      const point = await app.controlPoint(farm);
      const { token } = app.owner;
      const types = async () =>
        (await app.listed(`?farm_id=${farm.id}&include=all`)).map(({ type }) => type).toSorted();
      const oxygen = (dissolved_oxygen: number) =>
        app.call('POST', '/water-quality/', { token, body: { pond_id: point.pond.id, dissolved_oxygen } });
      const beats = async (facts: object) => {
        for (let beat = 0; beat < 5; beat += 1) {
          await point.heartbeat(facts);
          await app.pass(25_000);
        }
      };
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
      await oxygen(2.6);
      await beats({});
      const before = await types();
      await beats({ power_ok: false });
      await oxygen(2.2);
      await beats({ power_ok: false });
      const during = await types();
      await beats({ power_ok: true });
      const after = await types();
      await beats({ power_ok: true, current_status: 'ON' });
      expect([before, during, after, await types()]).toEqual([
        ['COMMAND_NOT_CONFIRMED', 'LOW_OXYGEN'],
        ['LOW_OXYGEN', 'POWER_FAILURE'],
        ['COMMAND_NOT_CONFIRMED', 'LOW_OXYGEN'],
        ['LOW_OXYGEN'],
      ]);
    });

    test('a full disk is said once, and the alert is stored when there is room', async () => {
      const point = await app.controlPoint();
      await point.heartbeat();
      const disk = { isFull: true };
      const commit: Commit = (unit) => {
        if (disk.isFull) throw new StorageUnavailable('full', null);
        return app.kernel.commit(unit);
      };
      const watch = watchOf(app, { commit });
      const said = () =>
        app.sentences.filter(({ sentence }) => sentence.startsWith('alerts of controllers')).length;
      const before = said();
      app.clock.advance(11 * MINUTE);
      await watch.tick();
      await watch.tick();
      const during = await typesOn(point);
      disk.isFull = false;
      await watch.tick();
      await watch.tick();
      expect([during, said() - before, await typesOn(point)]).toEqual([[], 1, ['DEVICE_OFFLINE']]);
    });

    test('what is wrong with the gateway is told to each farm once, as SYSTEM, and resolved', async () => {
      const conditions: InstanceConditions = { clock: 'trusted', disk: 'ok' };
      const farmIds = [app.farm.id];
      const start = () => {
        const watch = createInstanceWatch({
          ...app.kernel,
          monotonic: app.clock.now,
          conditions: () => conditions,
          farmIds: () => farmIds,
          heldOn: () => [],
          alerting: app.alerts.alerting,
          queries: app.alerts.queries,
        });
        app.database.onCommit(watch.follow);
        return watch;
      };
      const types = async () =>
        (await app.listed(`?farm_id=${app.farm.id}&include=all`))
          .map(({ type }) => type)
          .filter((type) => type === 'CLOCK_UNTRUSTED' || type === 'DISK_FULL');
      let watch = start();
      Object.assign(conditions, { clock: 'untrusted', disk: 'full' });
      await watch.tick();
      const atOnce = await types();
      app.clock.advance(2 * MINUTE);
      await watch.tick();
      watch = start();
      await watch.tick();
      const later = (await types()).sort();
      const notices = (await app.notifications()).filter(({ type }) => type === 'SYSTEM');
      Object.assign(conditions, { clock: 'trusted', disk: 'ok' });
      await watch.tick();
      expect([atOnce, later, notices.length, await types()]).toEqual([
        ['DISK_FULL'],
        ['CLOCK_UNTRUSTED', 'DISK_FULL'],
        2,
        [],
      ]);
    });
  });
});
