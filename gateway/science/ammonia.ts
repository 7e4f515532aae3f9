import type { ScienceConstants } from './constants.ts';

// How much of the ammonia in a pond is the poisonous, un-ionised form, and how much in all.

/** What decides how much of total ammonia is poisonous; null: not measured. */
export type AmmoniaWater = {
  temperatureC: number | null;
  /** Of a field meter calibrated with ordinary (NBS) buffers. */
  ph: number | null;
  /** Parts per thousand. */
  salinityPpt: number | null;
};

/** What nobody measured, or what lies where no published table reaches. */
export const AMMONIA_GAPS = [
  'TEMPERATURE_MISSING',
  'PH_MISSING',
  'SALINITY_MISSING',
  'TEMPERATURE_OUT_OF_RANGE',
  'PH_OUT_OF_RANGE',
  'SALINITY_OUT_OF_RANGE',
] as const;
export type AmmoniaGap = (typeof AMMONIA_GAPS)[number];

/**
 * Un-ionised ammonia nitrogen, mg/L NH3-N. What is not known has no figure of its own but the worst that is plausible,
 * under another name: nobody can take it for a measured one, and none can take it for nothing.
 */
export type Nh3 =
  | { isKnown: true; mgL: number; isExtrapolated: boolean }
  | { isKnown: false; worstMgL: number; gaps: readonly AmmoniaGap[] };

/**
 * The least un-ionised ammonia that killed half of the animals within four days, mg/L NH3-N (Lin & Chen 2001, at 15 ppt).
 * From there on the alarm calls for help and the ration is held.
 */
export const DEADLY_NH3_MG_L = 1.2;

type Limits = ScienceConstants['water']['worstPlausible'];

/** Ranges of the tables that the equations agree with (within 2 %), and how far they are drawn on beyond them. */
const TABLED = { temperatureC: [5, 35], salinityPpt: [0, 36], ph: [6, 10] } as const;
const EXTRAPOLATED = { temperatureC: 40, salinityPpt: 45 } as const;

/**
 * NH3-N in so much total ammonia nitrogen (mg/L as N, not negative).
 *
 * Published tables reach from 5 to 35 °C, 0 to 36 ppt and pH 6 to 10; the equation of the sea is drawn on to 40 °C and 45 ppt,
 * where ponds of dry coasts lie in the afternoon. Of what is missing or lies farther out the worst plausible value counts:
 * the farm's limits for what is missing, the nearer end of the range where going on would make it milder, and the
 * equation itself where it only gets worse.
 */
export function nh3Of(limits: Limits, tanMgL: number, water: AmmoniaWater): Nh3 {
  const { worst, gaps } = worstOf(limits, water);
  const mgL = tanMgL * shareOf(worst);
  if (gaps.length > 0) return { isKnown: false, worstMgL: mgL, gaps };
  const isExtrapolated =
    worst.temperatureC > TABLED.temperatureC[1] || worst.salinityPpt > TABLED.salinityPpt[1];
  return { isKnown: true, mgL, isExtrapolated };
}

/** The figure to act on: the known one, else the worst plausible. */
export function nh3ToActOn(nh3: Nh3): number {
  return nh3.isKnown ? nh3.mgL : nh3.worstMgL;
}

/** Total ammonia nitrogen that holds so much NH3-N, mg/L. */
export type Tan =
  | { isKnown: true; mgL: number; isExtrapolated: boolean }
  | { isKnown: false; gaps: readonly AmmoniaGap[] };

/** The total that belongs to a measured NH3-N: nothing is bounded here, for it grades nothing. */
export function tanOf(limits: Limits, nh3MgL: number, water: AmmoniaWater): Tan {
  const share = nh3Of(limits, 1, water);
  return share.isKnown
    ? { isKnown: true, mgL: nh3MgL / share.mgL, isExtrapolated: share.isExtrapolated }
    : { isKnown: false, gaps: share.gaps };
}

type Worst = { temperatureC: number; ph: number; salinityPpt: number };

/** Warmth and pH set ammonia free, salt holds it: what is missing is warm, alkaline and fresh. */
function worstOf(limits: Limits, water: AmmoniaWater): { worst: Worst; gaps: AmmoniaGap[] } {
  const gaps: AmmoniaGap[] = [];
  const measured = (value: number | null): value is number => value !== null && Number.isFinite(value);
  const { temperatureC, ph, salinityPpt } = water;
  const worst: Worst = { ...limits };
  if (measured(temperatureC)) {
    const [least] = TABLED.temperatureC;
    if (temperatureC < least || temperatureC > EXTRAPOLATED.temperatureC)
      gaps.push('TEMPERATURE_OUT_OF_RANGE');
    worst.temperatureC = Math.max(least, temperatureC);
  } else gaps.push('TEMPERATURE_MISSING');
  if (measured(ph)) {
    const [least, most] = TABLED.ph;
    if (ph < least || ph > most) gaps.push('PH_OUT_OF_RANGE');
    worst.ph = Math.max(least, ph);
  } else gaps.push('PH_MISSING');
  if (measured(salinityPpt)) {
    const [least] = TABLED.salinityPpt;
    if (salinityPpt < least || salinityPpt > EXTRAPOLATED.salinityPpt) gaps.push('SALINITY_OUT_OF_RANGE');
    worst.salinityPpt = Math.min(Math.max(least, salinityPpt), EXTRAPOLATED.salinityPpt);
  } else gaps.push('SALINITY_MISSING');
  return { worst, gaps };
}

function shareOf({ temperatureC, ph, salinityPpt }: Worst): number {
  return 1 / (1 + 10 ** (pKaOf(temperatureC, salinityPpt) - ph));
}

/** Saltiness from which the tables of the sea begin, and warmth up to which fresh water was measured and is left for them. */
const SEA_FROM_PPT = 18;
const FRESH_UP_TO_C = 30;
const SEA_FROM_C = 32;

/**
 * Sea water from 18 ppt on: after Whitfield (1974) and Hampson (1977) as in the EPA's saltwater criteria of 1989, the
 * coefficient of ionic strength fitted to the table of Bower & Bidwell (1978). Fresh water up to 30 °C: Emerson et al. (1975).
 * Between them the one passes evenly into the other, by salt and from 30 to 32 °C by warmth: beyond its own range the
 * fresh-water equation is the milder one, and no longer counts.
 */
function pKaOf(temperatureC: number, salinityPpt: number): number {
  const kelvin = temperatureC + 273.15;
  const ionicStrength = (19.9273 * salinityPpt) / (1000 - 1.005109 * salinityPpt);
  const withoutSalt = 9.245 + 0.0324 * (298 - kelvin) + 0.0415 / kelvin;
  const fresh = 0.09018 + 2729.92 / kelvin;
  const shareOfFresh =
    Math.max(0, 1 - salinityPpt / SEA_FROM_PPT) *
    Math.min(1, Math.max(0, (SEA_FROM_C - temperatureC) / (SEA_FROM_C - FRESH_UP_TO_C)));
  return withoutSalt + 0.1557 * ionicStrength + shareOfFresh * (fresh - withoutSalt);
}
