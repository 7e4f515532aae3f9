import { type BlindChart, SCIENCE_DEFAULTS } from '#science/constants.ts';
import { nextMealFactor } from '#science/feeding-adjustments.ts';
import { blindFeedKg, feedingRatePercent, mealPlan } from '#science/feeding-ration.ts';
import { expectedWeightG, growthCurve } from '#science/growth.ts';
import { expectedSurvivalPercent } from '#science/survival.ts';
import { interpolate } from '#science/temperature-factor.ts';
import { type Source, table } from './source.ts';

const { feeding, growth, survival } = SCIENCE_DEFAULTS;
const curve = growthCurve(growth, 'vannamei');

/** The largest meal, before the share of it that is offered. */
const largestMeal = {
  ...feeding,
  vannamei: { ...feeding.vannamei, rationFactor: 1 },
  largestRatePercent: 100,
};
const ration = (weightG: number) => feedingRatePercent(feeding, 'vannamei', weightG);

const byWarmth = (temperatureC: number) =>
  interpolate(
    feeding.temperatureFactor.map(({ at, factor }) => ({ at, value: factor })),
    temperatureC,
  );

const blindKg = (chart: BlindChart, day: number) =>
  blindFeedKg(SCIENCE_DEFAULTS, chart, {
    species: 'vannamei',
    initialWeightG: 0.003,
    isWeighed: false,
    day: day - 1,
  }) ?? Number.NaN;

/** Feed for each kg gained from postlarva to 12 g, by the ration and growth of the defaults. */
function conversionTo12g(): number {
  let [feedG, livingShare, weightG] = [0, 1, 0.003];
  for (let day = 0; weightG < 12; day += 1) {
    livingShare = expectedSurvivalPercent(survival, 'vannamei', { day, cycleDays: 101 }) / 100;
    feedG += (livingShare * weightG * ration(weightG)) / 100;
    weightG = expectedWeightG(curve, 0.003, day + 1);
  }
  return feedG / (livingShare * weightG - 0.003);
}

const OFFERED_LESS =
  'the ration is 85 % of the largest meal; charts of feed makers go to the largest and beyond';

export const FEED_SOURCES: readonly Source[] = [
  {
    name: 'Nunes & Parsons 2000: largest meal 0.0931 W^0.62 g a day, % of weight',
    cited: ['Nunes & Parsons (2000)', 'Nunes & Parsons 2000'],
    figures: table(
      [
        [0.05, '29.1'],
        [0.1, '22.3'],
        [0.5, '12.1'],
        [1, '9.31'],
        [2, '7.15'],
        [3, '6.13'],
        [5, '5.05'],
        [8, '4.22'],
        [10, '3.88'],
        [12, '3.62'],
        [15, '3.33'],
        [20, '2.98'],
        [25, '2.74'],
        [30, '2.56'],
      ] as const,
      (weightG, published) => ({
        of: `vannamei of ${weightG} g, %`,
        published,
        ours: feedingRatePercent(largestMeal, 'vannamei', weightG),
      }),
    ),
  },
  {
    name: 'Chanratchakool et al. 1994: feeding table of monodon',
    cited: ['Chanratchakool et al. (1994)'],
    figures: table(
      [
        [0.5, '12'],
        [1, '9'],
        [2, '6.3'],
        [3, '6'],
        [5, '5.6'],
        [10, '4.6'],
        [15, '4.0'],
        [20, '3.6'],
        [25, '3.3'],
        [30, '2.9'],
        [35, '2.6'],
      ] as const,
      (weightG, published) => ({
        of: `monodon of ${weightG} g, %`,
        published,
        ours: feedingRatePercent(feeding, 'monodon', weightG),
      }),
    ),
  },
  {
    name: 'penaeusdomesticus.com, feed requirements of vannamei: unlimited feeding in tanks',
    cited: [],
    figures: table(
      [
        [0.1, '25'],
        [1, '11'],
        [3, '7'],
        [12, '3'],
      ] as const,
      (weightG, published) => ({
        of: `vannamei of ${weightG} g, %`,
        published,
        ours: ration(weightG),
        ...(weightG < 12
          ? {
              apart: {
                by: 0.3,
                because: 'feed on demand all day in tanks without natural food; ponds have it',
              },
            }
          : {}),
      }),
    ),
  },
  {
    name: 'Uni-President, Laone 100 feeding guide (uniaqua.com.vn): % of biomass, meals, grain',
    cited: ['Uni-President Laone'],
    figures: [
      ...table(
        [
          [6, '10', '15'],
          [8.5, '5', '10'],
          [10, '3', '5'],
          [12, '3', '5'],
          [15, '3', '5'],
        ] as const,
        (weightG, least, most) => ({
          of: `vannamei of ${weightG} g, %`,
          published: [least, most] as const,
          ours: ration(weightG),
          ...(weightG === 6
            ? {
                apart: {
                  by: 0.61,
                  because: `${OFFERED_LESS}; 10 % at 6 g is twice the largest meal measured`,
                },
              }
            : weightG === 8.5
              ? { apart: { by: 0.31, because: OFFERED_LESS } }
              : weightG === 15
                ? { apart: { by: 0.06, because: OFFERED_LESS } }
                : {}),
        }),
      ),
      ...mealPlan(feeding, 10, null).map(({ time, percent }, i) => ({
        of: `meal at ${time}, % of the day`,
        published: ['30', '20', '30', '20'][i] ?? '',
        ours: percent,
      })),
    ],
    tested: [{ file: 'test/science/advice/feeding-advice.test.ts', says: '1.7' }],
  },
  {
    name: 'webdungca.com/thucantom: guide of a vannamei feed. It has no prices; of MAPA (traceability, GTA) no table of figures was found',
    cited: [],
    figures: [
      // a feed maker's guide, so it is held against the largest meal: the middle of each size, and each end of it
      ...table(
        [
          [0.1, '15', '25'],
          [1.5, '8', '15'],
          [2.5, '7', '8'],
          [5, '5', '6'],
          [9.5, '3', '4'],
        ] as const,
        (weightG, least, most) => ({
          of: `largest meal of vannamei of ${weightG} g, %`,
          published: [least, most] as const,
          ours: feedingRatePercent(largestMeal, 'vannamei', weightG),
          ...(weightG === 2.5
            ? { apart: { by: 0.07, because: '7 % at 2 to 3 g lies above the largest meal measured' } }
            : {}),
        }),
      ),
      ...table(
        [
          [1.5, '8', 0.16],
          [2.5, '7', 0.21],
          [5, '5', 0.15],
        ] as const,
        (weightG, published, by) => ({
          of: `ration of vannamei of ${weightG} g against the least of the guide, %`,
          published,
          ours: ration(weightG),
          apart: { by, because: OFFERED_LESS },
        }),
      ),
      { of: 'ration of 9.5 g, %', published: ['3', '4'], ours: ration(9.5) },
      // 3 to 4 meals from PL 15 to 7 g; ours are more and smaller while they are small, and as many from 3 g on
      { of: 'meals a day at 5 g', published: ['3', '4'], ours: mealPlan(feeding, 5, null).length },
    ],
  },
  {
    name: 'bioaqua.vn, farming of vannamei in India: 15 % on day 15, conversion 1.4–1.5',
    cited: [],
    figures: [
      {
        of: '% of weight on day 15',
        published: '15',
        ours: ration(expectedWeightG(curve, 0.003, 15)),
      },
      {
        of: 'feed for each kg gained to 12 g',
        published: ['1.4', '1.5'],
        ours: conversionTo12g(),
      },
    ],
  },
  {
    name: 'Davis et al., Auburn (engormix a39571): conversion 1.2–1.4 with improved feeding',
    cited: [],
    figures: [{ of: 'feed for each kg gained to 12 g', published: ['1.2', '1.4'], ours: conversionTo12g() }],
  },
  {
    name: 'Rocha & Maia 1998, in Nunes, Panorama da Aqüicultura: 1 to 7 kg/ha in 20 days, at 30/m²',
    cited: ['Rocha & Maia 1998', 'Rocha & Maia'],
    figures: [
      { of: 'day 1, kg/ha', published: '1', ours: blindKg('ROCHA_MAIA_1998', 1) * 3 },
      { of: 'day 20, kg/ha', published: '7', ours: blindKg('ROCHA_MAIA_1998', 20) * 3 },
    ],
  },
  {
    name: 'Vĩnh Phát Lộc: blind feeding of 100,000 PL',
    cited: ['Vĩnh Phát Lộc'],
    figures: [
      ...table(
        [
          [1, '2.5'],
          [7, '3.1'],
          [14, '4.5'],
          [30, '9.3'],
        ] as const,
        (day, published) => ({ of: `day ${day}, kg`, published, ours: blindKg('VINH_PHAT_LOC', day) }),
      ),
      {
        of: 'in 30 days, kg',
        published: '159.7',
        ours: Array.from({ length: 30 }, (_, i) => blindKg('VINH_PHAT_LOC', i + 1)).reduce(
          (sum, kg) => sum + kg,
          0,
        ),
      },
    ],
  },
  {
    name: 'An Binh Bio: −30 to −50 % below 20 °C, −10 to −15 % above 32 °C; molt and rain −30 to −50 %',
    cited: ['AN_BINH', 'An Binh Bio'],
    figures: [
      { of: 'share at 20 °C', published: ['0.5', '0.7'], ours: byWarmth(20) },
      { of: 'share at 33 °C', published: ['0.85', '0.9'], ours: byWarmth(33) },
      { of: 'share in heavy rain', published: ['0.5', '0.7'], ours: feeding.events.HEAVY_RAIN.factor },
      { of: 'share in a molt', published: ['0.5', '0.7'], ours: feeding.events.SYNCHRONOUS_MOLT.factor },
    ],
  },
  {
    name: 'AQT (aqtinfo.com 2016): trays, what is left over and the next meal',
    cited: ['AQT'],
    figures: table(
      [
        [0, '1.05'],
        [10, '1'],
        [25, '0.9'],
        [50, '0.7'],
        [60, '0'],
      ] as const,
      (left, published) => ({
        of: `next meal after ${left} % left over`,
        published,
        ours: nextMealFactor(feeding, left, [1]),
      }),
    ),
  },
];
