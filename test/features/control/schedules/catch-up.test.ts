import { expect, test } from 'vitest';
import { MAX_MISSED, missedEvents } from '#features/control/schedules/follow-clock-step.ts';
import { aSchedule, RECIFE, recife } from './builders.ts';

const HOUR = 3_600_000;
const night = aSchedule();

test('a gateway killed at 17:59:50 and back at 18:07 has missed the start, seven minutes late', () => {
  const back = recife('2030-01-10T18:07');
  expect(missedEvents({ zone: RECIFE, schedules: [night] }, recife('2030-01-10T17:59:50'), back)).toEqual([
    {
      event: { at: recife('2030-01-10T18:00'), action: 'ON', schedule_id: 'night', edge: 'start' },
      lateness_ms: 7 * 60_000,
    },
  ]);
});

test('after a power cut of a day all missed events are told in order, ON last of two at one instant', () => {
  const rest = aSchedule({ id: 'rest', action: 'OFF', end_time: null });
  const missed = missedEvents(
    { zone: RECIFE, schedules: [night, rest] },
    recife('2030-01-10T12:00'),
    recife('2030-01-11T12:00'),
  );
  expect(
    missed.map(({ event, lateness_ms }) => [event.schedule_id, event.action, lateness_ms / HOUR]),
  ).toEqual([
    ['rest', 'OFF', 18],
    ['night', 'ON', 18],
    ['night', 'OFF', 6],
  ]);
});

test('an event at the instant last looked at was not missed; one right now is, by nothing', () => {
  const [from, to] = [recife('2030-01-10T06:00'), recife('2030-01-10T18:00')];
  expect(
    missedEvents({ zone: RECIFE, schedules: [night] }, from, to).map(({ lateness_ms }) => lateness_ms),
  ).toEqual([0]);
});

test('a clock that steps on from 1970 tells the latest fifty, at once', () => {
  const old = aSchedule({ start_time: recife('1970-01-02T18:00'), end_time: recife('1970-01-03T06:00') });
  const now = recife('2030-01-10T12:00');
  const missed = missedEvents({ zone: RECIFE, schedules: [old, { ...old, id: 'twin' }] }, 0, now);
  expect(missed).toHaveLength(MAX_MISSED);
  expect(missed.at(-1)).toEqual({
    event: { at: recife('2030-01-10T06:00'), action: 'OFF', schedule_id: 'twin', edge: 'end' },
    lateness_ms: 6 * HOUR,
  });
});

test('a clock set back misses nothing, nor does a schedule changed meanwhile', () => {
  const changed = aSchedule({ effective_from: recife('2030-01-10T19:00') });
  expect(
    missedEvents({ zone: RECIFE, schedules: [night] }, recife('2030-01-12'), recife('2030-01-10')),
  ).toEqual([]);
  expect(
    missedEvents(
      { zone: RECIFE, schedules: [changed] },
      recife('2030-01-10T12:00'),
      recife('2030-01-10T20:00'),
    ),
  ).toEqual([]);
});
