import type { FeedingJournal, FeedingRecommendation, FeedingSummary } from '#contract/resources/feeding.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import type { Batch } from '../../data/batches.ts';
import { now } from '../../data/clock.ts';
import { farm, mayManage } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { clockTime, figure, instantAt, isoDay, money, quantity } from '../../i18n/format.ts';
import { formWords } from '../entries/form-words.ts';
import { useEnter } from '../entries/use-enter.ts';
import { batchWords } from './words.ts';

/** What to feed today, meal by meal, each with one press once it is given; and what the cycle has eaten so far. */
export function BatchFeed({ batch }: { batch: Batch }) {
  const words = batchWords();
  const advice = useGet<FeedingRecommendation>(`/feeding/batch/${batch.id}/recommendation`);
  const journal = useGet<FeedingJournal>(`/feeding/batch/${batch.id}`, { limit: 20 });
  const summary = useGet<FeedingSummary>(`/feeding/batch/${batch.id}/summary`);
  const seesMoney = farm.value?.role !== 'TECHNICIAN';
  return (
    <section class="card stack">
      <h2>{words.feedToday}</h2>
      <Answer of={advice}>
        {(told) => (
          <>
            <p>
              <span class="value">{quantity(told.recommendation.recommended_feed_kg, 1, 'kg')}</span>{' '}
              <span class="muted">
                {told.recommendation.feed_type} · {told.recommendation.adjustment_reason}
              </span>
            </p>
            <Meals batch={batch} advice={told} journal={journal.data} />
            {told.notes.map((note) => (
              <p key={note} class="muted small">
                {note}
              </p>
            ))}
          </>
        )}
      </Answer>
      <Answer of={summary}>
        {({ summary: eaten, fca_analysis }) => (
          <dl class="facts">
            <div>
              <dt>{words.totalFeed}</dt>
              <dd>{quantity(eaten.total_feed_consumed_kg, 0, 'kg')}</dd>
            </div>
            <div>
              <dt>{words.fca}</dt>
              <dd>{figure(fca_analysis.fca, 2)}</dd>
            </div>
            {seesMoney ? (
              <div>
                <dt>{words.fedCost}</dt>
                <dd>{money(eaten.total_feed_cost)}</dd>
              </div>
            ) : null}
          </dl>
        )}
      </Answer>
    </section>
  );
}

const NEAR_MS = 75 * 60_000;

function Meals({
  batch,
  advice,
  journal,
}: {
  batch: Batch;
  advice: FeedingRecommendation;
  journal: FeedingJournal | undefined;
}) {
  const words = batchWords();
  const forms = formWords();
  const { put } = useEnter();
  const today = isoDay(now.value);
  const records = journal?.feeding_records ?? [];
  const last = records[0];
  const give = async (meal: FeedingRecommendation['daily_schedule'][number]) => {
    const label = `${batch.batch_code} · ${quantity(meal.quantity_kg, 2, 'kg')}`;
    const wanted = {
      path: '/feeding/',
      label,
      body: {
        batch_id: batch.id,
        feed_type: last?.feed_type ?? advice.recommendation.feed_type,
        quantity_kg: meal.quantity_kg,
        cost_per_kg: last?.cost_per_kg ?? 0,
        feed_date: new Date(now.value).toISOString(),
      },
      touches: ['feeding', 'ponds', 'batches', 'financial', 'dashboard'],
    };
    await put([wanted], { text: forms.queued(label) });
  };
  return (
    <ul class="stack">
      {advice.daily_schedule.map((meal) => {
        const due = Date.parse(instantAt(today, meal.time));
        const record = records.find(({ feed_date }) => Math.abs(Date.parse(feed_date) - due) < NEAR_MS);
        return (
          <li key={meal.time} class="row apart">
            <span>
              <strong>{meal.time}</strong> {quantity(meal.quantity_kg, 2, 'kg')}
            </span>
            {record !== undefined ? (
              <span class="muted">
                ✓ {words.given} {clockTime(record.feed_date)} · {quantity(record.quantity_kg, 2, 'kg')}
              </span>
            ) : mayManage.value && due - now.value < NEAR_MS ? (
              <Button onClick={() => void give(meal)}>{words.given}</Button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}
