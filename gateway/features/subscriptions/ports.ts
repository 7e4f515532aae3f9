import type { RowOf, Stored } from '#contract/resource.ts';
import type { usageCrossing } from '#contract/resources/local-tables.ts';
import type { subscription } from '#contract/resources/subscriptions.ts';
import type { Plan } from '#contract/words.ts';
import type { GuardSeen } from '#core/changes.ts';

export type SubscriptionRow = RowOf<typeof subscription>;
export type Subscription = Stored<SubscriptionRow>;

/** What a plan counts, by the names of the interface. */
export type Counted = RowOf<typeof usageCrossing>['resource'];

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

/** Everything a create is judged by, of one moment. */
export type LimitFacts = {
  terms: Terms;
  /** How many there are where the limit holds: of the owner, on the farm, in the pond. */
  there: number;
  /** How many the owner has altogether. */
  used: number;
  /** Percent the owner was last told of: 0, 80 or 100. */
  told: number;
  /** Every create of the owner holds it, so that of two at the limit one wins. */
  guard: GuardSeen;
};

/** Facts the limits and the subscription routes ask for; only visible (not deleted) rows are answered. */
export type SubscriptionQueries = {
  subscriptionOf: (userId: string) => Promise<Subscription | null>;
  userExists: (id: string) => Promise<boolean>;
  usageOf: (userId: string) => Promise<Usage>;
  /** Percent the user was last told of, by what is counted. */
  toldOf: (userId: string) => Promise<ReadonlyMap<Counted, number>>;
  /** One statement each; null: the owner has no subscription. */
  farmFacts: (of: { ownerId: string; crossingId: string }) => Promise<LimitFacts | null>;
  pondFacts: (of: { ownerId: string; crossingId: string; farmId: string }) => Promise<LimitFacts | null>;
  /**
   * `there` counts every ACTIVE batch that was ever in the pond: at least as many as are. Without `exceptId`, which
   * may be one of them.
   */
  batchFacts: (of: {
    ownerId: string;
    crossingId: string;
    pondId: string;
    exceptId: string | null;
  }) => Promise<LimitFacts | null>;
  /** The plan of the user and of the owners of farms the user works on. */
  plansAround: (userId: string) => Promise<Plan[]>;
};
