import { useEffect, useState } from 'preact/hooks';
import type { RolloutAnswer, RolloutDetail } from '#contract/resources/firmware.ts';
import { firmwareWords } from '#words/firmware.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { post, put } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime, figure, quantity } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { saidIn, useWork } from '../system/use-work.ts';

type Target = RolloutDetail['targets'][number];

/** How far a rollout is, what it waits for, and the hand on it. */
export function RolloutCard({ rollout }: { rollout: RolloutAnswer }) {
  const words = firmwareWords();
  const { id, version, state, counts, window: hours } = rollout;
  const over = counts.done + counts.failed + counts.left_out;
  const parts = [
    words.counts(figure(counts.done), figure(counts.total)),
    counts.under_way > 0 ? words.underWay(figure(counts.under_way)) : '',
    counts.failed > 0 ? words.failed(figure(counts.failed)) : '',
    counts.left_out > 0 ? words.leftOut(figure(counts.left_out)) : '',
  ];
  return (
    <li class="card stack" data-rollout={state}>
      <div>
        <h3>{words.rolloutName(version, rollout.chip)}</h3>
        <p class="muted small">
          <strong>{words.rolloutState[state]}</strong> · {words.begun(dayAndTime(rollout.created_at))}
          {rollout.finished_at === null ? '' : ` · ${words.ended(dayAndTime(rollout.finished_at))}`} ·{' '}
          {hours === null ? words.anyTime : words.windowText(hours.from, hours.to)}
        </p>
      </div>
      <p role="status">{parts.filter((part) => part !== '').join(' · ')}</p>
      {rollout.finished_at === null ? (
        <progress
          class="wide"
          aria-label={words.progress(version)}
          value={over}
          max={Math.max(1, counts.total)}
        />
      ) : null}
      {rollout.waiting_for === null ? null : (
        <p class="note" data-waits={rollout.waiting_for.code}>
          {words.waits}: {rollout.waiting_for.message}
        </p>
      )}
      {rollout.reason === null ? null : (
        <p class={`note breaks ${state === 'stopped' ? 'p2' : ''}`}>
          {words.reason}: {rollout.reason}
        </p>
      )}
      <Actions rollout={rollout} />
      <Each id={id} hasFailures={counts.failed > 0} />
    </li>
  );
}

function Actions({ rollout: { id, state, version, counts } }: { rollout: RolloutAnswer }) {
  const words = firmwareWords();
  const { fault, run } = useWork(words.fault);
  const [asks, setAsks] = useState<'cancel' | 'back' | null>(null);
  const isOpen = state === 'running' || state === 'paused';
  const turn = async (wanted: 'running' | 'paused' | 'cancelled') => {
    await put(`/firmware/rollouts/${id}/state`, { state: wanted });
    refresh('firmware');
  };
  const said = (error: unknown) => {
    throw saidIn(error, words.fault);
  };
  return (
    <>
      <FaultNote fault={fault} />
      <div class="row">
        {state === 'running' ? (
          <WorkButton disabled={isBlind.value} work={() => run(() => turn('paused'))}>
            {words.pause}
          </WorkButton>
        ) : null}
        {state === 'paused' ? (
          <WorkButton look="main" disabled={isBlind.value} work={() => run(() => turn('running'))}>
            {words.resume}
          </WorkButton>
        ) : null}
        {isOpen ? (
          <Button look="danger" disabled={isBlind.value} onClick={() => setAsks('cancel')}>
            {words.cancel}
          </Button>
        ) : counts.done > 0 ? (
          <Button disabled={isBlind.value} onClick={() => setAsks('back')}>
            {words.rollBack}
          </Button>
        ) : null}
      </div>
      {asks === 'cancel' ? (
        <ConfirmDialog
          title={words.cancelTitle(version)}
          label={words.cancel}
          work={() => turn('cancelled').catch(said)}
          onClose={() => setAsks(null)}
        >
          <p>{words.cancelText}</p>
        </ConfirmDialog>
      ) : null}
      {asks === 'back' ? (
        <ConfirmDialog
          title={words.rollBackTitle}
          label={words.rollBack}
          work={async () => {
            await post(`/firmware/rollouts/${id}/roll-back`).catch(said);
            refresh('firmware');
          }}
          onClose={() => setAsks(null)}
        >
          <p>{words.rollBackText}</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

/** Asked for once somebody wants to see it, or something went wrong. */
function Each({ id, hasFailures }: { id: string; hasFailures: boolean }) {
  const words = firmwareWords();
  const [isOpen, setOpen] = useState(hasFailures);
  useEffect(() => {
    if (hasFailures) setOpen(true);
  }, [hasFailures]);
  const detail = useGet(isOpen ? `/firmware/rollouts/${id}` : null);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.each}</summary>
      {isOpen ? (
        <Answer of={detail}>
          {({ targets }) => (
            <ul class="lines">
              {targets.map((target) => (
                <TargetLine key={target.id} target={target} />
              ))}
            </ul>
          )}
        </Answer>
      ) : null}
    </details>
  );
}

function TargetLine({ target }: { target: Target }) {
  const words = firmwareWords();
  const { cod, state, wave, message, detail, attempt, bytes_done, bytes_total, from_version } = target;
  const kb = (bytes: number) => quantity(bytes / 1024, 0, 'kB');
  const isDown = state === 'failed' || state === 'rolled_back';
  return (
    <li class="stack" data-target={cod} data-state={state}>
      <p>
        <strong>{cod}</strong> · {isDown ? '▲ ' : ''}
        <strong>{words.targetState[state]}</strong>
        <span class="muted small">
          {wave === null ? '' : ` · ${words.wave(wave)}`}
          {attempt > 1 ? ` · ${words.tries(attempt)}` : ''}
          {from_version === null ? '' : ` · ${from_version}`}
          {bytes_done === null ? '' : ` · ${words.downloaded(kb(bytes_done), kb(bytes_total))}`}
        </span>
      </p>
      {bytes_done === null ? null : (
        <progress class="wide" aria-label={cod} value={bytes_done} max={Math.max(1, bytes_total)} />
      )}
      <p class="small">{message}</p>
      {detail === null ? null : (
        <p class="muted small breaks">
          {words.itsWords}: <span class="mono">{detail}</span>
        </p>
      )}
    </li>
  );
}
