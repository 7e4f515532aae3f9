/** The code a lot is given where nobody chose one: the batch, the day of the harvest, and which of that day it is. */
export const lotCode = (batchCode: string, day: string, nth: number): string =>
  `${batchCode.slice(0, 200)}-${day.replaceAll('-', '')}-${nth}`;

/** The first of these codes that is free. */
export function freeLotCode(batchCode: string, day: string, used: ReadonlySet<string>): string {
  let nth = 1;
  while (used.has(lotCode(batchCode, day, nth))) nth += 1;
  return lotCode(batchCode, day, nth);
}
