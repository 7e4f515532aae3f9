import { DAWN_FORECAST } from './dawn-forecast-constants.ts';

/** How postlarvae are fed until they are weighed: by the weight expected of them, or by a published chart. */
export const BLIND_CHARTS = ['BY_WEIGHT', 'ROCHA_MAIA_1998', 'VINH_PHAT_LOC'] as const;

export type BlindChart = (typeof BLIND_CHARTS)[number];

/**
 * Every number of the farm's science that a farm may tune, in one table, by topic.
 * Functions take the section they need as their first argument; a farm that knows its
 * own ponds better hands in its own copy of a section.
 *
 * Marks: "calibrated" is a product default fitted to the published data quoted beside it,
 * not a literature value.
 */
export const SCIENCE_DEFAULTS = {
  growth: {
    /**
     * von Bertalanffy growth in weight: asymptote (g), shape exponent, rate per day at 28 °C.
     * The asymptote is a shape constant of the curve, not the largest animal the species makes.
     * vannamei: rate calibrated (Texas nursery, Gujarat and Sindh ponds, Brazilian practice);
     * 0.0060 is a cautious farm (8.3 g on day 100 from a postlarva), 0.0095 a fast line (19.6 g).
     * monodon: the three constants of FAO's AFFRIS standard curve (after Huang et al. 2006).
     */
    curves: {
      vannamei: { asymptoticWeightG: 80, shape: 3, ratePerDay: 0.0072 },
      monodon: { asymptoticWeightG: 87.97, shape: 2.9498, ratePerDay: 0.0093 },
    },
    /** Usual weight at harvest, grams. */
    harvestWeightG: { vannamei: 12, monodon: 30 },
    /** No projection promises more than this, grams. */
    largestProjectedWeightG: 45,
    /** A pond's own growth rate is kept within these multiples of the species' rate. */
    observedRateBounds: { least: 0.5, most: 2 },
    /** Before this age (days) a pond's own growth rate says too little to project from. */
    observedRateFromDay: 14,
    /** Distance from the expected weight still called on track, per cent either side. */
    onTrackWithinPercent: 5,
    /** Cardinal temperatures of growth, °C, and the temperature at which the factor is 1. */
    temperature: { minimumC: 15, optimumC: 30, maximumC: 38, referenceC: 28 },
    /** Days without a reading take the mean of this many last measured days. */
    temperatureFillDays: 7,
    /** The curve follows temperature only when at least this share of days was measured. */
    temperatureLeastMeasuredShare: 0.5,
    /** Stocked below this weight (g) they are postlarvae, first weighed on this day. */
    postlarvaBelowG: 0.5,
    firstBiometryDay: 20,
    /** Days between two weighings of the same batch in ordinary practice. */
    biometryEveryDays: 7,
    /** Weighing again after something was found wrong, days. */
    biometryEveryDaysWhenBehind: 5,
  },
  feeding: {
    /**
     * vannamei: largest meal of Nunes & Parsons (2000), g per shrimp and day = scale × W^exponent,
     * and the share of it that is offered (calibrated; 0.70–1.00 in practice). The scale, 0.0931 in
     * print, has one more digit so that the ration is the 7.91 % at 1 g that was calibrated.
     */
    vannamei: { mealScale: 0.09306, mealExponent: 0.62, rationFactor: 0.85 },
    /**
     * How postlarvae of vannamei are fed until they are weighed (gateway/science/feeding-ration.ts). By weight the first meals
     * of 100,000 are 10 g; what is published begins at 0.3 kg a day.
     */
    blindChart: 'ROCHA_MAIA_1998' as BlindChart,
    /** No feeding table goes above this, % of biomass per day. */
    largestRatePercent: 25,
    /** monodon: feeding table after Chanratchakool et al. (1994), read between its points on log axes. */
    monodonTable: [
      { weightG: 0.02, ratePercent: 25 },
      { weightG: 0.5, ratePercent: 12 },
      { weightG: 1, ratePercent: 9 },
      { weightG: 2, ratePercent: 6.3 },
      { weightG: 3, ratePercent: 6 },
      { weightG: 5, ratePercent: 5.6 },
      { weightG: 10, ratePercent: 4.6 },
      { weightG: 15, ratePercent: 4 },
      { weightG: 20, ratePercent: 3.6 },
      { weightG: 25, ratePercent: 3.3 },
      { weightG: 30, ratePercent: 2.9 },
      { weightG: 35, ratePercent: 2.6 },
    ],
    /** Appetite by water temperature, °C. */
    temperatureFactor: [
      { at: 16, factor: 0 },
      { at: 18, factor: 0.25 },
      { at: 20, factor: 0.5 },
      { at: 22, factor: 0.65 },
      { at: 24, factor: 0.8 },
      { at: 26, factor: 0.92 },
      { at: 28, factor: 1 },
      { at: 31, factor: 1 },
      { at: 32, factor: 0.95 },
      { at: 33, factor: 0.88 },
      { at: 34, factor: 0.8 },
      { at: 36, factor: 0.5 },
      { at: 38, factor: 0 },
    ],
    /** Appetite by dissolved oxygen, mg/L; at or below the first point feeding stops. */
    oxygenFactor: [
      { at: 2, factor: 0 },
      { at: 3, factor: 0.6 },
      { at: 4, factor: 1 },
    ],
    /**
     * A dawn that was low, while oxygen is good again: the ration is cut as that dawn would cut it, by no more than this, so
     * that less lies on the bottom for the next one (calibrated: the evening meal −30 %; half of the night's loss is the
     * bottom's, Madenjian et al. 1987). It never fasts a pond all day.
     */
    dawnLeastFactor: 0.7,
    /** Appetite by un-ionised ammonia, mg/L as N. */
    ammoniaFactor: [
      { at: 0.1, factor: 1 },
      { at: 0.3, factor: 0.7 },
      { at: 0.6, factor: 0.4 },
    ],
    /**
     * What a keeper notes at the pond: the share of the ration given, for how many days, and
     * what each later meal gives back of it (1: the full ration at once).
     */
    events: {
      SYNCHRONOUS_MOLT: { factor: 0.5, days: 2, recoveryPerMeal: 1 },
      PARTIAL_MOLT: { factor: 0.8, days: 1, recoveryPerMeal: 0.05 },
      HEAVY_RAIN: { factor: 0.6, days: 1, recoveryPerMeal: 1 },
      BLOOM_CRASH: { factor: 0.6, days: 1, recoveryPerMeal: 1 },
      TREATMENT: { factor: 0.6, days: 1, recoveryPerMeal: 1 },
    },
    /** Next meal by what the last one left on the trays, % of what was put there. */
    trayLeftovers: [
      { upToPercent: 0, factor: 1.05 },
      { upToPercent: 10, factor: 1 },
      { upToPercent: 25, factor: 0.9 },
      { upToPercent: 50, factor: 0.7 },
      { upToPercent: 100, factor: 0 },
    ],
    /** No combination of adjustments raises the ration above this. */
    largestFactor: 1.05,
    /** Oldest reading that still speaks for today, hours. */
    readingFreshHours: { temperature: 48, oxygen: 24, ammonia: 168 },
    /**
     * What the ration is cut by while nothing fresh was measured, as if it had been this: oxygen half-way to the
     * production minimum (mg/L, −20 %), water at the cool end of the good range (°C, −8 %). Ammonia that nobody measured
     * counts at its limit (mg/L NH3-N, no cut): it is measured weekly at best, and never measured is not never there. All
     * of it together never cuts the ration below `leastFactor`, whatever a farm supposes: nobody saw that the water is bad.
     */
    whenUnknown: { oxygenMgL: 3.5, temperatureC: 26, ammoniaNh3NMgL: 0.1, leastFactor: 0.7 },
    /** The last biometry is grown forward by at most this many days. */
    rollForwardDays: 10,
    /** Older biometries ask for a new weighing, days. */
    biometryStaleDays: 10,
    /** Feed conversion above which feed is being wasted, kg of feed per kg gained. */
    wastefulFca: 2,
    /** Meals of the day by shrimp weight; the shares of one plan sum to 100. */
    mealPlans: [
      {
        fromWeightG: 0,
        meals: [
          { time: '06:00', percent: 15 },
          { time: '09:00', percent: 15 },
          { time: '12:00', percent: 15 },
          { time: '15:00', percent: 15 },
          { time: '18:00', percent: 20 },
          { time: '21:00', percent: 20 },
        ],
      },
      {
        fromWeightG: 1,
        meals: [
          { time: '06:00', percent: 20 },
          { time: '10:00', percent: 20 },
          { time: '14:00', percent: 20 },
          { time: '18:00', percent: 20 },
          { time: '22:00', percent: 20 },
        ],
      },
      {
        fromWeightG: 3,
        meals: [
          { time: '06:00', percent: 30 },
          { time: '11:00', percent: 20 },
          { time: '17:00', percent: 30 },
          { time: '22:00', percent: 20 },
        ],
      },
    ],
    /** Cool water: fewer meals, in the warm hours. */
    coolWater: {
      belowC: 24,
      meals: [
        { time: '08:00', percent: 30 },
        { time: '13:00', percent: 40 },
        { time: '18:00', percent: 30 },
      ],
    },
  },
  survival: {
    /** Share of the stocked animals expected at the end of the cycle, %. */
    atHarvestPercent: { vannamei: 85, monodon: 55, nursery: 90 },
    /** Cycle length when no harvest date is set, days. */
    cycleDays: { vannamei: 110, monodon: 130, nursery: 35 },
  },
  uniformity: {
    /** Upper limits of the coefficient of variation of single weights, %. */
    excellentUpToPercent: 20,
    goodUpToPercent: 30,
    /** Small shrimp vary more: below this weight (g) both limits rise by this many points. */
    smallShrimp: { belowWeightG: 2, addPoints: 5 },
    /** Coefficient of variation to plan a sample with while none was measured, %. */
    planningPercent: { ordinary: 25, small: 30 },
    /** Precision a weighing is planned for: 95 % limits of the mean, % either side. */
    wantedPrecisionPercent: 5,
    /** Fewer animals than this say too little about the mean. */
    leastSample: 30,
    /** Fewer sub-samples than this say nothing about the spread. */
    leastSubsamples: 3,
    /** Single weights may differ from the posted total by this much, %. */
    totalTolerancePercent: 1,
  },
  growthTrend: {
    /** Above this weight (g) steady growth is linear; below, it grows with the shrimp. */
    linearFromG: 5,
    /** Shorter intervals are merged with the one before, days. */
    leastIntervalDays: 3,
    /** The last interval is compared with up to this many before it. */
    previousIntervals: 3,
    /** Change of the growth index that counts, as a share. */
    leastChange: 0.15,
    /** Distance from zero in standard errors that counts (10 % false alarms each side). */
    leastZ: 1.28,
    /** Spread of single weights (coefficient of variation, %) and sample where none is known. */
    assumedCvPercent: 25,
    assumedSampleSize: 100,
  },
  water: {
    /** What the farm's kit calls ammonia: un-ionised nitrogen (NH3) or total ammonia nitrogen (TAN). */
    ammoniaBasis: 'NH3' as 'NH3' | 'TAN',
    /**
     * Limits of the alerts and the value from which an alert is HIGH; half-way it is MEDIUM.
     * Oxygen mg/L, temperature °C, alkalinity mg/L CaCO3, ammonia mg/L NH3-N, nitrite mg/L NO2-N,
     * nitrate mg/L NO3-N. Oxygen 3.0 is the least that keeps shrimp feeding (Boyd); ammonia 0.40 is
     * a quarter to a third of the 96 h LC50 (Lin & Chen 2001). Nitrite and nitrate follow salinity.
     */
    alerts: {
      LOW_OXYGEN: { limit: 4, highFrom: 3 },
      LOW_TEMPERATURE: { limit: 26, highFrom: 22 },
      HIGH_TEMPERATURE: { limit: 32, highFrom: 34 },
      LOW_PH: { limit: 7.5, highFrom: 6.5 },
      HIGH_PH: { limit: 8.5, highFrom: 9.5 },
      LOW_ALKALINITY: { limit: 80, highFrom: 40 },
      HIGH_AMMONIA: { limit: 0.1, highFrom: 0.4 },
      HIGH_NITRITE: { limit: 0.1 },
      HIGH_NITRATE: { limit: 20 },
    },
    /** At or below this oxygen, mg/L, an alert speaks of CRITICAL. */
    criticalOxygenMgL: 2,
    /** Good ranges of what raises no alert: salinity ppt, transparency cm; alkalinity mg/L CaCO3. */
    optimal: {
      salinity: { min: 15, max: 25 },
      transparency: { min: 30, max: 40 },
      alkalinityMax: 150,
    },
    /** How far inside its limit a value must be before an episode is over. */
    deadBand: { oxygenMgL: 0.3, temperatureC: 0.5, ph: 0.1, otherShareOfLimit: 0.05 },
    /** Safe nitrite by salinity: mg/L NO2-N at ppt (Lin & Chen 2003; below 15 ppt the low-salinity study of 2016). */
    nitriteSafe: [
      { salinityPpt: 0.6, mgL: 0.28 },
      { salinityPpt: 1, mgL: 0.35 },
      { salinityPpt: 2, mgL: 0.62 },
      { salinityPpt: 15, mgL: 6.1 },
      { salinityPpt: 25, mgL: 15.2 },
      { salinityPpt: 35, mgL: 25.7 },
    ],
    /** Safe nitrate by salinity: mg/L NO3-N at ppt (Alves Neto et al. 2019). */
    nitrateSafe: [
      { salinityPpt: 5, mgL: 60 },
      { salinityPpt: 10, mgL: 127 },
    ],
    /**
     * What ammonia, nitrite and nitrate are judged by while a value beside them was not measured, the worst an ordinary pond
     * has: the pH of a dense bloom in the afternoon (from 9.5 on a pH is graded HIGH itself), the temperature at which growth
     * ends, and fresh water, which holds the least of it back (vannamei lives from 0.5 ppt on). A farm that never has such
     * water sets the least that it has.
     */
    worstPlausible: { temperatureC: 38, ph: 9.5, salinityPpt: 0 },
    /** Beyond these a value is kept, but somebody should look at the probe or the handwriting. */
    plausible: {
      oxygenMostMgL: 25,
      oxygenMostSaturationPercent: 300,
      temperatureC: { least: 5, most: 45 },
      ph: { above: 3, below: 11 },
      salinityPpt: { least: 0, most: 60 },
      /**
       * More total ammonia nitrogen than ponds have, mg/L (0.5–2 is ordinary): with NH3 it is worked out from the value
       * and the water beside it, of which everyday water stands in for what was not measured.
       */
      tanMostMgL: 10,
      everydayWater: { temperatureC: 28, ph: 8, salinityPpt: 20 },
    },
  },
  trends: {
    /** Change over the window that matters to the animals, in the parameter's unit. */
    leastChange: {
      temperature: 1,
      dissolved_oxygen: 0.5,
      ph: 0.2,
      salinity: 2,
      alkalinity: 10,
      ammonia: 0.05,
      nitrite: 0.05,
      nitrate: 3,
      transparency: 5,
    },
    /** Scatter about the trend (standard deviation) from which the water counts as restless. */
    volatileAbove: {
      temperature: 1.5,
      dissolved_oxygen: 1,
      ph: 0.3,
      salinity: 3,
      alkalinity: 20,
      ammonia: 0.08,
      nitrite: 0.15,
      nitrate: 6,
      transparency: 8,
    },
    /** Chance of calling noise a trend, two-sided. */
    significance: 0.05,
  },
  aeration: {
    /** Set points proposed for a control point, oxygen mg/L. */
    proposedSetPoints: { onMgL: 4, offMgL: 5, emergencyMgL: 3.5 },
    /** Oxygen above the emergency level that ends an emergency, mg/L. */
    emergencyReleaseMgL: 0.5,
    /** Without an OFF set point the loop lets go this far above the ON set point, mg/L. */
    releaseAboveOnMgL: 1,
    minimumRunMinutes: 15,
    /** An oxygen reading older than this says nothing any more, minutes. */
    silentAfterMinutes: 20,
    /** A reading may come from a clock this far ahead, minutes. */
    believedAheadMinutes: 10,
    /** A low reading starts aeration within this time of being taken, hours. */
    lastKnownHours: 24,
    /** A probe is known by so many readings in a row, and expected for so long after the last of them, hours. */
    stream: { readings: 4, forgottenAfterHours: 12 },
    /** Night while the position of the farm is unknown, local time. */
    fixedNight: { dusk: '18:00', dawn: '05:30' },
    forecast: DAWN_FORECAST,
    /** Loss of oxygen without aeration at night by biomass density: kg/m³, mg/L per hour. */
    decline: [
      { kgPerM3: 0.16, mgLPerHour: 0.375 },
      { kgPerM3: 0.44, mgLPerHour: 0.65 },
      { kgPerM3: 0.77, mgLPerHour: 0.91 },
      { kgPerM3: 4.2, mgLPerHour: 4.86 },
    ],
    kwPerHorsepower: 0.7457,
    /** Shrimp one horsepower carries, kg: comfortably, at most, and where animals are at risk (Boyd). */
    kgPerHorsepower: { comfortable: 300, most: 500, risky: 650 },
    /** Up to this biomass a pond does without aerators, kg/m² (1.5–2 t/ha; Boyd). */
    unaeratedKgPerM2: 0.2,
  },
  feedStock: {
    /** Feed that lasts fewer days is warned of; 0: never. */
    warnDays: 7,
  },
  economics: {
    /** An older last biometry cannot carry a harvest decision, days. */
    biometryStaleDays: 14,
    /** Spread of single weights (%) and sample where a biometry does not tell. */
    assumedCvPercent: 25,
    assumedSampleSize: 100,
    /** Price by size: price of a size × (weight / that size)^exponent (two Brazilian quotations of 2017: weak). */
    sizePremium: { exponent: 0.45 },
  },
  energy: {
    /** Price of a kilowatt-hour, R$. */
    tariffPerKwh: 0.65,
    /**
     * Hours with a discount, local time, over midnight where `to` is earlier. Empty until the farm enters those of its
     * contract: the law moved them in 2025 (none 18:00–22:59; before, 21:30–06:00).
     */
    discountWindows: [] as { from: string; to: string; discountPercent: number }[],
    /** When the shifts of the farm begin, local time: their electricity meters are read then. */
    shifts: [{ from: '06:00' }, { from: '14:00' }, { from: '22:00' }],
    /** Aeration of Thai ponds, kWh per tonne of shrimp: 13.7–24.5, mean 18.1 GJ/t (Boyd & McNevin). */
    kwhPerTonne: { low: 3806, mean: 5028, high: 6806 },
  },
};

export type ScienceConstants = typeof SCIENCE_DEFAULTS;
