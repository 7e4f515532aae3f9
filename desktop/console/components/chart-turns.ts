// One chart is drawn at a time and the browser gets a breath between two: a page of six never holds up a finger. What
// is on the screen comes first, from top to bottom; the rest is drawn while nothing else is going on, so that it is
// there when somebody scrolls to it or prints the page.

type Turn = { host: HTMLElement; draw: () => void };

/** The longest that a chart out of sight waits for an idle moment. */
const MOST_PATIENCE_MS = 400;

const waiting = new Set<Turn>();
let isCalled = false;

/** Draws when it is this chart's turn; what comes back gives the turn up. */
export function takeTurn(host: HTMLElement, draw: () => void): () => void {
  const turn = { host, draw };
  waiting.add(turn);
  callNext();
  return () => waiting.delete(turn);
}

function callNext(): void {
  if (isCalled || waiting.size === 0) return;
  isCalled = true;
  if ([...waiting].some(isInSight)) setTimeout(serve);
  // not in every browser
  else if (typeof requestIdleCallback === 'function')
    requestIdleCallback(serve, { timeout: MOST_PATIENCE_MS });
  else setTimeout(serve, MOST_PATIENCE_MS / 4);
}

function serve(): void {
  isCalled = false;
  const inOrder = [...waiting].toSorted(fromTheTop);
  const turn = inOrder.find(isInSight) ?? inOrder[0];
  if (turn === undefined) return;
  waiting.delete(turn);
  try {
    turn.draw();
  } finally {
    callNext();
  }
}

const isInSight = ({ host }: Turn): boolean => {
  const { top, bottom } = host.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

const fromTheTop = (a: Turn, b: Turn): number =>
  (a.host.compareDocumentPosition(b.host) & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1;
