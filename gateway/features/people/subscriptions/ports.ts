import type { RowOf, Stored } from '#contract/resource.ts';
import type { subscription } from '#contract/resources/subscriptions.ts';
import type { GuardSeen } from '#core/changes.ts';

export type SubscriptionRow = RowOf<typeof subscription>;
export type Subscription = Stored<SubscriptionRow>;

/** What a plan counts, by the names of the interface. */
export type Counted = 'farms' | 'ponds' | 'active_batches';

/** A farm (of ponds) or a pond (of batches) that a limit holds for, and what people call it. */
export type Place =
  | { kind: 'farm'; farmId: string; farmName: string }
  | { kind: 'pond'; farmId: string; farmName: string; pondId: string; cod: string };
type Farm = Extract<Place, { kind: 'farm' }>;
type Pond = Extract<Place, { kind: 'pond' }>;

/** How many of each an owner has: farms, ponds on them, batches in production. */
export type Usage = Readonly<Record<Counted, number>>;

/** What of a subscription decides over a create. */
export type Terms = Pick<
  SubscriptionRow,
  | 'plan'
  | 'status'
  | 'past_due_since'
  | 'max_farms'
  | 'max_ponds_per_farm'
  | 'max_batches_per_pond'
  | 'created_at'
  | 'updated_at'
>;

/** What says whether a subscription has lapsed. */
export type LapseTerms = Pick<Terms, 'plan' | 'status' | 'past_due_since' | 'created_at' | 'updated_at'>;

/** Everything a create is judged by, of one moment. */
export type LimitFacts = {
  terms: Terms;
  /** How many there are where the limit holds: of the owner, on the farm, in the pond. */
  there: number;
  /** How many the owner has altogether. */
  used: number;
  /** Every create of the owner holds it, so that of two at the limit one wins. */
  guard: GuardSeen;
};

/** Facts the limits and the subscription routes ask for; only visible (not deleted) rows are answered. */
export type SubscriptionQueries = {
  subscriptionOf: (userId: string) => Promise<Subscription | null>;
  userExists: (id: string) => Promise<boolean>;
  usageOf: (userId: string) => Promise<Usage>;
  farmNamed: (farmId: string) => Promise<Farm | null>;
  pondNamed: (pondId: string) => Promise<Pond | null>;
  /** Farms of an owner with so many ponds or more. */
  farmsWithPonds: (of: { ownerId: string; atLeast: number }) => Promise<(Farm & { current: number })[]>;
  /** Ponds of an owner in which so many ACTIVE batches or more ever were: at least as many as are. */
  pondsWithBatches: (of: { ownerId: string; atLeast: number }) => Promise<Pond[]>;
  /** One statement each; null: the owner has no subscription. */
  farmFacts: (of: { ownerId: string }) => Promise<LimitFacts | null>;
  pondFacts: (of: { ownerId: string; farmId: string }) => Promise<LimitFacts | null>;
  /**
   * `there` counts every ACTIVE batch that was ever in the pond: at least as many as are. Without `exceptId`, which
   * may be one of them.
   */
  batchFacts: (of: {
    ownerId: string;
    pondId: string;
    exceptId: string | null;
  }) => Promise<LimitFacts | null>;
  /** Of the user and of the owners of farms the user works on. */
  plansAround: (userId: string) => Promise<LapseTerms[]>;
};
