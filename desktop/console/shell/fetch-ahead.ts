import { useEffect } from 'preact/hooks';
import { farm } from '../data/farm-store.ts';
import { link } from '../data/live.ts';
import { askAhead } from '../data/query.ts';
import { ROUTES } from './routes.ts';

// Between the house and the ponds there may be no line any more: what people write down and look up there opens all the
// same, though they had not opened it before. Its code, and the lists that its forms choose from, come while there is one.

const AT_THE_PONDS = [
  '/lancar',
  '/lancar/agua',
  '/lancar/racao',
  '/lancar/fila',
  '/lancar/biometria',
  '/lancar/mortalidade',
  '/tarefas',
  '/aeracao',
  '/viveiros/:cod/:tab?',
  '/alarmes/:tab?',
  '/',
];
/** The screen that was asked for comes first, and has the line for itself. */
const AFTER_MS = 4_000;

export function useFetchedAhead(): void {
  const farmId = farm.value?.id;
  const isLive = link.value === 'live';
  useEffect(() => {
    if (!isLive || farmId === undefined || !isCarried()) return;
    let isOver = false;
    const timer = setTimeout(() => void fetchAhead(farmId, () => isOver), AFTER_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isLive, farmId]);
}

/** A PC in the pump house stays where its line is. */
const isCarried = (): boolean => matchMedia('(pointer: coarse)').matches;

/** One after the other: a phone at work is not held up. */
async function fetchAhead(farmId: string, isOver: () => boolean): Promise<void> {
  const steps = [
    () => askAhead('/batches/', { farm_id: farmId, status: 'ACTIVE', limit: 500 }),
    () => askAhead('/ponds/', { farm_id: farmId, limit: 1_000 }),
    () => askAhead('/ponds/summary-cards', { farm_id: farmId }),
    () => askAhead('/water-quality/latest', { farm_id: farmId }),
    ...ROUTES.filter(({ path }) => AT_THE_PONDS.includes(path)).map(({ load }) => load),
  ];
  for (const step of steps) {
    if (isOver()) return;
    // whoever opens the screen hears of it, and can try again
    await step().catch(() => undefined);
  }
}
