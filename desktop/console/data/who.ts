import { computed } from '@preact/signals';
import { loadUser, token } from './session.ts';

// Who is signed in. Their id stands in the token: what they type belongs to them though the gateway was away when the
// page came, and nobody could be asked for their name.

const RETRY_MS = 5_000;

export const userId = computed<string | null>(() => subjectOf(token()));

function subjectOf(told: string | null): string | null {
  const claims = told?.split('.')[1] ?? '';
  try {
    const { sub } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { sub: unknown };
    return typeof sub === 'string' ? sub : null;
  } catch {
    return null;
  }
}

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
