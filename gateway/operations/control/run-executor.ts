import { asParent, type GuardSeen } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { giveOrder } from '#features/control/control-points/give-order.ts';
import { saveUnsaved } from '#features/control/control-points/save-unsaved.ts';
import type { ControlView } from '#features/control/control-view.ts';
import type { Registry } from '#features/control/devices/registry.ts';
import type { FarmGateways } from '#features/control/remote-order.ts';
import { createExecutor, type Executor } from '#features/control/schedules/executor.ts';
import { createStamps } from '#features/control/schedules/follow-clock-step.ts';
import type { SafetyDemand } from '#features/control/schedules/wanted-state.ts';
import type { Config } from '#runtime/config.ts';

/**
 * The one executor of the farms this instance runs. On a gateway it runs at once; of the processes of a hosted instance
 * the one that holds the lease begins it, and ends it with the lease.
 */
export function runExecutor(deps: {
  config: Pick<Config, 'role' | 'startStepS'>;
  kernel: Kernel;
  monotonic: () => number;
  registry: Pick<Registry, 'setUnsaved'>;
  /** Control points whose farm this instance runs. */
  ownViews: Registry;
  gateways: Pick<FarmGateways, 'hasGateway'>;
  /** What the water asks of a control point, and an alarm of a siren. */
  safetyOf: (controlPointId: string) => readonly SafetyDemand[];
  sendUnsaved: (controlPointId: string) => void;
  shownReasons: () => Promise<readonly { id: string; value: string }[]>;
  lookedAt: number | null;
}) {
  const { config, kernel, gateways, ownViews } = deps;
  const isGateway = config.role === 'gateway';

  /** A binding moves the guard of the farm: what was decided before it is decided again, and then left alone. */
  async function permitFor({ row }: ControlView): Promise<readonly GuardSeen[] | null> {
    const guard = asParent(await kernel.guard('farm', row.farm_id));
    return (await gateways.hasGateway(row.farm_id)) ? null : [guard];
  }

  const start = (lookedAt: number | null) =>
    createExecutor(
      {
        ...kernel,
        monotonic: deps.monotonic,
        views: ownViews,
        ...(isGateway ? {} : { permitFor }),
        giveOrder: (view, order) => giveOrder(kernel, view, order),
        saveUnsaved: (view) => saveUnsaved(kernel, view),
        setUnsaved: deps.registry.setUnsaved,
        sendUnsaved: deps.sendUnsaved,
        safetyOf: deps.safetyOf,
        shownReasons: deps.shownReasons,
        startStepMs: config.startStepS * 1000,
      },
      { lookedAt },
    );
  const stamps = createStamps({ ...kernel, views: ownViews });
  const running: { executor: Executor | null } = { executor: isGateway ? start(deps.lookedAt) : null };
  return {
    stamps,
    executor: {
      /** null: never, or not in this process. */
      lookedAt: () => running.executor?.lookedAt() ?? null,
      /** The last instant at which the clock was trusted, as far as is known. */
      untrustedSince: () => running.executor?.untrustedSince() ?? deps.lookedAt ?? kernel.now(),
      /** Whether it switched anything. */
      async tick(): Promise<boolean> {
        if (running.executor === null) return false;
        await stamps.look();
        return running.executor.tick();
      },
    },
    /** Hosted instance: this process runs the farms without gateway from now on. */
    beginRunning(lookedAt: number | null) {
      running.executor = start(lookedAt);
    },
    endRunning() {
      running.executor = null;
    },
  };
}
