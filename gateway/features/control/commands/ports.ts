import type { RowOf, Stored } from '#contract/resource.ts';
import type { aerator } from '#contract/resources/aerators.ts';
import type { order } from '#contract/resources/control-points.ts';
import type { command, takenCommand } from '#contract/resources/sync-tables.ts';
import type { MemberRole } from '#contract/words.ts';

export type Command = RowOf<typeof command>;
export type TakenCommand = RowOf<typeof takenCommand>;
export type Order = Stored<RowOf<typeof order>>;
export type NamedCommand = Command & { issued_by_name: string | null };

/** An order under way, and what it rests on. */
export type OrderFacts = {
  command: Command;
  /** Of its control point, and which gateway runs it; null: the point or the farm is deleted. */
  farm: { ownerId: string; streamId: number | null } | null;
  /** The gateway it was given to is let in no longer. */
  isGatewayRevoked: boolean;
  isIssuerActive: boolean;
  /** Of the member who gave it; null: none, which the owner is, too. */
  role: MemberRole | null;
};

/** What the hosted instance knows of orders on their way. */
export type CommandQueries = {
  commandById: (id: string) => Promise<Command | null>;
  /** Orders of these control points whose end is not known (pending, sent, confirming, accepted), oldest first. */
  openOf: (controlPointIds: readonly string[]) => Promise<Command[]>;
  /** Orders to a gateway in one of these states that are not void yet, oldest first; `confirming` ones whatever their age. */
  waitingFor: (streamId: number, states: readonly Command['state'][], now: number) => Promise<Command[]>;
  /** Open orders whose time is over since less than a day, and all `confirming` ones, oldest first. */
  overdue: (now: number, limit: number) => Promise<Command[]>;
  countJourneys: (controlPointId: string) => Promise<number>;
  /** Newest first. */
  journeyOf: (
    controlPointId: string,
    page: { skip: number; limit: number | undefined },
  ) => AsyncIterable<NamedCommand>;
  /** Orders of gateways by the commands they were made of. */
  ordersOf: (commandIds: readonly string[]) => Promise<Order[]>;
  /** What the order is about, by names; null: it is gone. */
  pointNames: (controlPointId: string) => Promise<{ farmId: string; farmName: string; cod: string } | null>;
  /** Of all orders under way, or of this one; empty when it is not. */
  orderFacts: (id: string | null) => Promise<OrderFacts[]>;
  aeratorById: (id: string) => Promise<Stored<RowOf<typeof aerator>> | null>;
};

/** What a gateway knows of the orders it took. */
export type TakenQueries = {
  takenById: (id: string) => Promise<TakenCommand | null>;
  /** Taken, and not known yet how it went on. */
  accepted: () => Promise<TakenCommand[]>;
  orderById: (id: string) => Promise<Order | null>;
  /** Orders to a control point with a higher version, newest first. */
  ordersSince: (controlPointId: string, version: number) => Promise<Order[]>;
  userExists: (id: string) => Promise<boolean>;
  /** True when it is known here that the person may not, or no longer, switch on the farm; who is not known may. */
  isRefusedOn: (farmId: string, userId: string) => Promise<boolean>;
};
