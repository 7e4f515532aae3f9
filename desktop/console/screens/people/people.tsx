import { useState } from 'preact/hooks';
import type { UnverifiedAnswer } from '#contract/resources/users.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { post } from '../../data/api.ts';
import { farm, isOwner } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { calendarDay } from '../../i18n/format.ts';
import { addressWords } from '../account/address-words.ts';
import { MyInvitations } from '../account/my-invitations.tsx';
import { BoxRights } from '../box/box-rights.tsx';
import { SystemPage } from '../box/system-page.tsx';
import { LostPeople } from '../system/lost-people.tsx';
import { HandOver } from './hand-over.tsx';
import { CodeShown, InvitationList } from './invitation-list.tsx';
import type { MadeInvitation } from './invitation-made.ts';
import { MemberList } from './member-list.tsx';
import { peopleWords } from './people-words.ts';

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

/** For the administrator of a hosted instance: accounts whose address nobody confirmed yet. */
function UnverifiedAccounts() {
  const words = addressWords();
  const isAsked = isHosted.value && user.value?.role === 'ADMIN';
  const accounts = useGet<UnverifiedAnswer[]>(isAsked ? '/users/unverified' : null, { limit: 100 });
  const [chosen, setChosen] = useState<UnverifiedAnswer | null>(null);
  if (!isAsked) return null;
  return (
    <section class="card stack">
      <h2>{words.unverified}</h2>
      <p class="muted">{words.unverifiedText}</p>
      <Answer of={accounts} isEmpty={(rows) => rows.length === 0} empty={<p>{words.none}</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((row) => (
              <li key={row.id} class="row apart">
                <span class="stack tight">
                  <strong class="breaks">{row.email}</strong>
                  <span class="muted">
                    {row.name}, {words.since(calendarDay(row.created_at))}
                  </span>
                </span>
                <Button
                  disabled={isBlind.value}
                  aria-label={`${words.confirm}: ${row.email}`}
                  onClick={() => setChosen(row)}
                >
                  {words.confirm}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {chosen === null ? null : (
        <ConfirmDialog
          title={words.question(chosen.email)}
          label={words.confirm}
          work={async () => {
            await post(`/users/${chosen.id}/confirm-email`);
            refresh('users');
          }}
          onClose={() => setChosen(null)}
        >
          <p>{words.questionText(chosen.name)}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
