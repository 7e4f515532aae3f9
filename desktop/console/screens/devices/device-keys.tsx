import { useEffect, useState } from 'preact/hooks';
import type * as z from 'zod';
import type { RotationAnswer } from '#contract/resources/adoption.ts';
import type { deviceKeyAnswer, deviceKeyEntry } from '#contract/resources/control-points.ts';
import { adoptionWords, deviceWords } from '#words/devices.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { del, post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import type { ControlPoint } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { KeyShown } from './key-shown.tsx';

const STEPS = ['waiting', 'sent', 'stored', 'done'] as const;

type Key = z.infer<typeof deviceKeyEntry>;
type MadeKey = z.infer<typeof deviceKeyAnswer>;

/** Keys of one controller: made, replaced, revoked; each shown once. */
export function DeviceKeys({ point }: { point: ControlPoint }) {
  const words = deviceWords();
  const path = `/control-points/${point.id}/device-key` as const;
  const keys = useGet(path);
  const [made, setMade] = useState<MadeKey | null>(null);
  const [isRevoking, setRevoking] = useState(false);
  const issue = async () => {
    try {
      setMade(await post(path));
      refresh('control-points');
    } catch (error) {
      toast(faultText(error));
    }
  };
  const revoke = async () => {
    await del(path);
    refresh('control-points');
  };
  return (
    <section class="card stack">
      <h2>{words.keys}</h2>
      <p class="muted">{words.keysText}</p>
      <Answer of={keys}>
        {(rows) => {
          // one whose time is over opens nothing, whatever it was before
          const held = rows.filter(
            ({ state, retires_at }) =>
              state !== 'revoked' && (retires_at === null || Date.parse(retires_at) > now.value),
          );
          return (
            <>
              {held.length === 0 ? <p>{words.noKey}</p> : <KeyLines keys={held} />}
              {isHosted.value || !held.some(({ state }) => state === 'active') ? null : (
                <RotateKey point={point} />
              )}
              <div class="row">
                {point.is_simulated ? null : (
                  <WorkButton
                    look={held.length === 0 ? 'main' : 'plain'}
                    disabled={isBlind.value}
                    work={issue}
                  >
                    {held.length === 0 ? words.issue : words.rotate}
                  </WorkButton>
                )}
                {held.length === 0 ? null : (
                  <Button look="danger" disabled={isBlind.value} onClick={() => setRevoking(true)}>
                    {words.revoke}
                  </Button>
                )}
              </div>
            </>
          );
        }}
      </Answer>
      {made === null ? null : <NewKey made={made} onClose={() => setMade(null)} />}
      {isRevoking ? (
        <ConfirmDialog
          title={words.revokeTitle(point.cod)}
          label={words.revoke}
          work={revoke}
          onClose={() => setRevoking(false)}
        >
          <p>{words.revokeText}</p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

function KeyLines({ keys }: { keys: readonly Key[] }) {
  const words = deviceWords();
  return (
    <ul class="lines">
      {keys.map((key) => (
        <li key={key.id}>
          <strong>{words.keyState[key.state]}</strong>{' '}
          <span class="muted small">
            · {words.made} {dayAndTime(key.created_at)}
            {key.retires_at === null ? '' : ` · ${words.until(dayAndTime(key.retires_at))}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function NewKey({ made, onClose }: { made: MadeKey; onClose: () => void }) {
  const words = deviceWords();
  return (
    <Dialog
      title={`${words.keyTitle} · ${made.device_id}`}
      onClose={() => undefined}
      actions={
        <Button big look="main" onClick={onClose}>
          {words.kept}
        </Button>
      }
    >
      <p>{words.keyText}</p>
      <KeyShown mqttId={made.mqtt_id} secret={made.key} />
    </Dialog>
  );
}

/** A new key over the connection of the old one, and how far it got. */
function RotateKey({ point }: { point: ControlPoint }) {
  const words = adoptionWords().rotation;
  const path = `/control-points/${point.id}/rotate-key` as const;
  const rotation = useGet(path);
  const { fault, run } = useWork(adoptionWords().faults);
  const state = rotation.data?.state ?? 'none';
  const isUnderWay = state === 'waiting' || state === 'sent' || state === 'stored';
  // the list of keys tells of the same
  useEffect(() => {
    if (state === 'done' || state === 'refused') refresh('control-points');
  }, [state]);
  const start = () =>
    run(async () => {
      await post(path);
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
