import { computed } from '@preact/signals';
import { Component, type FunctionComponent } from 'preact';
import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { ControlPlan } from '#contract/resources/control-points.ts';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { componentWords } from '#words/components.ts';
import { controlWords } from '#words/control.ts';
import { wallWords } from '#words/wall.ts';
import { waterWords } from '#words/water.ts';
import { BandBar } from '../../components/band-bar.tsx';
import { ControlMark, controlNow, isSameMark } from '../../components/control-button.tsx';
import { backText, isOffSchedule } from '../../components/next-run.tsx';
import { useOnScreen } from '../../components/on-screen.ts';
import { SimulatedMark, useSimulated, watermark } from '../../components/simulated.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { PriorityMark } from '../../components/value.tsx';
import { weighingOf } from '../../components/weighing.ts';
import { soon } from '../../data/clock.ts';
import type { BandOf } from '../../data/farm-science.ts';
import { controlPoints, mayManage, presence } from '../../data/farm-store.ts';
import { isFarmNight } from '../../data/farm-sun.ts';
import { steady } from '../../data/live.ts';
import { useOxygenDay } from '../../data/oxygen-day.ts';
import { WATER } from '../../data/water.ts';
import { age, clockTime, dayAndTime, figure, grams, isoDay, percent, quantity } from '../../i18n/format.ts';
import type { Priority } from '../../state/alarm-state.ts';
import { type ControlState, freshnessOf, isHeard } from '../../state/freshness.ts';
import { daysBetween } from '../../state/stocking.ts';

type Card = PondCards['ponds'][number];
type Shown = Extract<WaterField, 'dissolved_oxygen' | 'temperature' | 'ph'>;

/** What a bar shows of each parameter: more than the good range, less than what a probe can read. */
const BAR: Readonly<Record<Shown, readonly [number, number]>> = {
  dissolved_oxygen: [0, 12],
  temperature: [20, 36],
  ph: [6.5, 9.5],
};

/** Less than this is not seen in a line of a day. */
const SPARKLINE_STEP_MS = 5 * 60_000;

type Tile = {
  card: Card;
  pointId: string | null;
  priority: Priority | null;
  bandOf: BandOf;
  /** undefined: what decides at its control point is not known. */
  plan: ControlPlan | undefined;
};

export const PondTile = drawnFor(function PondTile({ card, pointId, priority, bandOf, plan }: Tile) {
  const words = wallWords();
  const { active_batch: batch } = card;
  const isAiredBySimulator = useSimulated(pointId);
  const isEmpty = card.status === 'EMPTY';
  // an older process of an instance that is upgraded tells neither this nor the feed conversion
  const since = card.empty_since ?? null;
  const href = `/viveiros/${encodeURIComponent(card.cod)}`;
  const look = {
    class: `card pond-card ${priority === null ? '' : `p${priority}`}`,
    'data-pond': card.cod,
    ...watermark(isAiredBySimulator),
  };
  const head = (
    <div class="row apart nowrap">
      <h2>{card.cod}</h2>
      <span class="row nowrap">
        {batch === null ? null : <span class="muted">{words.day(batch.days_active)}</span>}
        {priority === null ? null : <PriorityMark priority={priority} />}
      </span>
    </div>
  );
  const air = (
    <p class="pond-line pond-air">
      <Aeration {...{ pointId, plan }} /> <SimulatedMark is={isAiredBySimulator} />
    </p>
  );
  if (isEmpty && mayManage.value) {
    // one link must not hold another: the pond's lies over its card, and the button over that
    return (
      <div {...look}>
        <Link class="pond-open" href={href} aria-label={card.cod} />
        {head}
        <EmptyFor since={since} />
        <Link
          class="button pond-stock"
          href={`/lotes/novo?pond=${encodeURIComponent(card.cod)}`}
          aria-label={words.stockIn(card.cod)}
        >
          {words.stock}
        </Link>
        {air}
      </div>
    );
  }
  return (
    <Link href={href} {...look}>
      {head}
      {isEmpty ? <EmptyFor since={since} /> : <Water card={card} bandOf={bandOf} />}
      {batch === null ? null : <Stock batch={batch} />}
      {air}
    </Link>
  );
});

/** Changes once a day, and so does what is drawn of it. */
const farmDay = computed(() => isoDay(soon.value));

/** Whole days of the farm since its last batch, where it had one. */
function EmptyFor({ since }: { since: string | null }) {
  // a clock may be behind the one that wrote the end
  const days = since === null ? null : Math.max(0, daysBetween(isoDay(since), farmDay.value));
  return <p class="pond-line muted">{wallWords().empty(days)}</p>;
}

/** Weight and what follows from it stay in sight when they are old, and are told to be: weighings are days apart. */
function Stock({ batch }: { batch: NonNullable<Card['active_batch']> }) {
  const words = wallWords();
  const fresh = weighingOf(batch);
  return (
    <p class="pond-line pond-figures" data-weighing={fresh}>
      {fresh === 'fresh' ? null : (
        <span class="muted">
          {words.weighed(batch.weighed_at === null ? null : age(soon.value - Date.parse(batch.weighed_at)))} ·{' '}
        </span>
      )}
      {unbroken([
        grams(batch.average_weight_g),
        quantity(batch.current_biomass_kg, 0, 'kg'),
        percent(batch.survival_rate),
        ...((batch.fca ?? null) === null ? [] : [`${words.fca} ${figure(batch.fca, 2)}`]),
      ])}
    </p>
  );
}

/** Told in a row that may go on in the next line, but never between a figure and its unit. */
const unbroken = (told: readonly string[]): string =>
  told.map((one) => one.replaceAll(/\s/g, '\u00a0')).join('\u00a0· ');

/** Oxygen large with its day, the rest small; how old they are stands once below, for they were taken together. */
function Water({ card, bandOf }: Pick<Tile, 'card' | 'bandOf'>) {
  const words = wallWords();
  const told = componentWords();
  const { water_quality: water } = card;
  const { ref, isOnScreen } = useOnScreen<HTMLDivElement>();
  const { quarters, last } = useOxygenDay(card, isOnScreen);
  const band = bandOf('dissolved_oxygen');
  const at = water?.last_measurement ?? null;
  const oldFor = at === null ? null : soon.value - Date.parse(at);
  const night = isFarmNight.value;
  const until = Math.ceil(soon.value / SPARKLINE_STEP_MS) * SPARKLINE_STEP_MS;
  // the newest measurement may have been of something else
  const oxygen = water?.dissolved_oxygen ?? last?.value ?? null;
  const oxygenAt = (water?.dissolved_oxygen ?? null) === null ? (last?.at ?? null) : at;
  const oxygenFor = oxygenAt === null ? null : soon.value - new Date(oxygenAt).getTime();
  const fresh = oxygen === null ? 'stale' : freshnessOf(night ? 'oxygenByNight' : 'oxygenByDay', oxygenFor);
  return (
    <>
      <div class="pond-oxygen" data-fresh={fresh} ref={ref}>
        <span class="value">
          {fresh === 'stale' ? '—' : figure(oxygen, 1)}
          <span class="unit"> mg/L {words.oxygen}</span>
        </span>
        <Sparkline
          quarters={quarters}
          from={until - 86_400_000}
          to={until}
          limit={band?.low ?? null}
          decimals={1}
          unit="mg/L"
        />
        <BandBar value={fresh === 'stale' ? null : oxygen} band={band} range={BAR.dissolved_oxygen} />
      </div>
      <div class="pond-water">
        <Small field="temperature" value={water?.temperature} {...{ oldFor, bandOf }} />
        <Small field="ph" value={water?.ph} {...{ oldFor, bandOf }} />
      </div>
      <p class="pond-line muted pond-age">
        {oldFor === null
          ? words.neverMeasured
          : fresh === 'stale' && oxygen !== null
            ? words.last(figure(oxygen, 1), lastAt(oxygenAt, oxygenFor))
            : told.age(age(oxygenFor ?? oldFor))}
        {water === null || (oxygenAt !== null && oxygenAt !== at) ? null : ` · ${words.by[water.source]}`}
      </p>
    </>
  );
}

const lastAt = (at: string | number | null, oldFor: number | null): string =>
  (oldFor ?? 0) > 12 * 3_600_000 ? dayAndTime(at) : clockTime(at);

function Small({
  field,
  value,
  oldFor,
  bandOf,
}: Pick<Tile, 'bandOf'> & {
  field: Shown;
  value: number | null | undefined;
  oldFor: number | null;
}) {
  const { unit, decimals, kind } = WATER[field];
  const band = bandOf(field);
  const isKnown = value !== null && value !== undefined;
  const fresh = isKnown ? freshnessOf(kind, oldFor) : 'stale';
  const isShown = fresh !== 'stale';
  return (
    <span data-fresh={fresh}>
      {unit === '' ? <span class="muted">{waterWords().short[field]} </span> : null}
      {isShown ? figure(value, decimals === 2 ? 1 : decimals) : '—'}
      {unit === '' ? null : ` ${unit}`}
      <BandBar value={isShown ? value : null} band={band} range={BAR[field]} />
    </span>
  );
}

function Aeration({ pointId, plan }: Pick<Tile, 'pointId' | 'plan'>) {
  // looked at every second, and drawn anew only when it tells something else
  const line = useMemo(() => computed(steady(() => airOf(pointId), isSameAir)), [pointId]);
  const air = line.value;
  if (air === null) return <span class="muted">{wallWords().noPoint}</span>;
  const { cod, state, drawn } = air;
  if (plan !== undefined && isOffSchedule(plan)) {
    return (
      <>
        <ControlMark state={state} />
        <strong class="off-schedule" data-off-schedule>
          <span aria-hidden="true">◇</span> {controlWords().offSchedule} · {backText(plan)}
        </strong>
      </>
    );
  }
  return (
    <>
      <ControlMark state={state} />
      {/* where there is no room for both, what the motor draws says more than its number */}
      <span class="muted">{drawn === 0 ? cod : `${quantity(drawn, 1, 'kW')} · ${cod}`}</span>
    </>
  );
}

type Air = { cod: string; state: ControlState /** In kW, as it is shown. */; drawn: number };

function airOf(pointId: string | null): Air | null {
  const point = controlPoints.value.get(pointId ?? '');
  if (point === undefined || point.is_siren) return null;
  const { facts, state } = controlNow(point);
  const drawn = isHeard(facts) ? (presence.value.get(point.id)?.consumption ?? 0) : 0;
  return { cod: point.cod, state, drawn: Math.round(drawn * 10) / 10 };
}

const isSameAir = (before: Air | null, after: Air | null): boolean =>
  before === after ||
  (before !== null &&
    after !== null &&
    before.cod === after.cod &&
    before.drawn === after.drawn &&
    isSameMark(before.state, after.state));

/** Draws anew when it is given something else, or when a signal that it reads says so: news of its neighbours are no reason. */
function drawnFor<Props extends object>(Draw: FunctionComponent<Props>): FunctionComponent<Props> {
  class Steady extends Component<{ given: Props }> {
    override shouldComponentUpdate({ given }: { given: Props }): boolean {
      const before = this.props.given;
      return (Object.keys(given) as (keyof Props)[]).some((name) => given[name] !== before[name]);
    }
    override render() {
      return <Draw {...this.props.given} />;
    }
  }
  return (given) => <Steady given={given} />;
}
