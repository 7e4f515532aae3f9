import type { Database } from '#adapters/sql/database.ts';
import { holdLease, type Leases, underLease } from '#adapters/sql/lease.ts';
import { silenceQueries } from '#adapters/sql/queries/cloud/silent-gateways.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import type { Alerting } from '#core/alerting.ts';
import { put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { ProcessPauses } from '#core/process-pause.ts';
import { createGatewayWatch } from '#features/alarms/alerts/watch-gateways.ts';
import type { RemoteFarms } from './remote-farms.ts';

/** Another process goes on this long after one that died. */
const EXECUTOR_LEASE_MS = 15_000;
const LEASE_LOOK_MS = 3_000;
const KEEP_EVERY_MS = 30_000;
const TASK_LEASE_MS = 60_000;
/** Whoever ordered waits to be told that nothing came of it: the next process need not be slow to. */
const ORDERS_LEASE_MS = 15_000;
/** Up to when the farms of this instance were looked at, by whichever process; id in instance_values. */
const RUN_UNTIL = 'executor_looked_at';

export type HostedWorkDeps = {
  kernel: Kernel;
  monotonic: () => number;
  pauses: ProcessPauses;
  database: Pick<Database, 'read'>;
  leases: Leases;
  control: {
    registry: { load: () => Promise<void> };
    executor: { tick: () => Promise<boolean>; lookedAt: () => number | null };
    beginRunning: (lookedAt: number | null) => void;
    endRunning: () => void;
  };
  remote: RemoteFarms;
  watches: {
    begin: (previousUntil: number | null) => void;
    end: () => void;
    tick: () => Promise<void>;
  };
  forecast: { look: () => Promise<void> };
  alerting: Alerting;
  notify: Notify;
};

/**
 * What one process of a hosted instance does for all: it runs the farms without gateway, watches their controllers, and
 * misses gateways that fall silent. Its ticks are called in every process.
 */
export function createHostedWork(deps: HostedWorkDeps) {
  const { kernel, monotonic, leases, control, watches } = deps;
  const lease = holdLease({
    leases,
    name: 'executor',
    ms: EXECUTOR_LEASE_MS,
    monotonic,
    onError: (error) =>
      kernel.log.warn({ err: error }, 'who runs the farms without gateway could not be asked'),
  });
  const state = {
    isRunning: false,
    lookedAt: Number.NEGATIVE_INFINITY,
    keptAt: Number.NEGATIVE_INFINITY,
  };
  const gatewayWatch = createGatewayWatch({
    ...kernel,
    monotonic,
    listeningSince: monotonic(),
    pauses: deps.pauses,
    alerting: deps.alerting,
    notify: deps.notify,
    queries: silenceQueries(deps.database.read),
  });

  async function begin(): Promise<void> {
    // what other processes did is read before anything is decided
    await control.registry.load();
    await deps.remote.bindings.load();
    const until = await runUntil(deps.database);
    control.beginRunning(until);
    watches.begin(until);
    state.isRunning = true;
    state.keptAt = monotonic();
    kernel.log.info({}, 'this process runs the farms without gateway');
  }

  function end(): void {
    if (!state.isRunning) return;
    control.endRunning();
    watches.end();
    state.isRunning = false;
  }

  async function keepLookedAt(): Promise<void> {
    const at = control.executor.lookedAt();
    if (at === null || monotonic() - state.keptAt < KEEP_EVERY_MS) return;
    state.keptAt = monotonic();
    await kernel.commit({ changes: [put(instanceValue, { id: RUN_UNTIL, value: isoOf(at) })], actor: null });
  }

  return {
    /** Every second. */
    async control(): Promise<void> {
      if (monotonic() - state.lookedAt >= LEASE_LOOK_MS) {
        state.lookedAt = monotonic();
        await lease.look();
      }
      if (!lease.isHeld()) return end();
      if (!state.isRunning) await begin();
      await control.executor.tick();
      await keepLookedAt();
    },
    async alerts(): Promise<void> {
      if (lease.isHeld()) await watches.tick();
    },
    async dawn(): Promise<void> {
      if (lease.isHeld()) await deps.forecast.look();
    },
    silence: underLease(leases, { name: 'silent gateways', ms: TASK_LEASE_MS, run: gatewayWatch.tick }),
    expireOrders: underLease(leases, {
      name: 'orders from afar',
      ms: ORDERS_LEASE_MS,
      run: deps.remote.expireOrders,
    }),
    links: deps.remote.lookAtLinks,
    /** Other processes need not wait for the end of the lease. */
    async stop(): Promise<void> {
      end();
      await lease.giveUp();
    },
  };
}

async function runUntil({ read }: Pick<Database, 'read'>): Promise<number | null> {
  const row = await read
    .selectFrom('instance_values')
    .select('value')
    .where('id', '=', RUN_UNTIL)
    .executeTakeFirst();
  const at = row === undefined ? Number.NaN : Date.parse(row.value);
  return Number.isNaN(at) ? null : at;
}
