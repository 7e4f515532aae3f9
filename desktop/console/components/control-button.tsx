import type { SwitchState } from '#contract/words.ts';
import { now } from '../data/clock.ts';
import { type ControlPoint, mayOn, presence } from '../data/farm-store.ts';
import { farmWord, isFromAfar } from '../data/instance.ts';
import { isBlind } from '../data/live.ts';
import { orderUnderWay } from '../data/orders.ts';
import { remoteOrder } from '../data/remote-orders.ts';
import { controlFactsOf } from '../state/control-facts.ts';
import { type ControlState, controlStateOf, mayOrder } from '../state/control-state.ts';
import { Button } from './button.tsx';
import { controlWords } from './control-words.ts';
import { OrderJourney } from './order-journey.tsx';
import { orderOrAsk } from './order-question.tsx';

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
