import type { RowOf, Stored } from '#contract/resource.ts';
import type { aerator } from '#contract/resources/aerators.ts';
import type { FarmRole, SwitchState } from '#contract/words.ts';
import type { Caller, RouteDecision } from '#core/route.ts';

export type Aerator = Stored<RowOf<typeof aerator>>;

/** Facts the aerator use cases ask for; only visible (not deleted) rows are answered. */
export type AeratorQueries = {
  aeratorById: (id: string) => Promise<Aerator | null>;
  /** True for every id ever used, deleted aerators included. */
  aeratorIdTaken: (id: string) => Promise<boolean>;
  /** The aerator that bears this serial number, where the pond's farm has its names from. */
  aeratorIdOfDevice: (deviceId: string, pondId: string) => Promise<string | null>;
  /** True when this serial number is that of a siren: it airs nothing. */
  isSirenDevice: (deviceId: string, pondId: string) => Promise<boolean>;
  pondExists: (pondId: string) => Promise<boolean>;
  /** Aerators of one pond, or of all farms the user owns or is a member of, oldest first, as a stream. */
  aeratorsOf: (
    where: { userId: string; pondId: string | null },
    page: { skip: number; limit: number | undefined },
  ) => AsyncIterable<Aerator>;
  /** The owner's control point with this device id, and what the user is on its farm; null: there is none. */
  controlPointOfDevice: (which: {
    deviceId: string;
    ownerId: string;
    pondId: string;
    userId: string;
  }) => Promise<{ id: string; role: FarmRole | null } | null>;
};

/**
 * Decides a new target of a control point as an operator's order; control points bring it. `whenStorageFails` carries
 * the order out from memory.
 */
export type OrderControlPoint = (order: {
  controlPointId: string;
  target: SwitchState;
  caller: Caller;
  reason: string;
  aeratorId: string;
  requestId: string;
}) => Promise<Partial<RouteDecision>>;
