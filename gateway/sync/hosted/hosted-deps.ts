import {
  type DigestRequest,
  type KeptAside,
  type RepairRequest,
  type Restamp,
  SYNC_SCHEMA,
} from '#contract/sync/wire.ts';
import type { Commit, Unit } from '#core/changes.ts';
import { StaleError, UniqueViolation } from '#core/errors.ts';
import type { AskKind, GatewayCaller } from '../ports.ts';
import type { ChainAfter } from './decide-push.ts';
import type { HostedStore, StreamRow } from './ports.ts';
import { busy, revoked } from './refusals.ts';
import { RequestRefused } from './request-refused.ts';

export type HostedDeps = {
  store: HostedStore;
  commit: Commit;
  now: () => number;
  /** Names the life of the database: another one may have lost commits. */
  timeline: () => Promise<string>;
  chainAfter: ChainAfter;
  /** Changes of one push that are applied in one unit. */
  rowsPerUnit: number;
  /** Hears of every request that was refused. */
  refused: (kind: AskKind, code: string) => void;
  /** Hears of changes that were kept aside and dropped, because there were too many of one stream. */
  dropped: (streamId: number, rows: number) => void;
  /** The nightly comparison of both sides. */
  compare: {
    digest(caller: GatewayCaller, request: DigestRequest): Promise<unknown>;
    repair(caller: GatewayCaller, request: RepairRequest): Promise<unknown>;
  };
};

/** Runs again when another request moved the stream in between; each look sees it as it stands then. */
const RUNS = 6;

/** The stream of a caller. Refuses one that was unpaired. */
export async function streamOf(
  deps: Pick<HostedDeps, 'store'>,
  { streamId }: GatewayCaller,
): Promise<StreamRow> {
  const stream = await deps.store.stream(streamId);
  if (stream === null || stream.status === 'revoked' || stream.status === 'fenced')
    throw new RequestRefused(revoked());
  return stream;
}

/** In every answer. */
export async function hostedFacts({ now, timeline }: Pick<HostedDeps, 'now' | 'timeline'>) {
  return { timeline: await timeline(), server_now_ms: Math.floor(now()), schema: SYNC_SCHEMA };
}

/** Stamps that were set anew in the stream's epoch, behind what the gateway knows of each lane. */
export async function restampsBehind(
  store: Pick<HostedStore, 'restamps'>,
  stream: StreamRow,
  after: Parameters<HostedStore['restamps']>[2],
): Promise<Restamp[]> {
  return stream.has_restamps ? store.restamps(stream.stream_id, stream.epoch, after) : [];
}

/** What is kept aside of a caller's stream, after what an older version could not read was tried again. */
export async function lookAside(
  { store, commit }: Pick<HostedDeps, 'store' | 'commit'>,
  { stream_id: streamId, has_kept_aside }: StreamRow,
): Promise<KeptAside> {
  if (!has_kept_aside) return { core: [], history: [] };
  const kept = await store.keptAside(streamId);
  if (kept !== undefined && kept.core.length + kept.history.length === 0) return kept;
  // one try at a time: the next request goes on with the rest
  if (!(await store.hasReadable(streamId))) return kept;
  await lookAndCommit({ commit }, async () => ({
    seen: null,
    unit: {
      actor: null,
      changes: [],
      incoming: { from: 'gateway', streamId, lane: 'core', changes: [] },
    },
  }));
  return store.keptAside(streamId);
}

/**
 * Carries out what `look` answers, looking again when the stream moved meanwhile, or when another gateway brought a row of
 * the same id or name at the same moment: it stands by then. Refuses as busy at last.
 */
export async function lookAndCommit<Seen>(
  deps: Pick<HostedDeps, 'commit'>,
  look: () => Promise<{ seen: Seen; unit: Unit | null }>,
): Promise<{ seen: Seen; committed: Awaited<ReturnType<Commit>> | null }> {
  for (let run = 1; ; run += 1) {
    const { seen, unit } = await look();
    if (unit === null) return { seen, committed: null };
    try {
      return { seen, committed: await deps.commit(unit) };
    } catch (error) {
      const isRace = error instanceof UniqueViolation && run < RUNS;
      if (!(error instanceof StaleError) && !isRace) throw error;
      if (run === RUNS) throw new RequestRefused(busy());
    }
  }
}
