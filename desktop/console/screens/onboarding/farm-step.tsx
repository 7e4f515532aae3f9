import { useMemo, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { welcomeWords } from '#words/onboarding.ts';
import { WorkButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { useSend } from '../../data/corrections.ts';
import { farm } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { refresh, useGet } from '../../data/query.ts';
import { farmPlaces } from '../../data/zones.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { MyInvitations } from '../account/my-invitations.tsx';
import { FaultNote } from '../box/system-page.tsx';
import { invitationHere } from '../people/invitation-made.ts';
import { useWork } from '../system/use-work.ts';

const shownZone = (zone: string) => zone.replace('America/', '').replaceAll('_', ' ');

/** On a box without any farm the first question is whether there was one: its backups lie on the stick, or with the person. */
function RestoreFirst() {
  const words = welcomeWords();
  const { data } = useGet(isHosted.value ? null : '/system/backup');
  if (data === undefined) return null;
  const newest = data.backups[0];
  return (
    <div class="note">
      <div class="stack grow">
        <strong>{words.restoreFirst}</strong>
        <p class="muted">
          {newest === undefined ? words.restoreBring : words.restoreFound(dayAndTime(newest.made_at))}
        </p>
        <div>
          <Link class="button big" href="/sistema/backup">
            {words.restoreGo}
          </Link>
        </div>
      </div>
    </div>
  );
}

export function FarmStep({ onDone, onJoined }: { onDone: () => void; onJoined: () => void }) {
  const words = welcomeWords();
  const [isInvited] = useState(() => invitationHere() !== '');
  const { fault, run } = useWork();
  const send = useSend();
  const [name, setName] = useState('');
  const { places, likeliest } = useMemo(farmPlaces, []);
  const [placed, setPlaced] = useState(likeliest);
  const zone = places.find(({ code }) => code === placed)?.zone ?? 'America/Fortaleza';
  const known = farm.value;
  if (known !== null) {
    return (
      <>
        <h2>{words.farm}</h2>
        {isInvited ? <MyInvitations onJoined={onJoined} /> : null}
        <p>{words.haveFarm(known.name)}</p>
        <p class="muted">{words.zone(shownZone(known.timezone))}</p>
      </>
    );
  }
  const create = async () => {
    const isDone = await run(async () => {
      await send('/farms/', { name: name.trim(), timezone: zone });
      refresh('farms', 'users', 'subscriptions');
    });
    if (isDone) onDone();
  };
  return (
    <>
      <h2>{words.farm}</h2>
      {isInvited ? <MyInvitations onJoined={onJoined} /> : null}
      <RestoreFirst />
      <p class="muted">{words.farmText}</p>
      <TextField
        needed
        label={words.farmName}
        value={name}
        maxLength={255}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <SelectField
        label={words.state}
        hint={words.zone(shownZone(zone))}
        value={placed}
        options={places.map((place) => ({ value: place.code, label: place.name }))}
        onChange={(event) => setPlaced(event.currentTarget.value)}
      />
      <FaultNote fault={fault} />
      <div>
        <WorkButton big look="main" unready={name.trim() === ''} work={create}>
          {words.createFarm}
        </WorkButton>
      </div>
      {isInvited ? null : (
        <details>
          <summary>{words.invited}</summary>
          <MyInvitations onJoined={onJoined} />
        </details>
      )}
    </>
  );
}
