import { REFUSED_HERE, SYNC_REFUSALS, type SyncLane } from '#contract/sync/wire.ts';
import {
  afterSuccess,
  type Effect,
  type Flight,
  halved,
  NO_FLIGHTS,
  type Outcome,
  type Range,
  SLOTS,
  type Slot,
  type Step,
  type SyncState,
} from './state.ts';
import { BATCH, TUNING } from './tuning.ts';

const NEVER_LEFT: ReadonlySet<string> = new Set(Object.values(REFUSED_HERE));

type Done = { flight: Flight; nowMs: number };

/** What follows from what became of a request. An answer to a request that is not under way any more is nobody's. */
export function settle(
  state: SyncState,
  { id, outcome }: { id: number; outcome: Outcome },
  nowMs: number,
): Step {
  const slot = SLOTS.find((name) => state.flights[name]?.id === id);
  const flight = slot === undefined ? null : state.flights[slot];
  if (slot === undefined || flight === null) return { state, effects: [] };
  const landed = contacted(withoutFlight(state, slot), outcome, nowMs);
  return decide(landed, outcome, { flight, nowMs });
}

function withoutFlight(state: SyncState, slot: Slot): SyncState {
  return { ...state, flights: { ...state.flights, [slot]: null } };
}

/** Whatever came back from the other side, even a refusal, shows that it lives. */
function contacted(state: SyncState, outcome: Outcome, nowMs: number): SyncState {
  const isLocal =
    outcome.is === 'failed' ||
    outcome.is === 'nothing' ||
    outcome.is === 'resting' ||
    (outcome.is === 'refused' && NEVER_LEFT.has(outcome.code));
  return isLocal ? state : { ...state, contactAtMs: nowMs };
}

function decide(state: SyncState, outcome: Outcome, done: Done): Step {
  switch (outcome.is) {
    case 'greeted':
      return greeted({ ...state, progressAtMs: done.nowMs }, outcome, done.nowMs);
    case 'pushed':
      return pushed(well(state, done), outcome, done);
    case 'nothing':
      return { state: caughtUp(state, laneOf(done.flight)), effects: [] };
    case 'resting':
      return later({ ...state, isCoreBehind: true, wants: { ...state.wants, core: true } });
    case 'pulled':
      return pulled(well(state, done), outcome, done);
    case 'page':
      return page({ ...state, failures: 0, useless: 0, trouble: null, progressAtMs: done.nowMs }, outcome);
    case 'refused':
      return refused(state, outcome, done);
    case 'failed':
      return failed(state, outcome, done);
    case 'another life':
      return anotherLife(state, done.nowMs);
    case 'amiss':
      return amiss(state, outcome.why, done.nowMs);
  }
}

function well(state: SyncState, { nowMs }: Done): SyncState {
  return { ...state, failures: 0, useless: 0, resyncsInARow: 0, trouble: null, progressAtMs: nowMs };
}

function greeted(state: SyncState, outcome: Extract<Outcome, { is: 'greeted' }>, nowMs: number): Step {
  const { directive, reason, waitMs, resyncDue, cursor } = outcome;
  if (directive === 'upgrade') return askAgain(state, 'upgrade', reason ?? 'versions do not fit');
  if (directive === 'resync' || resyncDue !== null)
    return amiss(state, resyncDue ?? reason ?? 'asked for', nowMs);
  const steady: SyncState = {
    ...state,
    phase: 'steady',
    why: null,
    cursor,
    // whatever waits is found by looking, not by what was heard before
    wants: { core: true, history: true, pull: true },
    isCoreBehind: true,
    waiting: directive === 'slow' ? 'asked' : state.waiting,
  };
  const every = state.isSocketOpen ? TUNING.pullWithSocketMs : TUNING.pullEveryMs;
  const effects: Effect[] = [{ do: 'wake', timer: 'pull', after: every }];
  if (directive === 'slow') {
    const least = Math.min(waitMs ?? TUNING.backOffFromMs, TUNING.slowToMs);
    effects.push({ do: 'wake', timer: 'retry', after: [least, Math.ceil(least * 1.25)] });
  }
  return { state: steady, effects };
}

function pushed(
  state: SyncState,
  outcome: Extract<Outcome, { is: 'pushed' }>,
  { flight, nowMs }: Done,
): Step {
  const lane = laneOf(flight);
  const next: SyncState = {
    ...state,
    ackAtMs: nowMs,
    batch: { ...state.batch, [lane]: afterSuccess(lane, state.batch[lane], outcome) },
    counts: { ...state.counts, pushedRows: state.counts.pushedRows + outcome.rows },
  };
  if (!outcome.more) return { state: caughtUp(next, lane), effects: [] };
  return { state: { ...next, wants: { ...next.wants, [lane]: true } }, effects: [] };
}

function caughtUp(state: SyncState, lane: SyncLane): SyncState {
  return lane === 'core' ? { ...state, isCoreBehind: false } : state;
}

/** History looks again in a while, or as soon as core rows are through. */
function later(state: SyncState): Step {
  if (state.isArmed.history) return { state, effects: [] };
  return {
    state: { ...state, isArmed: { ...state.isArmed, history: true } },
    effects: [{ do: 'wake', timer: 'history', after: [TUNING.backOffFromMs, 5 * TUNING.backOffFromMs] }],
  };
}

function pulled(state: SyncState, outcome: Extract<Outcome, { is: 'pulled' }>, { nowMs }: Done): Step {
  const { cursor, more, rows } = outcome;
  return {
    state: {
      ...state,
      cursor,
      pullAtMs: nowMs,
      wants: { ...state.wants, pull: state.wants.pull || more },
      counts: { ...state.counts, pulledRows: state.counts.pulledRows + rows },
    },
    effects: [],
  };
}

function page(state: SyncState, { isLast }: Extract<Outcome, { is: 'page' }>): Step {
  if (!isLast) return { state, effects: [] };
  return {
    state: { ...state, phase: 'connecting', why: null },
    effects: [
      { do: 'tell', level: 'info', sentence: 'everything was compared with the hosted instance', fields: {} },
    ],
  };
}

function refused(state: SyncState, outcome: Extract<Outcome, { is: 'refused' }>, done: Done): Step {
  const { code, detail, status } = outcome;
  switch (code) {
    case SYNC_REFUSALS.revoked:
      return askAgain(state, 'revoked', detail);
    case SYNC_REFUSALS.schema:
      return askAgain(state, 'upgrade', detail);
    case SYNC_REFUSALS.fork:
    case SYNC_REFUSALS.floor:
    case SYNC_REFUSALS.gap:
      return amiss(state, `${code}: ${detail}`, done.nowMs);
    case SYNC_REFUSALS.staleEpoch:
      // hello knows whether another box took over or a comparison is due
      return done.flight.ask.kind === 'hello'
        ? askAgain(state, 'fenced', detail)
        : troubled({ ...state, phase: 'connecting', flights: NO_FLIGHTS }, outcome, done);
    case SYNC_REFUSALS.needsCore:
      return later({ ...state, isCoreBehind: true, wants: { ...state.wants, core: true } });
    default:
      return status === 413 ? tooLarge(state, outcome, done) : troubled(state, outcome, done);
  }
}

function tooLarge(state: SyncState, outcome: Extract<Outcome, { is: 'refused' }>, done: Done): Step {
  const { ask } = done.flight;
  const isLeast = ask.kind !== 'push' || ask.size.rows <= BATCH[ask.lane].rows.least;
  if (isLeast) return troubled(state, outcome, done);
  return { state: smaller(wanting(state, done.flight), done.flight), effects: [] };
}

function failed(state: SyncState, outcome: Extract<Outcome, { is: 'failed' }>, done: Done): Step {
  const eased = outcome.why === 'timeout' || outcome.why === 'broken' ? smaller(state, done.flight) : state;
  const { why, detail } = outcome;
  return troubled(eased, { code: why, detail, retryAfterMs: null }, done);
}

/** Nothing of this side is lost by waiting: the same request is made again. */
function troubled(
  state: SyncState,
  { code, detail, retryAfterMs }: { code: string; detail: string; retryAfterMs: number | null },
  { flight, nowMs }: Done,
): Step {
  const failures = state.failures + 1;
  const isUnreachable = code === 'unreachable';
  const useless = isUnreachable ? state.useless : state.useless + 1;
  const next: SyncState = {
    ...wanting(state, flight),
    failures,
    useless,
    waiting: 'trouble',
    trouble: { code, detail, atMs: nowMs },
    counts: { ...state.counts, failures: state.counts.failures + 1 },
  };
  const after = waitAfter({ failures: isUnreachable ? failures : useless, isUnreachable, retryAfterMs });
  return { state: next, effects: [{ do: 'wake', timer: 'retry', after }] };
}

function wanting(state: SyncState, { ask }: Flight): SyncState {
  if (ask.kind === 'push') return { ...state, wants: { ...state.wants, [ask.lane]: true } };
  return ask.kind === 'pull' ? { ...state, wants: { ...state.wants, pull: true } } : state;
}

function smaller(state: SyncState, { ask }: Flight): SyncState {
  if (ask.kind !== 'push') return state;
  return { ...state, batch: { ...state.batch, [ask.lane]: halved(ask.lane, state.batch[ask.lane]) } };
}

/** A second comparison right after the first helps nobody if the first did not: each one more waits longer. */
function amiss(state: SyncState, why: string, nowMs: number): Step {
  const begun = begunAnew(state, why);
  const again = state.resyncsInARow;
  if (again === 0) return begun;
  const after = waitAfter({ failures: again, isUnreachable: false, retryAfterMs: null });
  return {
    state: { ...begun.state, waiting: 'trouble', trouble: { code: 'amiss', detail: why, atMs: nowMs } },
    effects: [...begun.effects, { do: 'wake', timer: 'retry', after }],
  };
}

function begunAnew(state: SyncState, why: string): Step {
  return {
    state: {
      ...state,
      phase: 'resync',
      why,
      flights: NO_FLIGHTS,
      resyncsInARow: state.resyncsInARow + 1,
      counts: { ...state.counts, resyncs: state.counts.resyncs + 1 },
    },
    effects: [
      {
        do: 'tell',
        level: 'warn',
        sentence: 'everything is compared anew with the hosted instance',
        fields: { why },
      },
    ],
  };
}

/** Hello finds out what it lost; a moment later, because all gateways hear of it at once, and processes may not agree on it yet. */
function anotherLife(state: SyncState, nowMs: number): Step {
  const trouble = { code: 'amiss', detail: 'the hosted database was brought back', atMs: nowMs };
  return {
    state: { ...state, phase: 'connecting', flights: NO_FLIGHTS, waiting: 'trouble', trouble },
    effects: [{ do: 'wake', timer: 'retry', after: [0, TUNING.backOffFromMs] }],
  };
}

type Apart = Extract<SyncState['phase'], 'upgrade' | 'revoked' | 'fenced'>;

const APART: Readonly<Record<Apart, string>> = {
  upgrade: 'gateway and hosted instance are of versions that do not fit; nothing is lost meanwhile',
  revoked: 'the hosted instance lets this gateway in no longer; it keeps running its farm alone',
  fenced: 'another box with the key of this gateway took over; this one keeps running its farm alone',
};

/** People settle it: by an upgrade, by pairing anew, by taking one of two boxes away. Asked again now and then. */
function askAgain(state: SyncState, phase: Apart, why: string): Step {
  return {
    state: { ...state, phase, why, flights: NO_FLIGHTS, waiting: 'asked' },
    effects: [
      ...(phase === 'upgrade' ? [] : [{ do: 'close socket' } as const]),
      { do: 'wake', timer: 'retry', after: TUNING.askAgainMs },
      // once, not every quarter of an hour
      ...(state.why === why
        ? []
        : [{ do: 'tell', level: 'warn', sentence: APART[phase], fields: { why } } as const]),
    ],
  };
}

/** Hello and snapshot push nothing; only the flights of lanes come here. */
function laneOf({ ask }: Flight): SyncLane {
  return ask.kind === 'push' ? ask.lane : 'core';
}

type Trouble = {
  /** Consecutive failures, this one included. */
  failures: number;
  /** Did nobody answer at all, or was the answer of no use? */
  isUnreachable: boolean;
  /** What the hosted instance asked for. */
  retryAfterMs: number | null;
};

/**
 * When to try again: anywhere between nothing and a limit that doubles (full jitter). What the hosted instance asked
 * for is the least, with some more so that not all come at the same moment.
 */
export function waitAfter({ failures, isUnreachable, retryAfterMs }: Trouble): Range {
  if (retryAfterMs !== null) {
    const least = Math.min(retryAfterMs, TUNING.backOffToMs);
    return [least, Math.ceil(least * 1.25) + TUNING.backOffFromMs];
  }
  const most = isUnreachable ? TUNING.unreachableToMs : TUNING.backOffToMs;
  const limit = TUNING.backOffFromMs * 2 ** Math.min(failures - 1, 20);
  return [0, Math.min(limit, most)];
}
