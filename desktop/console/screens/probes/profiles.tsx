import type { UseQueryResult } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { ProbeProfileAnswer } from '#contract/resources/probes.ts';
import { busWords, probeWords, profileWords } from '#words/probes.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { del } from '../../data/api.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { saidIn } from '../system/said-in.ts';
import { ProfileDialog } from './profile-dialog.tsx';

type Editing = { from: ProbeProfileAnswer | null; isCopy: boolean };

/** The models of probes that can be read, those of makers and those the farm has described. */
export function Profiles({
  farmId,
  profiles,
}: {
  farmId: string;
  profiles: UseQueryResult<ProbeProfileAnswer[]>;
}) {
  const words = profileWords();
  const [editing, setEditing] = useState<Editing | null>(null);
  return (
    <section class="stack" aria-labelledby="probe-models">
      <div class="row apart">
        <h2 id="probe-models">{words.title}</h2>
        {mayOperate.value ? (
          <Button disabled={isBlind.value} onClick={() => setEditing({ from: null, isCopy: false })}>
            {words.add}
          </Button>
        ) : null}
      </div>
      <p class="muted">{words.text}</p>
      <Answer of={profiles}>
        {(rows) => (
          <ul class="stack">
            {rows.map((profile) => (
              <Model
                key={profile.id}
                profile={profile}
                onEdit={(isCopy) => setEditing({ from: profile, isCopy })}
              />
            ))}
          </ul>
        )}
      </Answer>
      {editing === null ? null : (
        <ProfileDialog farmId={farmId} {...editing} onClose={() => setEditing(null)} />
      )}
    </section>
  );
}

function Model({ profile, onEdit }: { profile: ProbeProfileAnswer; onEdit: (isCopy: boolean) => void }) {
  const words = profileWords();
  const [isAsking, setAsking] = useState(false);
  const { serial, registers, notes } = profile;
  return (
    <li class="card" data-model={profile.id}>
      <details>
        <summary>
          <span>
            <strong>{profile.name}</strong>
            <span class="by-line muted small">
              {profile.is_shipped ? words.shipped : words.own}
              {serial === null
                ? ''
                : ` · ${words.serial(serial.baud, busWords().parities[serial.parity], serial.unit_id)}`}
            </span>
          </span>
        </summary>
        <div class="stack">
          {notes === null ? null : <p>{notes}</p>}
          <Registers registers={registers} />
          {mayOperate.value ? (
            <div class="row">
              <Button disabled={isBlind.value} onClick={() => onEdit(profile.is_shipped)}>
                {profile.is_shipped ? words.copy : words.edit}
              </Button>
              {profile.is_shipped ? null : (
                <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
                  {words.remove}
                </Button>
              )}
            </div>
          ) : null}
        </div>
      </details>
      {isAsking ? (
        <ConfirmDialog
          title={words.removeTitle(profile.name)}
          label={words.remove}
          work={async () => {
            await del(`/probe-profiles/${profile.id}`).catch((error: unknown) => {
              throw saidIn(error, { PROFILE_IN_USE: words.inUse });
            });
            refresh('probe-profiles');
          }}
          onClose={() => setAsking(false)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}

function Registers({ registers }: Pick<ProbeProfileAnswer, 'registers'>) {
  const words = profileWords();
  const names = probeWords().parameter;
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={words.table}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words.what}</th>
            <th scope="col">{words.address}</th>
            <th scope="col">{words.type}</th>
            <th scope="col" class="number">
              {words.scale}
            </th>
            <th scope="col" class="number">
              {words.offset}
            </th>
          </tr>
        </thead>
        <tbody>
          {registers.map(({ parameter, unit, function_code, address, type, word_order, scale, offset }) => (
            <tr key={parameter}>
              <th scope="row">
                {unit === '' || parameter === 'ph' ? names[parameter] : `${names[parameter]} (${unit})`}
              </th>
              <td class="mono">
                {function_code}:{address}
              </td>
              <td class="mono">{type.endsWith('16') ? type : `${type} ${word_order}`}</td>
              <td class="number">{figure(scale, decimalsIn(scale))}</td>
              <td class="number">{figure(offset, decimalsIn(offset))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** As many as it has, six at most. */
const decimalsIn = (value: number): number => (/\.(\d+)$/.exec(String(value))?.[1] ?? '').slice(0, 6).length;
