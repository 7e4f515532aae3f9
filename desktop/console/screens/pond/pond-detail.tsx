import { Link } from 'wouter-preact';
import type { BatchOnCard } from '#contract/resources/pond-cards.ts';
import { pondWords } from '#words/pond.ts';
import { Answer, Awaited, Empty } from '../../components/answer.tsx';
import { Icon } from '../../components/icon.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { PriorityMark } from '../../components/value.tsx';
import { weighingOf } from '../../components/weighing.ts';
import { standing } from '../../data/alarms.ts';
import { mayManage, mayRecord } from '../../data/farm-store.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { calendarDay, figure, percent, quantity } from '../../i18n/format.ts';
import { Photos } from '../photos/photos.tsx';
import { PondRecords, PondTrays } from '../records/records.tsx';
import { PondAir } from './pond-air.tsx';
import { PondHistory } from './pond-history.tsx';
import { PondNow } from './pond-now.tsx';
import { PondStory } from './pond-story.tsx';
import { PondWater } from './pond-water.tsx';

export function PondDetail({ params }: { params: Readonly<Record<string, string>> }) {
  const words = pondWords();
  const cod = decodeURIComponent(params['cod'] ?? '');
  const tab = params['tab'] ?? '';
  const known = usePonds();
  const { ponds, isSuccess } = known;
  const pond = ponds.find((found) => found.cod === cod);
  if (pond === undefined) {
    return (
      <div class="page">{isSuccess ? <Empty text={words.unknown(cod)} /> : <Awaited of={[known]} />}</div>
    );
  }
  const base = `/viveiros/${encodeURIComponent(cod)}`;
  return (
    <div class="page">
      <div class="page-head">
        <div class="row">
          <div class="row nowrap">
            <Link href="/" class="button quiet" aria-label={words.back}>
              <Icon name="back" />
            </Link>
            <h1>{cod}</h1>
            <WorstMark pond={pond} />
          </div>
          <span class="muted small">{sizeOf(pond)}</span>
        </div>
      </div>
      <Tabs
        label={cod}
        tabs={[
          { href: base, label: words.tabs.now },
          { href: `${base}/agua`, label: words.tabs.water },
          { href: `${base}/lote`, label: words.tabs.batch },
          { href: `${base}/aeracao`, label: words.tabs.air },
          { href: `${base}/historico`, label: words.tabs.history },
        ]}
      />
      {tab === 'agua' ? (
        <PondWater pond={pond} />
      ) : tab === 'lote' ? (
        <PondBatch pond={pond} />
      ) : tab === 'aeracao' ? (
        <PondAir pond={pond} />
      ) : tab === 'historico' ? (
        <div class="stack">
          <PondTrays pond={pond} />
          <PondRecords pond={pond} />
          <Photos path={`/ponds/${pond.id}/photos`} mayAdd={mayRecord.value} />
          <PondStory pond={pond} />
          <PondHistory pond={pond} />
        </div>
      ) : (
        <PondNow pond={pond} />
      )}
    </div>
  );
}

/** What is known of it. */
function sizeOf({ size_m2, depth_m }: Pond): string {
  const words = pondWords();
  return [
    size_m2 === null ? '' : `${words.size} ${quantity(size_m2, 0, 'm²')}`,
    depth_m === null ? '' : `${words.depth} ${quantity(depth_m, 1, 'm')}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function WorstMark({ pond }: { pond: Pond }) {
  const [worst] = standing.value.filter(({ newest }) => newest.pond_id === pond.id);
  return worst === undefined ? null : <PriorityMark priority={worst.priority} />;
}

/** What swims in the pond, as far as the last weighing tells. */
function PondBatch({ pond }: { pond: Pond }) {
  const words = pondWords();
  const card = useGet(`/ponds/${pond.id}/summary-card`);
  return (
    <Answer
      of={card}
      isEmpty={({ active_batches }) => active_batches.length === 0}
      empty={
        <Empty text={words.empty}>
          {mayManage.value ? (
            <Link class="button main" href={`/lotes/novo?pond=${encodeURIComponent(pond.cod)}`}>
              {words.stock}
            </Link>
          ) : null}
        </Empty>
      }
    >
      {({ active_batches }) => (
        <div class="stack">
          {active_batches.map((batch) => (
            <section class="card stack" key={batch.id}>
              <div class="row apart">
                <h2>{batch.batch_number}</h2>
                <Link class="button" href={`/lotes/${encodeURIComponent(batch.batch_number)}`}>
                  {words.openBatch}
                </Link>
              </div>
              <dl class="facts">
                <Fact name={words.day} value={figure(batch.days_active)} />
                <Fact name={words.weight} value={quantity(batch.average_weight_g, 1, 'g')} />
                <Fact name={words.biomass} value={quantity(batch.current_biomass_kg, 0, 'kg')} />
                <Fact name={words.population} value={figure(batch.current_population)} />
                <Fact name={words.survival} value={percent(batch.survival_rate)} />
                <Fact name={words.fca} value={figure(batch.fca, 2)} />
              </dl>
              <Weighed batch={batch} />
            </section>
          ))}
        </div>
      )}
    </Answer>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Without a weighing the figures rest on the stocking, and nobody may take them for the animals of today. */
function Weighed({ batch }: { batch: BatchOnCard }) {
  const words = pondWords();
  const isOld = weighingOf(batch) === 'stale';
  return (
    <p class="muted small">
      {batch.weighed_at === null ? words.neverWeighed : words.weighed(calendarDay(batch.weighed_at))}{' '}
      {isOld ? <span class="chip">{words.outdated}</span> : null}
    </p>
  );
}
