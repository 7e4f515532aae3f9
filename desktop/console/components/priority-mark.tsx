import type { Priority } from '../state/alarm-state.ts';
import { componentWords } from './words.ts';

/** Shape, figure and colour say the same: octagon 1, triangle 2, square 3. */
export function PriorityMark({ priority }: { priority: Priority }) {
  const words = componentWords();
  return (
    <span class={`mark p${priority}`} role="img" aria-label={words.priority[priority]}>
      {priority}
    </span>
  );
}
