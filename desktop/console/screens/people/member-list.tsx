import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type * as z from 'zod';
import type { MemberAnswer } from '#contract/resources/farms.ts';
import type { invitationMade } from '#contract/resources/invitations.ts';
import { MEMBER_ROLES, type MemberRole } from '#contract/words.ts';
import { peopleWords } from '#words/people.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { del, post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const roleOf = (word: string): MemberRole => MEMBER_ROLES.find((role) => role === word) ?? 'VIEWER';

/** Who works here, in which role; adding somebody who has an account, or inviting who has none. */
export function MemberList({ farmId, onMade }: { farmId: string; onMade: (made: MadeInvitation) => void }) {
  const words = peopleWords();
  const path = `/farms/${farmId}/members` as const;
  const members = useGet(path);
  const { fault, run } = useWork();
  const [leaving, setLeaving] = useState<MemberAnswer | null>(null);
  const change = (member: MemberAnswer, role: MemberRole) =>
    run(async () => {
      await post(path, { user_id: member.user_id, role });
      refresh('farms', 'logs');
    });
  return (
    <>
      <section class="card stack">
        <h2>{words.members}</h2>
        <ul class="lines">
          <li class="row apart">
            <Person name={`${user.value?.name ?? ''} (${words.you})`} email={user.value?.email ?? ''} />
            <strong>{words.role.OWNER}</strong>
          </li>
          <Answer of={members}>
            {(rows) =>
              rows.map((member) => (
                <li key={member.user_id} class="row apart">
                  <Person name={member.name} email={member.email} />
                  <span class="row">
                    <select
                      class="input fit"
                      aria-label={words.roleOf(member.name)}
                      value={member.role}
                      disabled={isBlind.value}
                      onChange={(event) => void change(member, roleOf(event.currentTarget.value))}
                    >
                      {MEMBER_ROLES.map((role) => (
                        <option key={role} value={role} selected={role === member.role}>
                          {words.role[role]}
                        </option>
                      ))}
                    </select>
                    <Button
                      disabled={isBlind.value}
                      aria-label={`${words.removeButton}: ${member.name}`}
                      onClick={() => setLeaving(member)}
                    >
                      {words.removeButton}
                    </Button>
                  </span>
                </li>
              ))
            }
          </Answer>
        </ul>
        {members.data?.length === 0 ? <p class="muted">{words.noMembers}</p> : null}
        <FaultNote fault={fault} />
      </section>
      <AddPerson farmId={farmId} onMade={onMade} />
      {leaving === null ? null : (
        <ConfirmDialog
          title={words.removeTitle(leaving.name)}
          label={words.removeButton}
          work={async () => {
            await del(`${path}/${leaving.user_id}`);
            refresh('farms', 'logs');
          }}
          onClose={() => setLeaving(null)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Where the placeholder addresses of people stand who have no account in the cloud (contract/resources/users.ts). */
const STAND_INS = '@local.invalid';

function Person({ name, email }: { name: string; email: string }) {
  const words = peopleWords();
  if (email.endsWith(STAND_INS)) {
    return (
      <div class="grow" data-person="local">
        <strong>{name}</strong>
        <p class="muted small">
          {words.onGatewayOnly} <Link href="/sistema/gateways">{words.adoptThere}</Link>
        </p>
      </div>
    );
  }
  return (
    <div class="grow">
      <strong>{name}</strong>
      <p class="muted small breaks">{email}</p>
    </div>
  );
}

function AddPerson({ farmId, onMade }: { farmId: string; onMade: (made: MadeInvitation) => void }) {
  const words = peopleWords();
  const { fault, run } = useWork();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('TECHNICIAN');
  const add = async () => {
    const isDone = await run(async () => {
      await post(`/farms/${farmId}/members`, { email: email.trim(), role });
      refresh('farms', 'logs');
    }, words.added(email.trim()));
    if (isDone) setEmail('');
  };
  const invite = async () => {
    const isDone = await run(async () => {
      onMade(
        await post(`/farms/${farmId}/invitations`, {
          role,
          email: email.trim() === '' ? null : email.trim(),
        }),
      );
      refresh('farms', 'logs');
    });
    if (isDone) setEmail('');
  };
  return (
    <section class="card stack">
      <h2>{words.add}</h2>
      <p class="muted">{words.addText}</p>
      <div class="form-grid">
        <TextField
          needed
          label={words.email}
          type="email"
          value={email}
          maxLength={254}
          autoComplete="off"
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <SelectField
          label={words.as}
          hint={words.roleHint[role]}
          value={role}
          options={MEMBER_ROLES.map((word) => ({ value: word, label: words.role[word] }))}
          onChange={(event) => setRole(roleOf(event.currentTarget.value))}
        />
      </div>
      <FaultNote fault={fault} />
      <div class="row">
        <WorkButton look="main" disabled={isBlind.value} unready={email.trim() === ''} work={add}>
          {words.addNow}
        </WorkButton>
        <WorkButton disabled={isBlind.value} work={invite}>
          {words.inviteInstead}
        </WorkButton>
      </div>
    </section>
  );
}

export type MadeInvitation = z.infer<typeof invitationMade>;

// An invitation comes as an address. The code stands behind its #, which no server is sent and no log holds; it is taken
// out of the address at once, and kept by this window until it was answered.

const KEPT = 'invitation';
const IN_ADDRESS = /^#convite=([\w-]{1,255})$/;

export const invitationLink = (origin: string, code: string): string =>
  `${origin}/bem-vindo#convite=${encodeURIComponent(code)}`;

/** The code that this window came with; empty: it came with none. */
export function invitationHere(): string {
  const code = IN_ADDRESS.exec(location.hash)?.[1];
  if (code !== undefined) {
    sessionStorage.setItem(KEPT, code);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(KEPT) ?? '';
}

export const forgetInvitation = (): void => sessionStorage.removeItem(KEPT);
