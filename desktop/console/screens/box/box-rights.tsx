import { useState } from 'preact/hooks';
import type { BoxRightAnswer } from '#contract/resources/box-rights.ts';
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
import { dictionary } from '../../i18n/language.ts';
import { useWork } from '../system/use-work.ts';
import { FaultNote } from './system-page.tsx';

const boxRightsWords = dictionary({
  'pt-BR': {
    title: 'Quem cuida desta caixa',
    text: 'Backup, chave de recuperação, restauração, vínculo com a nuvem e estes direitos são do dono da caixa e de quem ele nomeia. Gerentes e técnicos das fazendas do dono acertam a hora e usam bancada, provisionamento e firmware sem isto.',
    right: { owner: 'Dono da caixa', keep: 'Cuida da caixa' },
    since: (day: string) => `desde ${day}`,
    email: 'E-mail de quem tem conta aqui',
    give: 'Dar o direito',
    given: 'Direito dado.',
    take: 'Tirar o direito',
    takeTitle: (name: string) => `Tirar o direito de ${name}?`,
    takeText: 'Vale na hora. O que a pessoa fez fica registrado.',
    unknown: 'Ninguém tem conta nesta caixa com esse e-mail.',
    owner: 'Essa pessoa já é a dona da caixa.',
  },
  en: {
    title: 'Who keeps this box',
    text: 'Backups, recovery key, restore, pairing with the cloud and these rights belong to the owner of the box and to whom the owner names. Managers and technicians of the owner’s farms set the time and use bench, provisioning and firmware without this.',
    right: { owner: 'Owner of the box', keep: 'Keeps the box' },
    since: (day: string) => `since ${day}`,
    email: 'E-mail of somebody with an account here',
    give: 'Give the right',
    given: 'The right is given.',
    take: 'Take the right away',
    takeTitle: (name: string) => `Take the right from ${name}?`,
    takeText: 'It holds at once. What the person did stays on record.',
    unknown: 'Nobody has an account on this box with that e-mail.',
    owner: 'That person owns the box already.',
  },
});

/** Who has rights over the box itself; for those who have some, and to give and take for its owner. */
export function BoxRights() {
  const words = boxRightsWords();
  const rights = useGet(isHosted.value ? null : '/system/rights');
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
