import type { Ask, Effect, Flight, Slot, Step, SyncState } from './state.ts';
import { TUNING } from './tuning.ts';

/** Begins whatever may begin now. Called after every event, so that no rule has to think of what comes next. */
export function proceed(state: SyncState, nowMs: number, effects: readonly Effect[]): Step {
  if (state.waiting !== null) return { state, effects };
  switch (state.phase) {
    case 'connecting':
      return begin(state, nowMs, effects, [['link', { kind: 'hello' }]]);
    case 'resync':
      return begin(state, nowMs, effects, [
        ['link', { kind: 'snapshot', limit: TUNING.snapshotRows, why: state.why ?? 'asked for' }],
      ]);
    case 'steady':
      return begin(state, nowMs, effects, dueNow(state));
    default:
      return { state, effects };
  }
}

function dueNow(state: SyncState): [Slot, Ask][] {
  const { wants, flights, batch } = state;
  const due: [Slot, Ask][] = [];
  if (wants.core) due.push(['core', { kind: 'push', lane: 'core', size: batch.core }]);
  if (wants.pull) due.push(['pull', { kind: 'pull', limit: TUNING.pullRows }]);
  // after weeks without a link registers and orders are right within seconds, while years of readings follow; a core
  // edit now and then does not hold history up
  const isCoreFirst = state.isCoreBehind && (wants.core || flights.core !== null);
  if (wants.history && !isCoreFirst) {
    due.push(['history', { kind: 'push', lane: 'history', size: batch.history }]);
  }
  return due;
}

function begin(
  state: SyncState,
  nowMs: number,
  effects: readonly Effect[],
  due: readonly (readonly [Slot, Ask])[],
): Step {
  const started: Effect[] = [];
  const flights: Record<Slot, Flight | null> = { ...state.flights };
  const wants = { ...state.wants };
  const wasIdle = Object.values(flights).every((flight) => flight === null);
  let { nextId, historyRows } = state;
  for (const [slot, ask] of due) {
    if (flights[slot] !== null) continue;
    flights[slot] = { id: nextId, ask, sinceMs: nowMs };
    started.push({ do: 'ask', id: nextId, ask });
    nextId += 1;
    if (slot !== 'link') wants[slot] = false;
    if (slot === 'history') historyRows = 0;
  }
  if (started.length === 0) return { state, effects };
  const progressAtMs = wasIdle && state.failures === 0 ? nowMs : state.progressAtMs;
  return {
    state: { ...state, flights, wants, nextId, historyRows, progressAtMs },
    effects: [...effects, ...started],
  };
}
