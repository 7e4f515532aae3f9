import { biomassKg, biomassPerM3 } from '#science/biomass.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { expectedWeightG, growthCurve, instantaneousGrowthGPerDay } from '#science/growth.ts';
import { expectedSurvivalPercent } from '#science/survival.ts';
import { temperatureFactor } from '#science/temperature-factor.ts';
import { precisionPercent } from '#science/uniformity.ts';
import { type Source, table } from './source.ts';

const { growth, survival } = SCIENCE_DEFAULTS;
const vannamei = growthCurve(growth, 'vannamei');
const monodon = growthCurve(growth, 'monodon');
/** The line of farms with selected fast animals, as the constants name it. */
const fast = { ...vannamei, ratePerDay: 0.0095 };

const warmest = Array.from({ length: 231 }, (_, step) => 15 + step / 10).reduce((best, t) =>
  temperatureFactor(growth, t) > temperatureFactor(growth, best) ? t : best,
);

/** Per week, of two weighings so many days apart. */
const weeklyG = (fromG: number, toG: number, days: number) => ((toG - fromG) / days) * 7;

export const GROWTH_SOURCES: readonly Source[] = [
  {
    name: 'FAO AFFRIS, Penaeus monodon, standard curve for feed management after Huang et al. 2006',
    cited: ['FAO', 'Huang et al. 2006', 'AFFRIS'],
    figures: table(
      [
        [60, 1.581, 90, '7.661'],
        [90, 7.661, 120, '17.123'],
        [60, 1.581, 150, '27.939'],
      ] as const,
      (from, fromG, to, published) => ({
        of: `monodon of ${fromG} g on day ${from}, on day ${to}, g`,
        published,
        ours: expectedWeightG(monodon, fromG, to - from),
        to: 0.0003,
      }),
    ),
  },
  {
    name: 'Texas AgriLife, Port Aransas 2013 (shrimpnews): selected vannamei at 28–31 °C from 0.002–0.004 g',
    cited: ['Texas nursery'],
    figures: [
      { of: 'after two weeks, g', published: ['0.12', '0.18'], ours: expectedWeightG(vannamei, 0.003, 14) },
      { of: 'after four weeks, g', published: ['0.5', '0.8'], ours: expectedWeightG(vannamei, 0.003, 28) },
    ],
  },
  {
    name: 'Kotiya & Vadher, Gujarat: 0.06 g, 120 days at 30 to 80/m², summer and monsoon',
    cited: ['Gujarat'],
    figures: [
      {
        of: 'vannamei after 120 days, g',
        published: ['14.61', '34.46'],
        ours: expectedWeightG(vannamei, 0.06, 120),
      },
    ],
  },
  {
    name: 'Hassan et al. 2022, JAPS 32(6), Sindh: 24.3 g in 114 days at 133/m²',
    cited: ['Sindh ponds'],
    figures: [
      {
        of: 'vannamei of a fast line after 114 days, g',
        published: '24.3',
        ours: expectedWeightG(fast, 0.003, 114),
      },
    ],
  },
  {
    name: 'Sookying et al. 2011, Aquaculture 319:232, Alabama: 20.7–25.3 g in 16 weeks',
    cited: [],
    figures: [
      {
        of: 'vannamei of a fast line after 112 days, g',
        published: ['20.7', '25.3'],
        ours: expectedWeightG(fast, 0.003, 112),
      },
    ],
  },
  {
    name: 'Praveen Kumar & Krishna 2015, IOSR-JAVS 8(5):17, Nellore: 0.67 g to 19.5–28.42 g at 20 to 60/m²',
    cited: [],
    figures: [
      {
        of: 'vannamei after 120 days, g',
        published: ['19.5', '28.42'],
        ours: expectedWeightG(vannamei, 0.67, 120),
      },
    ],
  },
  {
    name: 'Brazilian practice: about 12 g in 100 days from postlarvae, a gram a week',
    cited: ['Brazilian practice'],
    figures: [
      { of: 'vannamei on day 100, g', published: '12', ours: expectedWeightG(vannamei, 0.003, 100) },
      {
        of: 'a week, days 60 to 100, g',
        published: ['1.0', '1.5'],
        ours: weeklyG(expectedWeightG(vannamei, 0.003, 60), expectedWeightG(vannamei, 0.003, 100), 40),
      },
    ],
  },
  {
    name: 'FAO RAP 2004/10 (Briggs et al.): Asian earthen ponds, 1.0–1.5 g a week, up to 3 g at best',
    cited: [],
    figures: table([[5], [10]] as const, (weightG) => ({
      of: `vannamei of ${weightG} g, g a week`,
      published: ['1.0', '1.5'],
      ours: instantaneousGrowthGPerDay(vannamei, weightG) * 7,
    })),
  },
  {
    name: 'Lupatsch et al. 2008: growth of vannamei at 28 °C by weight, an independent law of tank trials',
    cited: [],
    figures: table(
      [
        [5, '0.128'],
        [10, '0.191'],
        [15, '0.242'],
        [20, '0.286'],
      ] as const,
      (weightG, published) => ({
        of: `vannamei of ${weightG} g, g a day`,
        published,
        ours: instantaneousGrowthGPerDay(vannamei, weightG),
        ...(weightG === 15
          ? {}
          : {
              apart: {
                by: 0.3,
                because:
                  'a power law goes on rising, ponds slow down; ours crosses it at 15 g and is calibrated on ponds',
              },
            }),
      }),
    ),
  },
  {
    name: 'Mou et al. 2019, Int. J. Biosci. 14(5):246: monodon of 0.93 g, 120 days, all densities',
    cited: [],
    figures: [{ of: 'on day 120, g', published: ['30', '49'], ours: expectedWeightG(monodon, 0.93, 120) }],
  },
  {
    name: 'Shakir et al. 2014: monodon 27.8 g after about four months',
    cited: [],
    figures: [
      {
        of: 'from postlarvae in 120 days, g',
        published: '27.8',
        ours: expectedWeightG(monodon, 0.01, 120),
        apart: { by: 0.05, because: '“about four months”: three days are 4 %' },
      },
    ],
  },
  {
    name: 'IJDR 2014, three ponds of a hectare in India, February to July 2010: monodon at 15/m²',
    cited: [],
    figures: [
      ...table(
        [
          ['I', '86.6', '4390', 33.8],
          ['II', '95.6', '4928', 34.37],
          ['III', '72.6', '3150', 28.93],
        ] as const,
        (pond, percent, published, weightG) => ({
          of: `pond ${pond}: ${percent} % of 150,000 of ${weightG} g at harvest, kg`,
          published,
          ours: biomassKg((150_000 * Number(percent)) / 100, weightG),
        }),
      ),
      { of: 'pond II: 33.16 g in 114 days, g a day', published: '0.29', ours: weeklyG(0, 33.16, 114) / 7 },
    ],
    tested: [{ file: 'test/features/production/batches/final-harvest.test.ts', says: 'IJDR 2014' }],
  },
  {
    name: 'Moss & Leung, Tips for growing bigger shrimp (GSA): two phases in a raceway, table 1',
    cited: [],
    figures: [
      { of: 'phase 1, g a week', published: '1.37', ours: weeklyG(1.06, 17.9, 86) },
      { of: 'phase 2, g a week', published: '1.65', ours: weeklyG(17.9, 34.2, 69) },
      {
        of: 'phase 1, 705/m³, 70.3 % alive, kg/m³',
        published: '8.9',
        ours: biomassPerM3(biomassKg(705 * 0.703, 17.9), { areaM2: 1, depthM: 1 }) ?? Number.NaN,
      },
      {
        of: 'phase 2, 118/m³, 87.8 % alive, kg/m³',
        published: '3.5',
        ours: biomassPerM3(biomassKg(118 * 0.878, 34.2), { areaM2: 1, depthM: 1 }) ?? Number.NaN,
      },
      {
        of: 'phase 1: the expected gain of shrimp of 9.5 g, g a week',
        published: '1.37',
        ours: instantaneousGrowthGPerDay(vannamei, 9.5) * 7,
        apart: { by: 0.1, because: 'a raceway of 705/m³; ponds are ten times as sparse' },
      },
    ],
  },
  {
    name: 'Wyban et al. 1995: small vannamei grow 1.7–1.8 times as fast at 30 as at 23 °C',
    cited: [],
    figures: [
      {
        of: 'growth at 30 °C by that at 23 °C',
        published: ['1.7', '1.8'],
        ours: temperatureFactor(growth, 30) / temperatureFactor(growth, 23),
      },
    ],
  },
  {
    name: 'Skretting India: feed intake and growth are best at 29–31 °C',
    cited: ['SKRETTING', 'Skretting'],
    figures: [{ of: 'the best temperature, °C', published: ['29', '31'], ours: warmest }],
  },
  {
    name: 'Wickins & Lee 2008: culture range 26–33 °C',
    cited: ['Wickins & Lee 2008'],
    figures: table([[26], [33]] as const, (temperatureC) => ({
      of: `growth at ${temperatureC} °C, an end of the range: most of that at 28 °C, not all`,
      published: [0.85, 1],
      ours: temperatureFactor(growth, temperatureC),
    })),
  },
  {
    name: 'Limsuwan & Ching (GSA): no extra growth at 33 °C; feed the ration of 29 °C',
    cited: ['LIMSUWAN_CHING', 'Limsuwan & Ching'],
    figures: [
      {
        of: 'growth at 33 °C by that at 29 °C: no more',
        published: [0.85, 1],
        ours: temperatureFactor(growth, 33) / temperatureFactor(growth, 29),
      },
    ],
  },
  {
    name: 'Boyd and Thakur, as gathered by Rethink Priorities: survival from stocking to harvest',
    cited: [],
    figures: [
      {
        of: 'monodon, India 41.4 ± 5.9 to Vietnam 58.4 ± 6.1, %',
        published: [41.4 - 5.9, 58.4 + 6.1],
        ours: expectedSurvivalPercent(survival, 'monodon', { day: 130, cycleDays: null }),
      },
      {
        of: 'vannamei, Thailand, Vietnam, India, means of surveys, %',
        published: ['70.8', '75.8'],
        ours: expectedSurvivalPercent(survival, 'vannamei', { day: 110, cycleDays: null }),
        apart: { by: 0.13, because: 'the interface estimates 85 % until the farm records its losses' },
      },
    ],
  },
  {
    name: 'Garcia Abad, nursery phase: 87–90 % survive',
    cited: [],
    figures: [
      {
        of: 'a nursery of 25 days, %',
        published: ['87', '90'],
        ours: expectedSurvivalPercent(survival, 'nursery', { day: 25, cycleDays: 25 }),
      },
    ],
  },
  {
    name: 'WOAH manual (IHHNV) and seven cultured stocks (schinafish.cn): spread of weights',
    cited: ['IHHNV'],
    figures: [
      {
        of: 'spread above which runts are suspected, %',
        published: '30',
        ours: SCIENCE_DEFAULTS.uniformity.goodUpToPercent,
      },
    ],
    tested: [{ file: 'test/science/uniformity.test.ts', says: 'rates a published stock of CV' }],
  },
  {
    name: 'The trade: weigh a hundred (e.g. Evans, standard growth curve of F. indicus)',
    cited: [],
    figures: [
      {
        of: 'precision of a hundred with a spread of 25 %, %',
        published: '5',
        ours: precisionPercent(25, 100),
      },
    ],
  },
];
