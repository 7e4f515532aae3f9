import type { InvitationAnswer } from '#contract/resources/invitations.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { del } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import type { MadeInvitation } from './invitation-made.ts';
import { peopleWords } from './people-words.ts';

/** Invitations to a farm, those that are answered or over, too. */
export function InvitationList({ farmId }: { farmId: string }) {
  const words = peopleWords();
  const path = `/farms/${farmId}/invitations`;
  const invitations = useGet<InvitationAnswer[]>(path);
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
export function CodeShown({ made, onClose }: { made: MadeInvitation; onClose: () => void }) {
  const words = peopleWords();
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
      <CopyText label={words.code} text={made.code} />
      <p class="muted small">
        {words.until(dayAndTime(made.expires_at))}. {made.emailed ? words.emailed : ''}
      </p>
    </Dialog>
  );
}
