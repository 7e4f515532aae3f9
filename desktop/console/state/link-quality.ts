// How well a controller is heard over Wi-Fi, from the strength it tells in dBm.

export type LinkQuality = 'good' | 'fair' | 'weak' | 'bad';

const BOUNDS = [
  [-60, 'good'],
  [-70, 'fair'],
  [-80, 'weak'],
] as const;

export function linkQualityOf(rssi: number | null | undefined): LinkQuality | null {
  if (rssi === null || rssi === undefined || !Number.isFinite(rssi)) return null;
  return BOUNDS.find(([least]) => rssi >= least)?.[1] ?? 'bad';
}
