import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { InvitationOffer, invitationAccepted } from '#contract/resources/invitations.ts';
import { WorkButton } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { peopleWords } from './people-words.ts';
import { FaultNote } from './system-page.tsx';
import { useWork } from './use-work.ts';

/** Joining a farm with the code that its owner gave. */
export function MyInvitations({ onJoined }: { onJoined?: () => void }) {
  const words = peopleWords();
  const offers = useGet<InvitationOffer[]>('/invitations');
  const { fault, run } = useWork();
  const [code, setCode] = useState('');
  const accept = async () => {
    const isDone = await run(async () => {
      const { farm_name } = await post<z.infer<typeof invitationAccepted>>('/invitations/accept', {
        code: code.trim(),
      });
      toast(words.accepted(farm_name), null, 5_000);
      refresh('invitations', 'farms', 'users');
    });
    if (isDone) onJoined?.();
  };
  const decline = async () => {
    const isDone = await run(async () => {
      await post('/invitations/decline', { code: code.trim() });
      refresh('invitations');
    }, words.declined);
    if (isDone) setCode('');
  };
  return (
    <section class="card stack">
      <h2>{words.mine}</h2>
      {(offers.data ?? []).map(({ id, farm_name, role, kind }) => (
        <p key={id} class="note pending">
          <span>
            <strong>{words.offer(farm_name)}</strong>{' '}
            {kind === 'HANDOVER' ? words.kind.HANDOVER : words.role[role]}
          </span>
        </p>
      ))}
      <p class="muted">{words.mineText}</p>
      <TextField
        label={words.code}
        value={code}
        maxLength={255}
        autoComplete="off"
        autoCapitalize="characters"
        onInput={(event) => setCode(event.currentTarget.value)}
      />
      <FaultNote fault={fault} />
      <div class="row">
        <WorkButton look="main" disabled={code.trim() === '' || isBlind.value} work={accept}>
          {words.accept}
        </WorkButton>
        <WorkButton disabled={code.trim() === '' || isBlind.value} work={decline}>
          {words.decline}
        </WorkButton>
      </div>
    </section>
  );
}
