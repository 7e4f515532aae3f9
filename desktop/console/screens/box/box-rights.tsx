import { useState } from 'preact/hooks';
import type { BoxRightAnswer } from '#contract/resources/box-rights.ts';
import { boxRightsWords } from '#words/box.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { ApiError, del, post } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { calendarDay } from '../../i18n/format.ts';

import { useWork } from '../system/use-work.ts';
import { FaultNote } from './system-page.tsx';

/** Who has rights over the box itself; for those who have some, and to give and take for its owner. */
export function BoxRights() {
  const words = boxRightsWords();
  const rights = useGet<BoxRightAnswer[]>(isHosted.value ? null : '/system/rights');
  const { fault, run } = useWork({ NOT_FOUND: words.unknown, BOX_OWNER: words.owner });
  const [email, setEmail] = useState('');
  const [leaving, setLeaving] = useState<BoxRightAnswer | null>(null);
  const isRefused = rights.error instanceof ApiError && rights.error.status === 403;
  if (isHosted.value || isRefused) return null;
  const own = rights.data?.find(({ user_id }) => user_id === user.value?.id);
  const isOwner = own?.right === 'owner' || user.value?.role === 'ADMIN';
  const give = () =>
    run(async () => {
      await post('/system/rights', { email: email.trim() });
      setEmail('');
      refresh('system');
    }, words.given);
  return (
    <section class="card stack">
      <h2>{words.title}</h2>
      <p class="muted">{words.text}</p>
      <Answer of={rights}>
        {(rows) => (
          <ul class="lines">
            {rows.map((row) => (
              <li key={row.user_id} class="row apart">
                <span class="stack tight">
                  <strong>{row.name}</strong>
                  <span class="muted">
                    {words.right[row.right]}, {words.since(calendarDay(row.granted_at))}
                  </span>
                </span>
                {isOwner && row.right === 'keep' ? (
                  <Button disabled={isBlind.value} onClick={() => setLeaving(row)}>
                    {words.take}
                  </Button>
                ) : null}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {isOwner ? (
        <div class="row">
          <TextField
            needed
            label={words.email}
            type="email"
            value={email}
            maxLength={254}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
          <WorkButton disabled={isBlind.value} unready={email.trim() === ''} work={give}>
            {words.give}
          </WorkButton>
        </div>
      ) : null}
      <FaultNote fault={fault} />
      {leaving === null ? null : (
        <ConfirmDialog
          title={words.takeTitle(leaving.name)}
          label={words.take}
          work={async () => {
            await del(`/system/rights/${leaving.user_id}`);
            refresh('system');
          }}
          onClose={() => setLeaving(null)}
        >
          <p>{words.takeText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
