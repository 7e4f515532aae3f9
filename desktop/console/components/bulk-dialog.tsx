import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { bulkWords } from '#words/tables.ts';
import { isBlind } from '../data/live.ts';
import { refresh } from '../data/query.ts';
import { faultText } from './answer.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** What happens to one row. `undo` is what came of `run`: it alone knows what it made. */
export type BulkStep = {
  id: string;
  label: string;
  from: string;
  to: string;
  run: () => Promise<() => Promise<unknown>>;
};

type Outcome =
  | { is: 'waits' | 'runs' | 'undone' }
  | { is: 'done'; undo: () => Promise<unknown> }
  | { is: 'failed'; why: string };

/**
 * Shows what each chosen row would become, changes one after the other, names those that failed and why, tries them
 * again, and takes back what was done.
 */
export function BulkDialog({
  count,
  steps,
  isReady,
  touches,
  onClose,
  children,
}: {
  /** How many were chosen; those without a step are so already. */
  count: number;
  steps: readonly BulkStep[];
  /** False while what was typed cannot be sent. */
  isReady: boolean;
  touches: readonly string[];
  onClose: () => void;
  /** The choice of the field and its new value. */
  children: ComponentChildren;
}) {
  const w = bulkWords();
  // what was asked for stays as it was shown, whatever comes meanwhile
  const [run, setRun] = useState<readonly BulkStep[] | null>(null);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const shown = run ?? steps;
  const tell = (id: string, outcome: Outcome) => setOutcomes((before) => new Map(before).set(id, outcome));
  const inTurn = async (
    rows: readonly BulkStep[],
    work: (step: BulkStep) => Promise<Outcome>,
  ): Promise<void> => {
    setBusy(true);
    for (const step of rows) {
      tell(step.id, { is: 'runs' });
      try {
        tell(step.id, await work(step));
      } catch (error) {
        tell(step.id, { is: 'failed', why: faultText(error) });
      }
    }
    setBusy(false);
    refresh(...touches);
  };
  const isIn = (is: Outcome['is']) => shown.filter(({ id }) => outcomes.get(id)?.is === is);
  const change = (rows: readonly BulkStep[]) => {
    setRun(shown);
    void inTurn(rows, async (step) => ({ is: 'done', undo: await step.run() }));
  };
  const undo = () =>
    void inTurn(isIn('done'), async ({ id }) => {
      const outcome = outcomes.get(id);
      if (outcome?.is === 'done') await outcome.undo();
      return { is: 'undone' };
    });
  const [done, failed, undone] = [isIn('done'), isIn('failed'), isIn('undone')];
  const isOver = run !== null && !isBusy;
  return (
    <Dialog
      title={w.title(count)}
      onClose={isBusy ? () => undefined : onClose}
      actions={
        <>
          <Button big disabled={isBusy} onClick={onClose}>
            {w.close}
          </Button>
          {isOver && done.length > 0 ? (
            <Button big disabled={isBlind.value} onClick={undo}>
              {w.undo}
            </Button>
          ) : null}
          {isOver && failed.length > 0 ? (
            <Button big look="main" disabled={isBlind.value} onClick={() => change(failed)}>
              {w.retry}
            </Button>
          ) : null}
          {run === null ? (
            <Button
              big
              look="main"
              unready={!isReady || steps.length === 0}
              disabled={isBlind.value}
              onClick={() => change(steps)}
            >
              {w.run(steps.length)}
            </Button>
          ) : null}
        </>
      }
    >
      {run === null ? children : null}
      <div role="status" data-bulk={isBusy ? 'runs' : isOver ? 'over' : 'asks'}>
        {isBusy ? (
          <>
            <progress max={shown.length} value={shown.length - isIn('waits').length - isIn('runs').length} />
            {w.progress(done.length + failed.length + undone.length, shown.length)}
          </>
        ) : isOver ? (
          [
            done.length > 0 ? w.changed(done.length) : null,
            undone.length > 0 ? w.undone(undone.length) : null,
            failed.length > 0 ? w.failed(failed.length) : null,
          ]
            .filter(Boolean)
            .join(' · ')
        ) : isReady && steps.length === 0 ? (
          w.nothing
        ) : null}
      </div>
      {shown.length === 0 || !isReady ? null : (
        <Preview steps={shown} outcomes={run === null ? null : outcomes} />
      )}
      {run === null && isReady && count > steps.length && steps.length > 0 ? (
        <p class="muted small">
          {w.more(count - steps.length)}: {w.same}
        </p>
      ) : null}
    </Dialog>
  );
}

function Preview({
  steps,
  outcomes,
}: {
  steps: readonly BulkStep[];
  outcomes: ReadonlyMap<string, Outcome> | null;
}) {
  const w = bulkWords();
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={w.preview}>
      <table class="table">
        <caption class="visually-hidden">{w.preview}</caption>
        <thead>
          <tr>
            <th scope="col">{w.item}</th>
            <th scope="col">{w.from}</th>
            <th scope="col">{w.to}</th>
            {outcomes === null ? null : <th scope="col">{w.outcome}</th>}
          </tr>
        </thead>
        <tbody>
          {steps.map(({ id, label, from, to }) => (
            <tr key={id} data-outcome={outcomes?.get(id)?.is}>
              <th scope="row">{label}</th>
              <td>{from}</td>
              <td>{to}</td>
              {outcomes === null ? null : <td>{textOf(outcomes.get(id))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(outcome: Outcome | undefined): string {
  if (outcome?.is === 'failed') return outcome.why;
  return bulkWords().states[outcome?.is ?? 'waits'];
}
