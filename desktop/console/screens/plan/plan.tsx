import { useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import type { LimitsAnswer, PlanListing, SubscriptionAnswer } from '#contract/resources/subscriptions.ts';
import { planWords } from '#words/account.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { calendarDay, currency, figure, plainMoney } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

export function Plan() {
  const words = planWords();
  const back = new URLSearchParams(useSearch()).get('pago');
  const subscription = useGet('/subscriptions/me');
  const limits = useGet('/subscriptions/me/limits');
  return (
    <SystemPage title={words.title}>
      {back === null ? null : (
        <p class="note pending" role="status">
          {back === '1' ? words.paid : words.gaveUp}
        </p>
      )}
      <p class="note">{words.neverStops}</p>
      <div class="two-columns">
        <Answer of={subscription}>{(held) => <Held held={held} />}</Answer>
        <Answer of={limits}>{(told) => <Usage told={told} />}</Answer>
      </div>
      {subscription.data === undefined ? null : <PlanCards held={subscription.data} />}
    </SystemPage>
  );
}

function Held({ held }: { held: SubscriptionAnswer }) {
  const words = planWords();
  const plans = useGet('/subscriptions/plans');
  const { fault, run } = useWork();
  const [isAsking, setAsking] = useState(false);
  const isPaid = held.payment_subscription_id !== null;
  const openPortal = () =>
    run(async () => {
      const { url } = await post('/payment/create-billing-portal', {
        return_url: location.href,
      });
      location.assign(url);
    });
  const cancel = async () => {
    const { message } = await post('/payment/cancel-subscription', {
      cancel_at_period_end: true,
    });
    refresh('subscriptions');
    toast(message, null, 6_000);
  };
  return (
    <section class="card stack">
      <h2>{words.now}</h2>
      <p>
        <strong class="plan-name">
          {plans.data?.plans.find(({ id }) => id === held.plan)?.name ?? held.plan}
        </strong>{' '}
        · {words.status[held.status]}
      </p>
      {held.current_period_end === null ? null : (
        <p class="muted">
          {(held.cancel_at_period_end ? words.ends : words.renews)(calendarDay(held.current_period_end))}
        </p>
      )}
      {held.grace_ends_at === null ? null : (
        <p class="note p2">{words.grace(calendarDay(held.grace_ends_at))}</p>
      )}
      <FaultNote fault={fault} />
      {isPaid ? (
        <div class="row">
          <WorkButton work={openPortal}>{words.portal}</WorkButton>
          {held.cancel_at_period_end || held.status === 'CANCELED' ? null : (
            <Button look="danger" onClick={() => setAsking(true)}>
              {words.cancel}
            </Button>
          )}
        </div>
      ) : null}
      {isAsking ? (
        <ConfirmDialog
          title={words.cancelTitle}
          label={words.cancel}
          work={cancel}
          onClose={() => setAsking(false)}
        >
          <p>{words.cancelText}</p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

function Usage({ told }: { told: LimitsAnswer }) {
  const words = planWords();
  return (
    <section class="card stack">
      <h2>{words.usage}</h2>
      {(['farms', 'ponds', 'active_batches'] as const).map((kind) => {
        const { current, max } = told.usage[kind];
        const text = max < 0 ? words.unlimited(figure(current)) : words.used(figure(current), figure(max));
        return (
          <div key={kind}>
            <div class="row apart">
              <span>{words.of[kind]}</span>
              <strong>{text}</strong>
            </div>
            {max < 0 ? null : (
              <progress
                class="wide"
                aria-label={words.of[kind]}
                value={Math.min(current, max)}
                max={Math.max(max, 1)}
              />
            )}
          </div>
        );
      })}
      {told.warnings.map(({ resource, message, farm_id, pond_id }) => (
        <p key={pond_id ?? farm_id ?? resource} class="note p2">
          {message}
        </p>
      ))}
    </section>
  );
}

type Offer = PlanListing['plans'][number];
type Currency = 'BRL' | 'USD';

/** The plans side by side; choosing one leads to a page of the payment provider. */
function PlanCards({ held }: { held: SubscriptionAnswer }) {
  const words = planWords();
  const listing = useGet('/subscriptions/plans');
  const [paysIn, setPaysIn] = useState<Currency>(currency.value);
  const { fault, run } = useWork();
  const isOver = held.status === 'CANCELED';
  const buy = (plan: Offer['id']) =>
    run(async () => {
      const here = `${location.origin}/sistema/plano`;
      const { url } = await post('/payment/create-checkout-session', {
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
          <ul class="plan-cards">
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
