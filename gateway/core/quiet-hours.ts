import { clockOf, DAY_MS, instantOfWall, timeOfDayOfWall, wallOf, type Zone } from './zone-clock.ts';

/** Wall times (`22:00`) of a zone between which only what is critical comes; null: none. */
export type QuietHours = { from: string | null; to: string | null; zone: Zone };

/** When the quiet hours around an instant end, ms; null when it is not quiet then. They may run across midnight. */
export function quietUntil({ from, to, zone }: QuietHours, at: number): number | null {
  if (from === null || to === null) return null;
  const clock = clockOf(zone);
  const wall = wallOf(clock, at);
  const time = timeOfDayOfWall(wall);
  const begin = timeMsOf(from);
  const end = timeMsOf(to);
  const isQuiet = begin < end ? time >= begin && time < end : time >= begin || time < end;
  if (!isQuiet) return null;
  const midnight = wall - time;
  const endsTomorrow = begin > end && time >= begin;
  return instantOfWall(clock, midnight + (endsTomorrow ? DAY_MS : 0) + end);
}

function timeMsOf(text: string): number {
  return (Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))) * 60_000;
}
