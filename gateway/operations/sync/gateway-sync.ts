import type { Metrics } from '#adapters/http/metrics.ts';
import type { Database } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { compareStore } from '#adapters/sync/compared-rows.ts';
import { gatewaySocket } from '#adapters/sync/gateway-socket.ts';
import { countingGone, farmIds, gatewayStore } from '#adapters/sync/gateway-store.ts';
import { gatewayTransport } from '#adapters/sync/gateway-transport.ts';
import { shortenOwnLog, syncCounts, waitingRows } from '#adapters/sync/log-retention.ts';
import { syncStatusQueries } from '#adapters/sync/sync-status-queries.ts';
import { programVersion } from '#adapters/system/machine-facts.ts';
import type { SyncEvent } from '#contract/events/stream.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { FIRST_SCHEMA, type MovedFarm } from '#contract/sync/wire.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { LAST_MET, watchSyncLink } from '#features/alarms/notifications/watch-sync-link.ts';
import { PAIRED, type Paired } from '#features/cloud/pairing/on-paired.ts';
import type { LogFigures, SyncFacts } from '#features/cloud/sync-status/ports.ts';
import { syncStatusRoutes } from '#features/cloud/sync-status/routes.ts';
import { countDataToday, type ShowStatusDeps, showStatus } from '#features/cloud/sync-status/show-status.ts';
import { isNews, syncEventOf } from '#features/cloud/sync-status/sync-event.ts';
import { createTellClockApart } from '#features/cloud/sync-status/tell-clock-apart.ts';
import type { Config } from '#runtime/config.ts';
import type { Processes } from '#runtime/processes.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { hexOf } from '#store/merge/digest.ts';
import { createComparer } from '../../sync/gateway/compare.ts';
import { countLogged } from '../../sync/gateway/count-logged.ts';
import { createSyncClient } from '../../sync/gateway/sync-client.ts';
import type { GatewayLiveParts } from '../../sync/ports.ts';
import { factsOf, sizeOf, tellFigures } from './sync-figures.ts';

export type GatewaySyncWiring = {
  config: Pick<Config, 'data' | 'syncQuotaMb' | 'timezone'>;
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  metrics: Metrics;
  /** Whoever watches hears how it stands now. */
  told: (event: SyncEvent) => void;
  notify: Notify;
  /** What the command line wrote. */
  others: Pick<Processes['others'], 'onGap'>;
  /** Whom this gateway belongs to, and how it gets in there. */
  pairing: {
    gatewayId: string;
    paired: () => Promise<Paired | null>;
    sessionToken: () => Promise<string>;
    forgetToken: () => void;
  };
  /** The part that switches by orders from afar. */
  live: GatewayLiveParts | null;
  disk: () => string;
  /** Farms of this gateway that another one runs now. */
  moved: () => MovedFarm[];
};

const FIGURES_FRESH_MS = 2_000;
const SIZE_FRESH_MS = 60_000;
const REPORTED_AGAIN_MS = 600_000;

/** The gateway's side of the sync: from the change log to the hosted instance and back, and what it tells of itself. */
export function createGatewaySync(wiring: GatewaySyncWiring) {
  const { kernel, database, monotonic, pairing, metrics } = wiring;
  const { read } = database;
  const traffic = { sent: 0, received: 0 };
  const dataToday = countDataToday({ now: kernel.now, zone: wiring.config.timezone });
  const hosted = { schema: FIRST_SCHEMA };
  const clock = { aheadMs: null as number | null, atMs: null as number | null };
  const link = watchSyncLink({
    ...kernel,
    notify: wiring.notify,
    lastMet: () => storedValue(database, LAST_MET),
    pairedAt: async () => (await activePairing())?.paired_at ?? null,
    farmIds: () => farmIds(read),
  });
  const clockApart = createTellClockApart({
    ...kernel,
    notify: wiring.notify,
    gatewayId: pairing.gatewayId,
    farmIds: () => farmIds(read),
  });
  const hostedUrl = async () => (await pairing.paired())?.hosted_url ?? null;
  const access = { hostedUrl, sessionToken: pairing.sessionToken, forgetToken: pairing.forgetToken };
  const transport = gatewayTransport({
    ...access,
    counted({ sent, received }) {
      traffic.sent += sent;
      traffic.received += received;
      dataToday.add({ sent, received });
    },
  });
  const { random, log, now } = kernel;
  const commit = countingGone({ commit: kernel.commit, metrics, onRows: database.onRows });
  const store = gatewayStore({ ...kernel, database: { read, commit } });
  const software = programVersion();
  const client = createSyncClient({
    now,
    random,
    log,
    monotonic,
    later,
    store,
    transport,
    line: gatewaySocket({ ...access, monotonic, later, random, log }),
    live: wiring.live,
    clockTrust: () => (kernel.clockQuality() === 'trusted' ? 'trusted' : 'untrusted'),
    software,
    chainAfter,
    onMet: link.met,
    onHostedSchema(schema) {
      hosted.schema = schema;
    },
    onAnotherLife: () => comparer.afterAnotherLife(),
    onHostedTime({ serverNowMs, roundTripMs }) {
      clock.aheadMs = Math.round(now() - roundTripMs / 2 - serverNowMs);
      clock.atMs = monotonic();
      clockApart.heard(clock.aheadMs);
    },
  });
  const comparer = createComparer({
    now,
    log,
    random,
    monotonic,
    later,
    transport,
    software,
    hexOf,
    isoOf,
    store: compareStore({ read, dialect: database.dialect, commit }, store),
    state: client.state,
    hostedSchema: () => hosted.schema,
  });
  const state = {
    stopListening: () => undefined as void,
    /** As the pairing last stood; what people are told rests on it. */
    pairing: null as Paired['state'] | null,
    /** When that came about: one that was ended and made anew is another. */
    pairedAt: null as string | null,
    told: null as SyncEvent | null,
    reported: null as { text: string; atMs: number } | null,
  };

  async function activePairing(): Promise<Paired | null> {
    const known = await pairing.paired();
    return known?.state === 'revoked' ? null : known;
  }
  async function followPairing(): Promise<void> {
    const known = await pairing.paired();
    const before = { ...state };
    notePairing(known);
    if (state.pairing === before.pairing && state.pairedAt === before.pairedAt) return;
    if (before.pairing === 'paired' && state.pairing === 'paired') client.hear({ is: 'unpaired' });
    if (state.pairing === 'paired') client.hear({ is: 'paired' });
    else if (state.pairing !== 'fenced') client.hear({ is: 'unpaired' });
  }
  function followPairingInBackground(): void {
    followPairing().catch((error: unknown) => log.error({ err: error }, 'the pairing could not be read'));
  }
  function notePairing(known: Paired | null): void {
    state.pairing = known?.state ?? null;
    state.pairedAt = known?.paired_at ?? null;
  }
  const follow = onTables([...Object.values(sharedResources), instanceValue], (committed) => {
    // alone there is nobody to tell; a pairing begins with all that waits
    const counts = state.pairing === null ? null : countLogged(committed);
    if (counts !== null && counts.core + counts.history > 0) client.hear({ is: 'logged', ...counts });
    if (rowsOf(committed, instanceValue).some(({ id }) => id === PAIRED)) followPairingInBackground();
  });

  /** What is as it was is said now and then only: an idle link costs a farm on a metered line next to nothing. */
  function reportChanges(report: Parameters<typeof client.talk.report>[0]): void {
    const text = JSON.stringify(report);
    const isDue = state.reported === null || monotonic() - state.reported.atMs >= REPORTED_AGAIN_MS;
    if (text === state.reported?.text && !isDue) return;
    if (client.talk.report(report)) state.reported = { text, atMs: monotonic() };
  }

  const figures = fresh(monotonic, FIGURES_FRESH_MS, async () => ({
    lanes: await waitingRows(read),
    ...(await syncCounts(read)),
  }));
  const size = fresh(monotonic, SIZE_FRESH_MS, () => sizeOf(wiring));
  const facts = (): SyncFacts => ({
    ...factsOf(client, { monotonic, shutOut: state.pairing }),
    moved: wiring.moved(),
  });
  const counted = async (): Promise<LogFigures> => {
    const [{ value, ageMs }, measured] = [await figures(), await size()];
    return { ...value, ...measured.value, ageMs, sizeAgeMs: measured.ageMs };
  };
  const isPaired = () => state.pairing === 'paired';
  tellFigures(metrics, { facts, counted, isPaired, traffic, comparer });

  const eventNow = async () => syncEventOf(facts(), (await figures()).value, now());
  const status: ShowStatusDeps = {
    ...kernel,
    facts,
    figures: counted,
    clock: () => ({ aheadMs: clock.aheadMs, ageMs: clock.atMs === null ? null : monotonic() - clock.atMs }),
    compared: comparer.figures,
    dataToday: dataToday.soFar,
  };
  return {
    /** The same as GET /sync/status, for the doctor. */
    status: () => showStatus(status, { language: 'en', sees: 'all' }),
    routes: syncStatusRoutes({
      ...kernel,
      ...status,
      queries: syncStatusQueries(read),
      syncNow: () => client.hear({ is: 'asked for' }),
      async retryParked() {
        await commit({
          actor: null,
          changes: [],
          incoming: { from: 'hosted', streamId: OWN_STREAM, lane: 'core', changes: [], retry: 'parked' },
        });
      },
    }),
    client,
    /** Every half minute. */
    compare: () => (database.hasUnsaved() ? undefined : comparer.look()),
    /** Every two seconds: whoever watches hears how it stands. */
    async tell(): Promise<void> {
      // alone there is nothing to tell but that, once
      if (state.pairing === null && state.told?.state === 'unpaired') return;
      const event = await eventNow();
      if (!isNews(state.told, event)) return;
      state.told = event;
      wiring.told(event);
    },
    /** For who comes now: the same as everybody was told, or what came to differ in between would never be told. */
    asTold: async (): Promise<SyncEvent> => state.told ?? (await eventNow()),
    /** Every minute: to the hosted instance by socket, and to people when it is gone for a day. */
    async report(): Promise<void> {
      const { lanes, parkedHere } = (await figures()).value;
      const { core_seq, history_seq } = await heads(database);
      const oldest = [lanes.core.oldestAtMs, lanes.history.oldestAtMs].filter((at) => at !== null);
      reportChanges({
        head: { core: core_seq, history: history_seq },
        oldest_unacked_ms: oldest.length === 0 ? null : Math.max(0, Math.round(now() - Math.min(...oldest))),
        clock: kernel.clockQuality() === 'trusted' ? 'trusted' : 'untrusted',
        parked: parkedHere,
        disk: wiring.disk(),
      });
      await link.look();
    },
    /** Every ten minutes: old rows of the log go, and a log that fills the disk is let go of. */
    async sweep(): Promise<void> {
      const isPaired = (await activePairing()) !== null;
      if (isPaired) await letGo(wiring, (await size()).value);
      await shortenOwnLog(database, { now, isPaired });
    },
    async start(): Promise<void> {
      const stops = [database.onRows(follow), wiring.others.onGap(followPairingInBackground)];
      state.stopListening = () => {
        for (const stop of stops) stop();
      };
      const known = await pairing.paired();
      const met = await storedValue(database, LAST_MET);
      comparer.wasAwaySince(met === null ? null : Date.parse(met));
      notePairing(known);
      client.start(known !== null && known.state !== 'revoked');
    },
    async stop(): Promise<void> {
      state.stopListening();
      await client.stop();
    },
  };
}

function later(ms: number, run: () => void): () => void {
  // nothing of the sync keeps a program alive that wants to end
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}

/** Asks anew when the last answer is older than that; those who ask meanwhile share one. */
function fresh<Value>(monotonic: () => number, forMs: number, ask: () => Promise<Value>) {
  const own = { value: null as Promise<Value> | null, atMs: 0 };
  return async (): Promise<{ value: Value; ageMs: number }> => {
    if (own.value === null || monotonic() - own.atMs > forMs) {
      own.atMs = monotonic();
      own.value = ask();
      own.value.catch(() => {
        own.value = null;
      });
    }
    const { atMs } = own;
    return { value: await own.value, ageMs: monotonic() - atMs };
  };
}

async function storedValue({ read }: Database, id: string): Promise<string | null> {
  const row = await read
    .selectFrom('instance_values')
    .select('value')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.value ?? null;
}

function heads({ read }: Database): Promise<{ core_seq: number; history_seq: number }> {
  return read
    .selectFrom('sync_stream')
    .select(['core_seq', 'history_seq'])
    .where('stream_id', '=', OWN_STREAM)
    .executeTakeFirstOrThrow();
}

/**
 * The rows themselves stay; only the log of what the hosted instance has not heard is given up, and with it the way to
 * tell it change by change. When the link is back everything is compared and the difference is told from the rows.
 */
async function letGo(
  { kernel, database }: GatewaySyncWiring,
  { logBytes, quotaBytes }: Pick<LogFigures, 'logBytes' | 'quotaBytes'>,
): Promise<void> {
  if (logBytes < quotaBytes) return;
  const { resync } = await database.read
    .selectFrom('sync_stream')
    .select('resync')
    .where('stream_id', '=', OWN_STREAM)
    .executeTakeFirstOrThrow();
  if (resync !== null) return;
  const stream = { id: OWN_STREAM, expect: { resync: null }, set: { resync: 'the change log was full' } };
  await kernel.commit({ actor: null, changes: [], stream });
  kernel.log.warn(
    { logBytes, quotaBytes },
    'the change log is full: it is given up, and everything is compared when the link is back',
  );
}
