import { Link } from 'wouter-preact';
import { Awaited, Empty } from '../../components/answer.tsx';
import { Icon } from '../../components/icon.tsx';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { standing } from '../../data/alarms.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { quantity } from '../../i18n/format.ts';
import { PondAir } from './pond-air.tsx';
import { PondBatch } from './pond-batch.tsx';
import { PondHistory } from './pond-history.tsx';
import { PondNow } from './pond-now.tsx';
import { PondStory } from './pond-story.tsx';
import { PondWater } from './pond-water.tsx';
import { pondWords } from './words.ts';

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
