import { useRef } from 'preact/hooks';
import type { CostPerKgAnswer, OptimalHarvestAnswer } from '#contract/resources/finance.ts';
import { comparisonWords } from '#words/comparison.ts';
import { batchWords } from '#words/production.ts';
import { Answer } from '../../components/answer.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import type { Batch } from '../../data/batches.ts';
import { useCalm } from '../../data/calm.ts';
import { useGet, useGetAgain } from '../../data/query.ts';
import { age, asTyped, currencySign, figure, money, percent, quantity } from '../../i18n/format.ts';
import { freshnessOf } from '../../state/freshness.ts';
import { rangeAround, type SliderRange } from '../../state/typed-value.ts';
import { usePrice } from './price.ts';

const DAY_MS = 86_400_000;

/** What it cost, what it would bring at a price, and whether another day pays. The price stays on this station. */
export function BatchMoney({ batch }: { batch: Batch }) {
  const words = batchWords();
  const price = usePrice();
  const daily = useFigure('', { isNeeded: false });
  const asked = useCalm(price.isRight ? price.value : null);
  const perDay = useCalm(daily.isRight ? daily.value : null);
  const isPriced = asked !== null && asked > 0;
  const cost = useGet(`/financial/cost-per-kg/${batch.id}`);
  const profit = useGetAgain(isPriced ? `/financial/profitability/${batch.id}` : null, {
    selling_price_per_kg: asked,
  });
  const harvest = useGetAgain(
    isPriced && batch.status === 'ACTIVE' ? `/financial/optimal-harvest/${batch.id}` : null,
    {
      market_price_per_kg: asked,
      ...(perDay === null ? {} : { daily_operational_cost: perDay }),
    },
  );
  // without one of its own the interface reckons with its usual cost: that is where one begins to try
  const dayCost = (daily.isRight ? daily.value : null) ?? harvest.data?.analysis.daily_operational_cost ?? 0;
  return (
    <section class="card stack">
      <h2>{words.money}</h2>
      <Answer of={cost}>
        {(told) => (
          <>
            <dl class="facts">
              <Fact name={words.totalCost} value={money(told.total_cost === 0 ? null : told.total_cost)} />
              <Fact name={words.costPerKg} value={money(told.total_cost === 0 ? null : told.cost_per_kg)} />
            </dl>
            <p class="muted small">
              {words.shares(
                percent(told.breakdown.feed_percentage),
                percent(told.breakdown.operational_percentage),
                percent(told.breakdown.energy_percentage),
              )}
            </p>
            <MissingCosts of={told.missing} />
          </>
        )}
      </Answer>
      <div class="form-grid">
        <div>
          <FigureField label={words.price} unit={currencySign.value} figure={price} />
          {price.isRight && price.value !== null && price.value > 0 ? (
            <WhatIf label={words.tryPrice} value={price.value} onTry={price.setText} />
          ) : null}
        </div>
        {batch.status === 'ACTIVE' ? (
          <div>
            <FigureField label={words.dailyCost} unit={currencySign.value} figure={daily} />
            {dayCost > 0 ? <WhatIf label={words.tryCost} value={dayCost} onTry={daily.setText} /> : null}
          </div>
        ) : null}
      </div>
      {!isPriced ? null : (
        <Answer of={profit}>
          {(told) => (
            <dl class="facts">
              <Fact name={words.profit} value={money(told.total_cost === 0 ? null : told.projected_profit)} />
              <Fact
                name={words.margin}
                value={percent(told.total_cost === 0 ? null : told.profit_margin_percentage, 1)}
              />
              <Fact name={words.roi} value={percent(told.roi_percentage, 1)} />
              <Fact name={words.breakEven} value={money(told.break_even_price_per_kg)} />
            </dl>
          )}
        </Answer>
      )}
      {!isPriced || batch.status !== 'ACTIVE' ? null : (
        <Answer of={harvest}>{(told) => <Advice told={told} />}</Answer>
      )}
    </section>
  );
}

/** What nobody recorded of the cost, which is more than these figures say. */
function MissingCosts({ of }: { of: CostPerKgAnswer['missing'] }) {
  const { missing, missingOf } = comparisonWords();
  const costs = of.filter((each) => each === 'FEED' || each === 'EXPENSES');
  if (costs.length === 0) return null;
  return (
    <p class="muted small">
      {missing}: {costs.map((each) => missingOf[each]).join(', ')}
    </p>
  );
}

function Advice({ told }: { told: OptimalHarvestAnswer }) {
  const words = batchWords();
  const partial = told.partial_harvest;
  const days = told.last_biometry_days_ago;
  const weighing = freshnessOf('biometry', days === null ? null : days * DAY_MS);
  return (
    <div class="note pending">
      <div class="stack">
        <h3>
          {words.harvestAdvice}: {words.recommendations[told.recommendation]}
        </h3>
        <p>{told.explanation}</p>
        <p>{told.suggestion}</p>
        <dl class="facts">
          <Fact name={words.perDay} value={money(told.analysis.net_daily_profit)} />
          <Fact name={words.adg} value={quantity(told.analysis.expected_daily_growth_g, 2, 'g')} />
          <Fact name={words.breakEvenDay} value={`${money(told.break_even_price_per_kg)}/kg`} />
          {told.energy_estimate.source === 'NONE' ? null : (
            <Fact name={words.energyDay} value={money(told.energy_estimate.cost_per_day)} />
          )}
          {told.energy_estimate.kwh_per_tonne_rating === null ? null : (
            <Fact
              name={words.perTonne}
              value={`${quantity(told.energy_estimate.kwh_per_tonne, 0, 'kWh')} · ${words.perTonneRatings[told.energy_estimate.kwh_per_tonne_rating]} (${figure(told.energy_estimate.kwh_per_tonne_usual)})`}
            />
          )}
        </dl>
        {told.price_by_size.length === 0 ? null : (
          <p class="muted small">
            {words.priceBySize(
              told.price_by_size
                .map(
                  ({ days, weight_g, price_per_kg }) =>
                    `${words.inDays(figure(days))}: ${quantity(weight_g, 1, 'g')}, ${money(price_per_kg)}/kg`,
                )
                .join(' · '),
            )}
          </p>
        )}
        <p class="muted small">
          {words.partial(
            percent(partial.share_percent),
            quantity(partial.biomass_kg, 0, 'kg'),
            figure(partial.quantity),
            money(partial.revenue),
          )}
        </p>
        <p class="small">
          {days === null
            ? words.neverWeighed
            : days === 0
              ? words.weighedToday
              : words.weighedAgo(age(days * DAY_MS))}{' '}
          {days !== null && weighing === 'stale' ? <span class="chip">{words.outdated}</span> : null}
        </p>
        <p class="muted small">{words.asAdvice}</p>
      </div>
    </div>
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

/** Tries what another amount would mean. Its ends stay while it is drawn, and move when something beyond them is typed. */
function WhatIf({ label, value, onTry }: { label: string; value: number; onTry: (text: string) => void }) {
  const range = useRef<SliderRange | null>(null);
  const known = range.current;
  if (known === null || value < known.min || value > known.max) range.current = rangeAround(value);
  const { min, max, step } = range.current ?? rangeAround(value);
  return (
    <label class="what-if">
      <span class="muted small">{label}</span>
      <input
        type="range"
        {...{ min, max, step, value }}
        aria-valuetext={money(value)}
        onInput={(event) => onTry(asTyped(event.currentTarget.valueAsNumber))}
      />
      <span class="row apart muted small" aria-hidden="true">
        <span>{money(min)}</span>
        <span>{money(max)}</span>
      </span>
    </label>
  );
}
