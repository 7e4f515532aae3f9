import { useState } from 'preact/hooks';
import { peopleWords } from '#words/people.ts';
import { WorkButton } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { FaultNote } from '../box/system-page.tsx';
import { forgetInvitation, invitationHere } from '../people/member-list.tsx';
import { useWork } from '../system/use-work.ts';
import { AddressHint } from './own-address.tsx';

type Named = { code: string } | { invitation_id: string };

/** Joining a farm: by one press where its owner asked this account, else with the code that he gave. */
export function MyInvitations({ onJoined }: { onJoined?: () => void }) {
  const words = peopleWords();
  const offers = useGet('/invitations');
  const { fault, run } = useWork({ NOT_FOUND: words.unknownCode });
  const [code, setCode] = useState(invitationHere);
  const accept = async (named: Named) => {
    const isDone = await run(async () => {
      const { farm_name } = await post('/invitations/accept', named);
      toast(words.accepted(farm_name), null, 5_000);
      refresh('invitations', 'farms', 'users');
      forgetInvitation();
    });
    if (isDone) onJoined?.();
  };
  const decline = async (named: Named) => {
    const isDone = await run(async () => {
      await post('/invitations/decline', named);
      refresh('invitations');
      forgetInvitation();
    }, words.declined);
    if (isDone) setCode('');
  };
  return (
    <section class="card stack">
      <h2>{words.mine}</h2>
      <AddressHint />
      {(offers.data ?? []).map(({ id, farm_name, role, kind, needs_code }) => (
        <div key={id} class="note pending row apart" data-offer={farm_name}>
          <span>
            <strong>{words.offer(farm_name)}</strong>{' '}
            {kind === 'HANDOVER' ? words.kind.HANDOVER : words.role[role]}
          </span>
          {needs_code ? null : (
            <span class="row">
              <WorkButton
                look="main"
                disabled={isBlind.value}
                aria-label={`${words.accept}: ${farm_name}`}
                work={() => accept({ invitation_id: id })}
              >
                {words.accept}
              </WorkButton>
              <WorkButton
                disabled={isBlind.value}
                aria-label={`${words.decline}: ${farm_name}`}
                work={() => decline({ invitation_id: id })}
              >
                {words.decline}
              </WorkButton>
            </span>
          )}
        </div>
      ))}
      <p class="muted">{words.mineText}</p>
      <TextField
        needed
        label={words.code}
        value={code}
        maxLength={255}
        autoComplete="off"
        autoCapitalize="characters"
        onInput={(event) => setCode(event.currentTarget.value)}
      />
      <FaultNote fault={fault} />
      <div class="row">
        <WorkButton
          look="main"
          disabled={isBlind.value}
          unready={code.trim() === ''}
          work={() => accept({ code: code.trim() })}
        >
          {words.accept}
        </WorkButton>
        <WorkButton
          disabled={isBlind.value}
          unready={code.trim() === ''}
          work={() => decline({ code: code.trim() })}
        >
          {words.decline}
        </WorkButton>
      </div>
    </section>
  );
}
