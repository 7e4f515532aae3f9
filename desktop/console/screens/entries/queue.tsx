import { useState } from 'preact/hooks';
import { entryWords } from '#words/entries.ts';
import { spoken } from '#words/language.ts';
import { Empty, faultOf } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { type Entry, entries, isOfAnother, takeBack, tryAgain } from '../../data/outbox.ts';
import { clockTime } from '../../i18n/format.ts';
import { EntryHead } from './entry-form.tsx';

/** What was typed here and how far it got. Nothing leaves this list unsaid: what the gateway refuses stays, with its reason. */
export function Queue() {
  const words = entryWords();
  const [leaving, setLeaving] = useState<Entry | null>(null);
  const listed = entries.value.toSorted((a, b) => b.enteredAt - a.enteredAt);
  const isAllKept = listed.every(({ isKept, state }) => isKept !== false || state === 'saved');
  return (
    <div class="page">
      <EntryHead title={words.queue} />
      {isAllKept ? null : (
        <p class="note p2" role="alert">
          ▲ {words.noStorage}
        </p>
      )}
      {listed.length === 0 ? <Empty text={words.queueEmpty} /> : null}
      <ul class="stack">
        {listed.map((entry) => (
          <li key={entry.id} class="card row apart" data-entry={entry.state}>
            <span class="grow">
              <strong>{entry.label}</strong>
              <br />
              <span class="muted small">
                {words.enteredAt(clockTime(entry.enteredAt))} · {standingOf(entry)}
              </span>
            </span>
            {entry.state === 'refused' ? (
              <Button onClick={() => void tryAgain(entry.id)}>{words.retry}</Button>
            ) : null}
            {entry.state === 'saved' || entry.state === 'sending' ? null : (
              <Button
                look="danger"
                onClick={() => (entry.state === 'waiting' ? void discard(entry) : setLeaving(entry))}
              >
                {words.discard}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {leaving === null ? null : (
        <ConfirmDialog
          title={words.discardTitle(leaving.label)}
          label={words.discard}
          work={() => discard(leaving)}
          onClose={() => setLeaving(null)}
        >
          <p>{words.discardText}</p>
          {leaving.mayHaveArrived === true ? <p class="note p2">▲ {words.mayHaveArrived}</p> : null}
        </ConfirmDialog>
      )}
    </div>
  );
}

async function discard({ id }: Entry): Promise<void> {
  if (!(await takeBack(id))) toast(entryWords().tooLate(0, 1));
}

function standingOf(entry: Entry): string {
  const words = entryWords();
  if (isOfAnother(entry) && entry.state !== 'saved') return words.ofAnother;
  const state =
    entry.state === 'saved' && entry.code === 'ID_TAKEN' ? words.alreadyThere : words.state[entry.state];
  return entry.state === 'refused' ? `${state}: ${whyOf(entry)}` : state;
}

/** In the person's language; the interface's own sentence is in another, maybe. */
function whyOf({ code = '', why }: Entry): string {
  const words = entryWords();
  const known = faultOf(code) ?? (code === 'VALIDATION_ERROR' ? words.badValues : null);
  if (known !== null) return known;
  return spoken.isOfInterface && why !== null ? why : words.refusedFor(code);
}
