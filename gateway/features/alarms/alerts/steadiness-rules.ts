import { type DeviceActivity, latestEvent } from '#core/device-activity.ts';
import type { Confirmation, FallOut } from './confirm-rules.ts';
import type { Clock, DeviceFacts, Listening } from './ports.ts';

// Whether a controller works steadily, counted over a quarter of an hour. Instants are monotonic ms.

/** What makes a controller unsteady. */
export const UNSTEADY = ['two_boards', 'restarts', 'changes', 'deferrals', 'connections'] as const;
export type UnsteadyKind = (typeof UNSTEADY)[number];
export type Unsteady = { kind: UnsteadyKind; times: number };

/** So often is too often. A power cut comes twice in a storm, a connection breaks now and then. */
const TOO_OFTEN: Readonly<Record<UnsteadyKind, number>> = {
  two_boards: 3,
  restarts: 3,
  changes: 4,
  deferrals: 3,
  connections: 5,
};
export const UNSTEADY_WINDOW_MS = 15 * 60_000;
/** Two boards answer in turn; one that keeps its starts badly says an old one again some time. */
const TWO_BOARDS_WINDOW_MS = 5 * 60_000;
/** It is steady again when nothing happened for this long. */
const STEADY_AFTER_MS = 5 * 60_000;

/** What is too often now; of several that one explains the others, only that one. */
export function unsteadyBy(counts: Counts): Unsteady[] {
  const found = UNSTEADY.map((kind) => ({ kind, times: counts[kind] })).filter(
    ({ kind, times }) => times >= TOO_OFTEN[kind],
  );
  const isFound = (kind: UnsteadyKind) => found.some((one) => one.kind === kind);
  // two boards with one identity look like restarts, changes and broken connections of one
  if (isFound('two_boards')) return found.filter(({ kind }) => kind === 'two_boards');
  return found.filter(({ kind }) => kind !== 'connections' || !isFound('restarts'));
}

export type Counts = Readonly<Record<UnsteadyKind, number>>;

/** A dip of the mains: most controllers of a farm started anew together. One of them tells of it for all. */
export type MainsDip = { at: number; reporterId: string };

/** Boards that lost their power together are there again within this long. */
const TOGETHER_MS = 30_000;
const LEAST_TOGETHER = 2;

/** The dips of the mains that the controllers of a farm show. */
export function mainsDips(
  devices: readonly Pick<DeviceFacts, 'controlPointId' | 'cod' | 'activity'>[],
): MainsDip[] {
  const restarting = devices.filter(({ activity }) => activity.restarts.length > 0);
  if (restarting.length < LEAST_TOGETHER || 2 * restarting.length < devices.length) return [];
  const [reporter] = restarting.toSorted((a, b) => (a.cod < b.cod ? -1 : 1));
  const areTogether = (at: number) => {
    const together = restarting.filter(({ activity }) =>
      activity.restarts.some((other) => Math.abs(other - at) <= TOGETHER_MS),
    );
    return together.length >= LEAST_TOGETHER && 2 * together.length >= devices.length;
  };
  return restarting
    .flatMap(({ activity }) => activity.restarts.filter(areTogether))
    .map((at) => ({ at, reporterId: reporter?.controlPointId ?? '' }));
}

/** How often each happened of late. What came before `since` is explained by something else. */
export function countsOf(
  { activity, controlPointId }: Pick<DeviceFacts, 'activity' | 'controlPointId'>,
  { missed }: Pick<Confirmation, 'missed'>,
  { clock, since, dips }: { clock: Clock; since: number; dips: readonly MainsDip[] },
): Counts {
  const within = (instants: readonly number[], windowMs: number) =>
    instants.filter((at) => at > since && clock.monotonic - at <= windowMs).length;
  const isOwn = (at: number) =>
    !dips.some((dip) => dip.reporterId !== controlPointId && Math.abs(dip.at - at) <= TOGETHER_MS);
  const ofWindow = (instants: readonly number[]) => within(instants, UNSTEADY_WINDOW_MS);
  return {
    two_boards: within(activity.returns, TWO_BOARDS_WINDOW_MS),
    restarts: ofWindow(activity.restarts.filter(isOwn)),
    // a hand at the switch is nobody's fault
    changes: ofWindow(fallOutsOf(missed).flatMap(({ at, isByHand }) => (isByHand ? [] : [at]))),
    deferrals: ofWindow(activity.postponements),
    connections: ofWindow(activity.losses),
  };
}

/** True when nothing happened for a while in which somebody listened. */
export function isSteadyAgain(
  { activity }: Pick<DeviceFacts, 'activity'>,
  { missed }: Pick<Confirmation, 'missed'>,
  { clock, listening }: { clock: Clock; listening: Listening },
): boolean {
  const last = Math.max(latestOf(activity, missed), listening.sinceMonotonic);
  return clock.monotonic - last >= STEADY_AFTER_MS;
}

function latestOf(activity: DeviceActivity, missed: Confirmation['missed']): number {
  return Math.max(latestEvent(activity) ?? 0, ...fallOutsOf(missed).map(({ at }) => at));
}

const fallOutsOf = ({ ON, OFF }: Confirmation['missed']): FallOut[] => [...ON.fallOuts, ...OFF.fallOuts];
