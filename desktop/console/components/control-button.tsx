import type * as z from 'zod';
import type { commandEntry } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { controlWords } from '#words/control.ts';
import { now } from '../data/clock.ts';
import { type ControlPoint, mayOn, presence } from '../data/farm-store.ts';
import { farmWord, isFromAfar } from '../data/instance.ts';
import { isBlind } from '../data/live.ts';
import { orderUnderWay, remoteOrder } from '../data/orders.ts';
import { useGet } from '../data/query.ts';
import { age, countdown } from '../i18n/format.ts';
import {
  type ControlFacts,
  type ControlState,
  controlFactsOf,
  controlStateOf,
  mayOrder,
} from '../state/freshness.ts';
import {
  type Failure,
  failureOf,
  isJourneyShown,
  type RemoteOrder,
  STEPS,
  stepOf,
} from '../state/remote-order.ts';
import { Button } from './button.tsx';
import { orderOrAsk } from './order-question.tsx';

type Motor = Pick<ControlFacts, 'reported' | 'silentForMs'>;

type Told = z.infer<typeof commandEntry>;

/** How the point stands now, by all that is known on this screen. */
export function controlNow(point: ControlPoint) {
  const facts = controlFactsOf(point, presence.value.get(point.id), {
    now: now.value,
    isBlind: isBlind.value,
    remote: remoteOrder(point.id),
  });
  const underWay = orderUnderWay(point.id);
  const state: ControlState =
    underWay === null
      ? controlStateOf(facts)
      : { is: underWay.target === 'ON' ? 'turning-on' : 'turning-off', isSlow: false, leftMs: 60_000 };
  return { facts, state };
}

const SHAPE: Readonly<Record<ControlState['is'], string>> = {
  on: '■',
  off: '□',
  'on-its-way': '◫',
  'turning-on': '◫',
  'turning-off': '◫',
  failed: '▲',
  'no-signal': '▨',
  unknown: '?',
  locked: '⊘',
};

/** State in shape and words, never by colour alone. */
export function ControlMark({ state }: { state: ControlState }) {
  const words = controlWords();
  const said = saidOf(state);
  return (
    <span class="control-mark" data-state={state.is}>
      <span aria-hidden="true">{SHAPE[state.is]}</span> {words.state[state.is]}
      {said === null ? null : <span class="muted"> · {said}</span>}
    </span>
  );
}

/** What is told beside the state: the last word of a motor that is silent, and that a locked one runs. */
function saidOf(state: ControlState): string | null {
  const words = controlWords();
  if (state.is === 'no-signal') return state.last === null ? null : words.last[state.last];
  if (state.is !== 'locked') return null;
  if (!state.isHeard) {
    const last = state.reported === null ? '' : ` · ${words.last[state.reported]}`;
    return `${words.state['no-signal']}${last}`;
  }
  return state.reported === 'ON' ? words.runsLocked : null;
}

/** Whether the mark of both is the same: how many seconds an order has left is not in it. */
export const isSameMark = (before: ControlState, after: ControlState): boolean =>
  before.is === after.is && saidOf(before) === saidOf(after);

/**
 * The only way to switch a motor. ON is one press. OFF never is: it asks, in front of the page, naming what it airs; an
 * order to a farm with its own gateway always asks for how long it holds. A press while an order is under way does
 * nothing.
 */
export function ControlButton({ point }: { point: ControlPoint }) {
  const words = controlWords();
  const { facts, state } = controlNow(point);
  if (!mayOn(point.farm_id, 'attend')) return null;
  const isDisabled = !mayOrder(facts, state) || orderUnderWay(point.id) !== null;
  const next: SwitchState = facts.target === 'ON' ? 'OFF' : 'ON';
  const isRemote = isFromAfar(point.farm_id);
  return (
    <span class="control-button" data-control={point.id}>
      <Button
        big
        disabled={isDisabled}
        title={facts.isBlind ? words.blind : undefined}
        look={next === 'ON' ? 'main' : 'plain'}
        aria-label={`${next === 'ON' ? words.turnOn : words.turnOff} ${point.cod}`}
        onClick={() => orderOrAsk(point.id, next)}
      >
        {next === 'ON' ? words.turnOn : words.turnOff}
      </Button>
      {isRemote ? <OrderJourney pointId={point.id} motor={facts} /> : null}
      <ControlHint state={state} isRemote={isRemote} />
    </span>
  );
}

function ControlHint({ state, isRemote }: { state: ControlState; isRemote: boolean }) {
  const words = controlWords();
  // from afar the way of the order says more
  if (!isRemote && (state.is === 'turning-on' || state.is === 'turning-off')) {
    return (
      <span class="small muted pending-line" role="status">
        <progress max={60_000} value={60_000 - state.leftMs} aria-label={words.sent} />{' '}
        {state.isSlow ? words.slow : words.sent}
      </span>
    );
  }
  if (state.is === 'failed') return <span class="small">{words.wanted[state.wanted]}</span>;
  if (state.is === 'no-signal') {
    // without its gateway nothing is known of the controller, and nothing waits for it
    const isFarmSilent = isRemote && (farmWord.value?.silentSince ?? null) !== null;
    return <span class="small muted">{isFarmSilent ? words.farmSilent : words.willApply}</span>;
  }
  return null;
}

/** Where the order from afar is, why nothing came of it, or that nobody knows; `motor`: what it said last. */
function OrderJourney({ pointId, motor }: { pointId: string; motor: Motor }) {
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
