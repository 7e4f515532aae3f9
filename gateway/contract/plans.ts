import type { Plan } from './words.ts';

export const FEATURES = [
  'advanced_analytics',
  'api_access',
  'export_data',
  'priority_support',
  'custom_reports',
  'ai_predictions',
  'white_label',
] as const;
export type Feature = (typeof FEATURES)[number];
export type Features = Readonly<Record<Feature, boolean>>;

/** What a plan allows; -1 is unlimited. */
export type PlanLimits = {
  max_farms: number;
  max_ponds_per_farm: number;
  max_batches_per_pond: number;
};

export const UNLIMITED = -1;

export type PlanTerms = {
  limits: PlanLimits;
  features: Features;
  /** A month, in whole units of the currency; null: by agreement. */
  price: Readonly<{ usd: number; brl: number }> | null;
  /** null: unlimited. */
  rate: Readonly<{ requestsPerHour: number; connections: number }> | null;
};

const features = (...held: Feature[]): Features => ({
  advanced_analytics: held.includes('advanced_analytics'),
  api_access: held.includes('api_access'),
  export_data: held.includes('export_data'),
  priority_support: held.includes('priority_support'),
  custom_reports: held.includes('custom_reports'),
  ai_predictions: held.includes('ai_predictions'),
  white_label: held.includes('white_label'),
});

/** The plans as the interface lists them. */
export const PLAN_TERMS: Readonly<Record<Plan, PlanTerms>> = {
  FREE: {
    limits: { max_farms: 1, max_ponds_per_farm: 3, max_batches_per_pond: 1 },
    features: features(),
    price: { usd: 0, brl: 0 },
    rate: { requestsPerHour: 100, connections: 5 },
  },
  BASIC: {
    limits: { max_farms: 3, max_ponds_per_farm: 10, max_batches_per_pond: 2 },
    features: features('api_access', 'export_data'),
    price: { usd: 29, brl: 149 },
    rate: { requestsPerHour: 500, connections: 20 },
  },
  PROFESSIONAL: {
    limits: { max_farms: 10, max_ponds_per_farm: 50, max_batches_per_pond: 5 },
    features: features(
      'advanced_analytics',
      'api_access',
      'export_data',
      'priority_support',
      'custom_reports',
      'ai_predictions',
    ),
    price: { usd: 99, brl: 499 },
    rate: { requestsPerHour: 2_000, connections: 50 },
  },
  ENTERPRISE: {
    limits: { max_farms: UNLIMITED, max_ponds_per_farm: UNLIMITED, max_batches_per_pond: UNLIMITED },
    features: features(...FEATURES),
    price: null,
    rate: null,
  },
};
