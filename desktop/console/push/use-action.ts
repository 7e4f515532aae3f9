import type { OfferedAction } from '#contract/resources/notification-channels.ts';
import type { Outcome } from './show-push.ts';

/** A phone at the edge of the coverage; a browser gives a worker not much more than this for one press. */
const REACHED_WITHIN_MS = 8_000;
const ANSWERED_WITHIN_MS = 10_000;

/**
 * Does what a button of a notification says. The farm is knocked at first: what fails there was never sent, and that alone
 * may be told as not done. Whether a request without an answer was carried out, asking once more mostly tells.
 */
export async function act({ token }: OfferedAction, endpoint: string): Promise<Outcome> {
  const isReached = await fetch('/healthz', {
    cache: 'no-store',
    signal: AbortSignal.timeout(REACHED_WITHIN_MS),
  }).then(
    () => true,
    () => false,
  );
  if (!isReached) return { is: 'offline' };
  const first = await ask(token, endpoint);
  if (first.is !== 'noAnswer') return first;
  const again = await ask(token, endpoint);
  // the first one was carried out, or this very press could not have used it
  const wasDone = again.is === 'refused' && again.code === 'ACTION_USED';
  return wasDone ? { is: 'done', isOnItsWay: false } : again;
}

async function ask(token: string, endpoint: string): Promise<Outcome> {
  try {
    const response = await fetch('/api/v1/push-actions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, endpoint }),
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    });
    const said = (await response.json()) as { code?: string; is_on_its_way?: boolean };
    if (response.ok) return { is: 'done', isOnItsWay: said.is_on_its_way === true };
    return { is: 'refused', code: said.code ?? '' };
  } catch {
    return { is: 'noAnswer' };
  }
}
