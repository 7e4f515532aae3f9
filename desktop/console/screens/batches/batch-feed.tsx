import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { FeedingJournal, FeedingRecommendation } from '#contract/resources/feeding.ts';
import { entryWords, formWords } from '#words/entries.ts';
import { batchWords } from '#words/production.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toast.tsx';
import { newUuid } from '../../data/api.ts';
import type { Batch } from '../../data/batches.ts';
import { now } from '../../data/clock.ts';
import { mayRecord, seesMoney } from '../../data/farm-store.ts';
import { entries, takeBack } from '../../data/outbox.ts';
import { refresh, useGet } from '../../data/query.ts';
import { clockTime, figure, instantAt, isoDay, money, quantity } from '../../i18n/format.ts';
import { givenAt, mealAt, nearMeal } from '../../state/meals.ts';
import { sharedId } from '../../state/shared-id.ts';
import { useEnter } from '../entries/entry-form.tsx';
import { TraysLeftNote } from '../records/tray-details.tsx';

/** What to feed today, meal by meal, each with one press once it is given; and what the cycle has eaten so far. */
export function BatchFeed({ batch }: { batch: Batch }) {
  const words = batchWords();
  const advice = useGet(`/feeding/batch/${batch.id}/recommendation`);
  const journal = useGet(`/feeding/batch/${batch.id}`, { limit: 20 });
  const summary = useGet(`/feeding/batch/${batch.id}/summary`);
  useAskedOnReturn();
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
            {/* a meal whose records are not known yet may have been given */}
            <Answer of={journal}>
              {({ feeding_records }) => (
                <Meals
                  batch={batch}
                  advice={told}
                  records={feeding_records}
                  askAnew={async () => (await journal.refetch()).data?.feeding_records ?? null}
                />
              )}
            </Answer>
            {told.ponds.map((pond) => (
              <div key={pond.pond_id} class="stack">
                {told.ponds.length === 1 ? null : <strong>{pond.pond_cod}</strong>}
                <TraysLeftNote trays={pond.trays} pondCod={pond.pond_cod} />
              </div>
            ))}
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
            {seesMoney.value ? (
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

/** Others feed meanwhile: what this page says of it is asked anew when somebody comes back to it. */
function useAskedOnReturn(): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') refresh('feeding');
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
}

type Meal = FeedingRecommendation['daily_schedule'][number];
type Fed = FeedingJournal['feeding_records'][number];

function Meals({
  batch,
  advice,
  records,
  askAnew,
}: {
  batch: Batch;
  advice: FeedingRecommendation;
  records: readonly Fed[];
  /** null: they could not be asked for. */
  askAnew: () => Promise<readonly Fed[] | null>;
}) {
  const today = isoDay(now.value);
  const dueOf = ({ time }: Meal) => Date.parse(instantAt(today, time));
  const meals = advice.daily_schedule.map(dueOf);
  const givenOf = (fed: readonly Fed[], due: number) =>
    fed.filter(({ feed_date }) => mealAt(meals, Date.parse(feed_date)) === due);
  return (
    <ul class="stack">
      {advice.daily_schedule.map((meal) => {
        const due = dueOf(meal);
        const given = givenOf(records, due);
        return (
          <li key={meal.time} class="row apart">
            <span>
              <strong>{meal.time}</strong> {quantity(meal.quantity_kg, 2, 'kg')}
            </span>
            {given.length > 0 ? (
              <Given records={given} />
            ) : mayRecord.value && (due <= now.value || mealAt(meals, now.value) === due) ? (
              <GiveMeal
                batch={batch}
                meal={meal}
                at={{ due, meals, today }}
                last={records[0]}
                askGiven={async () => givenOf((await askAnew()) ?? [], due)}
              />
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

function Given({ records }: { records: readonly Fed[] }) {
  return (
    <span class="muted">
      ✓ {batchWords().given} {clockTime(records[0]?.feed_date)} · {kgOf(records)}
    </span>
  );
}

const kgOf = (records: readonly Fed[]): string =>
  quantity(
    records.reduce((sum, { quantity_kg }) => sum + quantity_kg, 0),
    2,
    'kg',
  );

/** One press says that it was given; from then on it is, also while it still waits in this browser. */
function GiveMeal({
  batch,
  meal,
  at: { due, meals, today },
  last,
  askGiven,
}: {
  batch: Batch;
  meal: Meal;
  at: { due: number; meals: readonly number[]; today: string };
  last: Fed | undefined;
  askGiven: () => Promise<readonly Fed[]>;
}) {
  const words = batchWords();
  const { put, isBusy } = useEnter();
  const settles = `meal ${batch.id} ${today} ${meal.time}`;
  const entry = entries.value.find((found) => found.settles === settles && found.state !== 'refused');
  if (entry !== undefined) {
    return (
      <span class="muted">
        ✓ {words.given} · {entryWords().state[entry.state]}
      </span>
    );
  }
  if (last === undefined) {
    // what it costs is not known yet: the form asks
    return (
      <Link class="button" href={`/lancar/racao?batch=${encodeURIComponent(batch.batch_code)}`}>
        {words.enterFeed}
      </Link>
    );
  }
  const label = `${batch.batch_code} · ${quantity(meal.quantity_kg, 2, 'kg')}`;
  const give = async () => {
    const id = newUuid();
    const ration = {
      id,
      path: '/feeding/',
      label,
      settles,
      single: { id: sharedId(settles), field: 'feed_date', ...nearMeal(meals, due) },
      body: {
        batch_id: batch.id,
        feed_type: last.feed_type,
        quantity_kg: meal.quantity_kg,
        cost_per_kg: last.cost_per_kg,
        feed_date: new Date(givenAt(meals, due, now.value)).toISOString(),
      },
      touches: ['feeding', 'ponds', 'batches', 'financial', 'dashboard'],
    };
    if (!(await put([ration], { text: formWords().queued(label) }))) return;
    // it is kept; what others recorded since this page asked last takes it back before it leaves
    const given = await askGiven();
    if (given.length > 0 && (await takeBack(id)))
      toast(words.alreadyGiven(meal.time, clockTime(given[0]?.feed_date), kgOf(given)));
  };
  return (
    <Button busy={isBusy} onClick={() => void give()}>
      {words.given}
    </Button>
  );
}
