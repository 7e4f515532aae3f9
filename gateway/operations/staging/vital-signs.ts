import type { SupervisedBroker } from '#adapters/mqtt/supervise-broker.ts';
import type { TellSupervisor } from '#adapters/system/tell-supervisor.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Paired } from '#features/cloud/pairing/on-paired.ts';
import { type ControlViews, isOnline } from '#features/control/control-view.ts';
import { MOST_ONLINE, OFTEN_S, securedOf } from '#operations/staging/stage-deps.ts';
import { judge, OPEN_GATE, type Vital, type Word } from '#operations/update/health-gate.ts';
import type { Before } from '#operations/update/update-state.ts';
import type { Config } from '#runtime/config.ts';
import type { SyncClient } from '../../sync/gateway/sync-client.ts';

// What a version that is tried is judged by, and what is noted of the farm before it takes over.

type Ports = { https: number | null; mqtts: number | null };
/** A gateway with a hosted instance; null: this instance has none, ever. */
type Linked = {
  pairing: { paired: () => Promise<Paired | null> } | null;
  gatewaySync: { client: Pick<SyncClient, 'state'> } | null;
};
type Controlling = { control: { registry: ControlViews } };

/** Which controllers are here now and will come again within a trial, and which secured ports are open. */
export function farmNow(
  { control: { registry }, kernel }: Controlling & { kernel: Pick<Kernel, 'now'> },
  { onlineAfterS, pollIntervalS }: Pick<Config, 'onlineAfterS' | 'pollIntervalS'>,
  ports: Ports,
): Before {
  const online = [...registry.all()]
    .filter(({ presence }) => isOnline(presence, kernel.now(), onlineAfterS * 1000))
    // they end with this process, and nobody waits for them
    .filter(({ row }) => !row.is_simulated)
    .filter(({ presence: { via } }) => via === 'mqtt' || pollIntervalS <= OFTEN_S)
    .map(({ row }) => row.id);
  return { online: online.slice(0, MOST_ONLINE), secured: securedOf(ports) };
}

type VitalDeps = {
  instance: Controlling & Linked & { ready: () => Promise<{ ready: boolean }> };
  broker: Pick<SupervisedBroker, 'health'> | null;
  ticks: () => number;
  ports: () => Ports;
};

/** `before`: as the farm stood when the version before let go; null: nobody noted it. */
export async function vitalOf(deps: VitalDeps, before: Before | null): Promise<Vital> {
  const { instance, broker } = deps;
  const { ready } = await instance.ready();
  const open = securedOf(deps.ports());
  return {
    isReady: ready,
    controlTicks: deps.ticks(),
    brokerOk: broker?.health().ok ?? true,
    controllers: reachedOf(instance, before?.online ?? []),
    closedPorts: (before?.secured ?? []).filter((name) => !open.includes(name)),
    isSyncKnown: await isSyncKnown(instance),
  };
}

/** One that was deleted meanwhile is awaited no more. */
function reachedOf({ control: { registry } }: Controlling, online: readonly string[]): Vital['controllers'] {
  const awaited = online.map(registry.byId).filter((view) => view !== null);
  const reached = awaited.filter(
    ({ presence }) => presence.isConnected || presence.lastReportMonotonic !== null,
  );
  return { awaited: awaited.length, reached: reached.length };
}

async function isSyncKnown({ pairing, gatewaySync }: Linked): Promise<boolean | null> {
  const paired = await pairing?.paired();
  if (gatewaySync === null || paired?.state !== 'paired') return null;
  const { phase, trouble } = gatewaySync.client.state();
  // without the internet it says what keeps it, which is an answer, too
  return phase !== 'unpaired' && (phase !== 'connecting' || trouble !== null);
}

const EVERY_MS = 1_000;
/** A third of what the unit allows between two. */
const PING_EVERY_MS = 10_000;
/** Control looks every second; while it does not, the supervisor is to start us anew. */
const PATIENCE_MS = 15_000;

/** Tells whoever tries this version what is still missing, and that it is healthy once it is. */
export function proveTrial(
  running: { vital: (before: Before | null) => Promise<Vital> },
  before: Before | null,
  monotonic: () => number,
  send: (word: Word) => void,
): void {
  let gate: Parameters<typeof judge>[0] = OPEN_GATE;
  const timer = setInterval(() => {
    running.vital(before).then(
      (vital) => {
        const judged = judge(gate, vital, monotonic());
        gate = judged.gate;
        const isHealthy = judged.missing === null;
        send({ isHealthy, missing: judged.missing, isWell: judged.isWell });
        if (isHealthy) clearInterval(timer);
      },
      (error: unknown) => send({ isHealthy: false, missing: `it cannot be looked at: ${String(error)}` }),
    );
  }, EVERY_MS);
  timer.unref();
}

/** The supervisor hears that we are ready, and then again and again, as long as control looks at the schedules. */
export function reportAlive(
  running: { pulse: () => { at: number } },
  tell: TellSupervisor,
  monotonic: () => number,
): void {
  void tell(['--ready']);
  setInterval(() => {
    if (monotonic() - running.pulse().at < PATIENCE_MS) void tell(['WATCHDOG=1']);
  }, PING_EVERY_MS).unref();
}
