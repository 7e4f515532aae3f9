import type { ControlView } from '../control-view.ts';
import type { SafetyDemand } from './wanted-state.ts';
import type { Wish } from './wish.ts';

/**
 * What a siren should do: sound while an alarm asks for it, and nothing else. Schedules, orders and the clock have no say;
 * a lock-out has, because a person may be working on it.
 */
export function sirenWish({ row }: Pick<ControlView, 'row'>, safety: readonly SafetyDemand[]): Wish {
  const off = { target: 'OFF', origin: 'SAFETY', holdUntil: null, details: {} } as const;
  if (row.locked_out) return { ...off, reason: 'locked out' };
  const alarm = safety.find(({ kind, target }) => kind === 'ALARM' && target === 'ON');
  if (alarm === undefined) return { ...off, reason: 'no alarm asks for it' };
  return {
    target: 'ON',
    origin: 'SAFETY',
    reason: alarm.reason,
    holdUntil: null,
    details: { demand: alarm.kind, ...alarm.details },
  };
}
