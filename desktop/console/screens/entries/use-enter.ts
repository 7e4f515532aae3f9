import { useRef, useState } from 'preact/hooks';
import { toast } from '../../components/toast.tsx';
import { type Entry, enter, takeBack, type Wanted } from '../../data/outbox.ts';
import { entryWords } from './words.ts';

type Told = {
  /** What is said once they are on their way. */
  text: string;
  /** Hears which were taken back. */
  onTakenBack?: (entries: readonly Entry[]) => void;
};

/**
 * Puts entries on their way, one press at a time: a key that is held, or a second tap, does nothing while the first is
 * still being kept. Says so with the way back, and when this browser cannot keep them. False: it was such a second press.
 */
export function useEnter() {
  const running = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const put = async (wanted: readonly Wanted[], told: Told): Promise<boolean> => {
    if (running.current || wanted.length === 0) return false;
    running.current = true;
    setBusy(true);
    try {
      const entered = await enter(...wanted);
      const words = entryWords();
      const isKept = entered.every((entry) => entry.isKept !== false);
      toast(isKept ? told.text : `${told.text}. ▲ ${words.noStorage}`, {
        label: words.undo,
        run: () => void takeAllBack(entered, told.onTakenBack),
      });
      return true;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { put, isBusy };
}

async function takeAllBack(entered: readonly Entry[], onTakenBack: Told['onTakenBack']): Promise<void> {
  const words = entryWords();
  const taken: Entry[] = [];
  for (const entry of entered) if (await takeBack(entry.id)) taken.push(entry);
  onTakenBack?.(taken);
  const late = entered.length - taken.length;
  if (late === 0) toast(words.takenBack, null, 3_000);
  else toast(words.tooLate(taken.length, late));
}
