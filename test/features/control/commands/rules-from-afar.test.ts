import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { tell } from '#core/changes.ts';
import { createFollowMerged } from '#features/control/schedules/follow-merged.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { bindFarm } from './a-bound-farm.ts';
import { feedOf, sharedPoint } from './a-shared-farm.ts';

onBothEngines('schedules and settings that people change on the hosted instance', (_open, engine) => {
  let hosted: App;
  let gateway: App;
  beforeAll(async () => {
    hosted = await startApp('sqlite', ['--role', 'hosted']);
    gateway = await startApp(engine);
  });
  afterAll(async () => {
    await gateway.close();
    await hosted.close();
  });

  const aSharedPoint = () => sharedPoint({ hosted, gateway });
  const inMinutes = (minutes: number) => new Date(hosted.clock.now() + minutes * 60_000).toISOString();
  const marks = () =>
    gateway.database.read
      .selectFrom('instance_values')
      .select('id')
      .where('id', 'like', 'merged_before:%')
      .execute();

  it('reach the controllers as new revisions, each once', async () => {
    const { token, path, schedule, syncDown, row } = await aSharedPoint();
    await hosted.call('PUT', `${path}/settings`, { token, body: { min_on_s: 90, fail_safe: 'ON' } });
    await syncDown();
    expect(row()).toMatchObject({ min_on_s: 90, fail_safe: 'ON', config_rev: 2, schedule_rev: 1 });
    await schedule({ action: 'ON', start_time: inMinutes(60) });
    await syncDown();
    expect(row()).toMatchObject({ config_rev: 2, schedule_rev: 2 });
    await hosted.call('PUT', path, { token, body: { cod: `X-${Math.floor(hosted.clock.now() / 7)}` } });
    await syncDown();
    expect(row()).toMatchObject({ config_rev: 2, schedule_rev: 2 });
    expect(await marks()).toEqual([]);
  });

  it('leave what holds now as it is: tonight’s aeration goes on when its end is moved', async () => {
    const { token, schedule, syncDown, row, pass } = await aSharedPoint();
    const made = await schedule({ action: 'ON', start_time: inMinutes(10), end_time: inMinutes(100) });
    const id = String(body(made)['id']);
    await syncDown();
    await pass(11);
    expect(row()).toMatchObject({ target_status: 'ON' });
    await hosted.call('PATCH', `/schedules/${id}`, { token, body: { end_time: inMinutes(200) } });
    await syncDown();
    await gateway.control.executor.tick();
    expect(row()).toMatchObject({ target_status: 'ON', base_target: 'ON', schedule_rev: 3 });
    await hosted.call('DELETE', `/schedules/${id}`, { token });
    await syncDown();
    await pass(1);
    expect(row()).toMatchObject({ target_status: 'ON', base_target: 'ON', schedule_rev: 4 });
  });

  it('that ask for ON now start the motor at once, over an order older than they', async () => {
    const { point, schedule, syncDown, row, pass } = await aSharedPoint();
    const view = gateway.control.registry.byId(point.id);
    if (view === null) throw new Error('the gateway does not know the control point');
    const off = {
      target: 'OFF',
      origin: 'LOCAL',
      issuedBy: null,
      reason: 'by hand',
      holdUntil: null,
    } as const;
    await gateway.kernel.commit({ actor: null, changes: gateway.control.giveOrder(view, off).changes });
    expect(gateway.control.registry.byId(point.id)?.manualOrders).toHaveLength(1);
    await pass(40);
    const rule = { action: 'ON', start_time: inMinutes(-30), end_time: inMinutes(30) };
    const made = await schedule(rule);
    expect(body(made)).toMatchObject({ takes_effect: 'NOW' });
    await syncDown();
    await pass(1);
    expect(row()).toMatchObject({ target_status: 'ON' });
    await pass(31);
    expect(row()).toMatchObject({ target_status: 'OFF' });
  });

  it('that ask for OFF now wait for the next event, or act at once where that was asked for', async () => {
    const { token, schedule, syncDown, row, pass } = await aSharedPoint();
    await schedule({ action: 'ON', start_time: inMinutes(1), end_time: inMinutes(600) });
    await syncDown();
    await pass(5);
    const rest = { action: 'OFF', start_time: inMinutes(-1), end_time: inMinutes(30) };
    const made = body(await schedule(rest));
    expect(made).toMatchObject({ takes_effect: 'NEXT_EVENT' });
    await syncDown();
    await pass(1);
    expect(row()).toMatchObject({ target_status: 'ON' });
    await schedule({ ...rest, apply_now: true });
    await syncDown();
    await pass(1);
    expect(row()).toMatchObject({ target_status: 'OFF' });
    await hosted.call('DELETE', `/schedules/${String(made['id'])}`, { token });
    await syncDown();
    await pass(1);
    expect(row()).toMatchObject({ target_status: 'ON' });
  });

  describe('with apply_now are an order to stop, which counts for as long as one', () => {
    /** A motor that a schedule runs, and one from afar that wants it OFF at once. */
    async function aStopFromAfar() {
      const shared = await aSharedPoint();
      await shared.schedule({ action: 'ON', start_time: inMinutes(1), end_time: inMinutes(600) });
      await shared.syncDown();
      await shared.pass(5);
      expect(shared.row()).toMatchObject({ target_status: 'ON' });
      const rest = { action: 'OFF', start_time: inMinutes(-1), end_time: inMinutes(30), apply_now: true };
      const made = body(await shared.schedule(rest));
      expect(made).toMatchObject({ takes_effect: 'NOW' });
      return { ...shared, id: String(made['id']) };
    }
    const bothLater = (ms: number) => {
      for (const app of [hosted, gateway]) app.clock.advance(ms);
    };
    const storedOn = (app: App, id: string) =>
      app.database.read.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst();

    it('told 59 s later it stops the motor', async () => {
      const { syncDown, row, pass } = await aStopFromAfar();
      bothLater(59_000);
      await syncDown();
      await pass(0);
      expect(row()).toMatchObject({ target_status: 'OFF' });
    });

    it.each([
      ['told after a minute', { tellAfterMs: 61_000, heldBackMs: 0 }],
      ['told at once, and held back on its way for a minute', { tellAfterMs: 0, heldBackMs: 61_000 }],
    ])(
      '%s it stops nothing, and the schedule stands on both sides',
      async (_, { tellAfterMs, heldBackMs }) => {
        const { syncDown, row, pass, id, point } = await aStopFromAfar();
        bothLater(tellAfterMs);
        await syncDown((unit) => {
          const { incoming } = unit;
          const told = incoming?.told;
          if (incoming === undefined || told === undefined) throw new Error('nothing came');
          return gateway.kernel.commit({
            ...unit,
            incoming: { ...incoming, told: { ...told, elapsedMs: () => heldBackMs } },
          });
        });
        await pass(0);
        expect(row()).toMatchObject({ target_status: 'ON', base_target: 'ON' });
        const [here, there] = [await storedOn(gateway, id), await storedOn(hosted, id)];
        expect(here).toEqual({ ...there, rev: here?.rev });
        const logs = await gateway.database.read
          .selectFrom('logs')
          .select('details')
          .where('entity_id', '=', point.id)
          .execute();
        expect(logs.filter(({ details }) => String(details).includes('TOO_LATE'))).toHaveLength(1);
        // it goes on as a schedule: with its end the other one runs, and at its next start it stops
        await pass(31);
        expect(row()).toMatchObject({ target_status: 'ON' });
      },
    );

    it('caught by a power cut it stops nothing at the next start', async () => {
      const { syncDown, row, pass } = await aStopFromAfar();
      const dying = createFollowMerged({
        ...gateway.kernel,
        monotonic: gateway.clock.now,
        views: gateway.control.registry,
        isRunByGateway: () => false,
        clearWay: async () => undefined,
        storedMarks: async () => [],
        storedArrivals: async () => [],
        commit: (unit) =>
          unit.incoming === undefined
            ? Promise.reject(new Error('the power is gone'))
            : gateway.processes.database.commit(unit),
      });
      await syncDown(dying.commit);
      bothLater(3_600_000);
      await gateway.control.merged.begin();
      await pass(0);
      expect(row()).toMatchObject({ target_status: 'ON', base_target: 'ON' });
      expect(await marks()).toEqual([]);
    });

    it('that comes with a comparison stops nothing', async () => {
      const { row, pass, streamId } = await aStopFromAfar();
      const { changes } = await feedOf(hosted, streamId, 0);
      const rows = changes.flatMap(({ entity, id, cl, hlc, over, body: told, base }) =>
        told === null || base !== null ? [] : [{ entity, id, cl, hlc, over: over ?? {}, body: told }],
      );
      await gateway.kernel.commit({ actor: null, changes: [], snapshot: { streamId: 1, rows } });
      await pass(0);
      expect(row()).toMatchObject({ target_status: 'ON', base_target: 'ON' });
    });
  });

  it('a farm read in another zone keeps what holds, and its controllers get their list anew', async () => {
    const { token, farmId, schedule, syncDown, row } = await aSharedPoint();
    await schedule({ action: 'ON', start_time: inMinutes(60), repeat_pattern: 'DAILY' });
    await syncDown();
    await hosted.call('PUT', `/farms/${farmId}`, { token, body: { timezone: 'America/Rio_Branco' } });
    await syncDown();
    expect(row()).toMatchObject({ schedule_rev: 3 });
  });

  it('that a power cut caught between rows and revisions are finished at the next start', async () => {
    const { token, schedule, syncDown, row, pass } = await aSharedPoint();
    const made = await schedule({ action: 'ON', start_time: inMinutes(10), end_time: inMinutes(100) });
    await syncDown();
    await pass(11);
    await hosted.call('DELETE', `/schedules/${body(made)['id']}`, { token });
    const base_at = new Date(gateway.clock.now()).toISOString();
    // the rows and the note of how it stood are on disk, and then the power is gone
    const dying = createFollowMerged({
      ...gateway.kernel,
      monotonic: gateway.clock.now,
      isRunByGateway: () => false,
      clearWay: async () => undefined,
      views: gateway.control.registry,
      storedMarks: async () => [],
      storedArrivals: async () => [],
      commit: (unit) =>
        unit.incoming === undefined
          ? Promise.reject(new Error('the power is gone'))
          : gateway.processes.database.commit(unit),
    });
    await syncDown(dying.commit);
    expect(row()).toMatchObject({ schedule_rev: 2, base_target: 'OFF' });
    expect(await marks()).toHaveLength(1);
    gateway.clock.advance(3 * 3_600_000);
    // the next start, before control looks at anything; once is enough, twice does no harm
    await gateway.control.merged.begin();
    await gateway.control.merged.begin();
    expect(row()).toMatchObject({ schedule_rev: 3, base_target: 'ON', base_at });
    await gateway.control.executor.tick();
    expect(row()).toMatchObject({ target_status: 'ON' });
    expect(await marks()).toEqual([]);
  });

  it('of a farm that comes in pages switch nothing before the whole farm is here', async () => {
    const { token, farmId } = await aFarmWith(hosted);
    const point = await aControlPoint(hosted, { token, farmId, target_status: 'ON' });
    const me = body(await hosted.call('GET', '/users/me', { token }));
    const { streamId } = await bindFarm(hosted, farmId, String(me['id']));
    const whole = [tell(farm, farmId, streamId), tell(controlPoint, point.id, streamId)];
    await hosted.kernel.commit({ actor: null, changes: whole });
    const { changes } = await feedOf(hosted, streamId, 0);
    const rows = changes.flatMap(({ entity, id, cl, hlc, over, body: told }) =>
      told === null ? [] : [{ entity, id, cl, hlc, over: over ?? {}, body: told }],
    );
    await gateway.kernel.commit({ actor: null, changes: [], snapshot: { streamId: 1, rows } });
    expect(gateway.control.registry.byId(point.id)).not.toBeNull();
    const isRun = () => [...gateway.control.ownViews.all()].some(({ row }) => row.id === point.id);
    expect(isRun()).toBe(false);
    // without a word that the comparison is over
    gateway.clock.advance(120_000);
    expect(isRun()).toBe(true);
  });
});
