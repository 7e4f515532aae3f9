import type { LanePoints, LogPoint, SyncLane } from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import { LINK_FAILURES } from './ask.ts';
import { settle } from './outcomes.ts';
import {
  type Ask,
  type Effect,
  type Flight,
  initialState,
  NO_FLIGHTS,
  SLOTS,
  type Slot,
  type Step,
  type SyncEvent,
  type SyncState,
  type Timer,
} from './state.ts';
import { TUNING } from './tuning.ts';

/** Begins whatever may begin now. Called after every event, so that no rule has to think of what comes next. */
function proceed(state: SyncState, nowMs: number, effects: readonly Effect[]): Step {
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

/**
 * The gateway's side of the sync as a pure function: what it knows after an event, and what is to be done. Nothing in
 * here waits, asks or stores; `nowMs` is monotonic.
 */
export function step(state: SyncState, event: SyncEvent, nowMs: number): Step {
  const heard = hear(state, event, nowMs);
  return proceed(heard.state, nowMs, heard.effects);
}

function hear(state: SyncState, event: SyncEvent, nowMs: number): Step {
  switch (event.is) {
    case 'started':
      return event.isPaired ? connect(state, nowMs) : { state, effects: [] };
    case 'paired':
      return connect(state, nowMs);
    case 'unpaired':
      return {
        state: { ...initialState(), counts: state.counts, nextId: state.nextId },
        effects: [{ do: 'close socket' }],
      };
    case 'logged':
      return logged(state, event);
    case 'due':
      return due(state, event.timer, nowMs);
    case 'progress':
      return { state: isUnderWay(state, event.id) ? { ...state, progressAtMs: nowMs } : state, effects: [] };
    case 'done':
      return settle(state, event, nowMs);
    case 'socket opened':
      return socketOpened(state);
    case 'socket closed':
      return {
        state: { ...state, isSocketOpen: false },
        effects: pullTimer({ ...state, isSocketOpen: false }),
      };
    case 'poked':
      return event.head > state.cursor
        ? { state: { ...state, wants: { ...state.wants, pull: true } }, effects: [] }
        : { state, effects: [] };
    case 'paused':
      return {
        state: { ...state, waiting: 'asked' },
        effects: [{ do: 'wake', timer: 'retry', after: [event.ms, Math.ceil(event.ms * 1.1)] }],
      };
    case 'told revoked':
      // a frame is no proof: hello asks again with the gateway's own token, and that answer counts
      return state.phase === 'steady' || state.phase === 'resync'
        ? { state: { ...state, phase: 'connecting', flights: NO_FLIGHTS }, effects: [] }
        : { state, effects: [] };
    case 'asked for':
      return { state: askedFor(state), effects: [] };
  }
}

/** A wait after trouble ends; one that the hosted instance asked for does not, or a person at a button could wear it out. */
function askedFor(state: SyncState): SyncState {
  return {
    ...state,
    waiting: state.waiting === 'trouble' ? null : state.waiting,
    wants: { core: true, history: true, pull: true },
  };
}

/** From the beginning: whatever was under way is forgotten, its answers are nobody's. */
function connect(state: SyncState, nowMs: number): Step {
  return {
    state: {
      ...initialState(),
      phase: 'connecting',
      nextId: state.nextId,
      counts: state.counts,
      progressAtMs: nowMs,
    },
    // the socket does not wait for hello: orders must come through even while everything is compared anew
    effects: [{ do: 'open socket' }, { do: 'wake', timer: 'watch', after: TUNING.watchEveryMs }],
  };
}

function logged(
  state: SyncState,
  { core, history, news = 0 }: { core: number; history: number; news?: number },
): Step {
  const effects: Effect[] = [];
  const isArmed = { ...state.isArmed };
  const wants = { ...state.wants };
  const historyRows = state.historyRows + history;
  if (core > 0 && !isArmed.core) {
    isArmed.core = true;
    effects.push({ do: 'wake', timer: 'core', after: [TUNING.coreDebounceMs, TUNING.coreDebounceMs] });
  }
  if (historyRows >= TUNING.historyRows) wants.history = true;
  if (news > 0 && !isArmed.news) {
    isArmed.news = isArmed.history = true;
    effects.push({ do: 'wake', timer: 'history', after: TUNING.newsAfterMs });
  } else if (!wants.history && history > 0 && !isArmed.history) {
    isArmed.history = true;
    effects.push({ do: 'wake', timer: 'history', after: TUNING.historyEveryMs });
  }
  return { state: { ...state, isArmed, wants, historyRows }, effects };
}

function due(state: SyncState, timer: Timer, nowMs: number): Step {
  switch (timer) {
    case 'core':
    case 'history':
      return {
        state: {
          ...state,
          isArmed: { ...state.isArmed, [timer]: false, ...(timer === 'history' ? { news: false } : {}) },
          wants: { ...state.wants, [timer]: true },
        },
        effects: [],
      };
    case 'pull':
      return { state: { ...state, wants: { ...state.wants, pull: true } }, effects: pullTimer(state) };
    case 'retry':
      return retried(state);
    case 'watch':
      return watch(state, nowMs);
  }
}

/** Those that are let in no longer knock again; their socket was closed. */
function retried(state: SyncState): Step {
  const isShutOut = state.phase === 'revoked' || state.phase === 'fenced';
  const phase = isShutOut || state.phase === 'upgrade' ? 'connecting' : state.phase;
  return { state: { ...state, waiting: null, phase }, effects: isShutOut ? [{ do: 'open socket' }] : [] };
}

/**
 * The line is there and nothing comes of it: a connection that hangs half open, an answer that never ends, a mistake of
 * ours. Whatever it is, beginning anew is always right, because every request may be repeated.
 */
function watch(state: SyncState, nowMs: number): Step {
  const again: Effect[] = [{ do: 'wake', timer: 'watch', after: TUNING.watchEveryMs }];
  const isWorking = state.phase === 'connecting' || state.phase === 'steady' || state.phase === 'resync';
  const { core, history, pull } = state.wants;
  const isIdle = !core && !history && !pull && SLOTS.every((slot) => state.flights[slot] === null);
  if (!isWorking || isIdle || state.waiting === 'asked') {
    return { state: { ...state, progressAtMs: nowMs }, effects: again };
  }
  if (nowMs - state.progressAtMs <= TUNING.noProgressMs) return { state, effects: again };
  const counts = { ...state.counts, restarts: state.counts.restarts + 1 };
  return {
    state: {
      ...state,
      phase: state.phase === 'resync' ? 'resync' : 'connecting',
      flights: NO_FLIGHTS,
      progressAtMs: nowMs,
      counts,
    },
    effects: [{ do: 'drop connections' }, { do: 'close socket' }, { do: 'open socket' }, ...again],
  };
}

/** The network is back: waiting for the next try would only keep people waiting. */
function socketOpened(state: SyncState): Step {
  // a line that was cut in the middle of a request is as much back as one on which nobody answered
  const isBack = state.waiting === 'trouble' && LINK_FAILURES.some((why) => why === state.trouble?.code);
  const next: SyncState = {
    ...state,
    isSocketOpen: true,
    waiting: isBack ? null : state.waiting,
    // what was told while it was closed was told to nobody
    wants: { ...state.wants, pull: true },
  };
  return { state: next, effects: pullTimer(next) };
}

function pullTimer({ isSocketOpen, phase }: SyncState): Effect[] {
  if (phase !== 'steady') return [];
  return [{ do: 'wake', timer: 'pull', after: isSocketOpen ? TUNING.pullWithSocketMs : TUNING.pullEveryMs }];
}

function isUnderWay(state: SyncState, id: number): boolean {
  return SLOTS.some((slot) => state.flights[slot]?.id === id);
}

export const ackedOf = (points: StreamPoints): LanePoints => ({
  core: { seq: points.acked_core_seq, chain: points.acked_core_chain },
  history: { seq: points.acked_history_seq, chain: points.acked_history_chain },
});

export const headOf = (points: StreamPoints): LanePoints => ({
  core: { seq: points.core_seq, chain: points.core_chain },
  history: { seq: points.history_seq, chain: points.history_chain },
});

export const cursorOf = (points: StreamPoints): LogPoint => ({
  seq: points.in_core_seq,
  chain: points.in_core_chain,
});

export function ackedPoints(lane: SyncLane, { seq, chain }: LogPoint): Partial<StreamPoints> {
  return lane === 'core'
    ? { acked_core_seq: seq, acked_core_chain: chain }
    : { acked_history_seq: seq, acked_history_chain: chain };
}

export type Claim = {
  /** What the hosted instance says it applied of our log. */
  claimed: LogPoint;
  /** What we knew to be applied when the request left, and what we know now. */
  sent: LogPoint;
  acked: LogPoint;
  head: LogPoint;
  /** Chain of our log at the claimed number; null: no longer kept. */
  ownChain: string | null;
};

type Verdict = { is: 'news' } | { is: 'known' } | { is: 'amiss'; why: string };

/**
 * Whether what the hosted instance says it applied can be believed. A number alone proves nothing: after a restored
 * backup on either side the same number may stand for another history, so the chains decide.
 */
export function judgeClaim({ claimed, sent, acked, head, ownChain }: Claim): Verdict {
  // an answer that was overtaken by another one may tell less than is known now, never less than when it was asked for
  if (claimed.seq < sent.seq)
    return { is: 'amiss', why: 'the hosted instance lost changes it had confirmed' };
  if (claimed.seq > head.seq) return { is: 'amiss', why: 'this gateway lost changes it had sent' };
  if (ownChain === null) {
    return claimed.seq <= acked.seq
      ? { is: 'known' }
      : { is: 'amiss', why: 'the change log of this gateway has a hole' };
  }
  if (ownChain !== claimed.chain) return { is: 'amiss', why: 'both sides tell different histories' };
  return claimed.seq > acked.seq ? { is: 'news' } : { is: 'known' };
}

/** Another life of the hosted database may have lost its last commits: hello finds out whether any of this gateway are among them. */
export const isAnotherLife = (known: string, told: string): boolean => known !== '' && known !== told;

/** Runs one after another what must not interleave: answers of several requests move the same points. */
export function inTurns(): <Answer>(run: () => Promise<Answer>) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next.catch(() => undefined);
    return next;
  };
}
