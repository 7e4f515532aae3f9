import { useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import type * as z from 'zod';
import type { cancelledSubscription } from '#contract/resources/payments.ts';
import type { LimitsAnswer, SubscriptionAnswer } from '#contract/resources/subscriptions.ts';
import { planWords } from '#words/account.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { refresh, useGet } from '../../data/query.ts';
import { calendarDay, figure } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { PlanCards } from './plan-cards.tsx';

export function Plan() {
  const words = planWords();
  const back = new URLSearchParams(useSearch()).get('pago');
  const subscription = useGet<SubscriptionAnswer>('/subscriptions/me');
  const limits = useGet<LimitsAnswer>('/subscriptions/me/limits');
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
  const { fault, run } = useWork();
  const [isAsking, setAsking] = useState(false);
  const isPaid = held.payment_subscription_id !== null;
  const openPortal = () =>
    run(async () => {
      const { url } = await post<{ url: string }>('/payment/create-billing-portal', {
        return_url: location.href,
      });
      location.assign(url);
    });
  const cancel = async () => {
    const { message } = await post<z.infer<typeof cancelledSubscription>>('/payment/cancel-subscription', {
      cancel_at_period_end: true,
    });
    refresh('subscriptions');
    toast(message, null, 6_000);
  };
  return (
    <section class="card stack">
      <h2>{words.now}</h2>
      <p>
        <strong class="plan-name">{held.plan}</strong> · {words.status[held.status]}
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
