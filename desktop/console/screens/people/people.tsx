import { useState } from 'preact/hooks';
import type { UnverifiedAnswer } from '#contract/resources/users.ts';
import { addressWords, sessionWords } from '#words/account.ts';
import { peopleWords } from '#words/people.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { PresentPassword, SelectField, TextField } from '../../components/field.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { del, post } from '../../data/api.ts';
import { farm, isOwner } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { addressForOthers } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { calendarDay, dayAndTime } from '../../i18n/format.ts';
import { MyInvitations } from '../account/my-invitations.tsx';
import { BoxRights } from '../box/box-rights.tsx';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { LostPeople } from '../system/lost-people.tsx';
import { useWork } from '../system/use-work.ts';
import { invitationLink, type MadeInvitation, MemberList } from './member-list.tsx';

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
  const accounts = useGet(isAsked ? '/users/unverified' : null, { limit: 100 });
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

/** Offering the farm to somebody else, who has to accept. */
function HandOver({
  farmId,
  name,
  onMade,
}: {
  farmId: string;
  name: string;
  onMade: (made: MadeInvitation) => void;
}) {
  const words = peopleWords();
  const [isAsking, setAsking] = useState(false);
  const [email, setEmail] = useState('');
  const [stays, setStays] = useState<'MANAGER' | 'NONE'>('MANAGER');
  const [password, setPassword] = useState('');
  const offer = async () => {
    onMade(
      await post(`/farms/${farmId}/invitations`, {
        kind: 'HANDOVER',
        former_owner: stays,
        email: email.trim() === '' ? null : email.trim(),
        current_password: password,
      }),
    );
    refresh('farms');
  };
  return (
    <section class="card stack">
      <h2>{words.handOver}</h2>
      <p class="muted">{words.handOverText}</p>
      <div>
        <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
          {words.offerIt}
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={words.handOver}
          label={words.offerIt}
          mustType={{ label: words.typeName(name), text: name }}
          isReady={password !== ''}
          work={offer}
          onClose={() => setAsking(false)}
        >
          <TextField
            label={words.handOverTo}
            type="email"
            value={email}
            maxLength={254}
            autoComplete="off"
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
          <SelectField
            label={words.youStay}
            value={stays}
            options={[
              { value: 'MANAGER', label: words.stay.MANAGER },
              { value: 'NONE', label: words.stay.NONE },
            ]}
            onChange={(event) => setStays(event.currentTarget.value === 'NONE' ? 'NONE' : 'MANAGER')}
          />
          <PresentPassword label={sessionWords().password} value={password} onTyped={setPassword} />
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

/** Invitations to a farm, those that are answered or over, too. */
function InvitationList({ farmId }: { farmId: string }) {
  const words = peopleWords();
  const path = `/farms/${farmId}/invitations` as const;
  const invitations = useGet(path);
  const { fault, run } = useWork();
  const cancel = (id: string) =>
    run(async () => {
      await del(`${path}/${id}`);
      refresh('farms');
    });
  return (
    <section class="card stack">
      <h2>{words.invitations}</h2>
      <Answer
        of={invitations}
        isEmpty={(rows) => rows.length === 0}
        empty={<p class="muted">{words.noInvitations}</p>}
      >
        {(rows) => (
          <ul class="lines">
            {rows.map(({ id, kind, role, email, state, expires_at }) => (
              <li key={id} class="row apart">
                <div class="grow">
                  <strong class="breaks">{email ?? words.anyone}</strong>
                  <p class="muted small">
                    {kind === 'HANDOVER' ? words.kind.HANDOVER : words.role[role]} · {words.state[state]}
                    {state === 'OPEN' ? ` · ${words.until(dayAndTime(expires_at))}` : ''}
                  </p>
                </div>
                {state === 'OPEN' ? (
                  <WorkButton disabled={isBlind.value} work={() => cancel(id)}>
                    {words.cancelInvitation}
                  </WorkButton>
                ) : null}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <FaultNote fault={fault} />
    </section>
  );
}

/** The only time that the code is seen. */
function CodeShown({ made, onClose }: { made: MadeInvitation; onClose: () => void }) {
  const words = peopleWords();
  const { data: identity } = useGet('/system/identity');
  const address = addressForOthers(location, identity);
  return (
    <Dialog
      title={words.made}
      onClose={() => undefined}
      actions={
        <Button big look="main" onClick={onClose}>
          {words.kept}
        </Button>
      }
    >
      <p>{words.madeText}</p>
      {address === null ? null : (
        <>
          <span class="label">{words.link}</span>
          <CopyText label={words.link} text={invitationLink(address, made.code)} />
          <QrCode label={words.linkQr} text={invitationLink(address, made.code)} />
        </>
      )}
      <span class="label">{words.code}</span>
      <CopyText label={words.code} text={made.code} />
      <p class="muted small">
        {words.until(dayAndTime(made.expires_at))}. {made.emailed ? words.emailed : ''}
      </p>
    </Dialog>
  );
}
