import { figure, type Language } from './language.ts';

/** Alkalinity up to which limestone dissolves, mg/L CaCO₃ (Boyd). */
export const LIMESTONE_UP_TO_MG_L = 50;

/** By experience alkalinity is raised by no more than this a day, mg/L CaCO₃. */
export const MOST_A_DAY_MG_L = 30;

/** So little lime, mg/L CaCO₃, is not worth a second product. */
const LEAST_LIME_MG_L = 5;

/** Sodium bicarbonate that holds the alkalinity of 1 g of CaCO₃, g: 84.007 / 50.044. */
export const BICARBONATE_PER_CACO3 = 1.679;

/** Depth that a dose by area is told for, where nobody knows how much water there is. */
const ASSUMED_M = 1;

type LowAlkalinity = { value: number; limit: number };
/** What each product adds, mg/L CaCO₃. */
type Lift = { lime: number; bicarbonate: number };

/**
 * What lifts alkalinity to its limit, as far as a day allows: lime where it dissolves, bicarbonate for the rest, so that less
 * alkalinity is never lifted less. null: it is there.
 */
export function alkalinityLift({ value, limit }: LowAlkalinity): Lift | null {
  if (value >= limit) return null;
  const lift = Math.min(MOST_A_DAY_MG_L, limit - value);
  const dissolves = Math.min(lift, LIMESTONE_UP_TO_MG_L - value);
  const lime = dissolves < Math.min(LEAST_LIME_MG_L, lift) ? 0 : dissolves;
  return { lime, bicarbonate: lift - lime };
}

/** Its weighed dose for the pond or, where its volume (m³) is not known, for 1,000 m³; null: alkalinity is at its limit. */
export function alkalinityDose(
  { volumeM3, ...pond }: LowAlkalinity & { volumeM3: number | null },
  language: Language,
): string | null {
  const lift = alkalinityLift(pond);
  if (lift === null) return null;
  // 1 mg/L is 1 g per m³
  const kg = (mgL: number) => (mgL * (volumeM3 ?? 1000)) / 1000;
  const told = (amount: number) =>
    volumeM3 === null
      ? `${figure(amount, 1, language)} kg ${PER_1000_M3[language]}`
      : // a little is not none
        `${figure(amount, amount < 1 ? 1 : 0, language)} kg`;
  return doseOf(
    {
      lime: lift.lime === 0 ? null : told(kg(lift.lime)),
      bicarbonate: lift.bicarbonate === 0 ? null : told(kg(lift.bicarbonate) * BICARBONATE_PER_CACO3),
    },
    language,
  );
}

/** A day’s dose where nobody knows how much is missing. */
export function alkalinityDoseByArea(product: keyof Lift, language: Language): string {
  const lime = MOST_A_DAY_MG_L * ASSUMED_M * 10;
  const kgPerHa = product === 'lime' ? lime : lime * BICARBONATE_PER_CACO3;
  // to the hundred: the depth is a guess
  return doseOf({ [product]: `${figure(Math.round(kgPerHa / 100) * 100, 0, language)} kg/ha` }, language);
}

/** Amounts of each product, as people say them. */
export function doseOf(amounts: { [Product in keyof Lift]?: string | null }, language: Language): string {
  const parts = (['lime', 'bicarbonate'] as const).flatMap((product) => {
    const amount = amounts[product] ?? null;
    return amount === null ? [] : [`${amount} ${PRODUCTS[product][language]}`];
  });
  return parts.join({ 'pt-BR': ' e ', en: ' and ', es: ' y ' }[language]);
}

const PER_1000_M3 = { 'pt-BR': 'por 1.000 m³', en: 'per 1,000 m³', es: 'por 1.000 m³' } as const;
const PRODUCTS = {
  lime: { 'pt-BR': 'de calcário', en: 'of lime', es: 'de cal' },
  bicarbonate: {
    'pt-BR': 'de bicarbonato de sódio',
    en: 'of sodium bicarbonate',
    es: 'de bicarbonato de sodio',
  },
} as const satisfies Readonly<Record<keyof Lift, Readonly<Record<Language, string>>>>;
