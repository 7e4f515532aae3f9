import * as z from 'zod';
import { wordOf } from '../fields.ts';
import { FEATURES } from '../plans.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { PLANS } from '../words.ts';

export const SUBSCRIPTION_STATUSES = ['ACTIVE', 'PAST_DUE', 'CANCELED', 'TRIALING'] as const;
export const CURRENCIES = ['USD', 'BRL'] as const;

export const subscription = defineResource({
  name: 'subscriptions',
  entity: 13,
  sync: 'editable',
  row: z.object({
    id: uuid,
    user_id: uuid,
    plan: z.enum(PLANS),
    status: z.enum(SUBSCRIPTION_STATUSES),
    currency: z.enum(CURRENCIES),
    /** Who takes the money: null as long as nobody was asked. */
    payment_provider: z.enum(['stripe', 'sandbox']).nullable(),
    payment_customer_id: z.string().nullable(),
    payment_subscription_id: z.string().nullable(),
    current_period_start: instant.nullable(),
    current_period_end: instant.nullable(),
    cancel_at_period_end: z.boolean(),
    /** Since when a payment is missing; 14 days later creating is refused. */
    past_due_since: instant.nullable(),
    /** Set by an administrator in place of the plan's; -1 is unlimited, null the plan's. */
    max_farms: z.int().nullable(),
    max_ponds_per_farm: z.int().nullable(),
    max_batches_per_pond: z.int().nullable(),
    features: z.record(z.string(), z.boolean()).nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    plan: {
      fields: [
        'plan',
        'status',
        'currency',
        'payment_provider',
        'payment_customer_id',
        'payment_subscription_id',
        'current_period_start',
        'current_period_end',
        'cancel_at_period_end',
        'past_due_since',
        'max_farms',
        'max_ponds_per_farm',
        'max_batches_per_pond',
        'features',
      ],
      owner: 'hosted',
    },
  },
  parents: { users: 'user_id' },
});

const flags = z.object(
  // one entry per word of the list
  Object.fromEntries(FEATURES.map((name) => [name, z.boolean()])) as Record<
    (typeof FEATURES)[number],
    z.ZodBoolean
  >,
);
const maximum = z.int().min(-1).max(1_000_000).nullish().describe('-1 is unlimited, null what the plan says');

/** PUT /subscriptions/{user_id}: fields left out stay; a new plan brings its own limits and features. */
export const subscriptionUpdate = z.object({
  plan: wordOf(PLANS).optional(),
  status: wordOf(SUBSCRIPTION_STATUSES).optional(),
  max_farms: maximum,
  max_ponds_per_farm: maximum,
  max_batches_per_pond: maximum,
  features: flags.partial().nullish().describe('Flags in place of those of the plan; null takes all back'),
  currency: wordOf(CURRENCIES).optional(),
});
export type SubscriptionUpdate = z.infer<typeof subscriptionUpdate>;

const limits = z.object({
  max_farms: z.int(),
  max_ponds_per_farm: z.int(),
  max_batches_per_pond: z.int(),
});

export const subscriptionAnswer = z.object({
  id: z.uuid(),
  user_id: z.uuid(),
  plan: z.enum(PLANS),
  status: z.enum(SUBSCRIPTION_STATUSES),
  payment_customer_id: z.string().nullable(),
  payment_subscription_id: z.string().nullable(),
  current_period_start: z.string().nullable(),
  current_period_end: z.string().nullable(),
  ...limits.shape,
  current_farms: z.int(),
  features: flags,
  currency: z.enum(CURRENCIES),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  cancel_at_period_end: z.boolean(),
  grace_ends_at: z
    .string()
    .nullable()
    .describe('While a payment is missing: until then everything can be created as before'),
});
export type SubscriptionAnswer = z.infer<typeof subscriptionAnswer>;

const used = z.object({
  current: z.int(),
  max: z.int().describe('-1 is unlimited'),
  percentage: z.number().describe('0 where the limit is unlimited'),
});

export const limitsAnswer = z.object({
  plan: z.enum(PLANS),
  limits,
  usage: z.object({ farms: used, ponds: used, active_batches: used }),
  warnings: z
    .array(
      z.object({
        resource: z.string(),
        message: z.string(),
        current: z.int(),
        max: z.int(),
        farm_id: z
          .uuid()
          .optional()
          .describe('The farm, or that of the pond, on which nothing more can be created'),
        pond_id: z.uuid().optional(),
      }),
    )
    .describe('What is used to more than 80 %, and farms and ponds that are full'),
  can_create: z
    .object({ farm: z.boolean(), pond: z.boolean(), batch: z.boolean() })
    .describe('Whether there is room on at least one farm, in at least one pond'),
});
export type LimitsAnswer = z.infer<typeof limitsAnswer>;

export const planListing = z.object({
  plans: z.array(
    z.object({
      id: z.enum(PLANS),
      name: z.string(),
      description: z.string(),
      price: z.object({ usd: z.number(), brl: z.number() }).nullable(),
      billing_period: z.literal('monthly').nullable(),
      limits,
      features: flags,
      popular: z.boolean(),
      contact_sales: z.boolean(),
    }),
  ),
});
export type PlanListing = z.infer<typeof planListing>;
