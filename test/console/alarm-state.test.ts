import { describe, expect, it } from 'vitest';
import { chatteringOf, prioritySplit } from '../../desktop/console/state/alarm-figures.ts';
import { alarmsOf, heardOf, isStanding } from '../../desktop/console/state/alarm-state.ts';
import { firstOuts } from '../../desktop/console/state/first-out.ts';
import { type KnownAlerts, withAlert } from '../../desktop/console/state/standing-alerts.ts';

const T0 = Date.UTC(2026, 2, 3, 5);
const MIN = 60_000;
const at = (minute: number) => new Date(T0 + minute * MIN).toISOString();

const anAlert = (facts: Partial<ReturnType<typeof blank>> = {}) => ({ ...blank(), ...facts });
function blank() {
  return {
    id: 'a-1',
    rev: 1,
    deleted: false,
    farm_id: 'f',
    pond_id: 'p-1' as string | null,
    control_point_id: null as string | null,
    type: 'LOW_OXYGEN' as const,
    severity: 'MEDIUM' as 'LOW' | 'MEDIUM' | 'HIGH',
    parameter: 'dissolved_oxygen',
    value: 3.6 as number | null,
    status: 'ACTIVE' as 'ACTIVE' | 'RESOLVED',
    source: 'automatic' as 'automatic' | 'manual',
    episode_id: 'e-1',
    triggered_at: at(0),
    resolved_at: null as string | null,
    resolved_by: null as string | null,
    acknowledged_at: null as string | null,
    silenced_until: null as string | null,
    shelved_until: null as string | null,
    folded_into: null as string | null,
    episode_count: undefined as number | undefined,
    episode_since: undefined as string | undefined,
  };
}
type Alert = ReturnType<typeof blank>;

function knownAfter(told: readonly Alert[], began: readonly Alert[] = [], minute = 60): KnownAlerts<Alert> {
  const start: KnownAlerts<Alert> = { rows: new Map(began.map((row) => [row.id, row])), gone: new Map() };
  return told.reduce((known, row) => withAlert(known, row, T0 + minute * MIN), start);
}

/** What a page shows that heard these rows, one after the other. */
function shownAfter(told: readonly Alert[], minute = 60, began: readonly Alert[] = []) {
  return alarmsOf(knownAfter(told, began).rows.values(), T0 + minute * MIN).map(
    ({ newest, state, priority, count, since }) => ({
      id: newest.id,
      state,
      priority,
      count,
      since: (since - T0) / MIN,
    }),
  );
}

const first = anAlert();
const worse = anAlert({ id: 'a-2', triggered_at: at(5), value: 2.4, severity: 'HIGH' });
const better = anAlert({ id: 'a-3', triggered_at: at(10), value: 3.4 });
const answered = (row: Alert): Alert => ({ ...row, rev: row.rev + 1, acknowledged_at: at(12) });
const over = (row: Alert): Alert => ({ ...row, rev: row.rev + 1, status: 'RESOLVED', resolved_at: at(20) });

describe('an alarm that several alerts tell of', () => {
  it('is one, counted, as old as its first and as bad as its newest', () => {
    expect(shownAfter([first, worse, better])).toEqual([
      { id: 'a-3', state: 'unanswered', priority: 2, count: 3, since: 0 },
    ]);
  });

  it('is answered when its newest is, though this page heard earlier ones of it', () => {
    expect(shownAfter([first, worse, answered(worse)])).toMatchObject([{ state: 'acknowledged', count: 2 }]);
  });

  it('is open again when a worse one comes that nobody answered', () => {
    expect(shownAfter([first, answered(first), worse])).toMatchObject([{ state: 'unanswered', priority: 1 }]);
  });

  it('goes on from what a snapshot told of it, and a row that comes twice counts once', () => {
    const began: Alert = { ...worse, episode_count: 40, episode_since: at(-200) };
    expect(shownAfter([better, better, answered(better), answered(worse), first], 60, [began])).toEqual([
      { id: 'a-3', state: 'acknowledged', priority: 2, count: 41, since: -200 },
    ]);
  });

  it('that lasts all night costs no more memory than a short one', () => {
    const night = Array.from({ length: 200 }, (_, n) =>
      anAlert({ id: `n-${String(n).padStart(3, '0')}`, triggered_at: at(n) }),
    );
    expect(knownAfter(night).rows.size).toBeLessThanOrEqual(10);
    expect(shownAfter(night, 201)).toMatchObject([{ id: 'n-199', count: 200, since: 0 }]);
  });

  it('is not brought back by a word from before it ended', () => {
    const ended = { ...over(first), resolved_by: 'u-1' };
    expect(shownAfter([first, ended, first])).toEqual([]);
  });

  it('stays when only its newest was taken back', () => {
    expect(shownAfter([worse, over(worse), { ...first, rev: 4 }])).toMatchObject([
      { id: 'a-1', state: 'unanswered' },
    ]);
    expect(shownAfter([worse, { ...first, rev: 4 }, over(worse)])).toMatchObject([
      { id: 'a-1', state: 'unanswered' },
    ]);
  });
});

describe('an alarm that ended', () => {
  it.each<[string, Alert[], string[]]>([
    ['by itself before anybody answered it waits for an answer', [first, over(first)], ['returned']],
    ['after it was answered is gone', [first, over(answered(first))], []],
    ['and is answered then is gone', [first, over(first), answered(over(first))], []],
    ['by a person is gone', [first, { ...over(first), resolved_by: 'u-1' }], []],
    ['while another power failure stood for it is gone', [first, { ...over(first), folded_into: 'x' }], []],
    ['though it was put off is gone', [first, { ...over(first), shelved_until: at(90) }], []],
    [
      'and is there again is that one',
      [first, over(first), anAlert({ id: 'b', episode_id: 'e-2', triggered_at: at(30) })],
      ['unanswered'],
    ],
    [
      'twice is one to answer',
      [
        first,
        over(first),
        anAlert({ id: 'b', episode_id: 'e-2', triggered_at: at(30) }),
        over(anAlert({ id: 'b', episode_id: 'e-2', triggered_at: at(30) })),
      ],
      ['returned'],
    ],
    [
      'at another pond is another',
      [first, over(first), anAlert({ id: 'b', episode_id: 'e-2', pond_id: 'p-2' })],
      ['unanswered', 'returned'],
    ],
  ])('%s', (_words, told, states) => {
    expect(shownAfter(told).map(({ state }) => state)).toEqual(states);
  });

  const again = (n: number): Alert =>
    anAlert({ id: `z-${n}`, episode_id: `e-${n}`, triggered_at: at(30 * n) });

  it('twice is answered by one answer, and the earlier one does not come in its place', () => {
    const twice = [first, over(first), again(1), over(again(1))];
    expect(shownAfter([...twice, answered(over(again(1)))])).toEqual([]);
    expect(shownAfter([first, over(first), again(1), over(answered(again(1)))])).toEqual([]);
    // a late word about the earlier one, by another tab's line
    expect(shownAfter([...twice, first, answered(over(again(1))), over(first)])).toEqual([]);
  });

  it('all month long costs a wall screen no more memory than once', () => {
    const month = Array.from({ length: 50 }, (_, n) => again(n)).flatMap((row) => [row, over(row)]);
    expect(knownAfter(month).rows.size).toBe(1);
    const later = anAlert({ id: 'x', episode_id: 'e-x', pond_id: 'p-2' });
    const known = knownAfter([later], [...knownAfter([first, over(first)]).rows.values()], 25 * 60);
    expect([...known.rows.keys()]).toEqual(['x']);
  });

  it('long ago waits no longer, and one that the page never showed does not begin to', () => {
    expect(shownAfter([first, over(first)], 25 * 60)).toEqual([]);
    expect(shownAfter([over(first)])).toEqual([]);
  });

  it('is seen and not heard, and colours nothing', () => {
    const alarms = alarmsOf(knownAfter([first, over(first)]).rows.values(), T0 + 30 * MIN);
    expect([heardOf(alarms), alarms.filter(isStanding)]).toEqual([{ sound: 'none', keys: [] }, []]);
  });
});

describe('a condition that this page does not know yet', () => {
  it('is no less urgent for that', () => {
    const unknown = anAlert({ severity: 'HIGH' });
    // as a newer gateway would say it
    Object.assign(unknown, { type: 'SALT_IN_THE_FUSE_BOX' });
    expect(shownAfter([unknown])).toMatchObject([{ priority: 1 }]);
  });
});

describe('how the alarms of a farm behave', () => {
  it('one that comes three times within a minute at one place chatters; three ponds at once do not', () => {
    const second = (pond_id: string, s: number) => anAlert({ pond_id, triggered_at: at(s / 60) });
    expect(chatteringOf([second('a', 0), second('a', 20), second('a', 60)])).toBe(1);
    expect(chatteringOf([second('a', 0), second('a', 20), second('a', 61)])).toBe(0);
    expect(chatteringOf([second('a', 0), second('b', 1), second('c', 2)])).toBe(0);
  });

  it('shares of critical, high and attention are of all that came', () => {
    expect(prioritySplit([1, 2, 3, 3])).toEqual([25, 25, 50]);
    expect(prioritySplit([])).toEqual([0, 0, 0]);
  });
});

describe('of alarms of one cause the first', () => {
  const aired = new Map([
    ['p-1', 'cp-1'],
    ['p-2', 'cp-1'],
    ['p-3', 'cp-2'],
  ]);
  const pond = (id: string, minute: number, type = 'LOW_OXYGEN') =>
    anAlert({ id, episode_id: id, type: type as 'LOW_OXYGEN', pond_id: id, triggered_at: at(minute) });
  const point = (id: string, minute: number, type: string) =>
    ({ ...pond(`${id} ${type}`, minute, type), pond_id: null, control_point_id: id }) satisfies Alert;
  const firstsOf = (...alerts: readonly Alert[]) => [
    ...firstOuts(
      alarmsOf(alerts, T0 + 600 * MIN),
      ({ pond_id, control_point_id }) => control_point_id ?? aired.get(pond_id ?? '') ?? null,
    ),
  ];

  it('is marked, whatever stands above it, among those of one control point and its ponds', () => {
    expect(
      firstsOf(pond('p-1', 50), pond('p-2', 20), point('cp-1', 10, 'NO_CURRENT'), pond('p-3', 0)),
    ).toEqual([['cp-1 NO_CURRENT', 3]]);
  });

  it('is the power of the farm for all that followed it, also where it came in the same moment', () => {
    expect(
      firstsOf(point('cp-2', 10, 'DEVICE_OFFLINE'), point('cp-1', 10, 'POWER_FAILURE'), pond('p-3', 60)),
    ).toEqual([['cp-1 POWER_FAILURE', 3]]);
  });

  it('is nobody where the next began more than an hour later, of a pond that nothing is known to air, or of other water', () => {
    expect(firstsOf(point('cp-1', 0, 'NO_CURRENT'), pond('p-1', 61))).toEqual([]);
    expect(firstsOf(pond('p-8', 0), pond('p-9', 1))).toEqual([]);
    expect(firstsOf(pond('p-1', 0), { ...pond('p-2', 5, 'HIGH_PH'), parameter: 'ph' })).toEqual([]);
  });
});
