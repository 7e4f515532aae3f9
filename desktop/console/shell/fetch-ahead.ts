import { fetchRarerFaults } from '../components/answer.tsx';
import { askAhead } from '../data/query.ts';
import type { Load } from './system-routes.ts';

// Between the house and the ponds there may be no line any more: what people write down and look up there opens all the
// same, though they had not opened it before. Its code, and the lists that its forms choose from, come while there is one.

const AT_THE_PONDS = [
  '/lancar',
  '/lancar/agua',
  '/lancar/racao/:what?',
  '/lancar/fila',
  '/lancar/biometria',
  '/lancar/mortalidade',
  '/lancar/tratamento',
  '/lancar/troca',
  '/lancar/anotacao',
  '/lancar/sanidade/:what',
  '/lancar/medidor',
  '/lancar/estoque/:what?',
  '/tarefas/:what?',
  '/aeracao',
  '/viveiros/:cod/:tab?',
  '/alarmes/:tab?',
  '/',
];

/** One after the other: a phone at work is not held up. */
export async function fetchAhead(
  farmId: string,
  routes: readonly { path: string; load: Load }[],
  isOver: () => boolean,
): Promise<void> {
  const steps = [
    // photos that an earlier visit could not send
    async () => (await import('../data/photo-outbox.ts')).startPhotos(),
    fetchRarerFaults,
    () => askAhead('/batches/', { farm_id: farmId, status: 'ACTIVE', limit: 500 }),
    () => askAhead('/ponds/', { farm_id: farmId, limit: 1_000 }),
    () => askAhead('/ponds/summary-cards', { farm_id: farmId }),
    () => askAhead(`/farms/${farmId}/products`, {}),
    () => askAhead(`/farms/${farmId}/tasks/due`, {}),
    () => askAhead('/water-quality/latest', { farm_id: farmId }),
    ...routes.filter(({ path }) => AT_THE_PONDS.includes(path)).map(({ load }) => load),
  ];
  for (const step of steps) {
    if (isOver()) return;
    // whoever opens the screen hears of it, and can try again
    await step().catch(() => undefined);
  }
}
