import { describe, expect, it } from 'vitest';
import type { OnDisk, ScheduleBody, Sight, Write } from '../../scripts/soak/history.ts';
import { ordersActOnce } from '../../scripts/soak/oracle/controllers.ts';
import { leastChanges } from '../../scripts/soak/oracle/durable.ts';
import { expectedAt } from '../../scripts/soak/oracle/expected.ts';
import { type Evidence, judge } from '../../scripts/soak/oracle/judge.ts';
import { effectsOf, emptyFound, find } from '../../scripts/soak/resolve.ts';
import { aCampaign, anAlert, anOrder, aPoint, diskWith, iso, T0 } from './evidence.ts';

const rulesBroken = (evidence: Evidence) => [...new Set(judge(evidence).map(({ rule }) => rule))];
const relay = (ms: number, to: 'ON' | 'OFF', isForced = false): Sight => ({
  device: 'aer-1',
  ms,
  kind: 'relay',
  to,
  isForced,
});
const level = (ms: number, version: number, target: 'ON' | 'OFF', epoch = 'e'): Sight => ({
  device: 'aer-1',
  ms,
  kind: 'level',
  epoch,
  version,
  target,
});
/** A level OFF that ends by itself. */
const pause = (ms: number, version: number, atMs: number): Sight => ({
  device: 'aer-1',
  ms,
  kind: 'level',
  epoch: 'e',
  version,
  target: 'OFF',
  ends: { atMs, next: 'ON' },
});

describe('a campaign in which everything went well', () => {
  it('has no violation', () => expect(judge(aCampaign())).toEqual([]));

  it('may have lost what nobody acknowledged, or not', () => {
    const campaign = aCampaign();
    const nobodyHeard = anOrder({ version: 3, outcome: 'unknown', status: null, answeredAt: null, at: null });
    expect(judge({ ...campaign, writes: [...campaign.writes, nobodyHeard] })).toEqual([]);
  });
});

describe('the oracle finds', () => {
  const disk = (change: (disk: OnDisk) => Partial<OnDisk>) => (campaign: Evidence) => ({
    ...campaign,
    disk: { ...campaign.disk, ...change(campaign.disk) },
  });
  const sights =
    (...more: Sight[]) =>
    (campaign: Evidence) => ({ ...campaign, sights: [...campaign.sights, ...more] });
  const writes =
    (...more: Write[]) =>
    (campaign: Evidence) => ({ ...campaign, writes: [...campaign.writes, ...more] });
  const alerts = (...more: ReturnType<typeof anAlert>[]) => disk(() => ({ alerts: more }));
  const probe = aPoint({ id: 'cp-p', device_id: 'probe', isProbe: true });
  const published = (what: { event: string } | { status: 'ON' }) => (campaign: Evidence) => ({
    ...campaign,
    points: [...campaign.points, probe],
    publishes: [{ pointId: 'cp-p', what, sentAt: T0, ackedAt: T0 + 5 }],
  });

  it.each([
    [3, []],
    [2, ['PUBACK means there']],
  ])('of three events that were acknowledged one line that counts %i tells %j', (folded, violated) => {
    const events = ['x-1', 'x-2', 'x-3'].map((event, n) => ({
      pointId: 'cp-p',
      what: { event },
      sentAt: T0 + n,
      ackedAt: T0 + n + 5,
    }));
    const whole = published({ event: 'x-1' })(aCampaign());
    const line = {
      ...whole.disk.logs[0],
      id: 'folded',
      entity_id: 'cp-p',
      action: 'device_brownout',
      details: JSON.stringify({ event_id: 'x-3', folded }),
    } as OnDisk['logs'][number];
    const campaign = {
      ...whole,
      publishes: events,
      disk: { ...whole.disk, logs: [...whole.disk.logs, line] },
    };
    const rules = rulesBroken(campaign).filter((rule) => rule === 'PUBACK means there');
    expect(rules).toEqual(violated);
  });

  it.each<[string, (campaign: Evidence) => Evidence, string[]]>([
    [
      'an acknowledged order that is lost',
      writes(anOrder({ version: 3 })),
      ['acknowledged is there', 'who and why'],
    ],
    [
      'an order that was refused and is there',
      (campaign) => ({
        ...campaign,
        writes: campaign.writes.map((write) => ({ ...write, outcome: 'refused' as const })),
      }),
      ['refused is not there'],
    ],
    [
      'a pond that is not as it was left',
      (campaign) => ({
        ...campaign,
        writes: [
          ...campaign.writes,
          { ...anOrder({ version: 1 }), kind: 'pond_create', cod: 'tag-1', id: 'pond-1' } as Write,
        ],
      }),
      ['the last write stands'],
    ],
    [
      'an event that the broker acknowledged and is lost',
      published({ event: 'x-1' }),
      ['PUBACK means there'],
    ],
    [
      'a status that the broker acknowledged and is lost',
      published({ status: 'ON' }),
      ['PUBACK means there'],
    ],
    ['a damaged database', disk(() => ({ integrity: 'page 7 is never used' })), ['integrity_check']],
    [
      'a gap in the change log',
      disk(({ changes }) => ({ changes: changes.filter(({ seq }) => seq !== 2) })),
      ['change log'],
    ],
    [
      'a changed row in the change log',
      disk(({ changes }) => ({
        changes: changes.map((row) =>
          row.seq === 2
            ? { ...row, body_json: '{"reason":"tag-1","version":1,"control_point_id":"cp-1"}' }
            : row,
        ),
      })),
      ['change log'],
    ],
    [
      'a motor that starts before it rested',
      sights(level(50_000, 3, 'ON'), relay(50_500, 'ON')),
      ['minimum times'],
    ],
    ['a level with an older version', sights(level(50_000, 1, 'ON')), ['versions never go back']],
    ['one version with two targets', sights(level(50_000, 2, 'ON')), ['one version, one target']],
    ['another epoch without a restore', sights(level(50_000, 3, 'OFF', 'f')), ['one epoch']],
    ['a relay that moves against the newest level', sights(relay(90_000, 'ON')), ['an order is not late']],
    [
      'a relay that moves before its level ends',
      sights(pause(50_000, 3, 99_000), relay(90_000, 'ON')),
      ['an order is not late'],
    ],
    [
      'a motor that stops by a pause which is over',
      sights(relay(40_000, 'ON', true), pause(50_000, 3, 91_000), relay(95_000, 'OFF')),
      ['an order is not late'],
    ],
    [
      'a relay that moves before a level with a new version ends, whenever the one before did',
      sights(pause(40_000, 3, 89_000), pause(50_000, 4, 120_000), relay(90_000, 'ON')),
      ['an order is not late'],
    ],
    [
      'an order that acts twice',
      sights(
        { device: 'aer-1', ms: 80_000, kind: 'break' },
        relay(90_000, 'ON'),
        level(91_000, 2, 'OFF'),
        relay(120_000, 'OFF'),
        relay(160_000, 'OFF'),
      ),
      ['an order acts once'],
    ],
    [
      'an order without its entry',
      disk(({ logs }) => ({ logs: logs.slice(1) })),
      ['one entry per order', 'who and why'],
    ],
    [
      'an order that is told twice',
      disk(({ logs }) => ({ logs: [...logs, ...logs.slice(1)] })),
      ['one entry per order'],
    ],
    [
      'a target that changed without an order',
      (campaign) => {
        const { disk: whole } = campaign;
        const changes = whole.changes.map((row) =>
          row.entity === 8 && row.tx === 2 ? { ...row, tx: 9 } : row,
        );
        return { ...campaign, disk: { ...whole, changes } };
      },
      ['a target has an order'],
    ],
    [
      'a person’s order told as somebody else’s',
      disk(({ logs }) => ({ logs: logs.map((row) => ({ ...row, user_id: 'user-2' })) })),
      ['who and why'],
    ],
    [
      'a trigger that is told twice',
      disk(({ logs }) => {
        const details = JSON.stringify({ schedule_id: 's', due_at: iso(T0), edge: 'start' });
        const trigger = { ...logs[0], action: 'schedule_trigger', details } as OnDisk['logs'][number];
        return { logs: [...logs, { ...trigger, id: 'a' }, { ...trigger, id: 'b' }] };
      }),
      ['a trigger is told once'],
    ],
    [
      'an event of a schedule that nobody tells of',
      (campaign) => {
        const rule = { action: 'ON', start_time: iso(T0 + 50_000), end_time: null, repeat_pattern: 'ONCE' };
        const schedule = { ...rule, is_active: true, description: 'd' };
        const made = {
          ...anOrder({ version: 1 }),
          kind: 'schedule_create',
          schedule,
          id: 'sch',
          tag: 'd',
          at: T0,
        };
        return { ...campaign, writes: [...campaign.writes, made as Write] };
      },
      ['every trigger is told'],
    ],
    ['a storm of alerts', alerts(anAlert({ id: 'a' }), anAlert({ id: 'b' })), ['no alert storm']],
    ['an alert that does not end', alerts(anAlert({ status: 'ACTIVE', resolved_at: null })), ['alerts end']],
    ['people told again and again', disk(() => ({ notifications: 50 })), ['people are told once']],
    [
      'a farm in the dark told controller by controller',
      (campaign) => ({
        ...alerts(anAlert({}))(campaign),
        steps: campaign.steps.map((done) => ({
          ...done,
          step: { kind: 'power_cut' as const, on: 'farm' as const, forS: 700, withGateway: false },
        })),
      }),
      ['a power failure folds'],
    ],
  ])('%s', (_what, plant, rules) => {
    const found = rulesBroken(plant(aCampaign()));
    expect(found).toEqual(expect.arrayContaining(rules));
  });
});

describe('the oracle finds nothing', () => {
  it.each<[string, Sight[]]>([
    ['a relay moves once its level has ended', [pause(50_000, 3, 89_000), relay(90_000, 'ON')]],
    [
      'a level that is told again with a later end ends as it was told first',
      [pause(40_000, 3, 89_000), pause(50_000, 3, 120_000), relay(90_000, 'ON')],
    ],
    [
      'a motor stops by a pause in the last seconds of it',
      [relay(40_000, 'ON', true), pause(50_000, 3, 91_000), relay(90_000, 'OFF'), relay(92_000, 'ON', true)],
    ],
    [
      'a controller that had no power believes the later end it is told',
      [
        pause(40_000, 3, 80_000),
        { device: 'aer-1', ms: 60_000, kind: 'break' },
        relay(61_000, 'ON'),
        pause(62_000, 3, 150_000),
        relay(122_000, 'OFF'),
      ],
    ],
  ])('where %s', (_what, sights) => expect(ordersActOnce(sights)).toEqual([]));
});

describe('what a control point should do', () => {
  const rule = (fields: Partial<ScheduleBody>): ScheduleBody => ({
    action: 'ON',
    start_time: iso(T0 + 60_000),
    end_time: null,
    repeat_pattern: 'ONCE',
    is_active: true,
    description: 'd',
    ...fields,
  });
  const aRule = (at: number, fields: Partial<ScheduleBody> = {}, kind = 'schedule_create'): Write =>
    ({ ...anOrder({ version: 1 }), kind, id: 'sch-1', schedule: rule(fields), at, tag: `r-${at}` }) as Write;
  const anotherRule = (...given: Parameters<typeof aRule>): Write => ({ ...aRule(...given), id: 'sch-2' });
  const orderAt = (at: number, version: number, target: 'ON' | 'OFF', for_s: number | null = null): Write =>
    ({ ...anOrder({ version, target }), at, for_s }) as Write;
  const at = (writes: readonly Write[], ms: number) =>
    expectedAt({ point: aPoint(), effects: effectsOf(writes, emptyFound()) }, T0 + ms).target;

  it.each<[string, Write[], number, 'ON' | 'OFF']>([
    ['what it was made with', [], 1_000, 'OFF'],
    ['the last order', [orderAt(T0 + 1_000, 1, 'ON')], 2_000, 'ON'],
    ['an event after an order', [orderAt(T0 + 1_000, 1, 'OFF'), aRule(T0)], 61_000, 'ON'],
    ['an order after an event', [aRule(T0), orderAt(T0 + 70_000, 1, 'OFF')], 71_000, 'OFF'],
    ['an order for a time, within it', [aRule(T0), orderAt(T0 + 50_000, 1, 'OFF', 60)], 61_000, 'OFF'],
    ['an order for a time, after it', [aRule(T0), orderAt(T0 + 50_000, 1, 'OFF', 60)], 111_000, 'ON'],
    ['the end of a schedule', [aRule(T0, { end_time: iso(T0 + 90_000) })], 91_000, 'OFF'],
    ['a rule entered too late that still says ON', [aRule(T0 + 70_000)], 80_000, 'ON'],
    [
      'a rule entered too late that says OFF, until its end',
      [orderAt(T0 + 1_000, 1, 'ON'), aRule(T0 + 70_000, { action: 'OFF' })],
      80_000,
      'ON',
    ],
    [
      'an order newer than what a rule entered late says',
      [orderAt(T0 + 65_000, 1, 'OFF'), aRule(T0 + 70_000)],
      80_000,
      'OFF',
    ],
    [
      'an order older than what a rule entered late says',
      [orderAt(T0 + 50_000, 1, 'OFF'), aRule(T0 + 70_000)],
      80_000,
      'ON',
    ],
    [
      'of two windows that overlap, after the end of the inner one',
      [
        aRule(T0, { end_time: iso(T0 + 300_000) }),
        anotherRule(T0, { start_time: iso(T0 + 100_000), end_time: iso(T0 + 200_000) }),
      ],
      210_000,
      'ON',
    ],
    [
      'a pause, within it',
      [
        aRule(T0, { end_time: iso(T0 + 300_000) }),
        anotherRule(T0, { action: 'OFF', start_time: iso(T0 + 100_000), end_time: iso(T0 + 200_000) }),
      ],
      110_000,
      'OFF',
    ],
    [
      'a pause that was taken away in its middle',
      [
        aRule(T0, { end_time: iso(T0 + 300_000) }),
        anotherRule(T0, { action: 'OFF', start_time: iso(T0 + 100_000), end_time: iso(T0 + 200_000) }),
        anotherRule(T0 + 120_000, { is_active: false }, 'schedule_change'),
      ],
      130_000,
      'ON',
    ],
    ['a rule that is not active', [aRule(T0, { is_active: false })], 61_000, 'OFF'],
    [
      'a day later, daily',
      [aRule(T0, { repeat_pattern: 'DAILY', end_time: iso(T0 + 90_000) })],
      86_400_000 + 61_000,
      'ON',
    ],
    [
      'a rule moved after its event: what holds goes on',
      [aRule(T0), aRule(T0 + 70_000, { start_time: iso(T0 + 200_000), action: 'OFF' }, 'schedule_change')],
      80_000,
      'ON',
    ],
  ])('is %s', (_what, writes, ms, target) => expect(at(writes, ms)).toBe(target));

  it('takes an order that nobody acknowledged from the change log, when it is there', () => {
    const silent = anOrder({ version: 1, outcome: 'unknown', at: null });
    const found = emptyFound();
    expect(effectsOf([silent], found)).toEqual([]);
    find(found, diskWith([anOrder({ version: 1 })]).changes);
    expect(effectsOf([silent], found)).toMatchObject([{ at: T0 + 1_000, version: 1 }]);
  });
});

it('what a line lost comes again behind the next report: the audit owes only what was acknowledged in its order', () => {
  const said = (status: 'ON' | 'OFF', sentAt: number, ackedAt: number | null) => ({
    pointId: 'p',
    what: { status },
    sentAt,
    ackedAt,
  });
  const first = said('ON', 1, 2);
  expect(leastChanges([first, said('OFF', 3, 4), said('ON', 5, 6)])).toBe(2);
  expect(leastChanges([first, said('OFF', 3, 9), said('ON', 5, 6)])).toBe(1);
  expect(leastChanges([first, said('OFF', 3, null), said('ON', 5, 6)])).toBe(0);
  expect(leastChanges([first, said('OFF', 3, 8), said('ON', 5, 8)])).toBe(1);
});
