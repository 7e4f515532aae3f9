import type * as z from 'zod';
import type { commandEntry } from '#contract/resources/control-points.ts';
import { now } from '../data/clock.ts';
import { useGet } from '../data/query.ts';
import { remoteOrder } from '../data/remote-orders.ts';
import { age, countdown } from '../i18n/format.ts';
import type { ControlFacts } from '../state/control-state.ts';
import {
  type Failure,
  failureOf,
  isJourneyShown,
  type RemoteOrder,
  STEPS,
  stepOf,
} from '../state/remote-order.ts';
import { controlWords } from './control-words.ts';

type Motor = Pick<ControlFacts, 'reported' | 'silentForMs'>;

/** Where the order from afar is, why nothing came of it, or that nobody knows; `motor`: what it said last. */
export function OrderJourney({ pointId, motor }: { pointId: string; motor: Motor }) {
  const order = remoteOrder(pointId);
  if (order === undefined) return null;
  if (isJourneyShown(order, now.value)) return <Journey order={order} />;
  const failure = failureOf(order, now.value);
  if (failure === 'unknown') return <Unknown order={order} motor={motor} />;
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

/** The line died after the gateway was told that the order counts. */
function Unknown({ order, motor }: { order: RemoteOrder; motor: Motor }) {
  const words = controlWords();
  const { reported, silentForMs } = motor;
  const last =
    reported === null || silentForMs === null
      ? words.neverConfirmed
      : words.lastConfirmed(words.state[reported === 'ON' ? 'on' : 'off'].toLowerCase(), age(silentForMs));
  return (
    <span class="small journey-end" role="status" data-order="unknown">
      <strong>? {words.nobodyKnows[order.target]}</strong> · {words.untilWord} · {last}
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
  failure: Exclude<Failure, 'unknown'>;
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
