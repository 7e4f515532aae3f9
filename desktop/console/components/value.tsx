import { componentWords } from '#words/components.ts';
import { now } from '../data/clock.ts';
import { age, clockTime, dayAndTime, figure } from '../i18n/format.ts';
import type { Priority } from '../state/alarm-state.ts';
import { freshnessOf, type Kind } from '../state/freshness.ts';

/**
 * A measured figure with its age. Past its time it becomes a dash, and the last figure is told as what it was: nobody
 * may take an old value for a live one.
 */
export function Value({
  value,
  decimals,
  unit,
  at,
  kind,
  small = false,
}: {
  value: number | null | undefined;
  decimals: number;
  unit: string;
  at: string | null | undefined;
  kind: Kind;
  small?: boolean;
}) {
  const words = componentWords();
  const ageMs = at ? now.value - Date.parse(at) : null;
  const fresh = value === null || value === undefined ? 'stale' : freshnessOf(kind, ageMs);
  const isKnown = value !== null && value !== undefined;
  return (
    <span data-fresh={fresh} class={small ? 'value-line' : 'value-block'}>
      <span class={small ? '' : 'value'}>
        {fresh === 'stale' ? '—' : figure(value, decimals)}
        <span class="unit"> {unit}</span>
      </span>{' '}
      {isKnown && at && ageMs !== null ? (
        <span class="muted small">
          {fresh === 'stale'
            ? words.last(
                `${figure(value, decimals)} ${unit}`,
                ageMs > 12 * 3_600_000 ? dayAndTime(at) : clockTime(at),
              )
            : words.age(age(ageMs))}
        </span>
      ) : null}
    </span>
  );
}

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
