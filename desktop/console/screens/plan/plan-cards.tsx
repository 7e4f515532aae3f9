import { useState } from 'preact/hooks';
import type { PlanListing, SubscriptionAnswer } from '#contract/resources/subscriptions.ts';
import { planWords } from '#words/account.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { currency, plainMoney } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Offer = PlanListing['plans'][number];
type Currency = 'BRL' | 'USD';

/** The plans side by side; choosing one leads to a page of the payment provider. */
export function PlanCards({ held }: { held: SubscriptionAnswer }) {
  const words = planWords();
  const listing = useGet<PlanListing>('/subscriptions/plans');
  const [paysIn, setPaysIn] = useState<Currency>(currency.value);
  const { fault, run } = useWork();
  const isOver = held.status === 'CANCELED';
  const buy = (plan: Offer['id']) =>
    run(async () => {
      const here = `${location.origin}/sistema/plano`;
      const { url } = await post<{ url: string }>('/payment/create-checkout-session', {
        plan,
        currency: paysIn,
        // nothing is paid for FREE: it is there at once
        success_url: plan === 'FREE' ? here : `${here}?pago=1`,
        cancel_url: `${here}?pago=0`,
      });
      location.assign(url);
    });
  return (
    <section class="stack">
      <div class="row apart">
        <h2>{words.plans}</h2>
        <SelectField
          label={words.currency}
          value={paysIn}
          options={[
            { value: 'BRL', label: 'R$' },
            { value: 'USD', label: 'US$' },
          ]}
          onChange={(event) => setPaysIn(event.currentTarget.value === 'USD' ? 'USD' : 'BRL')}
        />
      </div>
      <FaultNote fault={fault} />
      <Answer of={listing}>
        {({ plans }) => (
          <ul class="cards">
            {plans.map((offer) => (
              <li key={offer.id}>
                <PlanCard
                  offer={offer}
                  paysIn={paysIn}
                  isHeld={offer.id === held.plan && !isOver}
                  isOver={isOver}
                  buy={buy}
                />
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <p class="muted small">{words.payHint}</p>
    </section>
  );
}

function PlanCard({
  offer,
  paysIn,
  isHeld,
  isOver,
  buy,
}: {
  offer: Offer;
  paysIn: Currency;
  isHeld: boolean;
  /** Who has cancelled may choose any plan, the free one and the one that was held included. */
  isOver: boolean;
  buy: (plan: Offer['id']) => Promise<unknown>;
}) {
  const words = planWords();
  const price = offer.price === null ? null : paysIn === 'BRL' ? offer.price.brl : offer.price.usd;
  const isSold = price !== null && price > 0;
  const isFree = price === 0;
  return (
    <div class={`card stack plan-card ${isHeld ? 'held' : ''}`}>
      <div class="row apart">
        <h3>{offer.name}</h3>
        {isHeld ? <span class="chip">{words.current}</span> : null}
      </div>
      <p>
        <strong class="plan-name">
          {price === null ? words.agreement : isFree ? words.free : plainMoney(price, paysIn)}
        </strong>{' '}
        {isSold ? <span class="muted">{words.perMonth}</span> : null}
      </p>
      <p class="muted small">{offer.description}</p>
      <ul class="small">
        {(['max_farms', 'max_ponds_per_farm', 'max_batches_per_pond'] as const).map((limit) => (
          <li key={limit}>
            {offer.limits[limit] < 0 ? words.noLimit[limit] : words.limit[limit](offer.limits[limit])}
          </li>
        ))}
      </ul>
      <ul class="small">
        {(Object.keys(words.features) as (keyof typeof words.features)[]).map((feature) => (
          <li key={feature} class={`row nowrap ${offer.features[feature] ? '' : 'muted'}`}>
            <Icon name={offer.features[feature] ? 'check' : 'close'} size={14} />
            <span>
              <span class="visually-hidden">{offer.features[feature] ? words.includes : words.lacks} </span>
              {words.features[feature]}
            </span>
          </li>
        ))}
      </ul>
      <span class="grow" />
      {(isSold && !isHeld) || (isFree && isOver) ? (
        <WorkButton disabled={isBlind.value} work={() => buy(offer.id)}>
          {words.choose(offer.name)}
        </WorkButton>
      ) : null}
    </div>
  );
}
