import type { Server } from 'node:http';
import type { Metrics } from '#adapters/http/metrics.ts';
import type { Database } from '#adapters/sql/database.ts';
import { forgetFeeds } from '#adapters/sync/forget-feed.ts';
import { atMost, countingGone } from '#adapters/sync/gateway-store.ts';
import { hostedCompare } from '#adapters/sync/hosted-compare.ts';
import { createShedding, type GatewayByToken, mountSync } from '#adapters/sync/hosted-http.ts';
import { mountPhotos } from '#adapters/sync/hosted-photos.ts';
import { activeHead, createSightings, hostedStore, toldInADay } from '#adapters/sync/hosted-store.ts';
import {
  attachLive,
  createLiveSockets,
  type LiveSocketsDeps,
  type LiveUpgradeDeps,
} from '#adapters/sync/live-sockets.ts';
import { createTimeline, returnFutureStamps } from '#adapters/sync/timeline.ts';
import type { Kernel } from '#core/kernel.ts';
import type { ImageStore } from '#features/production/photos/ports.ts';
import type { Processes } from '#runtime/processes.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import type { CompareDeps } from '../../sync/hosted/compare-tables.ts';
import type { HostedDeps } from '../../sync/hosted/hosted-deps.ts';
import { createSyncServer } from '../../sync/hosted/sync-server.ts';
import type { HostedLiveParts } from '../../sync/ports.ts';

/** Changes applied in one unit: on SQLite everything else of the process waits for it. */
const ROWS_PER_UNIT = { sqlite: 200, postgres: 2_000 } as const;
/** Requests served at a time; the rest of the connections is for people. */
const SERVED_AT_ONCE = {
  sqlite: { running: 2, runningHistory: 1 },
  postgres: { running: 4, runningHistory: 1 },
} as const;
/** Besides: tokens looked up, and new connections greeted, at a time. With those above they leave people some. */
const LOOKED_UP_AT_ONCE = 2;
const GREETED_AT_ONCE = 1;
/** Times as long as the processor worked. */
const HISTORY_RESTS = 2;
const WAITING = { core: 400, history: 100 };

export type SyncServerWiring = {
  kernel: Pick<Kernel, 'now' | 'commit'>;
  database: Pick<Database, 'dialect' | 'read' | 'aheadMs'>;
  monotonic: () => number;
  refused?: HostedDeps['refused'];
  dropped?: HostedDeps['dropped'];
  repaired?: CompareDeps['repaired'];
};

/** The hosted side of the protocol on a database, before anything carries it. */
export function hostedSyncServer({ kernel, database, monotonic, ...given }: SyncServerWiring) {
  const common = {
    store: hostedStore(database.read),
    commit: kernel.commit,
    // stamps are the database's, and what is too far ahead is judged by the same clock
    now: () => kernel.now() - (database.aheadMs() ?? 0),
    timeline: createTimeline({ database, monotonic }),
  };
  return createSyncServer({
    ...common,
    chainAfter,
    rowsPerUnit: ROWS_PER_UNIT[database.dialect],
    refused: given.refused ?? (() => undefined),
    dropped: given.dropped ?? (() => undefined),
    compare: hostedCompare({
      ...common,
      read: database.read,
      dialect: database.dialect,
      repaired: given.repaired ?? (() => undefined),
    }),
  });
}

export type HostedSyncWiring = {
  kernel: Kernel;
  database: Database;
  monotonic: () => number;
  metrics: Metrics;
  refused: (reason: string, source: string) => void;
  /** Where a request comes from. */
  sourceOf: LiveUpgradeDeps['sourceOf'];
  processes: Pick<Processes, 'bus'>;
  gatewayByToken: GatewayByToken;
  isOvertaken: LiveSocketsDeps['isOvertaken'];
  /** Where bytes of photos lie. */
  images: ImageStore;
  /** What knows of commands and presence. */
  parts?: HostedLiveParts;
};

/** Everything gateways meet at a hosted instance once they have a token. */
export function createHostedSync(wiring: HostedSyncWiring) {
  const { kernel, database, monotonic, metrics, processes } = wiring;
  const gatewayByToken = atMost(LOOKED_UP_AT_ONCE, wiring.gatewayByToken);
  const counts = new Map<string, number>();
  const counted = { repaired: 0 };
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const { onRows } = database;
  const server = hostedSyncServer({
    kernel: { ...kernel, commit: countingGone({ commit: kernel.commit, metrics, onRows }) },
    database,
    monotonic,
    refused: (kind, code) => count(`${kind} ${code}`),
    dropped(streamId, rows) {
      kernel.log.warn(
        { streamId, rows },
        'more of what a gateway said fits nowhere than is kept aside: what was refused and the oldest went; a comparison finds them again',
      );
    },
    repaired({ streamId, table, rows, refused }) {
      if (rows + refused === 0) return;
      counted.repaired += rows;
      kernel.log.error(
        { streamId, table, rows, refused },
        'a gateway and this instance differed; what could be made right was, please tell the makers',
      );
    },
  });
  const shedding = createShedding({
    ...SERVED_AT_ONCE[database.dialect],
    waiting: WAITING,
    rest: HISTORY_RESTS,
    watchBusy: () => {
      const before = performance.eventLoopUtilization();
      return () => performance.eventLoopUtilization(before).utilization;
    },
    monotonic,
    later: (ms, then) => void setTimeout(then, ms),
  });
  const sightings = createSightings(kernel);
  database.onRows(sightings.hear);
  const sockets = createLiveSockets({
    ...kernel,
    bus: processes.bus,
    monotonic,
    parts: wiring.parts ?? noParts,
    told: sightings.told,
    headOf: atMost(GREETED_AT_ONCE, (streamId: number) => activeHead(database.read, streamId)),
    isOvertaken: atMost(GREETED_AT_ONCE, wiring.isOvertaken),
    refused: (reason) => count(`live ${reason.replaceAll(' ', '_')}`),
  });
  tellSync(metrics, { counts, shedding, sockets, counted });
  return {
    server,
    sockets,
    mount: (app: Parameters<typeof mountSync>[0]) => {
      mountPhotos(app, {
        now: kernel.now,
        commit: kernel.commit,
        read: database.read,
        images: wiring.images,
        gatewayByToken,
        // by a count of their own: no row waits because of a picture
        told: toldInADay({ monotonic }),
      });
      mountSync(app, {
        server,
        gatewayByToken,
        shedding,
        random: kernel.random,
        heard: sightings.heard,
        shed: (kind) => count(`${kind} SHED`),
        told: toldInADay({ monotonic }),
      });
    },
    attach: (http: Server) => {
      const { refused, sourceOf } = wiring;
      return attachLive(http, { log: kernel.log, sockets, gatewayByToken, refused, sourceOf });
    },
    /** Every few seconds: which gateways were heard. */
    noteHeard: sightings.write,
    /** Once an hour, in one process for all. */
    forget: () => forgetFeeds(database, kernel),
    /** Before gateways are served, and once an hour. */
    returnStamps: () =>
      returnFutureStamps({ ...kernel, database }).catch((error: unknown) =>
        kernel.log.error({ err: error }, 'stamps from the future were not looked for; it is tried again'),
      ),
  };
}

function tellSync(
  metrics: Metrics,
  parts: {
    counts: ReadonlyMap<string, number>;
    shedding: ReturnType<typeof createShedding>;
    sockets: ReturnType<typeof createLiveSockets>;
    counted: { repaired: number };
  },
): void {
  const { counts, counted, shedding, sockets } = parts;
  metrics.counter(
    'sync_repair_rows_total',
    'Rows on which a gateway and this instance differed and which a comparison made right',
    () => counted.repaired,
  );
  metrics.counterBy(
    'sync_refused_total',
    'Requests of gateways that were refused, by kind and code',
    ['kind', 'code'],
    () => Object.fromEntries(counts),
  );
  metrics.gauge(
    'sync_requests_running',
    'Requests of gateways being served',
    () => shedding.counts().running,
  );
  metrics.gauge('sync_requests_waiting', 'Requests of gateways that wait', () => shedding.counts().waiting);
  metrics.gauge('sync_live_sockets', 'Live connections of gateways', () => sockets.counts().open);
  metrics.counter('sync_frames_in_total', 'Frames from gateways', () => sockets.counts().framesIn);
  metrics.counter('sync_frames_out_total', 'Frames to gateways', () => sockets.counts().framesOut);
}

const noParts: HostedLiveParts = {
  commandsToSend: async () => [],
  still: async () => null,
  commandState: async () => undefined,
  live: () => undefined,
  connected: () => undefined,
};
