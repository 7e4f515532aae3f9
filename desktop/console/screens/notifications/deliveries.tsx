import { useState } from 'preact/hooks';
import type { DeliveryAnswer } from '#contract/resources/notification-channels.ts';
import { Answer } from '../../components/answer.tsx';
import { useGet } from '../../data/query.ts';
import { clockTime, dayAndTime } from '../../i18n/format.ts';
import { channelWords } from './channel-words.ts';

const SHOWN = 30;

/** What went out by a channel, what waits, and what was given up with the reason why. */
export function Deliveries({ path }: { path: string }) {
  const words = channelWords();
  const [isOpen, setOpen] = useState(false);
  const deliveries = useGet<DeliveryAnswer[]>(isOpen ? `${path}/deliveries` : null, { limit: SHOWN });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.deliveries}</summary>
      {isOpen ? (
        <Answer
          of={deliveries}
          isEmpty={(rows) => rows.length === 0}
          empty={<p class="muted">{words.noDeliveries}</p>}
        >
          {(rows) => (
            <ul class="lines">
              {rows.map(({ id, purpose, state, attempts, next_at, last_error, created_at }) => (
                <li key={id} data-delivery={state}>
                  <p class="row apart">
                    <span>
                      {dayAndTime(created_at)} · {words.purpose[purpose]}
                    </span>
                    <strong>{words.deliveryState[state]}</strong>
                  </p>
                  {state === 'SENT' ? null : (
                    <p class="muted small breaks">
                      {words.attempts(attempts)}
                      {next_at === null ? '' : ` · ${words.next(clockTime(next_at))}`}
                      {last_error === null ? '' : ` · ${last_error}`}
                    </p>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Answer>
      ) : null}
    </details>
  );
}
