import { DEADLY_NH3_MG_L } from './ammonia.ts';
import { BLIND_CHARTS } from './constants.ts';

/** What a farm may set a figure to. */
export interface ConstantRule {
  /** Path in the table of constants; `*` stands for one name, `[]` for each line of a list. */
  path: string;
  unit: string;
  least: number;
  most: number;
}

const rule = (path: string, unit: string, least: number, most: number): ConstantRule => ({
  path,
  unit,
  least,
  most,
});

/**
 * Unit and range of every figure: wide enough for any real pond, narrow enough that a slip of the pen is refused. The
 * first rule that fits a path counts.
 */
export const CONSTANT_RULES: readonly ConstantRule[] = [
  rule('growth.curves.*.asymptoticWeightG', 'g', 20, 300),
  rule('growth.curves.*.shape', '', 1, 5),
  rule('growth.curves.*.ratePerDay', '1/day', 0.001, 0.05),
  rule('growth.harvestWeightG.*', 'g', 1, 100),
  rule('growth.largestProjectedWeightG', 'g', 10, 200),
  rule('growth.observedRateBounds.least', 'share', 0.1, 1),
  rule('growth.observedRateBounds.most', 'share', 1, 5),
  rule('growth.observedRateFromDay', 'days', 1, 60),
  rule('growth.onTrackWithinPercent', '%', 0, 50),
  rule('growth.temperature.*', '°C', 0, 50),
  rule('growth.temperatureFillDays', 'days', 1, 60),
  rule('growth.temperatureLeastMeasuredShare', 'share', 0, 1),
  rule('growth.postlarvaBelowG', 'g', 0.01, 5),
  rule('growth.*Day', 'days', 1, 60),
  rule('growth.biometryEvery*', 'days', 1, 60),

  rule('feedStock.warnDays', 'days', 0, 90),

  rule('feeding.vannamei.mealScale', 'g per shrimp and day at 1 g', 0.01, 1),
  rule('feeding.vannamei.mealExponent', '', 0.1, 1.5),
  rule('feeding.vannamei.rationFactor', 'share', 0.3, 1.5),
  rule('feeding.largestRatePercent', '% of biomass per day', 1, 100),
  rule('feeding.monodonTable[].weightG', 'g', 0, 200),
  rule('feeding.monodonTable[].ratePercent', '% of biomass per day', 0.1, 100),
  rule('feeding.temperatureFactor[].at', '°C', 0, 50),
  rule('feeding.oxygenFactor[].at', 'mg/L', 0, 20),
  rule('feeding.dawnLeastFactor', 'share', 0, 1),
  rule('feeding.ammoniaFactor[].at', 'mg/L NH3-N', 0, 10),
  rule('feeding.*Factor[].factor', 'share', 0, 2),
  rule('feeding.events.*.factor', 'share', 0, 1),
  rule('feeding.events.*.days', 'days', 0, 14),
  rule('feeding.events.*.recoveryPerMeal', 'share', 0.01, 1),
  rule('feeding.trayLeftovers[].upToPercent', '%', 0, 100),
  rule('feeding.trayLeftovers[].factor', 'share', 0, 1.5),
  rule('feeding.largestFactor', 'share', 0.5, 2),
  rule('feeding.readingFreshHours.*', 'hours', 1, 720),
  rule('feeding.whenUnknown.oxygenMgL', 'mg/L', 2.5, 20),
  rule('feeding.whenUnknown.temperatureC', '°C', 16, 38),
  rule('feeding.whenUnknown.leastFactor', 'share', 0, 1),
  rule('feeding.whenUnknown.ammoniaNh3NMgL', 'mg/L NH3-N', 0, 10),
  rule('feeding.rollForwardDays', 'days', 0, 60),
  rule('feeding.biometryStaleDays', 'days', 1, 90),
  rule('feeding.wastefulFca', 'kg/kg', 0.5, 10),
  rule('feeding.mealPlans[].fromWeightG', 'g', 0, 200),
  rule('feeding.mealPlans[].meals[].percent', '%', 0, 100),
  rule('feeding.coolWater.belowC', '°C', 0, 40),
  rule('feeding.coolWater.meals[].percent', '%', 0, 100),

  rule('survival.atHarvestPercent.*', '%', 1, 100),
  rule('survival.cycleDays.*', 'days', 7, 400),

  rule('uniformity.smallShrimp.belowWeightG', 'g', 0, 20),
  rule('uniformity.smallShrimp.addPoints', 'percentage points', 0, 50),
  rule('uniformity.planningPercent.*', '%', 1, 100),
  rule('uniformity.leastSample', 'shrimp', 1, 1000),
  rule('uniformity.leastSubsamples', 'groups', 2, 100),
  rule('uniformity.totalTolerancePercent', '%', 0, 20),
  rule('uniformity.*Percent', '%', 0.1, 100),

  rule('growthTrend.linearFromG', 'g', 0.1, 50),
  rule('growthTrend.leastIntervalDays', 'days', 1, 30),
  rule('growthTrend.previousIntervals', 'intervals', 1, 20),
  rule('growthTrend.leastChange', 'share', 0.01, 2),
  rule('growthTrend.leastZ', 'standard errors', 0, 5),

  rule('*.assumedCvPercent', '%', 1, 100),
  rule('*.assumedSampleSize', 'shrimp', 1, 100_000),

  rule('water.alerts.LOW_OXYGEN.*', 'mg/L', 0.5, 10),
  rule('water.alerts.*_TEMPERATURE.*', '°C', 5, 45),
  rule('water.alerts.*_PH.*', 'pH', 4, 11),
  rule('water.alerts.LOW_ALKALINITY.*', 'mg/L CaCO3', 1, 500),
  // beyond what kills nothing is left to grade
  rule('water.alerts.HIGH_AMMONIA.highFrom', 'mg/L NH3-N', 0.001, DEADLY_NH3_MG_L),
  rule('water.alerts.HIGH_AMMONIA.*', 'mg/L NH3-N', 0.001, 10),
  rule('water.alerts.HIGH_NITRITE.*', 'mg/L NO2-N', 0.001, 100),
  rule('water.alerts.HIGH_NITRATE.*', 'mg/L NO3-N', 0.1, 1000),
  rule('water.criticalOxygenMgL', 'mg/L', 0.1, 5),
  rule('water.optimal.salinity.*', 'ppt', 0, 100),
  rule('water.optimal.transparency.*', 'cm', 0, 500),
  rule('water.optimal.alkalinityMax', 'mg/L CaCO3', 1, 1000),
  rule('water.deadBand.oxygenMgL', 'mg/L', 0, 3),
  rule('water.deadBand.temperatureC', '°C', 0, 5),
  rule('water.deadBand.ph', 'pH', 0, 2),
  rule('water.deadBand.otherShareOfLimit', 'share', 0, 0.5),
  rule('water.*Safe[].salinityPpt', 'ppt', 0, 100),
  rule('water.nitriteSafe[].mgL', 'mg/L NO2-N', 0.001, 500),
  rule('water.nitrateSafe[].mgL', 'mg/L NO3-N', 0.1, 2000),
  rule('water.worstPlausible.temperatureC', '°C', 28, 40),
  rule('water.worstPlausible.ph', 'pH', 7.5, 10),
  rule('water.worstPlausible.salinityPpt', 'ppt', 0, 45),
  rule('water.plausible.tanMostMgL', 'mg/L TAN', 0.5, 100),
  rule('water.plausible.everydayWater.temperatureC', '°C', 15, 40),
  rule('water.plausible.everydayWater.ph', 'pH', 6, 10),
  rule('water.plausible.everydayWater.salinityPpt', 'ppt', 0, 45),
  rule('water.plausible.oxygenMostMgL', 'mg/L', 5, 50),
  rule('water.plausible.oxygenMostSaturationPercent', '%', 100, 1000),
  rule('water.plausible.temperatureC.*', '°C', -5, 60),
  rule('water.plausible.ph.*', 'pH', 0, 14),
  rule('water.plausible.salinityPpt.*', 'ppt', 0, 100),

  rule('trends.significance', 'probability', 0.001, 0.5),
  rule('trends.*.temperature', '°C', 0.01, 20),
  rule('trends.*.dissolved_oxygen', 'mg/L', 0.01, 20),
  rule('trends.*.ph', 'pH', 0.01, 7),
  rule('trends.*.salinity', 'ppt', 0.01, 100),
  rule('trends.*.alkalinity', 'mg/L CaCO3', 0.1, 1000),
  rule('trends.*.transparency', 'cm', 0.1, 500),
  rule('trends.*.*', 'mg/L', 0.001, 1000),

  rule('aeration.proposedSetPoints.*', 'mg/L', 0.5, 12),
  rule('aeration.emergencyReleaseMgL', 'mg/L', 0.1, 5),
  rule('aeration.releaseAboveOnMgL', 'mg/L', 0.1, 5),
  rule('aeration.*Minutes', 'minutes', 1, 240),
  rule('aeration.lastKnownHours', 'hours', 1, 168),
  rule('aeration.stream.readings', 'readings', 2, 12),
  rule('aeration.stream.forgottenAfterHours', 'hours', 1, 168),
  rule('aeration.forecast.*Hours', 'hours', 0.25, 12),
  rule('aeration.forecast.probe.readings', 'readings', 3, 60),
  rule('aeration.forecast.probe.withinHours', 'hours', 0.5, 12),
  rule('aeration.forecast.exchangePerHour', '1/hour', 0.001, 0.2),
  rule('aeration.forecast.saturationMgL', 'mg/L', 4, 15),
  rule('aeration.forecast.pace.*', 'mg/L per hour', 0.01, 5),
  rule('aeration.forecast.methodErrorMgLPerHour', 'mg/L per hour', 0, 1),
  rule('aeration.forecast.*MgL', 'mg/L', 0, 10),
  rule('aeration.decline[].kgPerM3', 'kg/m³', 0, 50),
  rule('aeration.decline[].mgLPerHour', 'mg/L per hour', 0.01, 50),
  rule('aeration.kwPerHorsepower', 'kW', 0.7, 0.8),
  rule('aeration.kgPerHorsepower.*', 'kg', 50, 5000),
  rule('aeration.unaeratedKgPerM2', 'kg/m²', 0, 5),

  rule('economics.biometryStaleDays', 'days', 1, 90),
  rule('economics.sizePremium.exponent', '', -1, 3),

  rule('energy.tariffPerKwh', 'money per kWh', 0, 100),
  rule('energy.discountWindows[].discountPercent', '%', 0, 100),
  rule('energy.kwhPerTonne.*', 'kWh per tonne', 0, 100_000),
];

/** Figures that only make sense in this order, each below the next. */
export const RISING_CONSTANTS: readonly (readonly string[])[] = [
  ['growth.temperature.minimumC', 'growth.temperature.optimumC', 'growth.temperature.maximumC'],
  ['growth.temperature.minimumC', 'growth.temperature.referenceC', 'growth.temperature.maximumC'],
  ['uniformity.excellentUpToPercent', 'uniformity.goodUpToPercent'],
  ['water.criticalOxygenMgL', 'water.alerts.LOW_OXYGEN.highFrom', 'water.alerts.LOW_OXYGEN.limit'],
  [
    'water.alerts.LOW_TEMPERATURE.highFrom',
    'water.alerts.LOW_TEMPERATURE.limit',
    'water.alerts.HIGH_TEMPERATURE.limit',
    'water.alerts.HIGH_TEMPERATURE.highFrom',
  ],
  [
    'water.alerts.LOW_PH.highFrom',
    'water.alerts.LOW_PH.limit',
    'water.alerts.HIGH_PH.limit',
    'water.alerts.HIGH_PH.highFrom',
  ],
  [
    'water.alerts.LOW_ALKALINITY.highFrom',
    'water.alerts.LOW_ALKALINITY.limit',
    'water.optimal.alkalinityMax',
  ],
  ['water.alerts.HIGH_AMMONIA.limit', 'water.alerts.HIGH_AMMONIA.highFrom'],
  ['water.optimal.salinity.min', 'water.optimal.salinity.max'],
  ['water.optimal.transparency.min', 'water.optimal.transparency.max'],
  ['water.plausible.temperatureC.least', 'water.plausible.temperatureC.most'],
  ['water.plausible.ph.above', 'water.plausible.ph.below'],
  ['water.plausible.salinityPpt.least', 'water.plausible.salinityPpt.most'],
  [
    'aeration.proposedSetPoints.emergencyMgL',
    'aeration.proposedSetPoints.onMgL',
    'aeration.proposedSetPoints.offMgL',
  ],
  ['aeration.kgPerHorsepower.comfortable', 'aeration.kgPerHorsepower.most', 'aeration.kgPerHorsepower.risky'],
  ['energy.kwhPerTonne.low', 'energy.kwhPerTonne.mean', 'energy.kwhPerTonne.high'],
];

/** Fields by which the lines of a list are in order; a curve is read between its lines. */
export const LIST_AXES: readonly string[] = [
  'at',
  'weightG',
  'fromWeightG',
  'upToPercent',
  'salinityPpt',
  'kgPerM3',
  'time',
];

/** Columns of a list that go one way only: worse water may not be fed more, nor be called safer. */
export const ONE_WAY_COLUMNS: Readonly<Record<string, { column: string; way: 'RISING' | 'FALLING' }>> = {
  'feeding.oxygenFactor': { column: 'factor', way: 'RISING' },
  'feeding.ammoniaFactor': { column: 'factor', way: 'FALLING' },
  'feeding.trayLeftovers': { column: 'factor', way: 'FALLING' },
  'water.nitriteSafe': { column: 'mgL', way: 'RISING' },
  'water.nitrateSafe': { column: 'mgL', way: 'RISING' },
  'aeration.decline': { column: 'mgLPerHour', way: 'RISING' },
};

/** A line of a list that is empty by default. */
export const EMPTY_LIST_LINES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'energy.discountWindows': { from: '21:30', to: '06:00', discountPercent: 0 },
};

/** Closed words. */
export const CONSTANT_WORDS: Readonly<Record<string, readonly string[]>> = {
  'water.ammoniaBasis': ['NH3', 'TAN'],
  'feeding.blindChart': BLIND_CHARTS,
};

/** Each rule with the names of its path, what stands before and after a `*` in them apart. */
const PATTERNS = CONSTANT_RULES.map((rule) => ({
  rule,
  wanted: rule.path.split('.').map((part) => part.split('*')),
}));

/** The rule of a figure, by its path with `[]` for list positions; null: no farm may set it. */
export function ruleOf(path: string): ConstantRule | null {
  const names = path.split('.');
  return PATTERNS.find(({ wanted }) => fits(wanted, names))?.rule ?? null;
}

function fits(wanted: readonly (readonly string[])[], names: readonly string[]): boolean {
  return (
    names.length === wanted.length &&
    wanted.every(([before = '', after], place) => {
      const name = names[place] ?? '';
      return after === undefined
        ? name === before
        : name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
    })
  );
}
