import type { Conditions, Fault } from './ports.ts';

/** Nothing is wrong. */
export const WELL: Conditions = {
  power: 'on',
  network: 'up',
  delay_ms: 0,
  loss: 0,
  clock_skew_s: 0,
  stuck_at: null,
  breaker: 'closed',
  hand_switch: 'AUTO',
};

/**
 * What must happen to a controller so that it stands under `after`. A relay is freed and a breaker closed only by healing
 * everything, so the rest is struck again.
 */
export function faultsBetween(before: Conditions, after: Conditions): Fault[] {
  const isFreed = before.stuck_at !== null && after.stuck_at === null;
  const isClosed = before.breaker === 'tripped' && after.breaker === 'closed';
  if (isFreed || isClosed) return [{ kind: 'heal' }, ...struck(WELL, after)];
  return struck(before, after);
}

function struck(before: Conditions, after: Conditions): Fault[] {
  const faults: Fault[] = [];
  if (after.network !== before.network)
    faults.push({ kind: after.network === 'down' ? 'network_down' : 'network_up' });
  if (after.delay_ms !== before.delay_ms)
    faults.push({ kind: 'delay', min_ms: after.delay_ms, max_ms: after.delay_ms });
  if (after.loss !== before.loss) faults.push({ kind: 'loss', share: after.loss });
  if (after.clock_skew_s !== before.clock_skew_s)
    faults.push({ kind: 'clock_skew', skew_s: after.clock_skew_s });
  if (after.stuck_at !== null && after.stuck_at !== before.stuck_at)
    faults.push({ kind: 'relay_stuck', at: after.stuck_at });
  if (after.breaker === 'tripped' && before.breaker === 'closed') faults.push({ kind: 'breaker_trip' });
  if (after.hand_switch !== before.hand_switch)
    faults.push({ kind: 'hand_switch', position: after.hand_switch });
  // last: what has no power takes nothing more
  if (after.power !== before.power)
    faults.push({ kind: after.power === 'off' ? 'power_cut' : 'power_return' });
  return faults;
}
