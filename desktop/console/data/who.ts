import { loadUser } from './session.ts';

// Who is signed in stands in the token; their name and language have to be asked for, also when the gateway was away as
// the page came.

const RETRY_MS = 5_000;

/** Asks for their name and language until it is known; what comes back ends that. */
export function keepUserKnown(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const attempt = (): void => {
    loadUser().catch(() => {
      if (!isOver) timer = setTimeout(attempt, RETRY_MS);
    });
  };
  attempt();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
