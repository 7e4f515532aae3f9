import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { entryWords, formWords } from '#words/entries.ts';
import { toast } from '../../components/toast.tsx';
import { now } from '../../data/clock.ts';
import { type Entry, enter, takeBack, type Wanted } from '../../data/outbox.ts';
import { TIME } from '../../data/schedules.ts';
import { clockTime, instantAt, isoDay } from '../../i18n/format.ts';

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

/** Day and time by the farm's clock, now to begin with. */
export function useWhen() {
  const words = formWords();
  const [day, setDay] = useState(() => isoDay(now.value));
  const [time, setTime] = useState(() => clockTime(now.value));
  const isRight = TIME.test(time) && day !== '';
  return {
    day,
    setDay,
    time,
    setTime,
    isRight,
    fault: TIME.test(time) ? null : words.badTime,
    instant: () => instantAt(day, time),
  };
}

/** Puts an entry on its way, says so with the way back, and returns to the choice of entries. */
export function useSubmit(): (entry: Wanted) => Promise<void> {
  const words = formWords();
  const { put } = useEnter();
  const [, go] = useLocation();
  return async (entry) => {
    if (await put([entry], { text: words.queued(entry.label) })) go('/lancar');
  };
}
