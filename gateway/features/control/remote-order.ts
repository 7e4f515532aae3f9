import type { PendingOrder } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { conflict } from '#core/errors.ts';
import type { RouteDecision } from '#core/route.ts';
import type { ControlView } from './control-view.ts';

/** What somebody far away wants done at once is void unless the gateway takes it within this time. */
export const REMOTE_EXPIRES_IN_S = 60;

// On a hosted instance a farm may have a gateway, which alone switches its control points. What features ask about it.

/** What a person wants of a control point that a gateway runs. */
export type RemoteOrder = {
  target: SwitchState;
  issuedBy: string | null;
  reason: string | null;
  /** `for_s`; null: until the next schedule event. */
  holdS: number | null;
  expiresInS: number;
  isForced: boolean;
  /** Aerator whose switching it is. */
  aeratorId: string | null;
};

export type FarmGateways = {
  /** Asks the database: true when a gateway runs the farm. Never on a gateway, which runs all of its own. */
  hasGateway: (farmId: string) => Promise<boolean>;
  /** The same from memory, for what is asked all the time; may be a moment behind another process. */
  isRunByGateway: (farmId: string) => boolean;
  /** Puts the order on its way to the gateway; null: this instance switches the farm itself. */
  sendOrder: (view: ControlView, order: RemoteOrder) => Promise<RouteDecision | null>;
  /** Orders on their way, by control point. */
  pendingOrders: (
    points: readonly { id: string; version: number; epoch: string; farm_id: string }[],
  ) => Promise<ReadonlyMap<string, PendingOrder>>;
  /** Since when nothing was heard of the farm's gateway, ms; null: it is connected. undefined: the farm has none. */
  silentSince: (farmId: string) => number | null | undefined;
};

/**
 * Controllers at a farm are heard by the name of their device: what a gateway controls gets another one there alone, where
 * somebody can stand at the motor. Throws 409.
 */
export async function requireOwnDevices(
  gateways: Pick<FarmGateways, 'hasGateway'>,
  farmId: string,
  name: string,
): Promise<void> {
  if (!(await gateways.hasGateway(farmId))) return;
  throw conflict(
    `${name} is controlled by the gateway of its farm: give it another device there, on the farm network; if that gateway is gone for good, take the farm off it first`,
    'ON_GATEWAY_ONLY',
  );
}

/** A gateway's own answer, and that of a hosted instance on which no farm has one. */
export const NO_GATEWAYS: FarmGateways = {
  hasGateway: async () => false,
  isRunByGateway: () => false,
  sendOrder: async () => null,
  pendingOrders: async () => new Map(),
  silentSince: () => undefined,
};
