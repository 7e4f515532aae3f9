import { useState } from 'preact/hooks';
import { farm, isOwner } from '../../data/farm-store.ts';
import { MyInvitations } from '../account/my-invitations.tsx';
import { BoxRights } from '../box/box-rights.tsx';
import { SystemPage } from '../box/system-page.tsx';
import { LostPeople } from '../system/lost-people.tsx';
import { HandOver } from './hand-over.tsx';
import { CodeShown, InvitationList } from './invitation-list.tsx';
import type { MadeInvitation } from './invitation-made.ts';
import { MemberList } from './member-list.tsx';
import { peopleWords } from './people-words.ts';
import { UnverifiedAccounts } from './unverified-accounts.tsx';

export function People() {
  const words = peopleWords();
  const [made, setMade] = useState<MadeInvitation | null>(null);
  const shown = farm.value;
  return (
    <SystemPage title={words.title} narrow>
      {shown === null ? null : isOwner.value ? (
        <>
          <MemberList farmId={shown.id} onMade={setMade} />
          <InvitationList farmId={shown.id} />
          <HandOver farmId={shown.id} name={shown.name} onMade={setMade} />
        </>
      ) : (
        <p class="note">{words.onlyOwner}</p>
      )}
      <BoxRights />
      <LostPeople />
      <UnverifiedAccounts />
      <MyInvitations />
      {made === null ? null : <CodeShown made={made} onClose={() => setMade(null)} />}
    </SystemPage>
  );
}
