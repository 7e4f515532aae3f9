import { connectHomeAssistant } from '#adapters/home-assistant/connect.ts';
import { AppError, forbidden, StorageUnavailable } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { requireRight } from '#core/request-checks.ts';
import type { FarmFound, Owned, RouteDecision } from '#core/route.ts';
import { perform } from '#core/use-case.ts';
import { type OrderDeps, orderByPerson } from '#features/control/control-points/order-routes.ts';
import type { ControlViews } from '#features/control/control-view.ts';
import { createBridge, statusTopic } from '#features/equipment/home-assistant/bridge.ts';
import { homeAssistantRoutes } from '#features/equipment/home-assistant/routes.ts';
import type { Config } from '#runtime/config.ts';

/** An outgoing bridge to Home Assistant; without its address nothing of it runs. */
export function openHomeAssistant(deps: {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  control: { orderDeps: OrderDeps; registry: ControlViews; ownViews: ControlViews };
  accessTo: (of: Owned, id: string, userId: string) => Promise<FarmFound | null>;
  gatewayId: string;
  /** The person of that e-mail; null: nobody, or no longer. */
  personOf: (email: string) => Promise<{ id: string } | null>;
}) {
  const { config, kernel, control, gatewayId, personOf } = deps;
  const { homeAssistant: url, homeAssistantOrdersBy: ordersBy } = config;
  const names = { gatewayId, takesOrders: ordersBy !== null };

  /** The order of the person the bridge acts for: by the rights of that person, as from afar. */
  async function order(controlPointId: string, target: 'ON' | 'OFF'): Promise<void> {
    const person = ordersBy === null ? null : await personOf(ordersBy);
    if (person === null)
      throw forbidden(`There is no account ${ordersBy ?? ''}, in whose name orders are given`);
    const found = await deps.accessTo('control_point', controlPointId, person.id);
    if (found?.role == null) throw new AppError(404, 'Control point not found', { code: 'NOT_FOUND' });
    requireRight(found.role, 'attend');
    const wish = { target, issuedBy: person.id, reason: 'Home Assistant', holdS: null };
    let decided: RouteDecision | null = null;
    try {
      await perform(kernel, person.id, async () => {
        decided = await orderByPerson({ ...control.orderDeps, personOrigin: 'REMOTE' }, controlPointId, wish);
        return decided;
      });
    } catch (error) {
      // a full disk stops no motor and starts none: control goes on from memory, as with every other order
      if (!(error instanceof StorageUnavailable) || decided === null) throw error;
      (decided as RouteDecision).whenStorageFails?.(error);
    }
  }

  const bridge = createBridge({
    now: kernel.now,
    monotonic: deps.monotonic,
    log: kernel.log,
    names,
    onlineAfterMs: config.onlineAfterS * 1000,
    address: url,
    ordersBy,
    // who looks there sees no mark
    views: () => [...control.ownViews.all()].filter(({ row }) => !row.is_simulated),
    viewById: (id) => control.registry.byId(id),
    order,
  });

  return {
    routes: homeAssistantRoutes({ bridge }),
    look: bridge.look,
    /** null: there is none to connect to. */
    async start(): Promise<{ stop: () => Promise<void> } | null> {
      if (url === null) return null;
      return connectHomeAssistant({
        url,
        user: config.homeAssistantUser,
        password: config.homeAssistantPassword,
        clientId: `shrimp-farm-${gatewayId.slice(0, 8)}`,
        statusTopic: statusTopic(names),
        filters: bridge.filters,
        log: kernel.log,
        connected: bridge.connected,
        disconnected: bridge.disconnected,
        hear: bridge.hear,
      });
    },
  };
}
