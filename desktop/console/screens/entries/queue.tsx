import { Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { entries, takeBack, tryAgain } from '../../data/outbox.ts';
import { clockTime } from '../../i18n/format.ts';
import { EntryHead } from './entry-head.tsx';
import { entryWords } from './words.ts';

/** What was typed here and how far it got. Nothing leaves this list unsaid: what the gateway refuses stays, with its reason. */
export function Queue() {
  const words = entryWords();
  const listed = entries.value.toSorted((a, b) => b.enteredAt - a.enteredAt);
  return (
    <div class="page">
      <EntryHead title={words.queue} />
      {listed.length === 0 ? <Empty text={words.queueEmpty} /> : null}
      <ul class="stack">
        {listed.map((entry) => (
          <li key={entry.id} class="card row apart" data-entry={entry.state}>
            <span class="grow">
              <strong>{entry.label}</strong>
              <br />
              <span class="muted small">
                {words.enteredAt(clockTime(entry.enteredAt))} · {words.state[entry.state]}
                {entry.why === null ? '' : `: ${entry.why}`}
              </span>
            </span>
            {entry.state === 'refused' ? (
              <Button onClick={() => void tryAgain(entry.id)}>{words.retry}</Button>
            ) : null}
            {entry.state === 'saved' || entry.state === 'sending' ? null : (
              <Button look="danger" onClick={() => void takeBack(entry.id)}>
                {words.discard}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
