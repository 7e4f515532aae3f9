import { useState } from 'preact/hooks';
import type {
  CostPerKgAnswer,
  OptimalHarvestAnswer,
  ProfitabilityAnswer,
} from '#contract/resources/finance.ts';
import { Answer } from '../../components/answer.tsx';
import { DecimalField } from '../../components/field.tsx';
import type { Batch } from '../../data/batches.ts';
import { useGet } from '../../data/query.ts';
import { currencySign, figure, money, percent, quantity, readDecimal } from '../../i18n/format.ts';
import { keepPrice, keptPrice } from './price.ts';
import { batchWords } from './words.ts';

/** What it cost, what it would bring at a price, and whether another day pays. The price stays on this station. */
export function BatchMoney({ batch }: { batch: Batch }) {
  const words = batchWords();
  const [price, setPrice] = useState(keptPrice);
  const [daily, setDaily] = useState('');
  const asked = readDecimal(price);
  const dailyCost = readDecimal(daily);
  const isPriced = asked !== null && asked > 0;
  const cost = useGet<CostPerKgAnswer>(`/financial/cost-per-kg/${batch.id}`);
  const profit = useGet<ProfitabilityAnswer>(isPriced ? `/financial/profitability/${batch.id}` : null, {
    selling_price_per_kg: asked,
  });
  const harvest = useGet<OptimalHarvestAnswer>(
    isPriced && batch.status === 'ACTIVE' ? `/financial/optimal-harvest/${batch.id}` : null,
    {
      market_price_per_kg: asked,
      ...(dailyCost !== null && dailyCost >= 0 ? { daily_operational_cost: dailyCost } : {}),
    },
  );
  return (
    <section class="card stack">
      <h2>{words.money}</h2>
      <Answer of={cost}>
        {(told) => (
          <>
            <dl class="facts">
              <Fact name={words.totalCost} value={money(told.total_cost)} />
              <Fact name={words.costPerKg} value={money(told.cost_per_kg)} />
            </dl>
            <p class="muted small">
              {words.shares(
                percent(told.breakdown.feed_percentage),
                percent(told.breakdown.operational_percentage),
                percent(told.breakdown.energy_percentage),
              )}
            </p>
          </>
        )}
      </Answer>
      <div class="form-grid">
        <DecimalField
          label={words.price}
          unit={currencySign.value}
          value={price}
          onInput={(event) => {
            setPrice(event.currentTarget.value);
            keepPrice(event.currentTarget.value);
          }}
        />
        {batch.status === 'ACTIVE' ? (
          <DecimalField
            label={words.dailyCost}
            unit={currencySign.value}
            value={daily}
            onInput={(event) => setDaily(event.currentTarget.value)}
          />
        ) : null}
      </div>
      {!isPriced ? null : (
        <Answer of={profit}>
          {(told) => (
            <dl class="facts">
              <Fact name={words.profit} value={money(told.projected_profit)} />
              <Fact name={words.margin} value={percent(told.profit_margin_percentage, 1)} />
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

function Advice({ told }: { told: OptimalHarvestAnswer }) {
  const words = batchWords();
  const partial = told.partial_harvest;
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
          <Fact name={words.breakEven} value={money(told.break_even_price_per_kg)} />
        </dl>
        <p class="muted small">
          {words.partial(
            percent(partial.share_percent),
            quantity(partial.biomass_kg, 0, 'kg'),
            money(partial.revenue),
          )}{' '}
          · {figure(partial.quantity)}
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
