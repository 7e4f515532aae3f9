import type { CommandState, SwitchState } from '#contract/words.ts';

// On a hosted instance an order goes a long way: to the cloud, to the gateway of the farm, to the controller. How far it
// got, and until when it decides what is shown. Pure: instants are milliseconds.

export type RemoteOrder = {
  id: string;
  target: SwitchState;
  state: CommandState;
  stateAt: number;
  issuedAt: number;
  expiresAt: number;
  /** The controller has it and waits, for example for the rest of a motor. */
  isOnDevice: boolean;
  /** Shadow of the control point when the order was given: a later one is the gateway's answer to it. */
  version: number;
  epoch: string;
  /** Of one that is void, where that is more than its time: what it rested on changed, or nobody knows what became of it. */
  end?: 'untold' | 'withdrawn';
};

export const STEPS = ['cloud', 'gateway', 'device', 'confirmed'] as const;
export type Step = (typeof STEPS)[number];

/** How long the target of an order that the gateway took is shown before the gateway's own row tells it. */
const SHOWN_AFTER_MS = 60_000;
/** What the gateway's word needs for its way, and a busy machine more, after the last moment it may carry an order out. */
const WORD_BACK_MS = 5_000;
/** How long people are told what became of an order. */
const TOLD_FOR_MS = 5 * 60_000;

const isWaiting = ({ state }: RemoteOrder) => state === 'pending' || state === 'sent';

/** Where the order is; null: nothing comes of it any more. */
export function stepOf(order: RemoteOrder, now: number): Step | null {
  // void at its time, whether or not anybody said so yet
  if (isWaiting(order)) return now < order.expiresAt ? 'cloud' : null;
  // the gateway has it, and says itself what became of it; as long as it does not, nobody knows
  if (order.state === 'confirming') return now < order.expiresAt + WORD_BACK_MS ? 'cloud' : null;
  if (order.state === 'accepted') return order.isOnDevice ? 'device' : 'gateway';
  return order.state === 'done' ? 'confirmed' : null;
}

/** True while the order decides what is shown as the target; else the gateway's own target holds. */
export function isTarget(
  order: RemoteOrder,
  shadow: { version: number; epoch: string },
  now: number,
): boolean {
  const step = stepOf(order, now);
  if (step === null) return false;
  if (step === 'cloud') return true;
  const isAnswered = shadow.epoch !== order.epoch || shadow.version > order.version;
  return !isAnswered && now < order.stateAt + SHOWN_AFTER_MS;
}

/** True while its way is worth a line: under way, or just arrived. */
export function isJourneyShown(order: RemoteOrder, now: number): boolean {
  const step = stepOf(order, now);
  if (step === null) return false;
  return step === 'cloud' || now - order.stateAt < (step === 'confirmed' ? 15_000 : SHOWN_AFTER_MS);
}

export type Failure = 'expired' | 'withdrawn' | 'rejected' | 'superseded' | 'unknown';

/**
 * What became of an order that was not carried out, while that is news; a newer order in its place is none. `unknown`: its
 * gateway was told that it counts and has not said what it did; that stays until the gateway's word comes.
 */
export function failureOf(order: RemoteOrder, now: number): Failure | null {
  if (order.state === 'confirming') return stepOf(order, now) === null ? 'unknown' : null;
  if (isWaiting(order)) {
    const lateMs = now - order.expiresAt;
    return lateMs >= 0 && lateMs < TOLD_FOR_MS ? 'expired' : null;
  }
  const { state } = order;
  if (state !== 'expired' && state !== 'rejected' && state !== 'superseded') return null;
  if (now - order.stateAt >= TOLD_FOR_MS) return null;
  return order.end === 'untold' ? 'unknown' : (order.end ?? state);
}

const RANK: Readonly<Record<CommandState, number>> = {
  pending: 0,
  sent: 1,
  confirming: 2,
  expired: 3,
  accepted: 4,
  rejected: 5,
  superseded: 5,
  done: 5,
};

/** The newer of two words about a control point: of another order the later one, of the same the one further on. */
export function newerOrder(known: RemoteOrder | undefined, told: RemoteOrder): RemoteOrder {
  if (known === undefined) return told;
  if (known.id !== told.id) return told.issuedAt >= known.issuedAt ? told : known;
  if (RANK[told.state] < RANK[known.state]) return known;
  // the shadow it was given on stays the first one that was seen
  return {
    ...told,
    isOnDevice: known.isOnDevice || told.isOnDevice,
    version: known.version,
    epoch: known.epoch,
  };
}
