import type { Priority } from '../../state/alarm-state.ts';

// What the panel showed last, kept for the time when its session is over: people who look at the wall must see that
// it is blind, and what stood when it became so.

export type LastSeen = {
  farm: string;
  at: number;
  alarms: readonly { key: string; priority: Priority; place: string; text: string }[];
};

const KEPT = 'panel-last-seen';

export function keepLastSeen(seen: LastSeen): void {
  localStorage.setItem(KEPT, JSON.stringify(seen));
}

export function lastSeen(): LastSeen | null {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? 'null') as LastSeen | null;
    return found !== null && Array.isArray(found.alarms) ? found : null;
  } catch {
    return null;
  }
}
