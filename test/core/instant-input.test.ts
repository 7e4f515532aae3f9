import { expect, test } from 'vitest';
import { instantInput } from '#contract/fields.ts';

test.each([
  ['2026-03-01T18:00:00Z', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01t18:00z', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01 18:00:00.5', '2026-03-01T18:00:00.500Z'],
  ['2026-03-01T18:00-03:00', '2026-03-01T21:00:00.000Z'],
  ['2026-03-01T18:00:00-0330', '2026-03-01T21:30:00.000Z'],
  ['2026-03-01 18:00:00-03', '2026-03-01T21:00:00.000Z'],
  ['2026-03-01T00:30:00.123456789+14', '2026-02-28T10:30:00.123Z'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
])('a time may carry any offset, and without one is UTC: %s', (sent, instant) => {
  expect(instantInput.parse(sent)).toBe(instant);
});

test.each([
  '2026-02-30',
  '2026-03-01T25:00Z',
  '2026-03-01T18:00+99',
  '01/03/2026',
  '1999-12-31',
  '2101-01-01',
  '',
])('what is no day of the calendar between 2000 and 2100 is refused: %s', (sent) => {
  expect(instantInput.safeParse(sent).success).toBe(false);
});
