import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Point } from '../a-farm.ts';
import { canMoveClocks } from '../started-gateway.ts';
import { type Kind, type Relay, type RelayFarm, startRelayFarm } from './a-relay-farm.ts';

// Relays of the trade, written from the documents of their makers, against the started program. Whatever they do, the
// motor is where the farm wants it within 90 s, or somebody is told.

/** All clocks of the farm and its relays run so many times faster. */
const SPEED = 6;
const TIMER_S = 5;
/** The motor is where the farm wants it, or somebody is told. */
const BOUND_S = 90;
const EMERGENCY = { do_emergency: 2.5 };

/** The tests of one kind of relay: a file for each, so that they run beside each other. */
export function testRelaysOf(kind: Kind): void {
  describe.skipIf(!canMoveClocks).concurrent(`a ${kind} relay obeys the farm`, () => {
    casesOf(kind);
  });
}

function casesOf(kind: Kind): void {
  let farm: RelayFarm;
  beforeAll(async () => {
    farm = await startRelayFarm(SPEED);
  });
  afterAll(() => farm?.close());

  type More = { timer?: boolean; settings?: object };

  /** A relay as it comes; `timer`: with one of its own that nobody can take out. */
  async function aRelay({ timer = false, settings = {} }: More = {}) {
    const point = await farm.point({ ...EMERGENCY, ...settings });
    const pulse = { before: { PulseTime1: String(TIMER_S * 10) }, stuck: ['PulseTime1'] };
    const relay = await (kind === 'tasmota'
      ? farm.tasmota(point, timer ? pulse : {})
      : farm.shelly(point, timer ? { timerS: TIMER_S } : {}));
    await farm.online(point);
    // what it is told at its coming is behind it
    await farm.pass(4);
    return { point, relay };
  }

  async function runs(
    { point, relay }: { point: Point; relay: Relay },
    by: 'schedule' | 'person' | 'emergency',
  ) {
    if (by === 'schedule') await farm.scheduleOn(point);
    if (by === 'person') await farm.order(point, 'on');
    if (by === 'emergency') await farm.measure(point, 1.2);
    await farm.within(BOUND_S, relay.starts, (starts) => starts > 0);
  }

  /** The gateway has heard it too: what comes after that is a change for it. */
  const isHeardOn = (point: Point) =>
    farm.within(
      BOUND_S,
      () => farm.shown(point),
      (shown) => shown['current_status'] === 'ON',
    );

  /** Each start of the motor trips the protection of the relay within a second. */
  function tripsAlways(relay: Relay) {
    const look = setInterval(() => {
      if (relay.state() === 'ON') relay.overload();
    }, 1_000 / SPEED);
    return { end: () => clearInterval(look) };
  }

  /** The longest that the motor stood still between two runs, farm seconds. */
  function longestStop(relay: Relay): number {
    const changes = relay.own.history;
    return changes.reduce((longest, change, index) => {
      const before = changes[index - 1];
      const isStart = 'on' in change ? change.on : change.to === 'ON';
      return before === undefined || !isStart ? longest : Math.max(longest, (change.at - before.at) / 1000);
    }, 0);
  }

  it('in an emergency: a button at the relay does not stop the motor for good', async () => {
    const at = await aRelay();
    await runs(at, 'emergency');
    await isHeardOn(at.point);
    at.relay.press();
    expect(at.relay.state()).toBe('OFF');
    await farm.reaches(at.relay, 'ON');
  });

  it('in an emergency: it is started again and again against its own timer, ever more rarely', async () => {
    const at = await aRelay({ timer: true });
    await runs(at, 'emergency');
    await farm.within(4 * BOUND_S, at.relay.starts, (starts) => starts >= 6);
    expect(longestStop(at.relay)).toBeLessThan(BOUND_S);
  });

  it('in an emergency: it is started again and again against its own protection, until that gives in', async () => {
    const at = await aRelay();
    await runs(at, 'emergency');
    const trips = tripsAlways(at.relay);
    await farm.within(4 * BOUND_S, at.relay.starts, (starts) => starts >= 6);
    trips.end();
    await farm.reaches(at.relay, 'ON');
    expect(longestStop(at.relay)).toBeLessThan(BOUND_S);
  });

  it.each(['schedule', 'person'] as const)(
    'ON by a %s: a hand at the relay stands and is told; emergency oxygen goes before it, once, with its reason',
    async (by) => {
      const at = await aRelay();
      const { point, relay } = at;
      await runs(at, by);
      const before = await isHeardOn(point);
      relay.press();
      await farm.isTold(point);
      expect(relay.state()).toBe('OFF');
      expect(await farm.warnings(point)).toContain('SET_BY_HAND');
      await farm.measure(point, 1.2);
      await farm.reaches(relay, 'ON');
      const shown = await farm.within(
        BOUND_S,
        () => farm.shown(point),
        ({ target_origin }) => target_origin === 'SAFETY',
      );
      expect(shown['target_reason']).toContain('emergency level');
      expect(Number(shown['version'])).toBe(Number(before['version']) + 1);
      for (const oxygen of [1.1, 0.6, 1.3]) await farm.measure(point, oxygen);
      await farm.pass(5);
      expect(await farm.shown(point)).toMatchObject({ version: shown['version'] });
      const logs = await farm.list(`/logs/control-points/${point.id}`);
      const orders = logs.filter(({ action, origin }) => action === 'turn_on' && origin === 'SAFETY');
      expect(orders).toHaveLength(1);
    },
  );

  it.each(['schedule', 'person'] as const)(
    'ON by a %s: what switched itself off by a timer of its own is told again three times, then alarmed by its name',
    async (by) => {
      const at = await aRelay({ timer: true });
      await runs(at, by);
      await farm.within(2 * BOUND_S, at.relay.starts, (starts) => starts === 4);
      await farm.reaches(at.relay, 'OFF');
      await farm.isTold(at.point);
      await farm.pass(30);
      expect([at.relay.state(), at.relay.starts()]).toEqual(['OFF', 4]);
      expect(longestStop(at.relay)).toBeLessThan(BOUND_S);
      const warnings = await farm.warnings(at.point);
      expect(warnings).toContain('SWITCHED_BY_TIMER');
      expect(warnings).not.toContain('SET_BY_HAND');
    },
  );

  it.each(['schedule', 'person'] as const)(
    'ON by a %s: what its protection switched off is told again three times, then alarmed by its name',
    async (by) => {
      const at = await aRelay();
      await runs(at, by);
      const trips = tripsAlways(at.relay);
      await farm.within(2 * BOUND_S, at.relay.starts, (starts) => starts === 4);
      await farm.isTold(at.point);
      await farm.pass(30);
      trips.end();
      expect([at.relay.state(), at.relay.starts()]).toEqual(['OFF', 4]);
      const warnings = await farm.warnings(at.point);
      expect(warnings).toContain('SWITCHED_BY_PROTECTION');
      expect(warnings).not.toContain('SET_BY_HAND');
    },
  );

  it('locked out: a hand, before it and after it, and a timer that starts the motor do not win', async () => {
    const { point, relay } = await aRelay();
    relay.press();
    await farm.within(
      BOUND_S,
      () => farm.shown(point),
      (shown) => shown['current_status'] === 'ON',
    );
    await farm.post(`/control-points/${point.id}/lock-out`, { reason: 'correia' });
    await farm.reaches(relay, 'OFF');
    for (let time = 0; time < 3; time += 1) {
      await farm.pass(3);
      relay.press();
      expect(relay.state()).toBe('ON');
      await farm.reaches(relay, 'OFF');
    }
    if (relay.kind === 'shelly') {
      relay.own.set({ auto_on: true, auto_on_delay: 5 });
      relay.press();
      await farm.within(
        BOUND_S,
        () => relay.own.config()['auto_on'],
        (value) => value === false,
      );
      await farm.reaches(relay, 'OFF');
    }
    expect(await farm.shown(point)).toMatchObject({ target_origin: 'SAFETY', target_status: 'OFF' });
  });

  it('a timer that can be taken out is taken out, and the motor runs on', async () => {
    const { point, relay } = await aRelay();
    await farm.order(point, 'on');
    await farm.reaches(relay, 'ON');
    if (relay.kind === 'tasmota') {
      relay.own.type('PulseTime1', '110');
      await farm.within(
        BOUND_S,
        () => relay.own.setting('PulseTime1'),
        (value) => value === '0',
      );
    } else {
      relay.own.set({ auto_off: true, auto_off_delay: 11 });
      await farm.within(
        BOUND_S,
        () => relay.own.config()['auto_off'],
        (value) => value === false,
      );
    }
    await farm.pass(20);
    expect([relay.state(), relay.starts()]).toEqual(['ON', 1]);
  });

  it('a relay that restarts is told its target again', async () => {
    const { point, relay } = await aRelay({ settings: { fail_safe: 'OFF', start_order: 0 } });
    await farm.order(point, 'on');
    await farm.reaches(relay, 'ON');
    relay.own.powerCut(2_000);
    await farm.within(BOUND_S, relay.state, (state) => state === 'OFF');
    await farm.reaches(relay, 'ON');
  });
}
