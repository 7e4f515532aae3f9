import { useEffect } from 'preact/hooks';
import type { RotationAnswer } from '#contract/resources/adoption.ts';
import { WorkButton } from '../../components/button.tsx';
import { post } from '../../data/api.ts';
import type { ControlPoint } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { adoptionWords } from './adoption-words.ts';

const STEPS = ['waiting', 'sent', 'stored', 'done'] as const;

/** A new key over the connection of the old one, and how far it got. */
export function RotateKey({ point }: { point: ControlPoint }) {
  const words = adoptionWords().rotation;
  const path = `/control-points/${point.id}/rotate-key`;
  const rotation = useGet<RotationAnswer>(path);
  const { fault, run } = useWork(adoptionWords().faults);
  const state = rotation.data?.state ?? 'none';
  const isUnderWay = state === 'waiting' || state === 'sent' || state === 'stored';
  // the list of keys tells of the same
  useEffect(() => {
    if (state === 'done' || state === 'refused') refresh('control-points');
  }, [state]);
  const start = () =>
    run(async () => {
      await post<RotationAnswer>(path);
      refresh('control-points');
    });
  return (
    <div class="stack">
      <p class="muted">{words.text}</p>
      <div>
        <WorkButton look="main" disabled={isBlind.value || isUnderWay} work={start}>
          {words.start}
        </WorkButton>
      </div>
      <FaultNote fault={fault} />
      {rotation.data === undefined || state === 'none' ? null : <Progress rotation={rotation.data} />}
    </div>
  );
}

function Progress({ rotation }: { rotation: RotationAnswer }) {
  const words = adoptionWords().rotation;
  const { state, detail, expires_at } = rotation;
  if (state === 'refused') {
    return (
      <p class="note p2" role="alert" data-rotation={state}>
        {words.refused(detail === null ? '' : ` (${detail})`)}
      </p>
    );
  }
  const at = STEPS.findIndex((step) => step === state);
  return (
    <div class="stack" data-rotation={state} role="status">
      <ol class="progress-steps" aria-label={words.label}>
        {STEPS.map((step, index) => (
          <li key={step} aria-current={index === at ? 'step' : undefined}>
            <span aria-hidden="true">{index < at || state === 'done' ? '✓' : index === at ? '▸' : '·'}</span>{' '}
            {index === at ? <strong>{words[step]}</strong> : <span class="muted">{words[step]}</span>}
          </li>
        ))}
      </ol>
      {expires_at === null ? null : <p class="muted small">{words.until(dayAndTime(expires_at))}</p>}
    </div>
  );
}
