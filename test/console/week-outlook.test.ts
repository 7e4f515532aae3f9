import { describe, expect, it } from 'vitest';
import type { TimelineSegment } from '#contract/resources/control-points.ts';
import { type Block, nextTurns, type Span, waitingParts } from '../../desktop/console/state/week-outlook.ts';

const HOUR = 60;
const night: Block = {
  ruleId: 'night',
  action: 'ON',
  dayIndex: 3,
  fromMinute: 18 * HOUR,
  toMinute: 24 * HOUR,
};
const span = (from: number, to: number, part: Partial<Span> = {}): Span => ({
  dayIndex: 3,
  fromMinute: from * HOUR,
  toMinute: to * HOUR,
  target: 'OFF',
  cause: 'LOCAL_ORDER',
  scheduleId: null,
  ...part,
});
const hours = (block: Block, spans: readonly Span[]) =>
  waitingParts(block, spans).map(({ fromMinute, toMinute, cause }) => [
    fromMinute / HOUR,
    toMinute / HOUR,
    cause,
  ]);

describe('a time of the calendar', () => {
  it('is hatched where the motor will not do what it asks for, and says who decides', () => {
    const spans = [
      span(17, 20),
      span(20, 22, { target: 'ON', cause: 'SCHEDULE' }),
      span(22, 23, { cause: 'SCHEDULE' }),
      span(23, 24, { target: 'ON', cause: 'SCHEDULE' }),
    ];
    expect(hours(night, spans)).toEqual([
      [18, 20, 'LOCAL_ORDER'],
      [22, 23, 'SCHEDULE'],
    ]);
  });

  it('is not hatched where nothing is known yet, on other days, or where water asks for the same', () => {
    expect(hours(night, [])).toEqual([]);
    expect(hours(night, [span(0, 24, { dayIndex: 4 })])).toEqual([]);
    expect(hours(night, [span(0, 24, { target: 'ON', cause: 'EMERGENCY_OXYGEN' })])).toEqual([]);
  });

  it('is one hatch where one cause goes on', () => {
    expect(hours(night, [span(18, 20), span(20, 24)])).toEqual([[18, 24, 'LOCAL_ORDER']]);
    expect(hours({ ...night, action: 'OFF' }, [span(18, 20, { target: 'ON', cause: 'BASE' })])).toEqual([
      [18, 20, 'BASE'],
    ]);
  });
});

describe('the next switches of some control points', () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 2, 3, hour)).toISOString();
  const segment = (from: number, until: number, part: Partial<TimelineSegment>): TimelineSegment => ({
    from: at(from),
    until: at(until),
    target: 'OFF',
    cause: 'SCHEDULE',
    schedule_id: 's',
    order_id: null,
    ...part,
  });

  it('are where the wanted state changes, not where who decides does', () => {
    const timeline = new Map([
      [
        'a',
        [
          segment(0, 2, { cause: 'LOCAL_ORDER', schedule_id: null }),
          segment(2, 18, {}),
          segment(18, 30, { target: 'ON' }),
        ],
      ],
      ['b', [segment(0, 6, { target: 'ON' }), segment(6, 30, {})]],
    ]);
    const shown = (points: string[], now = at(0)) =>
      nextTurns(timeline, points, Date.parse(now)).map(({ pointId, at: when, target }) => [
        pointId,
        new Date(when).getUTCHours(),
        target,
      ]);
    expect(shown(['a', 'b', 'c'])).toEqual([
      ['b', 6, 'OFF'],
      ['a', 18, 'ON'],
    ]);
    expect(shown(['a', 'b'], at(6))).toEqual([['a', 18, 'ON']]);
    expect(shown(['b'])).toEqual([['b', 6, 'OFF']]);
  });
});
