import { conflict } from '#core/errors.ts';
import type { ControlPoint } from './control-view.ts';

/**
 * Throws 409 for a control point of the simulator: a real controller never takes its place, so that nothing real is ever
 * shown as simulated, and nothing simulated as real.
 */
export function requireReal({ cod, is_simulated }: Pick<ControlPoint, 'cod' | 'is_simulated'>): void {
  if (!is_simulated) return;
  throw conflict(
    `${cod} is of the simulator: delete it, and make a control point for the real controller`,
    'SIMULATED',
  );
}
