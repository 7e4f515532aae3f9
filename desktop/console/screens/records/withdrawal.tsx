import { useState } from 'preact/hooks';
import type { BatchDetail } from '#contract/resources/batches.ts';
import type { WithdrawalAnswer } from '#contract/resources/farm-records.ts';
import { recordsWords } from '#words/records.ts';
import { CheckField } from '../../components/field.tsx';
import { now } from '../../data/clock.ts';
import { useGet } from '../../data/query.ts';
import { isoDay, plainDay } from '../../i18n/format.ts';

// What a treatment leaves behind: days on which a batch is not harvested.

/** Treatments that keep a batch from being harvested on a day of the farm. */
const keepingOn = (withdrawal: WithdrawalAnswer, day: string) =>
  (withdrawal?.treatments ?? []).filter(({ harvest_from: from }) => from === null || day < from);

/** What keeps a batch from being harvested today, each treatment by itself. */
export function WithdrawalNote({ withdrawal, day }: { withdrawal: WithdrawalAnswer; day?: string }) {
  const words = recordsWords();
  const keeping = day === undefined ? (withdrawal?.treatments ?? []) : keepingOn(withdrawal, day);
  if (keeping.length === 0) return null;
  return (
    <ul class="note p2 plain" data-withdrawal>
      {keeping.map(({ record_id, product, harvest_from: from }) => (
        <li key={record_id}>
          ▲ {from === null ? words.runsUnknown(product) : words.runs(product, plainDay(dayBefore(from)))}{' '}
          {from === null ? null : words.free(plainDay(from))}
        </li>
      ))}
    </ul>
  );
}

const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

/** An answer to a period that could not be looked up. */
const NOT_LOOKED_UP = '?';

/**
 * Asks whoever harvests inside a withdrawal period, and whoever harvests on a past day of which nobody can tell now;
 * `isRight`: nothing keeps or kept the batch on that day, or it was answered.
 */
export function useWithdrawalQuestion(batch: Pick<BatchDetail, 'id' | 'withdrawal'>, day: string) {
  const words = recordsWords();
  const isPast = day !== '' && day < isoDay(now.value);
  // what ran then may have ended since: the batch tells of today
  const then = useGet(isPast ? `/batches/${batch.id}/withdrawal` : null, { day });
  const withdrawal = isPast ? (then.data?.withdrawal ?? null) : batch.withdrawal;
  const isUnknown = isPast && then.data === undefined;
  const keeping = isUnknown
    ? NOT_LOOKED_UP
    : keepingOn(withdrawal, day)
        .map(({ record_id }) => record_id)
        .join();
  // an answer is one to these treatments, and to no other ones
  const [answered, setAnswered] = useState('');
  const isAnswered = keeping !== '' && answered === keeping;
  return {
    isRight: keeping === '' || isAnswered,
    question:
      keeping === '' ? null : isUnknown && !then.isError && !then.isPaused ? (
        <p class="muted">{words.lookingUp}</p>
      ) : (
        <>
          {isUnknown ? (
            <p class="note p2">▲ {words.notLookedUp}</p>
          ) : (
            <WithdrawalNote withdrawal={withdrawal} day={day} />
          )}
          <CheckField
            label={words.allTheSame}
            checked={isAnswered}
            onChange={(event) => setAnswered(event.currentTarget.checked ? keeping : '')}
          />
        </>
      ),
  };
}
