import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { adoptedAnswer, LocalUserAnswer } from '#contract/resources/gateways.ts';
import { gatewayWords } from '#words/cloud.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Adopted = z.infer<typeof adoptedAnswer>;
const ROLES = ['MANAGER', 'TECHNICIAN', 'VIEWER', 'OWNER'] as const;

/** People whose account stands on a gateway alone; adopting one makes it an account here. */
export function LocalUsers() {
  const words = gatewayWords();
  const people = useGet<LocalUserAnswer[]>('/sync/local-users');
  const [adopting, setAdopting] = useState<LocalUserAnswer | null>(null);
  return (
    <section class="card stack" data-local-users>
      <h2>{words.people}</h2>
      <p class="muted">{words.peopleText}</p>
      <Answer of={people} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.noPeople}</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((person) => (
              <li key={person.id} class="row apart">
                <div class="grow">
                  <strong>{person.name}</strong>
                  <p class="muted small breaks">
                    {person.email} {person.state === 'adopted' ? `· ${words.adopted}` : ''}
                  </p>
                  {person.email_taken ? <p class="small">{words.emailTaken}</p> : null}
                </div>
                {person.email_taken ? null : (
                  <Button
                    disabled={isBlind.value}
                    aria-label={`${words.adopt}: ${person.name}`}
                    onClick={() => setAdopting(person)}
                  >
                    {words.adopt}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {adopting === null ? null : <AdoptDialog person={adopting} onClose={() => setAdopting(null)} />}
    </section>
  );
}

function AdoptDialog({ person, onClose }: { person: LocalUserAnswer; onClose: () => void }) {
  const words = gatewayWords();
  const { fault, run } = useWork();
  const [role, setRole] = useState<(typeof ROLES)[number]>('MANAGER');
  const [made, setMade] = useState<Adopted | null>(null);
  const adopt = () =>
    run(async () => {
      setMade(await post<Adopted>(`/sync/local-users/${person.id}/adopt`, { role }));
      refresh('sync');
    });
  if (made !== null) return <CodeDialog name={person.name} made={made} onClose={onClose} />;
  return (
    <Dialog
      title={words.adoptTitle(person.name)}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {words.cancel}
          </Button>
          <WorkButton big look="main" work={adopt}>
            {words.adopt}
          </WorkButton>
        </>
      }
    >
      <p>{words.adoptText}</p>
      <SelectField
        label={words.role}
        value={role}
        options={ROLES.map((value) => ({ value, label: words.roles[value] }))}
        onChange={(event) => setRole(ROLES.find((known) => known === event.currentTarget.value) ?? 'MANAGER')}
      />
      <FaultNote fault={fault} />
    </Dialog>
  );
}

/** The code that is shown once. */
export function CodeDialog({
  name,
  made,
  onClose,
}: {
  name: string;
  made: Pick<Adopted, 'code' | 'expires_at' | 'emailed'>;
  onClose: () => void;
}) {
  const words = gatewayWords();
  return (
    <Dialog
      title={words.codeFor(name)}
      onClose={onClose}
      actions={
        <Button big look="main" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <CopyText label={words.codeFor(name)} text={made.code} />
      <p>{words.codeOnce(dayAndTime(made.expires_at))}</p>
      {made.emailed ? <p>{words.emailed}</p> : null}
      <CopyText label={words.link} text={`${location.origin}/primeira-senha`} />
    </Dialog>
  );
}
