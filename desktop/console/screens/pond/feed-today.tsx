import { Link } from 'wouter-preact';
import type { PondCard } from '#contract/resources/pond-cards.ts';
import { Answer } from '../../components/answer.tsx';
import { now } from '../../data/clock.ts';
import { mayRecord } from '../../data/farm-store.ts';
import type { Pond } from '../../data/places.ts';
import { usePlannedFeed } from '../../data/planned-feed.ts';
import { useGet } from '../../data/query.ts';
import { clockTime, quantity } from '../../i18n/format.ts';
import { pondWords } from './words.ts';

/** What the pond was given today, of what it is to get, and when the next meal is. */
export function FeedToday({ pond }: { pond: Pond }) {
  const words = pondWords();
  const card = useGet<PondCard>(`/ponds/${pond.id}/summary-card`);
  return (
    <section class="card stack">
      <div class="row apart">
        <h2>{words.feedToday}</h2>
        {mayRecord.value ? (
          <Link class="button" href={`/lancar/racao?pond=${encodeURIComponent(pond.cod)}`}>
            {words.enterFeed}
          </Link>
        ) : null}
      </div>
      <Answer of={card}>{(told) => <Fed card={told} />}</Answer>
    </section>
  );
}

function Fed({ card }: { card: PondCard }) {
  const words = pondWords();
  const { feeding_today: fed, active_batches } = card;
  const planned = usePlannedFeed(
    card.pond_id,
    active_batches.map(({ id }) => id),
  );
  const isEmpty = active_batches.length === 0;
  const kg = planned.is === 'known' && planned.kg > 0 ? planned.kg : null;
  const next = planned.is === 'known' ? planned.meals.find(({ at }) => at > now.value) : undefined;
  return (
    <>
      <p data-feed={isEmpty ? 'empty' : planned.is}>
        <span class="value">{quantity(fed.total_kg, 1, 'kg')}</span>{' '}
        {isEmpty ? null : (
          <span>{kg === null ? words.plannedUnknown : words.ofPlanned(quantity(kg, 1, 'kg'))}</span>
        )}
      </p>
      {kg === null ? null : (
        <progress
          class="feed-bar"
          max={kg}
          value={Math.min(fed.total_kg, kg)}
          aria-label={words.ofPlanned(quantity(kg, 1, 'kg'))}
        />
      )}
      <p class="muted small">
        {words.fed(fed.feeds_count)}
        {fed.last_feed === null ? '' : ` · ${words.lastFed(clockTime(fed.last_feed))}`}
        {next === undefined || kg === null
          ? ''
          : ` · ${words.nextMeal(clockTime(next.at), quantity(next.kg, 1, 'kg'))}`}
      </p>
    </>
  );
}
