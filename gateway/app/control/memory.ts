import { createHash } from 'node:crypto';
import { arrivingPoints, mergedMarks } from '#adapters/sql/queries/cloud/merged-marks.ts';
import { bindingQueries, movedFarms } from '#adapters/sql/queries/cloud/moved-farms.ts';
import { controlFactsQueries, keyUseQueries } from '#adapters/sql/queries/control/control-facts.ts';
import { firmwareQueries } from '#adapters/sql/queries/equipment/firmware.ts';
import { oxygenQueries } from '#adapters/sql/queries/production/oxygen.ts';
import type { OtaProgress } from '#contract/mqtt/ota.ts';
import { createMovedFarms, gatewaysOfOwn } from '#features/cloud/moved-farms.ts';
import { createFarmBindings, type FarmBindings } from '#features/control/commands/gateway-links.ts';
import type { ControlView } from '#features/control/control-view.ts';
import { createKeyUses } from '#features/control/devices/device-keys.ts';
import { followOtherProcesses } from '#features/control/devices/flush-presence.ts';
import { createOrderEnds } from '#features/control/devices/order-ends.ts';
import { createRegistry, type Registry } from '#features/control/devices/registry.ts';
import { NO_GATEWAYS } from '#features/control/remote-order.ts';
import { createFollowMerged } from '#features/control/schedules/follow-merged.ts';
import { onProgress } from '#features/equipment/firmware/on-progress.ts';
import { createRolloutBook } from '#features/equipment/firmware/rollout-book.ts';
import type { Base, Platform } from '../kernel.ts';

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export type ControlMemory = Awaited<ReturnType<typeof readControl>>;

/**
 * What control keeps in memory of the database: control points, keys, and which farms a gateway runs. With it stands how
 * a commit that brings rows of the other instance is followed here.
 */
export async function readControl(base: Base) {
  const { config, kernel, monotonic, database, run } = base;
  const { others } = base.processes;
  const bindings = config.role === 'hosted' ? await readBindings(base) : null;
  const moved = config.role === 'gateway' ? createMovedFarms(await movedFarms(database.read, 'here')) : null;
  if (moved !== null) database.onRows(moved.follow);
  const ownFarms = moved === null ? NO_GATEWAYS : gatewaysOfOwn(NO_GATEWAYS, moved);
  const isRunByGateway =
    bindings === null ? ownFarms.isRunByGateway : (farmId: string) => bindings.streamOf(farmId) !== null;
  const orderEnds = createOrderEnds({ ...kernel, monotonic, shownTime: run.shownTime });
  const registry = createRegistry({ queries: controlFactsQueries(database.read), sha256, orderEnds });
  const keyUses = createKeyUses(keyUseQueries(database.read));
  const loaded = Promise.all([registry.load(), keyUses.load()]);
  others.onCommit(async (committed, gone) => {
    await loaded;
    keyUses.follow(committed);
    await followOtherProcesses(registry, committed, gone);
  });
  await loaded;
  const merged = createFollowMerged({
    ...kernel,
    clearWay: base.clearWay,
    views: registry,
    isRunByGateway,
    monotonic,
    storedMarks: () => mergedMarks(database.read),
    storedArrivals: () => arrivingPoints(database.read),
  });
  const ownFarmIds = farmsRunHere(registry, bindings, isRunByGateway);
  const isOurs = ({ row }: ControlView) => !isRunByGateway(row.farm_id) && !merged.isSettling(row.id);
  return {
    registry,
    keyUses,
    orderEnds,
    merged,
    /** Hosted instance: which gateway runs which farm. */
    bindings,
    /** Gateway: farms that another one runs now. */
    moved,
    /** Gateway: what that means for who orders something on them. */
    ownFarms,
    /** Control points whose farm this instance runs itself. */
    ownViews: {
      ...registry,
      ofFarm: (farmId: string) => registry.ofFarm(farmId).filter(isOurs),
      *all() {
        for (const farmId of ownFarmIds())
          for (const view of registry.ofFarm(farmId)) if (isOurs(view)) yield view;
      },
    },
  };
}

/** Of 10,000 farms a hosted instance runs few, and looks at them each second: which, is worked out when one came or went. */
function farmsRunHere(
  registry: Registry,
  bindings: FarmBindings | null,
  isRunByGateway: (farmId: string) => boolean,
): () => Iterable<string> {
  const here = () => [...registry.farmIds()].filter((farmId) => !isRunByGateway(farmId));
  if (bindings === null) return here;
  let known = { farmIds: here(), farms: registry.farmChanges(), bound: bindings.changes() };
  return () => {
    const [farms, bound] = [registry.farmChanges(), bindings.changes()];
    if (farms !== known.farms || bound !== known.bound) known = { farmIds: here(), farms, bound };
    return known.farmIds;
  };
}

async function readBindings({ kernel, database, processes: { others }, signals }: Base) {
  const unread = (error: unknown) =>
    kernel.log.warn({ err: error }, 'which farms have a gateway could not be read');
  const bindings = createFarmBindings(
    bindingQueries(database.read),
    (farmId) => signals.tell('farmBound', farmId),
    unread,
  );
  await bindings.load();
  database.onRows(bindings.follow);
  others.onCommit(async (committed, gone) => {
    bindings.follow(committed);
    for (const { table, id } of gone) if (table === 'sync_farms') await bindings.refresh(id);
  });
  others.onGap(() => void bindings.load().catch(unread));
  return bindings;
}

export type Rollouts = Awaited<ReturnType<typeof readRollouts>>;

/** What firmware is wanted of which controller, and what becomes of it; control tells controllers. null: not from here. */
export async function readRollouts(platform: Platform, { registry }: Pick<ControlMemory, 'registry'>) {
  const { kernel, database, monotonic, tellChanged } = platform;
  const queries = firmwareQueries(database.read, oxygenQueries(database.read).airedByAerators);
  const book = createRolloutBook({ queries, now: kernel.now, monotonic });
  await book.load();
  return {
    book,
    queries,
    takeProgress(controlPointId: string, progress: OtaProgress): Promise<void> | undefined {
      const farmId = registry.byId(controlPointId)?.row.farm_id;
      const stored = onProgress({ ...kernel, book, queries }, controlPointId, progress);
      if (farmId !== undefined) tellChanged('firmware', { farmId, who: 'viewers' });
      return stored;
    },
  };
}
