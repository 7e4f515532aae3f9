import { expect, it } from 'vitest';
import { isSoft } from '../../desktop/console/state/screen-light.ts';

const calm = {
  isStation: true,
  isNight: true,
  isLit: false,
  link: 'live',
  isWordOld: false,
  priorities: [],
} as const satisfies Parameters<typeof isSoft>[0];

it.each([
  ['while nothing is wrong', {}, true],
  ['while its line is slow for a moment', { link: 'late' }, true],
  ['while something only wants attention this shift', { priorities: [3, 3] }, true],
  ['not while a critical alarm stands', { priorities: [3, 1] }, false],
  ['not while an alarm stands that is high', { priorities: [2] }, false],
  ['not without contact', { link: 'lost' }, false],
  ['not before it knows the farm', { link: 'connecting' }, false],
  ['not when what a hosted copy knows is old', { isWordOld: true }, false],
  ['not for a minute after somebody touched it', { isLit: true }, false],
  ['not by day', { isNight: false }, false],
  ['not when it is no screen on a wall', { isStation: false }, false],
] as const)('a screen on the wall shines softer by night %s', (_when, facts, isSofter) => {
  expect(isSoft({ ...calm, ...facts })).toBe(isSofter);
});
