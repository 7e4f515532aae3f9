import { paymentPages } from '#adapters/http/payment-pages.ts';
import { sandboxPages } from '#adapters/payments/sandbox/portal-page.ts';
import { type SandboxDeps, sandboxProvider } from '#adapters/payments/sandbox/sandbox-provider.ts';
import { sandboxTick } from '#adapters/payments/sandbox/sandbox-tick.ts';
import type { StripeSettings } from '#adapters/payments/stripe-provider.ts';
import type { Database } from '#adapters/sql/database.ts';
import {
  paymentQueries,
  sandboxQueries,
  subscriptionQueries,
} from '#adapters/sql/queries/people/subscriptions.ts';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import type { Feature } from '#contract/plans.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import type { Plan } from '#contract/words.ts';
import { type Change, insert } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { endPayments } from '#features/people/payments/end-payments.ts';
import { type EndedDoubles, newEndedDoubles } from '#features/people/payments/keep-one.ts';
import { lookAgain } from '#features/people/payments/look-again.ts';
import { ownDesk } from '#features/people/payments/own-desk.ts';
import type { PaymentProvider, SubscriptionChanged } from '#features/people/payments/ports.ts';
import { paymentRoutes, takeEvent } from '#features/people/payments/routes.ts';
import {
  type SubscriptionChange,
  subscriptionChanged,
} from '#features/people/subscriptions/change-subscription.ts';
import { usedOf } from '#features/people/subscriptions/full-places.ts';
import {
  type LimitDeps,
  limitBatches,
  limitFarm,
  limitHandover,
  limitIncoming,
  limitPond,
} from '#features/people/subscriptions/limit-creates.ts';
import type { Subscription } from '#features/people/subscriptions/ports.ts';
import { subscriptionRoutes } from '#features/people/subscriptions/routes.ts';
import { firstSubscription, holdsFeature } from '#features/people/subscriptions/terms.ts';
import { batchStates } from '#features/production/batches/batch-states.ts';
import type { Config } from '#runtime/config.ts';

type PaymentWiring = {
  config: Config;
  kernel: Kernel;
  database: Database;
  /** Secret of this instance. */
  secret: string;
  notify: Notify;
  subscriptionChanged: SubscriptionChanged;
};

/** Who takes the money: Stripe when its key is configured, else the built-in sandbox with pages and a pulse of its own. */
export async function openPayments(wiring: PaymentWiring) {
  const { config, kernel, database, notify, subscriptionChanged } = wiring;
  const queries = paymentQueries(database.read);
  const settings = stripeSettings(config);
  const endedDoubles = newEndedDoubles();
  const sandbox = settings === null ? sandboxDeps(wiring, queries, endedDoubles) : null;
  const provider = sandbox === null ? await stripe(kernel, settings) : sandboxProvider(sandbox);
  const deps = { ...kernel, queries, provider, notify, subscriptionChanged, endedDoubles };
  const desk = ownDesk(deps);
  if (sandbox !== null && config.role === 'hosted')
    kernel.log.warn({}, 'payments go to the built-in sandbox: plans are sold for test cards, no money moves');
  return {
    /** Ends what a user pays for, and has the provider forget the user. */
    endPayments: (userId: string) => endPayments(deps, userId),
    routes: paymentRoutes({ ...deps, desk, publicUrl: config.publicUrl }),
    pages: sandbox === null ? null : paymentPages(sandboxPages(sandbox)),
    /** Renewals and events that are due; nothing to do where the provider is somebody else. */
    tick: sandbox === null ? null : () => sandboxTick(sandbox),
    /** Asks the provider for what should have been heard of, and for cards that end. */
    look: () => lookAgain(deps),
  };
}

async function stripe(kernel: Kernel, settings: StripeSettings | null): Promise<PaymentProvider> {
  if (settings === null) throw new Error('no payment provider is configured');
  // its library takes 20 MB and half a second, which a box on a farm has no use for
  const { stripeProvider } = await import('#adapters/payments/stripe-provider.ts');
  return stripeProvider(kernel, settings);
}

/** null: no key, so the sandbox. `readConfig` saw to it that what belongs together is there. */
function stripeSettings(config: Config): StripeSettings | null {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret } = config;
  if (secretKey === null || webhookSecret === null) return null;
  return {
    secretKey,
    webhookSecret,
    apiBase: config.stripeApiBase,
    prices: {
      BASIC: { BRL: config.stripePriceBasicBrl, USD: config.stripePriceBasicUsd },
      PROFESSIONAL: { BRL: config.stripePriceProfessionalBrl, USD: config.stripePriceProfessionalUsd },
    },
  };
}

/** The sandbox sends its events to our own webhook, signed as a stranger would. */
function sandboxDeps(
  { kernel, database, secret, notify, subscriptionChanged }: PaymentWiring,
  queries: ReturnType<typeof paymentQueries>,
  endedDoubles: EndedDoubles,
): SandboxDeps {
  const deps: SandboxDeps = {
    ...kernel,
    secret,
    queries: sandboxQueries(database.read),
    async deliver(raw, signature) {
      const provider = sandboxProvider(deps);
      const event = provider.readEvent(raw, signature);
      await perform(kernel, null, () =>
        takeEvent({ ...kernel, queries, provider, notify, subscriptionChanged, endedDoubles }, event),
      );
    },
  };
  return deps;
}

/** What a create asks of the plan of its owner; each answers rows and guards for the creating commit, or throws. */
export type Limits = Subscriptions['limits'];
export type Subscriptions = ReturnType<typeof subscriptionsOf>;

/** Plans, limits and who may use what. Control is wired without it: billing never stops aeration. */
export function subscriptionsOf(kernel: Kernel, database: Database, notify: Notify) {
  const queries = subscriptionQueries(database.read);
  const batches = batchStates({ ...kernel, queries: batchFactQueries(database.read) });
  const deps: LimitDeps = {
    ...kernel,
    notify,
    queries,
    async batchesIn(pondId) {
      const states = (await batches.activeInPonds([pondId])).get(pondId) ?? [];
      return states.map(({ batch }) => batch.id);
    },
  };
  const batchCountsIn = async (pondIds: readonly string[]) => {
    if (pondIds.length === 0) return new Map<string, number>();
    const states = await batches.activeInPonds(pondIds);
    return new Map([...states].map(([pondId, there]) => [pondId, there.length]));
  };
  const changed = (change: SubscriptionChange) => subscriptionChanged({ ...kernel, notify, queries }, change);
  return {
    routes: subscriptionRoutes({ ...kernel, queries, subscriptionChanged: changed, batchCountsIn }),
    limits: {
      farm: (farm: Parameters<typeof limitFarm>[1]) => limitFarm(deps, farm),
      pond: (pond: Parameters<typeof limitPond>[1], ownerId: string) => limitPond(deps, pond, ownerId),
      batches: (made: Parameters<typeof limitBatches>[1]) => limitBatches(deps, made),
      handover: (wish: Parameters<typeof limitHandover>[1]) => limitHandover(deps, wish),
      incoming: (arrival: Parameters<typeof limitIncoming>[1]) => limitIncoming(deps, arrival),
    },
    /** How much of a plan its owner uses. */
    usedOf: (row: Subscription) => usedOf({ queries, batchCountsIn }, row),
    /** The subscription a new account begins with, and the news of it, for the commit that makes the account. */
    async first(account: { id: string; language?: string | null }, plan: Plan): Promise<Change[]> {
      const { id: userId, language = null } = account;
      const row = firstSubscription(kernel, userId, plan);
      const told = await changed({ before: null, after: row, userId, language, cause: row.id });
      return [insert(subscription, row), ...told];
    },
    /** Changes that tell a user of a changed subscription, for the commit that changes it. */
    subscriptionChanged: changed,
    /** Throws 402 or 403 when a lapse is in the way. */
    async hasFeature(userId: string, feature: Feature): Promise<boolean> {
      const row = await queries.subscriptionOf(userId);
      return row !== null && holdsFeature(kernel, row, feature);
    },
  };
}
