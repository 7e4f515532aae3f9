import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { quietUntil } from '#core/notifying.ts';
import { zoneClock } from '#core/zone-clock.ts';
import { decideDelivery } from '#features/alarms/delivery/decide-delivery.ts';
import type { Job } from '#features/alarms/delivery/ports.ts';
import { createSendGate } from '#features/alarms/delivery/send-gate.ts';
import { createOutageWatch, MOST_ATTEMPTS, nextAfter } from '#features/alarms/delivery/settle-delivery.ts';

const at = (iso: string) => Date.parse(iso);
const HOUR = 3_600_000;

describe('quiet hours', () => {
  const endOf = (from: string | null, to: string | null, zone: string, iso: string) => {
    const end = quietUntil({ from, to, zone }, at(iso));
    return end === null ? null : new Date(end).toISOString();
  };

  test.each([
    ['a farm without them is never quiet', null, null, 'Etc/UTC', '2026-03-02T03:00:00Z', null],
    [
      'in the night',
      '22:00',
      '06:00',
      'America/Fortaleza',
      '2026-03-02T03:00:00Z',
      '2026-03-02T09:00:00.000Z',
    ],
    [
      'before midnight',
      '22:00',
      '06:00',
      'America/Fortaleza',
      '2026-03-02T01:30:00Z',
      '2026-03-02T09:00:00.000Z',
    ],
    ['the evening before', '22:00', '06:00', 'America/Fortaleza', '2026-03-02T00:59:59.999Z', null],
    [
      'from the first minute',
      '22:00',
      '06:00',
      'America/Fortaleza',
      '2026-03-02T01:00:00Z',
      '2026-03-02T09:00:00.000Z',
    ],
    ['the end belongs to the day', '22:00', '06:00', 'America/Fortaleza', '2026-03-02T09:00:00Z', null],
    ['at noon', '12:00', '14:00', 'America/Fortaleza', '2026-03-02T15:30:00Z', '2026-03-02T17:00:00.000Z'],
    [
      'another zone, another night',
      '22:00',
      '06:00',
      'Asia/Tokyo',
      '2026-03-02T15:00:00Z',
      '2026-03-02T21:00:00.000Z',
    ],
    [
      'a zone of half hours',
      '22:00',
      '06:00',
      'Asia/Kolkata',
      '2026-03-02T16:30:00Z',
      '2026-03-03T00:30:00.000Z',
    ],
    [
      'a night that lasts an hour less',
      '22:00',
      '06:00',
      'America/New_York',
      '2026-03-08T05:00:00Z',
      '2026-03-08T10:00:00.000Z',
    ],
    [
      'an end that does not exist',
      '22:00',
      '02:30',
      'America/New_York',
      '2026-03-08T05:00:00Z',
      '2026-03-08T07:00:00.000Z',
    ],
  ])('%s', (_what, from, to, zone, now, end) => {
    expect(endOf(from, to, zone, now)).toBe(end);
  });

  it('always end within a day, and it is not quiet when they have ended', () => {
    const minutes = fc.integer({ min: 0, max: 1439 });
    const time = (n: number) =>
      `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`;
    fc.assert(
      fc.property(
        minutes,
        minutes,
        fc.constantFrom('America/Fortaleza', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham'),
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') }),
        (from, to, zone, now) => {
          fc.pre(from !== to);
          const hours = { from: time(from), to: time(to), zone: zoneClock(zone) };
          const end = quietUntil(hours, now);
          if (end === null) return;
          expect(end - now).toBeGreaterThan(0);
          expect(end - now).toBeLessThanOrEqual(25 * HOUR);
          expect(quietUntil(hours, end)).toBeNull();
        },
      ),
    );
  });
});

describe('attempts', () => {
  const failed = { is: 'retry', why: 'answered 500' } as const;

  it('are twelve, and take less than a day however the dice fall', () => {
    for (const random of [0, 0.5, 0.999999]) {
      let now = 0;
      let attempts = 0;
      for (;;) {
        const next = nextAfter(failed, { attempts, createdAt: 0 }, { now, random: () => random });
        attempts = next.attempts;
        if (next.state === 'DEAD') break;
        expect(next.at).toBeGreaterThanOrEqual(now + 1000);
        now = next.at;
      }
      expect(attempts).toBe(MOST_ATTEMPTS);
      expect(now).toBeLessThan(18 * HOUR);
    }
  });

  it('wait what the receiver asks for, but not longer than a day', () => {
    const asked = (afterMs: number) =>
      nextAfter({ ...failed, afterMs }, { attempts: 0, createdAt: 0 }, { now: 0, random: () => 0.5 });
    expect(asked(5 * HOUR)).toMatchObject({ at: 5 * HOUR });
    expect(asked(1000 * HOUR)).toMatchObject({ at: 24 * HOUR });
  });

  it('without a way out do not count, and become rarer', () => {
    const lost = { is: 'unreachable', why: 'no internet' } as const;
    const waitAt = (age: number) => {
      const next = nextAfter(lost, { attempts: 3, createdAt: 0 }, { now: age, random: () => 1 });
      expect(next).toMatchObject({ state: 'PENDING', attempts: 3 });
      return next.state === 'PENDING' ? next.at - age : 0;
    };
    expect([waitAt(0), waitAt(20 * 60_000), waitAt(5 * HOUR)]).toEqual([60_000, 300_000, 600_000]);
  });

  it('that this instance could not make do not count, and come when it can', () => {
    const next = nextAfter(
      { is: 'later', of: 'all', why: 'an error of this instance', afterMs: 30_000 },
      { attempts: 11, createdAt: 0 },
      { now: HOUR, random: () => 0 },
    );
    expect(next).toMatchObject({ state: 'PENDING', attempts: 11, at: HOUR + 30_000 });
  });

  it('end at once with a refusal', () => {
    const next = nextAfter(
      { is: 'refused', why: '550' },
      { attempts: 0, createdAt: 0 },
      { now: 0, random: () => 0 },
    );
    expect(next).toEqual({ state: 'DEAD', attempts: 1, why: '550' });
  });
});

describe('an outage', () => {
  const lost = { is: 'unreachable', why: 'no internet' } as const;
  function aWatch({ hasOneWayOut = true } = {}) {
    const clock = { ms: 0 };
    return { clock, watch: createOutageWatch({ monotonic: () => clock.ms, random: () => 1, hasOneWayOut }) };
  }

  it('is seen by three different channels in a row, not by one that is wrong', () => {
    const { watch } = aWatch();
    for (let n = 0; n < 9; n += 1) watch.note(lost, 'a');
    expect(watch.isResting()).toBe(false);
    watch.note(lost, 'b');
    watch.note({ is: 'retry', why: 'answered 500' }, 'c');
    watch.note(lost, 'd');
    watch.note(lost, 'e');
    expect(watch.isResting()).toBe(false);
    watch.note(lost, 'f');
    expect(watch.isResting()).toBe(true);
  });

  it('is not seen where one person’s names say nothing of the others’', () => {
    const { watch } = aWatch({ hasOneWayOut: false });
    for (const channel of ['a', 'b', 'c', 'd']) watch.note(lost, channel);
    expect(watch.isResting()).toBe(false);
  });

  it('of this instance itself is one of all channels, wherever it runs', () => {
    const { watch, clock } = aWatch({ hasOneWayOut: false });
    watch.note({ is: 'later', of: 'channel', why: '20 SMS were sent', afterMs: 30_000 }, 'a');
    expect(watch.isResting()).toBe(false);
    watch.note({ is: 'later', of: 'all', why: 'an error of this instance', afterMs: 30_000 }, 'a');
    expect(watch.isResting()).toBe(true);
    clock.ms = 30_000;
    expect(watch.isResting()).toBe(false);
  });

  it('makes the rests longer, up to a minute', () => {
    const { watch, clock } = aWatch();
    const rests: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      for (const channel of ['a', 'b', 'c']) watch.note(lost, `${channel}${n}`);
      const from = clock.ms;
      while (watch.isResting()) clock.ms += 1000;
      rests.push((clock.ms - from) / 1000);
    }
    expect(rests).toEqual([5, 10, 20, 40, 60, 60]);
  });
});

describe('the slots of those that send', () => {
  const turns = async () => {
    for (let n = 0; n < 5; n += 1) await Promise.resolve();
  };

  it('are kept, one in four, for what is critical, and given to it first', async () => {
    const gate = createSendGate(4);
    const inside: { name: string; leave: () => void }[] = [];
    const enter = (name: string, isCritical: boolean) =>
      void gate.enter(isCritical, null).then((leave) => inside.push({ name, leave }));
    for (const name of ['a', 'b', 'c', 'd']) enter(name, false);
    for (const name of ['E', 'F']) enter(name, true);
    await turns();
    expect(inside.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'E']);
    // a slot that is given back twice is one slot
    inside[0]?.leave();
    inside[0]?.leave();
    await turns();
    expect(inside.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'E', 'F']);
    for (const { leave } of inside) leave();
    await turns();
    expect(inside.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'E', 'F', 'd']);
  });
});

describe('the slots of those that send to many places', () => {
  const entered = async (gate: ReturnType<typeof createSendGate>, place: string, n: number) => {
    const leaves: (() => void)[] = [];
    for (let k = 0; k < n; k += 1) void gate.enter(true, place).then((leave) => leaves.push(leave));
    for (let k = 0; k < 5; k += 1) await Promise.resolve();
    return leaves;
  };

  it('are not held by one place that never answers: the others pass by', async () => {
    const gate = createSendGate(8);
    const silent = await entered(gate, 'silent.test', 20);
    const other = await entered(gate, 'other.test', 3);
    const third = await entered(gate, 'third.test', 3);
    expect([silent.length, other.length, third.length]).toEqual([4, 3, 1]);
    // a slot that comes free goes to who waited longest and may have it
    silent[0]?.();
    await entered(gate, 'fourth.test', 0);
    expect([silent.length, other.length, third.length]).toEqual([5, 3, 1]);
    other[0]?.();
    await entered(gate, 'fourth.test', 0);
    expect([silent.length, other.length, third.length]).toEqual([5, 3, 2]);
  });
});

describe('the slots of those that send to one place, as nearly all browsers have', () => {
  it('are kept, one in four of that place, for what is critical', async () => {
    const gate = createSendGate(16);
    const inside = { critical: 0, other: 0 };
    const enter = (isCritical: boolean) =>
      void gate
        .enter(isCritical, 'push.test')
        .then(() => void (inside[isCritical ? 'critical' : 'other'] += 1));
    for (let n = 0; n < 20; n += 1) enter(false);
    for (let n = 0; n < 5; n += 1) await Promise.resolve();
    for (let n = 0; n < 3; n += 1) enter(true);
    for (let n = 0; n < 5; n += 1) await Promise.resolve();
    expect(inside).toEqual({ critical: 2, other: 6 });
  });
});

describe('what is done with a delivery', () => {
  const now = at('2026-03-03T12:00:00Z');
  const ago = (hours: number) => new Date(now - hours * HOUR).toISOString();
  const job = (given: {
    delivery?: Partial<Job['delivery']>;
    channel?: Partial<NonNullable<Job['channel']>> | null;
    data?: Record<string, unknown>;
    alert?: Partial<NonNullable<Job['alert']>> | null;
    reader?: Job['reader'];
    isReadersFarm?: boolean;
  }): Job => ({
    isReadersFarm: given.isReadersFarm ?? true,
    delivery: {
      id: 'd',
      notification_id: 'n',
      channel_id: 'c',
      user_id: 'u',
      kind: 'WEBHOOK',
      purpose: 'NOTICE',
      is_critical: true,
      body: null,
      state: 'PENDING',
      attempts: 0,
      next_at: ago(0),
      last_error: null,
      created_at: ago(0),
      done_at: null,
      ...given.delivery,
    },
    channel:
      given.channel === null
        ? null
        : {
            id: 'c',
            user_id: 'u',
            kind: 'WEBHOOK',
            address: 'https://farm.test',
            keys: null,
            types: ['ALERT'],
            min_severity: 'LOW',
            quiet_from: null,
            quiet_to: null,
            timezone: 'Etc/UTC',
            is_active: true,
            verified_at: ago(100),
            created_at: ago(100),
            updated_at: null,
            rev: 1,
            ...given.channel,
          },
    reader: given.reader === undefined ? { language: null } : given.reader,
    notification: {
      id: 'n',
      user_id: 'u',
      farm_id: 'f',
      type: 'ALERT',
      title: 'Oxigênio baixo: V-01',
      message: '',
      data: { alert_id: 'a', ...given.data },
      is_read: false,
      read_at: null,
      created_at: ago(0),
      rev: 1,
    },
    farmName: 'Norte',
    alert:
      given.alert === null
        ? null
        : {
            type: 'LOW_OXYGEN',
            value: 2.1,
            threshold: 4,
            severity: 'HIGH',
            status: 'ACTIVE',
            resolved_at: null,
            acknowledged_at: null,
            silenced_until: null,
            shelved_until: null,
            ...given.alert,
          },
  });
  const done = (given: Parameters<typeof job>[0], quality: 'trusted' | 'estimated' = 'trusted') =>
    decideDelivery(zoneClock, job(given), { now, quality }).do;

  test.each<[string, Parameters<typeof job>[0], string]>([
    ['news are sent', {}, 'send'],
    ['a channel that is gone', { channel: null }, 'drop'],
    ['a channel that is off', { channel: { is_active: false } }, 'drop'],
    ['an account that is off', { reader: null }, 'drop'],
    ['an address not confirmed', { channel: { verified_at: null } }, 'drop'],
    ['its code', { channel: { verified_at: null }, delivery: { purpose: 'CONFIRMATION' } }, 'send'],
    [
      'a code that is old',
      { channel: { verified_at: null }, delivery: { purpose: 'CONFIRMATION', created_at: ago(25) } },
      'drop',
    ],
    ['a code that was used', { delivery: { purpose: 'CONFIRMATION' } }, 'drop'],
    ['an alert of yesterday that still is', { delivery: { created_at: ago(25) } }, 'send'],
    [
      'one that was resolved within the day',
      { delivery: { created_at: ago(23) }, alert: { status: 'RESOLVED' } },
      'send',
    ],
    [
      'one of yesterday that was resolved',
      { delivery: { created_at: ago(25) }, alert: { status: 'RESOLVED' } },
      'fold',
    ],
    ['one whose alert is gone', { delivery: { created_at: ago(25) }, alert: null }, 'fold'],
    ['what is older than a week', { delivery: { created_at: ago(169) } }, 'bury'],
    ['an escalation', { data: { escalation: 2 } }, 'send'],
    ['one that was acknowledged', { data: { escalation: 2 }, alert: { acknowledged_at: ago(0) } }, 'drop'],
    ['one that was silenced', { data: { escalation: 2 }, alert: { silenced_until: ago(-1) } }, 'drop'],
    ['one whose silence is over', { data: { escalation: 2 }, alert: { silenced_until: ago(1) } }, 'send'],
    ['one that was resolved', { data: { escalation: 2 }, alert: { status: 'RESOLVED' } }, 'drop'],
    ['critical news in quiet hours', { channel: { quiet_from: '11:00', quiet_to: '13:00' } }, 'send'],
    [
      'others',
      { channel: { quiet_from: '11:00', quiet_to: '13:00' }, delivery: { is_critical: false } },
      'wait',
    ],
  ])('%s', (_what, given, decision) => {
    expect(done(given)).toBe(decision);
  });

  test.each<[string, Parameters<typeof job>[0]]>([
    ['what seems older than a week', { delivery: { created_at: ago(169) } }],
    [
      'what seems of yesterday and is over',
      { delivery: { created_at: ago(25) }, alert: { status: 'RESOLVED' } },
    ],
    [
      'a code that seems old',
      { channel: { verified_at: null }, delivery: { purpose: 'CONFIRMATION', created_at: ago(25) } },
    ],
  ])('%s is sent while the clock is not to be trusted', (_what, given) => {
    expect(done(given, 'estimated')).toBe('send');
  });
});
