import type { RowOf, Stored } from '#contract/resource.ts';
import type { paymentEvent, providerSubscription } from '#contract/resources/local-tables.ts';
import type { subscription } from '#contract/resources/subscriptions.ts';
import type { Plan } from '#contract/words.ts';
import type { Change } from '#core/changes.ts';
import type { Language } from '#core/notifying.ts';

export type Subscription = Stored<RowOf<typeof subscription>>;
export type ProviderName = NonNullable<Subscription['payment_provider']>;
export type Currency = Subscription['currency'];
/** A plan that is sold here; the others are free or by agreement. */
export type SoldPlan = Extract<Plan, 'BASIC' | 'PROFESSIONAL'>;
export type Person = { userId: string; email: string; name: string };

/** What a subscription of the provider is to us; PENDING: its first payment has not arrived. */
export type ProviderStatus = 'PENDING' | 'TRIALING' | 'ACTIVE' | 'PAST_DUE' | 'CANCELED';

/** What one word of the provider says about a subscription of its own; what it says nothing of is absent. */
export type FactContent = {
  status?: ProviderStatus;
  /** Of an invoice: what it does to the status depends on the status before it. */
  payment?: 'paid' | 'failed';
  plan?: Plan;
  currency?: Currency;
  /** Instants. */
  period?: { start: string; end: string };
  isCancelPlanned?: boolean;
  /** When the subscription was made. */
  since?: string;
};

/** A subscription as the provider shows it now. `at`: by the provider's clock, ms, whole seconds. */
export type Snapshot = { at: number; content: FactContent };

/** What a subscription is paid with next, as far as it ends some day; good until the last day of its month. */
export type Card = { id: string; last4: string; year: number; month: number };

export type InvoiceNews = {
  kind: 'payment_succeeded' | 'payment_failed' | 'invoice_ready';
  invoiceId: string;
  /** In the smallest unit of the currency. */
  amount: number;
  currency: string;
  url: string | null;
  /** Which attempt failed, and when the next one is. */
  attempt: number;
  nextAttemptAt: string | null;
};
export type PaymentNews =
  | InvoiceNews
  | { kind: 'payment_method_expired'; cardId: string; last4: string; year: number; month: number }
  | { kind: 'refunded'; chargeId: string; amount: number; currency: string; url: string | null }
  /** Of two subscriptions that ran at once the older was ended. */
  | { kind: 'double_ended'; subscriptionId: string; plan: Plan | null; keptPlan: Plan | null }
  | { kind: 'trial_ending'; endsAt: string };

/** An event of the provider, checked and translated. */
export type ProviderEvent = {
  id: string;
  type: string;
  provider: ProviderName;
  /** When the provider says that it happened, ms. */
  at: number;
  /** Orders what happened within one second; see FACT_RANKS. */
  rank: number;
  /** null: an event we have no use for. */
  about: { subscriptionId: string | null; customerId: string | null; userId: string | null } | null;
  content: FactContent | null;
  news: PaymentNews | null;
};

/** Whose word counts when two of the same second differ. */
export const FACT_RANKS = { invoice: 0, created: 1, updated: 2, asked: 3, deleted: 4 } as const;

export type CheckoutOrder = {
  person: Person;
  customerId: string;
  plan: SoldPlan;
  currency: Currency;
  successUrl: string;
  cancelUrl: string;
  language: Language;
  /** Address of this instance as the caller sees it. */
  origin: string;
  /**
   * A subscription that runs already: the page changes its plan. null: none is known to run. What was paid for meanwhile
   * the built-in provider sees as the button is pressed; where a provider does not, events tell, and keepOne ends it.
   */
  changes: string | null;
};

/**
 * Who takes the money. Calls may be repeated: a customer is made once per person. Throws AppError 503
 * PAYMENT_PROVIDER_UNAVAILABLE when the provider does not answer or does not let us in, 409 CUSTOMER_UNKNOWN when it
 * knows no such customer, 409 PAYMENT_STATE_CHANGED when what is asked for does not fit what it has, and 422
 * PAYMENT_REFUSED for what it does not take however often it is asked.
 */
export type PaymentProvider = {
  name: ProviderName;
  /** `attempt`: the same for calls that shall make one customer. */
  createCustomer: (person: Person, attempt: string) => Promise<string>;
  /** Closes the pages of the customer that are still open: of two pages one alone can be paid. */
  createCheckout: (order: CheckoutOrder) => Promise<{ sessionId: string; url: string }>;
  createPortal: (wish: {
    customerId: string;
    returnUrl: string;
    language: Language;
    origin: string;
  }) => Promise<{ url: string }>;
  cancelSubscription: (wish: {
    subscriptionId: string;
    when: 'now' | 'at period end';
    reason: string | null;
  }) => Promise<Snapshot | null>;
  /** Ends one at once that was bought beside another; what is left of its paid time is credited to the customer. */
  endDouble: (subscriptionId: string) => Promise<Snapshot | null>;
  /** Forgets a person and ends at once what the person pays for; one it does not know is forgotten already. */
  deleteCustomer: (customerId: string) => Promise<void>;
  /** Also one that was forgotten; false where this account never had it. */
  knowsCustomer: (customerId: string) => Promise<boolean>;
  /** null, here and above: the provider knows no such subscription. */
  subscriptionNow: (subscriptionId: string) => Promise<(Snapshot & { card: Card | null }) | null>;
  /** Those of a customer that have not ended; none for a customer the provider does not know. */
  subscriptionsOf: (customerId: string) => Promise<(Snapshot & { id: string })[]>;
  /** Throws AppError 400 for a body that the provider did not sign, or cannot have meant for us. */
  readEvent: (raw: Uint8Array, signature: string | null) => ProviderEvent;
};

/** One word of the provider with its place in the order of things. */
export type Fact = FactContent & { at: string; rank: number; source: string };
export type ProviderSubscription = RowOf<typeof providerSubscription>;

export type PaymentQueries = {
  subscriptionOf: (userId: string) => Promise<Subscription | null>;
  personOf: (userId: string) => Promise<Person | null>;
  eventSeen: (eventId: string) => Promise<RowOf<typeof paymentEvent> | null>;
  /** Whose subscription at the provider this is, as far as earlier events told. */
  holderOf: (providerSubscriptionId: string) => Promise<string | null>;
  userOfCustomer: (customerId: string) => Promise<string | null>;
  providerSubscriptionsOf: (userId: string, provider: ProviderName) => Promise<ProviderSubscription[]>;
  /** Those that people have now and that the provider is to be asked after by then, longest due first. */
  dueLooks: (of: { provider: ProviderName; at: string; limit: number }) => Promise<ProviderSubscription[]>;
  /** Of who became a customer in that time and has no subscription there, newest first. */
  buyersUnheard: (of: {
    provider: ProviderName;
    from: string;
    until: string;
    limit: number;
  }) => Promise<Subscription[]>;
};

/** The SUBSCRIPTION notifications that belong to a change of a subscription. */
export type SubscriptionChanged = (change: {
  before: RowOf<typeof subscription>;
  after: RowOf<typeof subscription>;
  userId: string;
  cause: string;
}) => Promise<Change[]>;

export type CheckoutInput = { plan: Plan; successUrl: string; cancelUrl: string; currency: Currency | null };
export type Cancelled = {
  subscription_id: string;
  status: Subscription['status'];
  cancel_at_period_end: boolean;
  current_period_end: string | null;
  message: string;
};
/** Who asks: the user, the language of the page, and the address under which the user sees this instance. */
export type Customer = { userId: string; language: Language; origin: string };

/**
 * What a user may ask for. An instance with a provider of its own answers itself; a gateway that belongs to a hosted
 * instance hands the same questions on to it.
 */
export type PaymentDesk = {
  checkout: (customer: Customer, input: CheckoutInput) => Promise<{ session_id: string; url: string }>;
  portal: (customer: Customer, returnUrl: string) => Promise<{ url: string }>;
  cancel: (
    customer: Customer,
    wish: { when: 'now' | 'at period end'; reason: string | null },
  ) => Promise<Cancelled>;
};

/** A page of the built-in provider: its style is the only one that takes effect in it, and no script does. */
export type PageAnswer =
  | {
      status: number;
      html: string;
      style: string;
      /** Addresses its forms may lead to besides this instance. */
      formTargets: readonly string[];
    }
  | { seeOther: string };

/** The pages a person clicks through; `path` is what follows /payment/sandbox. */
export type PaymentPages = (request: {
  method: 'GET' | 'POST';
  path: readonly string[];
  form: URLSearchParams;
}) => Promise<PageAnswer>;
