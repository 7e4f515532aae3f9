import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { SirenAnswer } from '#contract/resources/sirens.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { put } from '../../data/api.ts';
import { farmControlPoints, mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { usePondsByPoint } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { saidIn } from '../system/said-in.ts';
import { sirenWords } from './words.ts';

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
