import { aerationSizing } from '#science/aeration-sizing.ts';
import { biomassKg } from '#science/biomass.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { feedingRatePercent } from '#science/feeding-ration.ts';
import { expectedWeightG, growthCurve } from '#science/growth.ts';
import { safeNitriteMgL } from '#science/severity.ts';
import { expectedSurvivalPercent } from '#science/survival.ts';
import { type Source, table } from './source.ts';

// Trials and advice that the program's figures were chosen beside, and does not name: where it lies apart from them, it says why.

const { feeding, growth, survival, water, aeration } = SCIENCE_DEFAULTS;
const vannamei = growthCurve(growth, 'vannamei');
const { criticalOxygenMgL } = water;
/** As a farm sets it where its line grows so fast. */
const ofRate = (ratePerDay: number) => ({ ...vannamei, ratePerDay });
/** Horsepower that the program asks for on a hectare, where nothing runs yet. */
const horsepowerPerHa = (perM2: number, survivalPercent: number, weightG: number) =>
  aerationSizing(aeration, {
    biomassKg: biomassKg(perM2 * 10_000 * (survivalPercent / 100), weightG),
    powerKw: 0,
    areaM2: 10_000,
  }).missingHorsepower;

export const TRIAL_SOURCES: readonly Source[] = [
  {
    name: 'Wyban/Jory, log 10 of the share fed = −0.899 − 0.561 log 10 of the weight, % of biomass',
    cited: [],
    figures: table(
      [
        [3, '6.8'],
        [5, '5.1'],
        [8, '3.9'],
        [10, '3.5'],
        [12, '3.1'],
        [15, '2.8'],
        [18, '2.6'],
        [20, '2.5'],
        [25, '2.1'],
        [30, '1.9'],
      ] as const,
      (weightG, published) => ({
        of: `vannamei of ${weightG} g, %`,
        published,
        ours: feedingRatePercent(feeding, 'vannamei', weightG),
        ...(weightG < 12
          ? { apart: { by: 0.23, because: 'it feeds the small ones more; ponds have natural food' } }
          : weightG > 20
            ? {
                apart: {
                  by: 0.12,
                  because: 'its line is steeper than that of the meals measured by Nunes & Parsons',
                },
              }
            : {}),
      }),
    ),
  },
  {
    name: 'Araujo, Auburn 2023: 33.4 g in 80 days at 25/m², a fast line; set points of 2.5, 3.5 and 4.5 mg/L grew alike',
    cited: [],
    figures: [
      {
        of: 'weight on day 80, g',
        published: '33.4',
        ours: expectedWeightG(vannamei, 0.01, 80),
        apart: {
          by: 0.78,
          because: 'the standard is Brazilian practice; a farm with a fast line sets its rate',
        },
      },
      {
        of: 'weight on day 80 where the farm has set its rate, g',
        published: '33.4',
        ours: expectedWeightG(ofRate(0.0165), 0.01, 80),
      },
      {
        of: 'oxygen at which aerators start, mg/L: within what was tried',
        published: ['2.5', '4.5'],
        ours: aeration.proposedSetPoints.onMgL,
      },
    ],
  },
  {
    name: 'Garcia Abad, after the nursery: 4 to 17 g in 30 days (Mexico), 7–8 g where others are at 3–4 g',
    cited: [],
    figures: [
      {
        of: 'weight 30 days after 4 g, g',
        published: '17',
        ours: expectedWeightG(vannamei, 4, 30),
        apart: {
          by: 0.45,
          because: 'growth that makes up for the crowd of the nursery; the curve knows no such leap',
        },
      },
      {
        of: 'the same where the farm has set its rate, g',
        published: '17',
        ours: expectedWeightG(ofRate(0.015), 4, 30),
      },
    ],
  },
  {
    name: 'Boyd 2021, Ecuador: 57.3 % survive; Fast 1992: intensive ponds 80–90 %',
    cited: [],
    figures: [
      {
        of: 'vannamei of 110 days in intensive ponds, %',
        published: ['80', '90'],
        ours: expectedSurvivalPercent(survival, 'vannamei', { day: 110, cycleDays: null }),
      },
      {
        of: 'vannamei of Ecuador, %',
        published: '57.3',
        ours: expectedSurvivalPercent(survival, 'vannamei', { day: 110, cycleDays: null }),
        apart: {
          by: 0.49,
          because: 'large ponds at 22/m²; the interface estimates 85 % until losses are recorded',
        },
      },
    ],
  },
  {
    name: 'Miao & Tu 1995: P. chinensis grows best at 31.3 °C',
    cited: [],
    figures: [
      {
        of: 'best temperature, °C',
        published: '31.3',
        ours: growth.temperature.optimumC,
        apart: { by: 0.05, because: 'a related species; vannamei eats best at 29–31 °C' },
      },
    ],
  },
  {
    name: 'Lethal oxygen: Wu et al. 2002 (8 h LC50 0.77), Martinez et al. 1998 (72 h LC50 1.16), Kramer 1975 (keep above 2)',
    cited: [],
    figures: table([[0.77], [1.16]] as const, (lc50) => ({
      of: `CRITICAL is told above the LC50 of ${lc50} mg/L, below what only stresses`,
      published: [lc50, 3],
      ours: criticalOxygenMgL,
    })).concat({ of: 'oxygen never to fall below, mg/L', published: '2', ours: criticalOxygenMgL }),
  },
  {
    name: 'JALA, effective sampling: weigh every 5 to 7 days',
    cited: [],
    figures: [
      { of: 'days between weighings', published: ['5', '7'], ours: growth.biometryEveryDays },
      { of: 'days when growth lags', published: ['5', '7'], ours: growth.biometryEveryDaysWhenBehind },
    ],
  },
  {
    name: 'Nyan Taw 2012: 28–32 hp/ha for 130–150 postlarvae/m²; 2013, biofloc: oxygen above 4 mg/L',
    cited: [],
    figures: [
      {
        of: 'hp/ha of 140/m², 85 % alive, at the usual 12 g',
        published: ['28', '32'],
        ours: horsepowerPerHa(140, 85, growth.harvestWeightG.vannamei),
      },
      { of: 'oxygen below which is warned, mg/L', published: '4', ours: water.alerts.LOW_OXYGEN.limit },
    ],
  },
  {
    name: 'Davis et al., Auburn (engormix a39571): 10 hp/ha at 35/m², 78 % alive by its own feeding rule',
    cited: [],
    figures: [
      {
        of: 'hp/ha of 35/m² at 18 to 20 g',
        published: '10',
        ours: [horsepowerPerHa(35, 78, 18), horsepowerPerHa(35, 78, 20)],
      },
    ],
  },
  {
    name: 'Ben-Gurion University 2004: nitrite below 0.45 mg/L at 2 ppt',
    cited: ['BGU_2004', 'Ben-Gurion University 2004'],
    figures: [
      {
        of: 'safe nitrite at 2 ppt, mg/L NO2-N',
        published: '0.45',
        ours: safeNitriteMgL(water, 2),
        apart: {
          by: 0.37,
          because:
            'the later study at low salinity has 0.62; the alarm begins at 0.1 and is moderate from 0.36',
        },
      },
    ],
  },
];
