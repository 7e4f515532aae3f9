import { expect, test } from 'vitest';
import { volumeM3 } from './pond-volume.ts';
import { pondVolumeRoutes } from './routes.ts';

test('a pond of 2,000 m² that is 1.5 m deep holds 3,000 m³', () => {
  expect(volumeM3({ sizeM2: 2_000, depthM: 1.5 })).toBe(3_000);
});

test('a pond of unknown depth has no volume, not zero', () => {
  expect(volumeM3({ sizeM2: 2_000, depthM: null })).toBe(null);
});

test('whoever may read on a farm may ask for the volume of its ponds; to others there is no such pond', () => {
  const [volume] = pondVolumeRoutes({ pondById: () => Promise.resolve(null) });
  expect(volume?.access).toMatchObject({ right: 'read', of: 'pond', others: 404 });
});
