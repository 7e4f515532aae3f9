import { farm, farmControlPoints } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { isSignedIn } from '../../data/session.ts';
import { soundTestedAt } from '../../shell/sound.ts';

export const STEPS = ['conta', 'fazenda', 'viveiros', 'controlador', 'som'] as const;
export type Step = (typeof STEPS)[number];

/** Which of the first steps are done; it is read off the farm, so nothing has to be remembered. */
export function useProgress(): Readonly<Record<Step, boolean>> & { pondCount: number } {
  const { ponds } = usePonds();
  return {
    conta: isSignedIn(),
    fazenda: farm.value !== null,
    viveiros: ponds.length > 0,
    // a virtual one airs no pond
    controlador: farmControlPoints.value.some(({ is_simulated }) => !is_simulated),
    som: soundTestedAt.value !== null,
    pondCount: ponds.length,
  };
}

export const stepAfter = (step: Step): Step | null => STEPS[STEPS.indexOf(step) + 1] ?? null;
