import type { DeviceMessage } from '#contract/resources/shadow.ts';
import { clockSeconds } from '../../i18n/format.ts';
import { shadowWords } from './words.ts';

/** What both said to each other, the newest first. */
export function ShadowMessages({ messages }: { messages: readonly DeviceMessage[] }) {
  const words = shadowWords();
  return (
    <section class="card stack" aria-labelledby="shadow-messages">
      <h2 id="shadow-messages">{words.messages}</h2>
      {messages.length === 0 ? (
        <p>{words.noMessages}</p>
      ) : (
        <ol class="lines shadow-messages">
          {messages.map(({ at, direction, kind, body }, index) => (
            <li key={`${at} ${messages.length - index}`} data-message={`${direction} ${kind}`}>
              <p>
                <span aria-hidden="true">{direction === 'in' ? '←' : '→'}</span>{' '}
                <strong>{words.kinds[kind] ?? kind}</strong>{' '}
                <span class="muted small">
                  {words.direction[direction]} · {clockSeconds(at)}
                </span>
              </p>
              {Object.keys(body).length === 0 ? null : (
                <p class="mono breaks small">
                  {Object.entries(body)
                    .map(([name, value]) => `${name}: ${textOf(value)}`)
                    .join(' · ')}
                </p>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
