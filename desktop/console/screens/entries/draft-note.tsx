import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toast.tsx';
import { now } from '../../data/clock.ts';
import { clearWater, putWaterBack, waterDraft } from '../../data/water-draft.ts';
import { clockTime } from '../../i18n/format.ts';
import { entryWords } from './words.ts';

/** What was typed a minute ago is the round itself; what is older was left here, and that is said. */
const LEFT_MS = 15 * 60_000;

/** Tells of a round that was left and came back, with the way to be rid of it. */
export function DraftNote() {
  const words = entryWords();
  const draft = waterDraft.value;
  const oldest = Math.min(...[...draft.values()].map(({ at }) => at));
  if (now.value - oldest < LEFT_MS || draft.size === 0) return null;
  const clear = () => {
    clearWater(draft);
    toast(words.cleared, { label: words.undo, run: () => putWaterBack(draft) });
  };
  return (
    <p class="note" role="status">
      <span class="grow">{words.draftSince(clockTime(oldest))}</span>
      <Button onClick={clear}>{words.clearDraft}</Button>
    </p>
  );
}
