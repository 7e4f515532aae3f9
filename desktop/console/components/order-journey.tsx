import type * as z from 'zod';
import type { commandEntry } from '#contract/resources/control-points.ts';
import { now } from '../data/clock.ts';
import { useGet } from '../data/query.ts';
import { remoteOrder } from '../data/remote-orders.ts';
import { countdown } from '../i18n/format.ts';
import { failureOf, isJourneyShown, type RemoteOrder, STEPS, stepOf } from '../state/remote-order.ts';
import { controlWords } from './control-words.ts';

/** Where the order from afar is, or why nothing came of it. */
export function OrderJourney({ pointId }: { pointId: string }) {
  const order = remoteOrder(pointId);
  if (order === undefined) return null;
  if (isJourneyShown(order, now.value)) return <Journey order={order} />;
  const failure = failureOf(order, now.value);
  return failure === null ? null : <NotDone order={order} pointId={pointId} failure={failure} />;
}

function Journey({ order }: { order: RemoteOrder }) {
  const words = controlWords();
  const step = stepOf(order, now.value);
  const at = STEPS.findIndex((known) => known === step);
  return (
    <span class="journey small" role="status" data-step={step}>
      <span class="muted">{words.goes[order.target]}:</span>
      <ol aria-label={words.journey}>
        {STEPS.map((name, index) => (
          <li
            key={name}
            data-is={index < at ? 'past' : index === at ? 'here' : 'ahead'}
            aria-current={index === at ? 'step' : undefined}
          >
            {words.steps[name]}
          </li>
        ))}
      </ol>
      {step === 'cloud' ? (
        <span class="muted">{words.voidIn(countdown(order.expiresAt - now.value))}</span>
      ) : null}
    </span>
  );
}

type Told = z.infer<typeof commandEntry>;

function NotDone({
  order,
  pointId,
  failure,
}: {
  order: RemoteOrder;
  pointId: string;
  failure: 'expired' | 'rejected' | 'superseded';
}) {
  const words = controlWords();
  // the interface says why in words; the event has a code
  const { data } = useGet<Told[]>(`/control-points/${pointId}/commands`, { limit: 5 });
  const why = data?.find(({ id }) => id === order.id)?.result ?? null;
  return (
    <span class="small journey-end" role="status" data-order={failure}>
      <strong>▲ {words.notDone[failure]}</strong>
      {why === null ? '' : `: ${why}`} · {words.farmCounts}
    </span>
  );
}
