/**
 * Walked whole, every list and every draw of the tests takes hours. A run takes its part, which the day chooses: after as
 * many days as there are parts each had its turn. `npm run soak -- --whole` walks all; a run that fails names its turn, and
 * `TESTS_TURN=<number> npm test` walks the same parts again.
 */
const said = process.env['TESTS_TURN'] ?? '0';

export const isWhole = said === 'all';
const turn = isWhole ? 0 : Number(said);
if (!Number.isSafeInteger(turn) || turn < 0)
  throw new Error(`TESTS_TURN is a number or "all", not "${said}"`);

/**
 * Those of them whose turn it is: one in `parts`. Who walks the same list somewhere else says by how much it is `ahead`,
 * so that together they walk more of it each day.
 */
export function aPartOf<T>(all: readonly T[], parts: number, ahead = 0): readonly T[] {
  return all.filter((_, index) => isInTurn(index, parts, ahead));
}

/** Whether it is the turn of what stands there in its list. */
export function isInTurn(index: number, parts: number, ahead = 0): boolean {
  return isWhole || index % parts === (turn + ahead) % parts;
}

/** Which of so many parts it is the turn of, from 0. */
export const turnOf = (parts: number): number => turn % parts;

/** How often to draw when the whole is to draw so often; what is drawn is another each time. */
export const drawsOf = (whole: number, parts = 4): number => (isWhole ? whole : Math.ceil(whole / parts));
