import { useEffect, useRef, useState } from 'preact/hooks';
import type { SwitchState } from '#contract/words.ts';
import { aerationWords } from '#words/aeration.ts';
import { componentWords } from '#words/components.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { BlindNote, HoldField, useHold } from '../../components/off-dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError } from '../../data/api.ts';
import type { ControlPoint } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { order } from '../../data/orders.ts';

/** A generator cannot start all motors at once: four times their running power each. */
const STEP_S = 5;

type Run = {
  done: number;
  refused: readonly string[];
  /** Nobody knows whether these took it. */
  unsure: readonly string[];
  isOver: boolean;
};

/**
 * Orders all points of the farm, starts spread out in time; it can be stopped on the way. It stops by itself when the
 * question is left or the screen hears nothing, and says how far it came.
 */
export function AllDialog({
  target,
  points,
  onClose,
}: {
  target: SwitchState;
  points: readonly ControlPoint[];
  onClose: () => void;
}) {
  const words = aerationWords();
  // no motor waits behind one that is none
  const wanted = points
    .filter(({ target_status, locked_out }) => target_status !== target && !locked_out)
    .toSorted((a, b) => Number(a.is_simulated) - Number(b.is_simulated));
  const [typed, setTyped] = useState('');
  const hold = useHold();
  const [run, setRun] = useState<Run | null>(null);
  const [chosen] = useState(wanted);
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );

  const start = async () => {
    let state: Run = { done: 0, refused: [], unsure: [], isOver: false };
    setRun(state);
    for (const point of chosen) {
      if (isStopped.current || isBlind.value) break;
      const outcome = await order(point.id, target, target === 'OFF' ? { forS: hold.forS } : {}).then(
        (taken) => (taken === null ? 'refused' : 'taken'),
        (error: unknown) => (error instanceof ApiError ? 'refused' : 'unsure'),
      );
      state = {
        ...state,
        done: state.done + 1,
        refused: outcome === 'refused' ? [...state.refused, point.cod] : state.refused,
        unsure: outcome === 'unsure' ? [...state.unsure, point.cod] : state.unsure,
      };
      setRun(state);
      // only starting motors pull that current; stopping them needs no pause
      if (target === 'ON' && !point.is_simulated && state.done < chosen.length) await pause(STEP_S * 1000);
    }
    setRun({ ...state, isOver: true });
    // nobody sees the question any more, who began it must not believe that all motors are on their way
    if (isStopped.current && state.done < chosen.length)
      toast(words.stoppedAt(state.done, chosen.length), null, 20_000);
  };
  const mustType = target === 'OFF';
  const isTyped = typed.trim().toUpperCase() === words.allOffWord;
  const close = () => {
    isStopped.current = true;
    onClose();
  };
  return (
    <Dialog
      isQuestion
      title={target === 'ON' ? words.allOnTitle : words.allOffTitle}
      onClose={close}
      actions={
        run === null ? (
          <>
            <Button big autofocus onClick={close}>
              {words.cancel}
            </Button>
            <Button
              big
              look={target === 'ON' ? 'main' : 'danger'}
              disabled={isBlind.value || chosen.length === 0}
              unready={mustType && !isTyped}
              onClick={() => void start()}
            >
              {words.start}
            </Button>
          </>
        ) : (
          <Button big onClick={close}>
            {run.isOver ? words.close : words.stop}
          </Button>
        )
      }
    >
      {target === 'OFF' && run === null ? <HoldField hold={hold} /> : null}
      <p>{target === 'ON' ? words.allOnText(chosen.length, STEP_S) : words.allOffText}</p>
      {mustType && run === null ? (
        <TextField
          needed
          label={words.typeWord(words.allOffWord)}
          value={typed}
          fault={typed === '' || isTyped ? null : componentWords().otherText(words.allOffWord)}
          autoComplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      {run === null ? null : (
        <div role="status" class="stack">
          <progress
            max={chosen.length}
            value={run.done}
            aria-label={words.progress(run.done, chosen.length)}
          />
          <p>{progressText(run, chosen.length)}</p>
          {run.refused.length === 0 ? null : <p class="note p2">{words.failedFor(run.refused.join(', '))}</p>}
          {run.unsure.length === 0 ? null : <p class="note p2">{words.unsureFor(run.unsure.join(', '))}</p>}
        </div>
      )}
      <BlindNote />
    </Dialog>
  );
}

function progressText({ done, isOver }: Run, all: number): string {
  const words = aerationWords();
  if (!isOver) return words.progress(done, all);
  return done < all ? words.stoppedAt(done, all) : words.done;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
