import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlFactsQueries } from '#adapters/sql/queries/control/control-facts.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';

const SECOND = 1_000;

describe('an order for a time', () => {
  let app: App;
  let token: string;
  let path: string;
  beforeEach(async () => {
    app = await startApp('sqlite');
    const farm = await aFarmWith(app);
    ({ token } = farm);
    const { id } = await aControlPoint(app, { ...farm, target_status: 'ON' });
    path = `/control-points/${id}`;
  });
  afterEach(() => app.close());

  const order = (what: 'turn-on' | 'turn-off', for_s?: number) =>
    app.call('POST', `${path}/${what}`, { token, body: for_s === undefined ? {} : { for_s } });
  const target = async () => body(await app.call('GET', path, { token }))['target_status'];
  async function pass(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n += 5) {
      app.clock.advance(5 * SECOND);
      app.lookAtClock();
      await app.control.executor.tick();
    }
  }

  it('that holds again after a shorter one still ends at its own time', async () => {
    await order('turn-off', 120);
    await pass(10);
    await order('turn-on', 20);
    await pass(30);
    expect(await target()).toBe('OFF');
    await pass(120);
    expect(await target()).toBe('ON');
  });

  it('leaves the last order without end in force, after however many others', async () => {
    await order('turn-off');
    // alternating, or they would be one and the same order
    for (let n = 0; n < 25; n++) await order(n % 2 === 0 ? 'turn-on' : 'turn-off', 60);
    // whoever reads all of it anew, as a start does, knows it too
    const facts = await controlFactsQueries(app.database.read).controlFacts(path.split('/').at(-1) ?? '');
    expect(facts?.manualOrders).toHaveLength(21);
    expect(facts?.manualOrders.at(-1)).toMatchObject({ target_status: 'OFF', hold_until: null });
    expect(await target()).toBe('ON');
    await pass(120);
    expect(await target()).toBe('OFF');
  });

  it('needs no clock: it holds while that is not trusted and ends at its own time, into the fail-safe', async () => {
    await app.call('PUT', `${path}/settings`, { token, body: { fail_safe: 'ON' } });
    await order('turn-off', 120);
    await pass(10);
    app.stepWallClock(56 * 365 * 86_400 * SECOND);
    await pass(10);
    expect(await target()).toBe('OFF');
    await app.call('POST', '/system/clock', { token, body: {} });
    await pass(10);
    expect(await target()).toBe('OFF');
    app.stepWallClock(-56 * 365 * 86_400 * SECOND);
    await pass(80);
    expect(await target()).toBe('OFF');
    await pass(15);
    expect(await target()).toBe('ON');
  });

  it.each(['HOLD', 'SCHEDULE'] as const)(
    'of either kind is over when its time is, with fail-safe %s and a clock that nobody believes',
    async (fail_safe) => {
      await app.call('PUT', `${path}/settings`, { token, body: { fail_safe } });
      app.stepWallClock(91 * 86_400 * SECOND);
      await pass(5);
      await order('turn-off', 20);
      await pass(10);
      expect(await target()).toBe('OFF');
      await pass(15);
      // what the rules wanted when the clock was last trusted
      expect(await target()).toBe('ON');
      await order('turn-off');
      await order('turn-on', 20);
      await pass(10);
      expect(await target()).toBe('ON');
      await pass(15);
      // an order without end, given since then
      expect(await target()).toBe('OFF');
    },
  );

  it.each([3_600, -3_600, 20 * 3_600, -20 * 3_600])(
    'lasts as long as was said over a step of the clock by %i s, and what is over stays over',
    async (step) => {
      await order('turn-off', 300);
      await pass(300);
      expect(await target()).toBe('ON');
      await order('turn-off', 120);
      await pass(30);
      app.stepWallClock(step * SECOND);
      await pass(80);
      expect(await target()).toBe('OFF');
      await pass(15);
      expect(await target()).toBe('ON');
      const shown = await app.call('GET', `${path}/orders`, { token });
      const [last] = (shown.body as { hold_until: string | null; reason: string | null }[]).filter(
        ({ hold_until }) => hold_until !== null,
      );
      // the end is shown by the clock as it is now
      expect(Math.abs(Date.parse(last?.hold_until ?? '') - app.kernel.now())).toBeLessThan(20 * SECOND);
      app.stepWallClock(-step * SECOND);
      await pass(10);
      expect(await target()).toBe('ON');
    },
  );

  it('that a later order replaced does not come back when the schedules are changed', async () => {
    const schedule = (start: number, fields: object) => {
      const start_time = new Date(app.clock.now() + start * SECOND).toISOString();
      return app.call('POST', `${path}/schedules`, { token, body: { action: 'ON', start_time, ...fields } });
    };
    await schedule(40, {});
    const other = body(await schedule(86_400, {}))['id'];
    await order('turn-off', 300);
    await pass(10);
    await order('turn-off');
    await pass(40);
    expect(await target()).toBe('ON');
    expect((await app.call('DELETE', `/schedules/${other}`, { token })).status).toBe(204);
    await pass(10);
    expect(await target()).toBe('ON');
  });
});
