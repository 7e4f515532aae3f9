import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { LostPersonAnswer, takenBackAnswer } from '#contract/resources/gateways.ts';
import { lostPeopleWords, peopleWords } from '#words/people.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { del, post } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { calendarDay } from '../../i18n/format.ts';
import { CodeDialog } from '../gateways/local-users.tsx';

type TakenBack = z.infer<typeof takenBackAnswer>;
type Choice = { row: LostPersonAnswer; isTaken: boolean };

/** For the administrator of a hosted instance: what gateways know of people and a failover or a restore lost. */
export function LostPeople() {
  const words = lostPeopleWords();
  const isAsked = isHosted.value && user.value?.role === 'ADMIN';
  const lost = useGet<LostPersonAnswer[]>(isAsked ? '/sync/lost-people' : null);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [made, setMade] = useState<{
    name: string;
    code: string;
    expires_at: string;
    emailed: boolean;
  } | null>(null);
  if (!isAsked) return null;
  return (
    <section class="card stack" data-lost-people>
      <h2>{words.title}</h2>
      <p class="muted">{words.text}</p>
      <Answer of={lost} isEmpty={(rows) => rows.length === 0} empty={<p>{words.none}</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((row) => (
              <LostRow key={row.id} row={row} onChoose={(isTaken) => setChosen({ row, isTaken })} />
            ))}
          </ul>
        )}
      </Answer>
      {chosen === null ? null : <Decide choice={chosen} onMade={setMade} onClose={() => setChosen(null)} />}
      {made === null ? null : <CodeDialog name={made.name} made={made} onClose={() => setMade(null)} />}
    </section>
  );
}

/** A role by its word; anything else, as an address or a name is, stays as it is. */
function roleNamed(told: string | null): string {
  const words: Readonly<Record<string, string>> = peopleWords().role;
  return told === null ? '' : (words[told] ?? told);
}

function LostRow({ row, onChoose }: { row: LostPersonAnswer; onChoose: (isTaken: boolean) => void }) {
  const words = lostPeopleWords();
  return (
    <li class="row apart">
      <span class="stack tight grow">
        <strong class="breaks">{row.email}</strong>
        <span>
          {words.what[row.kind](row.name, row.farm_name ?? '', roleNamed(row.stands), roleNamed(row.role))}
        </span>
        <span class="muted small breaks">
          {words.says(row.gateway_name, row.gateway_owner, calendarDay(row.seen_at))}
        </span>
        {row.email_taken ? <span class="small">{words.emailTaken}</span> : null}
      </span>
      <span class="row">
        {row.email_taken ? null : (
          <Button
            disabled={isBlind.value}
            aria-label={`${words.take[row.kind]}: ${row.email}`}
            onClick={() => onChoose(true)}
          >
            {words.take[row.kind]}
          </Button>
        )}
        <Button
          disabled={isBlind.value}
          aria-label={`${words.leave}: ${row.email}`}
          onClick={() => onChoose(false)}
        >
          {words.leave}
        </Button>
      </span>
    </li>
  );
}

function Decide({
  choice: { row, isTaken },
  onMade,
  onClose,
}: {
  choice: Choice;
  onMade: (made: { name: string; code: string; expires_at: string; emailed: boolean }) => void;
  onClose: () => void;
}) {
  const words = lostPeopleWords();
  const path = `/sync/lost-people/${row.id}`;
  return (
    <ConfirmDialog
      title={isTaken ? words.takeTitle(row.email) : words.leaveTitle(row.email)}
      label={isTaken ? words.take[row.kind] : words.leave}
      work={async () => {
        if (isTaken) {
          const { code, expires_at, emailed } = await post<TakenBack>(`${path}/take-back`);
          if (code !== null && expires_at !== null) onMade({ name: row.name, code, expires_at, emailed });
        } else await del(path);
        refresh('sync', 'users', 'farms');
      }}
      onClose={onClose}
    >
      <p>{isTaken ? words.takeText[row.kind] : words.leaveText}</p>
    </ConfirmDialog>
  );
}
