/**
 * What the forecast of the dawn's oxygen knows before any reading, when it warns and when it asks. Chosen by measurement on
 * simulated nights of seeds from 100 on, and measured on others and on published nights (scripts/bench/dawn-forecast.ts).
 */
export const DAWN_FORECAST = {
  /** First and last reading must lie at least this far apart, hours. */
  leastSpanHours: 1,
  /** From so many readings within these hours on they tell alone how fast oxygen falls now: a probe, not a person. */
  probe: { readings: 6, withinHours: 4 },
  /** Readings so long before sunset count, hours: the usual rounds are at 17:00 and 21:00. */
  beforeDuskHours: 1.5,
  /** Share of what is missing to saturation that air brings into still water in an hour, and saturation at 29 °C, 20 ppt. */
  exchangePerHour: 0.0275,
  saturationMgL: 6.9,
  /** What ponds breathe at night, and how far others lie from it (the table of decline from 5 to 120 shrimp per m²). */
  pace: { usualMgLPerHour: 0.65, spreadMgLPerHour: 0.3 },
  /** Standard error of the method, mg/L, and more for each hour ahead in a pond of usual pace: measured on simulated nights. */
  leastErrorMgL: 0.19,
  methodErrorMgLPerHour: 0.028,
  /** Standard error of one hand reading, mg/L. */
  readingErrorMgL: 0.2,
  /** A dawn below it is told in the evening, mg/L. */
  warnBelowMgL: 4,
  /** The last reading lies in the evening when dawn is farther off, hours. */
  eveningUntilHours: 6,
};

/** What was measured together and holds together only so: no farm's setting. */
export const DAWN_RULES = {
  /** Noise of a probe in still water, mg/L, and what all its readings have in common by its place: by published nights. */
  probe: { leastNoiseMgL: 0.03, placeErrorMgL: 0.25 },
  /** How far the share that air exchanges in an hour lies from the usual in other nights and waters: by published nights. */
  exchangeSpreadPerHour: 0.05,
  /**
   * From these chances of a low dawn on it is told at once, and from the lower ones when so many hours are left. What is
   * less sure and not unlikely is no alarm but a request to measure.
   */
  warnFromChance: {
    atOnce: { probe: 0.98, night: 0.97, evening: 0.93 },
    lastWord: { probe: 0.6, night: 0.61, evening: 0.82 },
  },
  lastWordHours: 3.5,
  measure: { fromChance: 0.15, hoursBeforeDawn: 4.25, againAfterHours: 1 },
} as const;
