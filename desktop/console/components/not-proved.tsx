import { notProvedWords } from '#words/components.ts';
import { presence } from '../data/farm-store.ts';

// Whoever knows the name of a controller can say what its motor does, where calls without a key are taken for it.

/** Whether what is shown of the motor was said by somebody without a key. */
export const isNotProved = (pointId: string): boolean => presence.value.get(pointId)?.is_proved === false;

export function NotProvedMark({ pointId }: { pointId: string }) {
  const words = notProvedWords();
  return isNotProved(pointId) ? (
    <strong class="not-proved-mark" title={words.why}>
      {words.mark}
    </strong>
  ) : null;
}
