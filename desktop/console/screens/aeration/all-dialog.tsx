import { useRef, useState } from 'preact/hooks';
import type { SwitchState } from '#contract/words.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import type { ControlPoint } from '../../data/farm-store.ts';
import { order } from '../../data/orders.ts';
import { aerationWords } from './words.ts';

/** A generator cannot start all motors at once: four times their running power each. */
const STEP_S = 5;

type Run = { done: number; refused: readonly string[]; isOver: boolean };

/** Orders all points of the farm, starts spread out in time; it can be stopped on the way. */
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
  const wanted = points.filter(({ target_status, locked_out }) => target_status !== target && !locked_out);
  const [typed, setTyped] = useState('');
  const [run, setRun] = useState<Run | null>(null);
  const [chosen] = useState(wanted);
  const isStopped = useRef(false);

  const start = async () => {
    let state: Run = { done: 0, refused: [], isOver: false };
    setRun(state);
    for (const point of chosen) {
      if (isStopped.current) break;
      const taken = await order(point.id, target).catch(() => false);
      state = {
        ...state,
        done: state.done + 1,
        refused: taken ? state.refused : [...state.refused, point.cod],
      };
      setRun(state);
      // only starting motors pull that current; stopping them needs no pause
      if (target === 'ON' && state.done < chosen.length) await pause(STEP_S * 1000);
    }
    setRun({ ...state, isOver: true });
  };
  const mustType = target === 'OFF';
  const close = () => {
    isStopped.current = true;
    onClose();
  };
  return (
    <Dialog
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
              disabled={chosen.length === 0 || (mustType && typed.trim().toUpperCase() !== words.allOffWord)}
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
      <p>{target === 'ON' ? words.allOnText(chosen.length, STEP_S) : words.allOffText}</p>
      {mustType && run === null ? (
        <TextField
          label={words.typeWord(words.allOffWord)}
          value={typed}
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
          <p>{run.isOver ? words.done : words.progress(run.done, chosen.length)}</p>
          {run.refused.length === 0 ? null : <p class="note p2">{words.failedFor(run.refused.join(', '))}</p>}
        </div>
      )}
    </Dialog>
  );
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
