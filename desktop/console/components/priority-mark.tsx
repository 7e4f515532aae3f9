import type { Priority } from '../state/alarm-state.ts';
import { componentWords } from './words.ts';

/** Shape, figure and colour say the same: octagon 1, triangle 2, square 3. What is over has lost its colour. */
export function PriorityMark({ priority, isOver = false }: { priority: Priority; isOver?: boolean }) {
  const words = componentWords();
  return (
    <span
      class={`mark p${priority} ${isOver ? 'over' : ''}`}
      role="img"
      aria-label={words.priority[priority]}
    >
      {priority}
    </span>
  );
}
