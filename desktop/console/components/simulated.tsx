import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { simulatedWords } from '#words/components.ts';
import { controlPoints } from '../data/farm-store.ts';

// No motor hangs on a virtual controller. Whatever it feeds says so, in words and across the card.

export const isSimulated = (pointId: string | null): boolean =>
  controlPoints.value.get(pointId ?? '')?.is_simulated === true;

/** The same for a card that is drawn anew only when that changes. */
export function useSimulated(pointId: string | null): boolean {
  return useMemo(() => computed(() => isSimulated(pointId)), [pointId]).value;
}

/** An alert about the controller itself; what hangs on its pond is real. */
export const isSimulatedAlert = (alert: {
  pond_id: string | null;
  control_point_id: string | null;
}): boolean => alert.pond_id === null && isSimulated(alert.control_point_id);

/** For the card itself: the word across it. */
export const watermark = (isOne: boolean): { 'data-simulated'?: string } =>
  isOne ? { 'data-simulated': simulatedWords().mark } : {};

export function SimulatedMark({ is }: { is: boolean }) {
  return is ? <strong class="simulated-mark">{simulatedWords().mark}</strong> : null;
}

/** Its code in a list of codes. */
export const codeOf = ({ cod, is_simulated }: { cod: string; is_simulated: boolean }): string =>
  is_simulated ? simulatedWords().named(cod) : cod;
