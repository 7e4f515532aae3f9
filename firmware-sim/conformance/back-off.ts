const STEPS_S = [5, 10, 30, 60];
/** The way from "ended" to "connected again" costs a little on top of the wait. */
const WAY_S = 1.5;

/** true when the waits are neighbours of the published back-off; it may have begun further along. */
export function fitsBackOff(waitsS: readonly number[]): boolean {
  return STEPS_S.some((_step, first) =>
    waitsS.every((waitS, index) => isNear(waitS, STEPS_S[Math.min(first + index, STEPS_S.length - 1)] ?? 60)),
  );
}

function isNear(waitS: number, nominalS: number): boolean {
  return waitS >= nominalS * 0.75 - 0.2 && waitS <= nominalS * 1.25 + WAY_S;
}
