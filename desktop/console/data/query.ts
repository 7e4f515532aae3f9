import { keepPreviousData, QueryClient, type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { ChangedEvent, ChangedKind } from '#contract/events/stream.ts';
import { type AnswerOf, ApiError, ask, type Known, Unreachable } from './api.ts';
import { onEvent } from './farm-store.ts';

// Questions to the interface, remembered. The browser's own idea of being online says nothing about the gateway, so it
// is not asked; what the event stream tells makes the questions that rest on it be asked anew.

const AGAIN_MS = 30_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (tries, error) => tries < 2 && isPassing(error),
      // what did not come because of a moment comes by itself: nobody touches the panel on the wall
      refetchInterval: ({ state }) => (isPassing(state.error) ? AGAIN_MS : false),
    },
    mutations: { networkMode: 'always' },
  },
});

function isPassing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && error.status >= 500);
}

type Query = Record<string, string | number | boolean | null | undefined>;

/**
 * The answer of GET `path`; null as path asks nothing. Keys begin with the path's first word, so that a change of one
 * kind of row makes everything of that kind be asked anew.
 */
export function useGet<const Path extends string>(
  path: (Path & Known<'GET', Path>) | null,
  query: Query = {},
): UseQueryResult<AnswerOf<'GET', Path>> {
  return useQuery({ ...questionOf<AnswerOf<'GET', Path>>(path ?? '', query), enabled: path !== null });
}

/** The same for a question that somebody changes bit by bit: the last answer stands until the next is there. */
export function useGetAgain<const Path extends string>(
  path: (Path & Known<'GET', Path>) | null,
  query: Query,
): UseQueryResult<AnswerOf<'GET', Path>> {
  return useQuery({
    ...questionOf<AnswerOf<'GET', Path>>(path ?? '', query),
    enabled: path !== null,
    placeholderData: keepPreviousData,
  });
}

const questionOf = <Answer>(path: string, query: Query) => ({
  queryKey: [path.split('/')[1] ?? '', path, query],
  queryFn: ({ signal }: { signal: AbortSignal }) => ask<Answer>(path, { query, signal }),
});

/** As long as a shift. */
const KEPT_MS = 12 * 3_600_000;

/** Asks before anybody needs it, and keeps the answer: whoever needs it then may have no line. */
export async function askAhead(path: string, query: Query): Promise<void> {
  const question = questionOf(path, query);
  queries.setQueryDefaults(question.queryKey, { gcTime: KEPT_MS });
  await queries.prefetchQuery(question);
}

/** Everything of these kinds is asked anew: `ponds`, `batches`, `water-quality`, … */
export function refresh(...kinds: readonly string[]): void {
  for (const kind of kinds) void queries.invalidateQueries({ queryKey: [kind] });
}

const RESTS_ON: Readonly<Record<string, readonly string[]>> = {
  snapshot: [],
  measurement: ['ponds', 'water-quality', 'dashboard'],
  alert: ['alerts', 'water-quality', 'logs'],
  control_point: ['control-points', 'devices', 'aerators', 'logs'],
  order: ['control-points'],
  command: ['control-points'],
  sync: ['sync'],
  notification: ['notifications'],
};

/** What no row tells of: the answers that a `changed` of each kind is about, by their paths. */
const CHANGED_PATHS: Readonly<Record<ChangedKind, RegExp>> = {
  adoption: /^\/adoption\//,
  backup: /^\/system\/(backup|restore)$/,
  bench: /^\/bench\//,
  device_keys: /^\/control-points\/[^/]+\/(device-key|rotate-key)/,
  farm_console: /^\/farms\/[^/]+\/console$/,
  firmware: /^\/firmware\//,
  modem: /^\/system\/modem$/,
  notification_channels: /^\/notification-channels\//,
  pairing: /^\/sync\/pairing$/,
  probes: /^\/(probes|probe-buses|probe-profiles)\//,
  relays: /^\/relays\/|^\/control-points\/[^/]+\/relay$/,
  shadow: /^\/control-points\/[^/]+\/shadow$/,
  simulator: /^\/simulator$/,
  siren: /^\/farms\/[^/]+\/siren$/,
};

const waiting = new Set<string>();
onEvent(({ name, data }) => {
  if (name === 'changed') {
    const { kinds, farm_id } = data as ChangedEvent;
    for (const kind of kinds) askAgain(kind, farm_id);
    return;
  }
  const kinds = RESTS_ON[name];
  if (kinds === undefined) return;
  // a snapshot after a broken line: everything may have changed
  if (name === 'snapshot') return void queries.invalidateQueries();
  if (waiting.size === 0) {
    setTimeout(() => {
      refresh(...waiting);
      waiting.clear();
    }, 500);
  }
  for (const kind of kinds) waiting.add(kind);
});

/** Kinds being asked anew; true: something changed again meanwhile. */
const asking = new Map<ChangedKind, boolean>();
/** What changed while nobody could see it. */
const unseen = new Set<ChangedKind>();
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible') return;
  for (const kind of unseen) askAgain(kind, null);
  unseen.clear();
});

/**
 * Asks for what is on the page, one round after the other: over a slow line a probe that is read every second would else
 * call each question off before it is answered.
 */
function askAgain(kind: ChangedKind, farmId: string | null): void {
  if (document.visibilityState !== 'visible') unseen.add(kind);
  else if (asking.has(kind)) asking.set(kind, true);
  else void askNow(kind, farmId);
}

async function askNow(kind: ChangedKind, farmId: string | null): Promise<void> {
  const paths = CHANGED_PATHS[kind];
  // told by an instance that is newer than this page
  if (paths === undefined) return;
  asking.set(kind, false);
  await queries.invalidateQueries({
    predicate({ queryKey: [, path, query] }) {
      const ofFarm = (query as Query | undefined)?.['farm_id'] ?? farmId;
      return typeof path === 'string' && paths.test(path) && (farmId === null || ofFarm === farmId);
    },
  });
  const isAgain = asking.get(kind) === true;
  asking.delete(kind);
  // of which farm the later ones were is not kept
  if (isAgain) askAgain(kind, null);
}
