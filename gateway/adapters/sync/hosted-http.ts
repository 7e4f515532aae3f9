import type { Express, Request, Response } from 'express';
import { SYNC_REFUSALS } from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';
import type { SyncServer } from '../../sync/hosted/sync-server.ts';
import type { AskKind, GatewayCaller, Refused } from '../../sync/ports.ts';
import { readPackedBody, sendPacked } from './ask-hosted.ts';

// How much of the sync one process does at a time. After an outage every gateway comes back at once: what cannot be done
// soon is sent away with a time to come again, so that the rest is done quickly and people's requests have room.

type Rank = 'core' | 'history';

type Shedding = {
  /** Runs `work` when it is its turn, core before history; null: too many wait already, nothing was done. */
  run<Answer>(rank: Rank, work: () => Promise<Answer>): Promise<Answer | null>;
  counts(): { running: number; waiting: number; shed: number };
};

type Waiting = { go: (isTurn: boolean) => void };

export function createShedding(bounds: {
  running: number;
  /** Of these at most so many of history: orders must find a connection, and a processor, between years of readings. */
  runningHistory: number;
  waiting: Readonly<Record<Rank, number>>;
  /**
   * While others of history wait, a place rests this many times as long as the processor worked meanwhile: whatever
   * hundreds of gateways have to tell, most of it stays with orders. One that has little to do need not rest.
   */
  rest: number;
  /** Answers, when called, which share of the time since then the processor worked, 0 to 1. */
  watchBusy: () => () => number;
  /** Milliseconds on a clock that only grows. */
  monotonic: () => number;
  later: (ms: number, then: () => void) => void;
}): Shedding {
  const queues: Record<Rank, Waiting[]> = { core: [], history: [] };
  const state = { running: 0, runningHistory: 0, shed: 0 };

  function turn(rank: Rank): Promise<boolean> {
    if (mayRun(rank)) {
      begin(rank);
      return Promise.resolve(true);
    }
    if (queues[rank].length >= bounds.waiting[rank]) return Promise.resolve(false);
    return new Promise((go) => queues[rank].push({ go }));
  }

  function mayRun(rank: Rank): boolean {
    if (state.running >= bounds.running) return false;
    return rank === 'core' || state.runningHistory < bounds.runningHistory;
  }

  function begin(rank: Rank): void {
    state.running += 1;
    if (rank === 'history') state.runningHistory += 1;
  }

  function end(rank: Rank): void {
    state.running -= 1;
    if (rank === 'history') state.runningHistory -= 1;
    for (const next of ['core', 'history'] as const) {
      while (mayRun(next)) {
        const first = queues[next].shift();
        if (first === undefined) break;
        begin(next);
        first.go(true);
      }
    }
  }

  function endRested(rank: Rank, startedAt: number, busy: () => number): void {
    if (rank === 'core' || queues.history.length === 0) end(rank);
    else bounds.later((bounds.monotonic() - startedAt) * busy() * bounds.rest, () => end(rank));
  }

  return {
    async run(rank, work) {
      if (!(await turn(rank))) {
        state.shed += 1;
        return null;
      }
      const startedAt = bounds.monotonic();
      const busy = bounds.watchBusy();
      try {
        return await work();
      } finally {
        endRested(rank, startedAt, busy);
      }
    },
    counts: () => ({
      running: state.running,
      shed: state.shed,
      waiting: queues.core.length + queues.history.length,
    }),
  };
}

export type GatewayByToken = (token: string) => Promise<GatewayCaller | null>;

type HostedHttpDeps = {
  server: SyncServer;
  gatewayByToken: GatewayByToken;
  shedding: Shedding;
  random: () => number;
  /** Hears of every request that was served or refused before it reached the protocol. */
  heard: (caller: GatewayCaller) => void;
  shed: (kind: AskKind) => void;
  /** Counts what a gateway tells; throws 429 when it is too much. */
  told: (streamId: number, kind: 'push' | 'repair', bytes: number) => void;
};

const KINDS: readonly AskKind[] = ['hello', 'push', 'pull', 'snapshot', 'digest', 'repair'];
/** Requests whose bodies are held at a time. */
const OPEN_AT_ONCE = 512;
/** A gateway has one under way per lane and a pull; more at once is none of ours. */
const OPEN_OF_ONE = 6;

/** The routes on which gateways exchange data with this instance. */
export function mountSync(app: Express, deps: HostedHttpDeps): void {
  const open = { all: 0, byStream: new Map<number, number>() };
  for (const kind of KINDS) {
    app
      .route(`/sync/v1/${kind}`)
      .post(async (request, response) => {
        const caller = await callerOf(deps, request);
        const leave = enter(deps, open, { kind, caller });
        try {
          const body = await readPackedBody(request, (bytes) => count(deps, { kind, caller, bytes }));
          await answer(deps, { kind, caller, body }, { request, response });
        } finally {
          leave();
        }
      })
      .all(({ method }) => {
        throw new AppError(405, `${method} is not possible here; use POST`, {
          code: 'METHOD_NOT_ALLOWED',
          headers: { Allow: 'POST' },
        });
      });
  }
}

/** What may be stored; the rest asks. */
function count(
  deps: HostedHttpDeps,
  { kind, caller, bytes }: { kind: AskKind; caller: GatewayCaller; bytes: number },
): void {
  if (kind === 'push' || kind === 'repair') deps.told(caller.streamId, kind, bytes);
}

type Open = { all: number; byStream: Map<number, number> };

/** Takes a place for a request; answers how to give it back. Throws 429 and 503. */
function enter(
  deps: HostedHttpDeps,
  open: Open,
  { kind, caller: { streamId } }: { kind: AskKind; caller: GatewayCaller },
): () => void {
  const own = open.byStream.get(streamId) ?? 0;
  if (own >= OPEN_OF_ONE) {
    deps.shed(kind);
    throw new AppError(429, `This gateway has ${own} requests under way; wait for an answer`, {
      code: 'SYNC_TOO_MANY_AT_ONCE',
      headers: { 'Retry-After': '1' },
    });
  }
  if (open.all >= OPEN_AT_ONCE) throw overloaded(deps, kind, rankOf(kind, null));
  open.all += 1;
  open.byStream.set(streamId, own + 1);
  return () => {
    open.all -= 1;
    const left = (open.byStream.get(streamId) ?? 1) - 1;
    if (left === 0) open.byStream.delete(streamId);
    else open.byStream.set(streamId, left);
  };
}

async function answer(
  deps: HostedHttpDeps,
  { kind, caller, body }: { kind: AskKind; caller: GatewayCaller; body: unknown },
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const rank = rankOf(kind, body);
  const asked = await deps.shedding.run(rank, () => deps.server.ask(caller, kind, body));
  if (asked === null) throw overloaded(deps, kind, rank);
  deps.heard(caller);
  if (!asked.ok) throw refusal(asked.refused);
  await sendPacked(request, response, asked.answer);
}

/** Throws 401 for a token that does not hold. */
export async function callerOf(
  { gatewayByToken }: Pick<HostedHttpDeps, 'gatewayByToken'>,
  { headers }: Pick<Request, 'headers'>,
): Promise<GatewayCaller> {
  const token = /^Bearer +(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  const caller = token === undefined ? null : await gatewayByToken(token);
  if (caller !== null) return caller;
  throw new AppError(401, 'The token of this gateway does not hold; sign in anew', {
    code: SYNC_REFUSALS.token,
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** What control and people wait for goes before what is only recorded. */
function rankOf(kind: AskKind, body: unknown): Rank {
  if (kind === 'digest' || kind === 'repair') return 'history';
  const isHistory =
    kind === 'push' && typeof body === 'object' && body !== null && 'lane' in body && body.lane === 'history';
  return isHistory ? 'history' : 'core';
}

/** Seconds until those that wait now have been served, not all at the same moment again. */
const COME_AGAIN_S = { core: { least: 1, most: 5 }, history: { least: 5, most: 15 } } as const;

function overloaded(deps: Pick<HostedHttpDeps, 'random' | 'shed'>, kind: AskKind, rank: Rank): AppError {
  deps.shed(kind);
  const { least, most } = COME_AGAIN_S[rank];
  const waitS = least + Math.floor(deps.random() * (most - least + 1));
  return new AppError(503, 'Too many gateways are being served now; please come again', {
    code: 'SYNC_BUSY',
    headers: { 'Retry-After': String(waitS) },
  });
}

function refusal({ status, code, detail, retryAfterMs, ...more }: Refused): AppError {
  return new AppError(status, detail, {
    code,
    more,
    ...(retryAfterMs === undefined
      ? {}
      : { headers: { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) } }),
  });
}
