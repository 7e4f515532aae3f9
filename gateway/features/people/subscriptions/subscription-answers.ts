import { PLAN_TERMS } from '#contract/plans.ts';
import type { LimitsAnswer, PlanListing, SubscriptionAnswer } from '#contract/resources/subscriptions.ts';
import { PLANS, type Plan } from '#contract/words.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import { percent } from '#core/rounding.ts';
import type { Used } from './full-places.ts';
import type { Counted, Place, Subscription } from './ports.ts';
import { placeWords, usageWords } from './subscription-words.ts';
import { featuresOf, graceEndOf, lapseOf, limitsOf } from './terms.ts';
import { placeIs } from './usage-crossings.ts';
import { COUNTED, hasRoom, isOfUse, isWarnedOf, levelOf, maximaOf, percentOf } from './usage-rules.ts';

export function subscriptionAnswerOf(
  row: Omit<Subscription, 'rev'>,
  currentFarms: number,
): SubscriptionAnswer {
  const { id, user_id, plan, status, currency, created_at, updated_at, cancel_at_period_end } = row;
  const { payment_customer_id, payment_subscription_id, current_period_start, current_period_end } = row;
  return {
    id,
    user_id,
    plan,
    status,
    payment_customer_id,
    payment_subscription_id,
    current_period_start,
    current_period_end,
    ...limitsOf(row),
    current_farms: currentFarms,
    features: featuresOf(row),
    currency,
    created_at,
    updated_at,
    cancel_at_period_end,
    grace_ends_at: graceEndOf(row),
  };
}

/** More would be no warning any more. */
const PLACES_SHOWN = 100;

/** What a subscription allows and how much of it is used. */
export function limitsAnswerOf(
  deps: Pick<Kernel, 'now' | 'clockQuality'>,
  row: Subscription,
  { usage, tight }: Used,
  language: Language,
): LimitsAnswer {
  const limits = limitsOf(row);
  const maxima = maximaOf(limits);
  const isLapsed = lapseOf(deps, row) !== null;
  const shareOf = (of: Counted) => {
    const [current, max] = [usage[of], maxima[of]];
    return { current, max, percentage: percent(percentOf(current, max)) };
  };
  // where nothing is yet nothing is full
  const isEverywhereFull = (kind: Place['kind'], count: number) =>
    count > 0 &&
    tight.filter(({ place, current, max }) => place.kind === kind && !hasRoom(current, max)).length >= count;
  const mayCreate = (of: Counted) => !isLapsed && hasRoom(usage[of], maxima[of]);
  const saidOfAll = (of: Counted) => (isWarnedOf(usage[of], maxima[of]) ? levelOf(usage[of], maxima[of]) : 0);
  return {
    plan: row.plan,
    limits,
    usage: {
      farms: shareOf('farms'),
      ponds: shareOf('ponds'),
      active_batches: shareOf('active_batches'),
    },
    warnings: [
      ...COUNTED.flatMap((resource) => {
        const [current, max] = [usage[resource], maxima[resource]];
        const level = levelOf(current, max);
        if (!isWarnedOf(current, max)) return [];
        const message = usageWords(resource, { level, current, max }).message(language);
        return [{ resource, message, current, max }];
      }),
      ...tight.slice(0, PLACES_SHOWN).flatMap(({ place, current, max }) => {
        const { resource, ids } = placeIs(place);
        // what holds for all that the owner has is said already
        if (levelOf(current, max) <= saidOfAll(resource)) return [];
        if (place.kind === 'pond' && isOfUse(row.plan, max)) return [];
        return [
          { resource, message: placeWords(place, { current, max }).message(language), current, max, ...ids },
        ];
      }),
    ],
    can_create: {
      farm: mayCreate('farms'),
      pond: mayCreate('ponds') && !isEverywhereFull('farm', usage.farms),
      batch: mayCreate('active_batches') && !isEverywhereFull('pond', usage.ponds),
    },
  };
}

const WORDS: Readonly<Record<Plan, { name: string; pt: string; en: string; es: string }>> = {
  FREE: {
    name: 'Free',
    pt: 'Para começar: uma fazenda pequena, com aeração, alertas e registros completos.',
    en: 'To begin with: one small farm, with aeration, alerts and all records.',
    es: 'Para comenzar: una camaronera pequeña, con aireación, alertas y registros completos.',
  },
  BASIC: {
    name: 'Basic',
    pt: 'Para produtores com algumas fazendas: mais viveiros, exportação de dados e acesso por API.',
    en: 'For growers with a few farms: more ponds, data exports and access by API.',
    es: 'Para productores con algunas camaroneras: más piscinas, exportación de datos y acceso por API.',
  },
  PROFESSIONAL: {
    name: 'Professional',
    pt: 'Para produção profissional: análises avançadas, previsões, relatórios e suporte prioritário.',
    en: 'For professional production: advanced analytics, predictions, reports and priority support.',
    es: 'Para producción profesional: análisis avanzados, pronósticos, reportes y soporte prioritario.',
  },
  ENTERPRISE: {
    name: 'Enterprise',
    pt: 'Sem limites, com a marca da sua empresa. Fale com a nossa equipe.',
    en: 'Without limits, under your own brand. Talk to our team.',
    es: 'Sin límites, con la marca de su empresa. Hable con nuestro equipo.',
  },
};

/** The plans there are, the smallest first. */
export function planListingOf(language: Language): PlanListing {
  return {
    plans: PLANS.map((id) => {
      const { limits, features, price } = PLAN_TERMS[id];
      return {
        id,
        name: WORDS[id].name,
        description: { 'pt-BR': WORDS[id].pt, en: WORDS[id].en, es: WORDS[id].es }[language],
        price,
        billing_period: price === null ? null : 'monthly',
        limits,
        features,
        popular: id === 'PROFESSIONAL',
        contact_sales: price === null,
      };
    }),
  };
}
