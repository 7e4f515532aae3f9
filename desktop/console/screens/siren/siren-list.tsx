import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { SirenAnswer } from '#contract/resources/sirens.ts';
import { alarmWords } from '#words/control.ts';
import { sirenWords } from '#words/siren.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { post, put } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { farmControlPoints, mayAttend, mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { usePondsByPoint } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { age, countdown } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { saidIn, useWork } from '../system/use-work.ts';

type One = SirenAnswer['sirens'][number];

const setMark = async (pointId: string, is_siren: boolean) => {
  await put(`/control-points/${pointId}/settings`, { is_siren });
  refresh('farms', 'control-points');
};

/** The control points that are sirens, and the way to make one of another. */
export function SirenList({ told }: { told: SirenAnswer }) {
  const words = sirenWords();
  const [leaving, setLeaving] = useState<One | null>(null);
  return (
    <section class="card stack" aria-labelledby="siren-list">
      <h2 id="siren-list">{words.sirens}</h2>
      {told.sirens.length === 0 ? (
        <p class="note">{words.noSiren}</p>
      ) : (
        <ul class="lines">
          {told.sirens.map((one) => (
            <li key={one.control_point_id} class="row apart" data-siren-point={one.cod}>
              <div class="grow">
                <strong>{one.cod}</strong>
                <p class="small">{standOf(one)}</p>
              </div>
              {mayOperate.value ? (
                <Button look="danger" disabled={isBlind.value} onClick={() => setLeaving(one)}>
                  {words.unmark}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {mayOperate.value ? <Mark known={told.sirens} /> : null}
      {leaving === null ? null : (
        <ConfirmDialog
          title={words.unmarkTitle(leaving.cod)}
          label={words.unmark}
          work={() =>
            setMark(leaving.control_point_id, false).catch((error: unknown) => {
              throw saidIn(error, words.fault);
            })
          }
          onClose={() => setLeaving(null)}
        >
          <p>{words.unmarkText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function standOf({ is_online, locked_out, current_status }: One): string {
  const words = sirenWords();
  if (locked_out) return `▲ ${words.lockedOut}`;
  if (!is_online) return `▲ ${words.offline}`;
  const relay = current_status === null ? words.unknown : current_status === 'ON' ? words.isOn : words.isOff;
  return `${words.online} · ${relay}`;
}

function Mark({ known }: { known: readonly One[] }) {
  const words = sirenWords();
  const [isAsking, setAsking] = useState(false);
  const byPoint = usePondsByPoint();
  const [chosen, setChosen] = useState('');
  // what airs a pond is no siren: the gateway refuses it, so it is not offered
  const free = farmControlPoints.value.filter(
    ({ id, is_simulated }) =>
      !is_simulated && byPoint(id)?.length === 0 && !known.some((one) => one.control_point_id === id),
  );
  const point = free.find(({ id }) => id === chosen) ?? free[0];
  if (point === undefined) {
    return known.length > 0 ? null : (
      <p>
        {words.noPoint}{' '}
        <Link class="way" href="/sistema/dispositivos">
          {words.toDevices}
        </Link>
      </p>
    );
  }
  return (
    <div class="stack">
      <div class="row end-aligned">
        <SelectField
          label={words.markWhich}
          value={point.id}
          options={free.map(({ id, cod }) => ({ value: id, label: cod }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <Button
          look={known.length === 0 ? 'main' : 'plain'}
          disabled={isBlind.value}
          onClick={() => setAsking(true)}
        >
          {words.mark}
        </Button>
      </div>
      <p class="muted small">{words.markText}</p>
      {isAsking ? (
        // a motor that nobody entered a pond for may hang there
        <ConfirmDialog
          title={words.markTitle(point.cod)}
          label={words.mark}
          work={async () => {
            await setMark(point.id, true).catch((error: unknown) => {
              throw saidIn(error, words.fault);
            });
            toast(words.markDone(point.cod), null, 4_000);
          }}
          onClose={() => setAsking(false)}
        >
          <p>{words.markWarning}</p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}

const HUSHES = [5, 10, 15, 30] as const;
/** Seconds that a test is heard. */
export const TEST_S = 5;

/** Whether it sounds and for what, and the hand on it. */
export function SirenNow({ farmId, told }: { farmId: string; told: SirenAnswer }) {
  const words = sirenWords();
  const { fault, run } = useWork(words.fault);
  const [minutes, setMinutes] = useState('10');
  const { state, until, alerts } = told;
  const left = until === null ? 0 : Date.parse(until) - now.value;
  const isLoud = state === 'sounding' || state === 'pausing' || state === 'hushed';
  const act = (what: 'test' | 'hush', body: unknown, done: string) =>
    run(() => post(`/farms/${farmId}/siren/${what}`, body).finally(() => refresh('farms')), done);
  return (
    <section class="card stack" data-siren={state} aria-labelledby="siren-now">
      <h2 id="siren-now">{words.siren}</h2>
      <p class={isLoud ? 'note p1' : 'note'} role="status">
        <strong>{words.state[state]}</strong>
      </p>
      {left > 0 ? <p class="muted">{words.until(countdown(left))}</p> : null}
      {alerts.length === 0 ? null : (
        <>
          <h3>{words.waiting}</h3>
          <ul class="lines">
            {alerts.map((alert) => (
              <li key={alert.id} class="row apart">
                <div class="grow">
                  <strong>{alarmWords().type[alert.type]}</strong>{' '}
                  <span class="muted small">
                    {words.since(age(Math.max(0, now.value - Date.parse(alert.triggered_at))))}
                  </span>
                  <p class="small">{alert.message}</p>
                </div>
                {mayAttend.value ? (
                  <WorkButton
                    look="main"
                    disabled={isBlind.value}
                    work={() =>
                      run(
                        () =>
                          post(`/alerts/${alert.id}/acknowledge`).finally(() => refresh('farms', 'alerts')),
                        words.acknowledged,
                      )
                    }
                  >
                    {words.acknowledge}
                  </WorkButton>
                ) : null}
              </li>
            ))}
          </ul>
        </>
      )}
      {mayAttend.value ? (
        <>
          <div class="row end-aligned">
            <SelectField
              label={words.hush}
              value={minutes}
              options={HUSHES.map((one) => ({ value: String(one), label: words.hushFor(one) }))}
              onChange={(event) => setMinutes(event.currentTarget.value)}
            />
            <WorkButton
              disabled={isBlind.value}
              work={() => act('hush', { minutes: Number(minutes) }, words.hushed)}
            >
              {words.hushDo}
            </WorkButton>
            {mayOperate.value ? (
              <WorkButton
                disabled={isBlind.value}
                why={state === 'testing' ? words.state.testing : null}
                work={() => act('test', { seconds: TEST_S }, words.tested)}
              >
                {words.test}
              </WorkButton>
            ) : null}
          </div>
          <p class="muted small">{words.hushHint}</p>
        </>
      ) : null}
      <FaultNote fault={fault} />
    </section>
  );
}
