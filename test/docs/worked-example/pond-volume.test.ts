import { expect, test } from 'vitest';
import { volumeM3 } from './pond-volume.ts';

test('a pond of 2,000 m² that is 1.5 m deep holds 3,000 m³', () => {
  expect(volumeM3({ sizeM2: 2_000, depthM: 1.5 })).toBe(3_000);
});

test('a pond of unknown depth has no volume, not zero', () => {
  expect(volumeM3({ sizeM2: 2_000, depthM: null })).toBe(null);
});
