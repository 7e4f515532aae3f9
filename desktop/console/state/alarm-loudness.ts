import type { Sound } from './alarm-state.ts';

/** How loud what is not critical is by night, in hundredths of how loud it is by day. None of them is silence. */
export const NIGHT_VOLUMES = ['100', '60', '30'] as const;
export type NightVolume = (typeof NIGHT_VOLUMES)[number];

/** Whoever listens to a station is not beside it. */
const LEAST_AT_A_STATION = 60;
/** When the day's shift comes. */
const SHIFT_HOUR_MS = 6 * 3_600_000;

/** From 0 to 1. What is critical, and the tone of a screen that is blind, nobody can make softer. */
export function loudnessOf(
  sound: Exclude<Sound, 'none'> | 'blind',
  { chosen, isNight, isStation }: { chosen: NightVolume; isNight: boolean; isStation: boolean },
): number {
  if (!isNight || sound === 'three-beeps' || sound === 'blind') return 1;
  return Math.max(Number(chosen), isStation ? LEAST_AT_A_STATION : 0) / 100;
}

/** Whether nobody has heard the test since the shift of this day began; `dayOf` tells the farm's day of an instant. */
export function isSoundTestDue(
  testedAt: number | null,
  now: number,
  dayOf: (instant: number) => string,
): boolean {
  return testedAt === null || dayOf(testedAt - SHIFT_HOUR_MS) !== dayOf(now - SHIFT_HOUR_MS);
}
