import { BICARBONATE_PER_CACO3, LIMESTONE_UP_TO_MG_L } from '#science/advice/alkalinity-dose.ts';
import { nh3Of } from '#science/ammonia.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { oxygenSaturationMgL, oxygenSaturationPercent } from '#science/oxygen-saturation.ts';
import { practicalSalinity } from '#science/plausibility.ts';
import { safeNitrateMgL, safeNitriteMgL } from '#science/severity.ts';
import { type Figure, type Source, table } from './source.ts';

const { water } = SCIENCE_DEFAULTS;
const { alerts } = water;

const saturation = (temperatureC: number, ppt: number, published: string): Figure => ({
  of: `oxygen at saturation, ${temperatureC} °C, ${ppt} ppt, mg/L`,
  published,
  ours: oxygenSaturationMgL(temperatureC, ppt) ?? Number.NaN,
  to: 0,
});

/** Un-ionised part of total ammonia, %. */
function unionised(temperatureC: number, ph: number, salinityPpt: number): number {
  const nh3 = nh3Of(water.worstPlausible, 100, { temperatureC, ph, salinityPpt });
  return nh3.isKnown ? nh3.mgL : Number.NaN;
}

/** °C, mg/L in fresh water, mg/L that each g/kg of salt takes. */
const EN_25814 = [
  [0, '14.62', 0.0875],
  [1, '14.22', 0.0843],
  [2, '13.83', 0.0818],
  [3, '13.46', 0.0789],
  [4, '13.11', 0.076],
  [5, '12.77', 0.0739],
  [6, '12.45', 0.0714],
  [7, '12.14', 0.0693],
  [8, '11.84', 0.0671],
  [9, '11.56', 0.065],
  [10, '11.29', 0.0632],
  [11, '11.03', 0.0614],
  [12, '10.78', 0.0593],
  [13, '10.54', 0.0582],
  [14, '10.31', 0.0561],
  [15, '10.08', 0.0545],
  [16, '9.87', 0.0532],
  [17, '9.66', 0.0514],
  [18, '9.47', 0.05],
  [19, '9.28', 0.0489],
  [20, '9.09', 0.0475],
  [21, '8.91', 0.0464],
  [22, '8.74', 0.0453],
  [23, '8.58', 0.0443],
  [24, '8.42', 0.0432],
  [25, '8.26', 0.0421],
  [26, '8.11', 0.0407],
  [27, '7.97', 0.04],
  [28, '7.83', 0.0389],
  [29, '7.69', 0.0382],
  [30, '7.56', 0.0371],
] as const;

export const WATER_SOURCES: readonly Source[] = [
  {
    name: 'EN 25814, as printed in the manuals of ProMinent (DULCOTEST DO 1, p. 52) and Yokogawa (DO402, p. 6-8): mg/L at 1 atm, and what each g/kg of salt takes of it',
    cited: [],
    // the standard takes salt off in a straight line; from 25 g/kg on that is up to 2 % less than the curve of the sea
    figures: EN_25814.flatMap(([temperatureC, published, perSalt]) => [
      { ...saturation(temperatureC, 0, published), to: 0.00001 },
      ...[5, 15, 25, 35].map(
        (ppt): Figure => ({
          ...saturation(temperatureC, ppt, (Number(published) - ppt * perSalt).toFixed(2)),
          to: 0.02,
        }),
      ),
    ]),
  },
  {
    name: 'Table of oxygen solubility in the manual of the YSI MultiLab 4010, p. 147: mg/L at 760 mmHg, by salinity',
    cited: [],
    figures: table(
      [
        [20, '9.092', '7.749', '7.346'],
        [28, '7.827', '6.731', '6.400'],
        [30, '7.559', '6.513', '6.197'],
      ] as const,
      (temperatureC, fresh, salty, sea) => [
        { ...saturation(temperatureC, 0, fresh), to: 0.0001 },
        { ...saturation(temperatureC, 27.1, salty), to: 0.001 },
        { ...saturation(temperatureC, 36.1, sea), to: 0.001 },
      ],
    ),
  },
  {
    name: 'Benson & Krause 1984, by the tables of the USGS',
    cited: ['Benson & Krause (1984)', 'USGS'],
    figures: table(
      [
        [20, '9.09', '8.32', '7.85', '7.40'],
        [24, '8.42', '7.73', '7.30', '6.89'],
        [26, '8.11', '7.45', '7.05', '6.66'],
        [28, '7.83', '7.20', '6.81', '6.44'],
        [30, '7.56', '6.96', '6.59', '6.24'],
        [32, '7.30', '6.73', '6.38', '6.04'],
        [34, '7.06', '6.52', '6.18', '5.86'],
      ] as const,
      (temperatureC, fresh, brackish, salty, sea) => [
        saturation(temperatureC, 0, fresh),
        saturation(temperatureC, 15, brackish),
        saturation(temperatureC, 25, salty),
        saturation(temperatureC, 35, sea),
      ],
    ),
  },
  {
    name: 'L. Vinatea, Marine Shrimp Laboratory, UFSC: oxygen of shrimp tanks with its share of saturation',
    cited: [],
    figures: table(
      [
        [15, 24, 1.2, '15.5'],
        [15, 27, 12.9, '176.7'],
        [40, 28, 1.2, '19.3'],
        [40, 33, 12.9, '226.3'],
      ] as const,
      (salinityPpt, temperatureC, oxygenMgL, published) => ({
        of: `${oxygenMgL} mg/L at ${temperatureC} °C, ${salinityPpt} ppt, % of saturation`,
        published,
        ours: oxygenSaturationPercent({ oxygenMgL, temperatureC, salinityPpt }) ?? Number.NaN,
      }),
    ),
  },
  {
    name: 'Trussell 1972 (fresh) and Bower & Bidwell 1978 (34 ppt), table of LaMotte’s manuals, p. 13',
    cited: ['Bower & Bidwell (1978)'],
    figures: table(
      [
        [10, 7.5, '0.59', '0.459'],
        [15, 7.5, '0.85', '0.665'],
        [20, 7.5, '1.24', '0.963'],
        [25, 7.5, '1.73', '1.39'],
        [10, 8.0, '1.83', '1.44'],
        [15, 8.0, '2.65', '2.07'],
        [20, 8.0, '3.83', '2.98'],
        [25, 8.0, '5.28', '4.28'],
        [10, 8.5, '5.55', '4.41'],
        [15, 8.5, '7.98', '6.28'],
        [20, 8.5, '11.18', '8.87'],
        [25, 8.5, '14.97', '12.4'],
        [20, 7.8, '2.45', '1.90'],
        [25, 7.8, '3.39', '2.74'],
        [20, 8.2, '5.94', '4.65'],
        [25, 8.2, '8.11', '6.61'],
      ] as const,
      (temperatureC, ph, fresh, sea) => [
        {
          of: `NH3-N at ${temperatureC} °C, pH ${ph} in fresh water, %`,
          published: fresh,
          ours: unionised(temperatureC, ph, 0),
        },
        {
          of: `NH3-N at ${temperatureC} °C, pH ${ph} in the sea, %`,
          published: sea,
          ours: unionised(temperatureC, ph, 34),
          to: 0.005,
        },
      ],
    ),
  },
  {
    name: 'Emerson et al. 1975, fresh water, as tabled by the University of Florida (EDIS FA16)',
    cited: ['Emerson et al. (1975)'],
    figures: table(
      [
        [24, 8.0, '5.02'],
        [26, 8.0, '5.74'],
        [28, 7.4, '1.73'],
        [28, 8.0, '6.54'],
        [30, 8.0, '7.43'],
        [30, 8.4, '16.78'],
        [32, 8.0, '8.77'],
      ] as const,
      (temperatureC, ph, published) => ({
        of: `NH3-N at ${temperatureC} °C, pH ${ph}, %`,
        published,
        ours: unionised(temperatureC, ph, 0),
      }),
    ),
  },
  {
    name: 'EPA, Quality Criteria for Water (1976), table after Emerson et al. 1975: fresh water, two digits',
    cited: [],
    figures: table(
      [
        [15, '0.27', '0.86', '2.7', '8.0', '21', '46'],
        [20, '0.40', '1.2', '3.8', '11', '28', '56'],
        [25, '0.57', '1.8', '5.4', '15', '36', '64'],
        [30, '0.80', '2.5', '7.5', '20', '45', '72'],
      ] as [number, ...string[]][],
      (temperatureC, ...printed: readonly string[]) =>
        printed.map((published, at) => ({
          of: `NH3-N at ${temperatureC} °C, pH ${7 + at / 2} in fresh water, %`,
          published,
          ours: unionised(temperatureC, 7 + at / 2, 0),
        })),
    ),
  },
  {
    name: 'Lin & Chen 2001, JEMBE 259:109: ammonia and vannamei at 23 °C, pH 8.05',
    cited: ['LIN_CHEN_2001', 'Lin & Chen 2001'],
    figures: [
      ...table(
        [
          [15, 24.39, '1.20'],
          [25, 35.4, '1.57'],
          [35, 39.54, '1.60'],
        ] as const,
        (salinityPpt, tanMgL, published) => ({
          of: `NH3-N of a 96 h LC50 of ${tanMgL} mg/L total ammonia at ${salinityPpt} ppt`,
          published,
          // the rounding of what they print of their water: 23 °C and pH 8.05
          ours: [
            (tanMgL * unionised(22.5, 8.045, salinityPpt)) / 100,
            (tanMgL * unionised(23.5, 8.055, salinityPpt)) / 100,
          ],
        }),
      ),
      {
        of: 'NH3-N from which an alert is HIGH: a quarter to a third of the LC50',
        published: [1.2 / 4, 1.6 / 3],
        ours: alerts.HIGH_AMMONIA.highFrom,
      },
      {
        of: 'safe NH3-N, where an alert begins, mg/L',
        published: ['0.12', '0.16'],
        ours: alerts.HIGH_AMMONIA.limit,
        apart: { by: 0.17, because: 'the limit of the interface, 0.1, lies below the safe level' },
      },
    ],
  },
  {
    name: 'EPA 1989, saltwater criteria of ammonia (Whitfield 1974, Hampson 1977): the form of the equation',
    cited: ['EPA', 'Whitfield (1974)', 'Hampson (1977)'],
    figures: [],
    tested: [
      { file: 'test/science/ammonia.test.ts', says: '1 mg/L of total ammonia at pH %d and %d °C holds' },
    ],
  },
  {
    name: 'Lin & Chen 2003: safe nitrite by salinity',
    cited: ['LIN_CHEN_2003', 'Lin & Chen 2003'],
    figures: table(
      [
        [15, '6.1'],
        [25, '15.2'],
        [35, '25.7'],
      ] as const,
      (ppt, published) => ({
        of: `safe nitrite at ${ppt} ppt, mg/L NO2-N`,
        published,
        ours: safeNitriteMgL(water, ppt),
      }),
    ),
  },
  {
    name: 'Nitrite at low salinity, 2016 (concepedia W2337442988)',
    cited: ['LOW_SALT_2016', 'low-salinity study of 2016'],
    figures: table(
      [
        [0.6, '0.28'],
        [1, '0.35'],
        [2, '0.62'],
      ] as const,
      (ppt, published) => ({
        of: `safe nitrite at ${ppt} ppt, mg/L NO2-N`,
        published,
        ours: safeNitriteMgL(water, ppt),
      }),
    ),
  },
  {
    name: 'Alves Neto et al. 2019, Ciência Rural 49(1): safe nitrate by salinity',
    cited: ['ALVES_NETO_2019', 'Alves Neto et al. 2019'],
    figures: table(
      [
        [5, '60'],
        [10, '127.6'],
      ] as const,
      (ppt, published) => ({
        of: `safe nitrate at ${ppt} ppt, mg/L NO3-N`,
        published,
        ours: safeNitrateMgL(water, ppt),
      }),
    ),
  },
  {
    name: 'Boyd, dissolved-oxygen concentrations in pond aquaculture (GSA)',
    cited: ['BOYD_OXYGEN', 'the least that keeps shrimp feeding (Boyd)', 'oxygen Boyd'],
    figures: [
      { of: 'oxygen that keeps shrimp feeding, mg/L', published: '3', ours: alerts.LOW_OXYGEN.highFrom },
    ],
  },
  {
    name: 'Nunes & Musig, aeration procedures (GAA): stress below 3–4 mg/L for hours, death below 1',
    cited: ['NUNES_MUSIG', 'Nunes & Musig'],
    figures: [
      { of: 'oxygen that stresses, mg/L', published: ['3', '4'], ours: alerts.LOW_OXYGEN.limit },
      { of: 'told as CRITICAL before it kills, mg/L', published: [1, 3], ours: water.criticalOxygenMgL },
    ],
  },
  {
    name: 'Zhou et al. 2014, J. Chem. 574534: 12 h LC50 of adult vannamei 0.535 mg/L',
    cited: ['ZHOU_2014', 'Zhou et al. 2014'],
    figures: [
      {
        of: 'oxygen told as CRITICAL: before half of them die, below what only stresses, mg/L',
        published: [0.535, 3],
        ours: water.criticalOxygenMgL,
      },
    ],
  },
  {
    name: 'Brazilian extension advice (weak carrier): renew water below 3 mg/L or 30 cm',
    cited: ['RENEW_BRAZIL', 'Brazilian extension advice'],
    figures: [
      { of: 'oxygen, mg/L', published: '3', ours: alerts.LOW_OXYGEN.highFrom },
      { of: 'transparency, cm', published: '30', ours: water.optimal.transparency.min },
    ],
  },
  {
    name: 'Boyd, correct liming (GSA): limestone dissolves until about 50 mg/L of alkalinity',
    cited: ['BOYD_LIMING', 'mg/L CaCO₃ (Boyd)', '50 mg/L only (Boyd)'],
    figures: [{ of: 'alkalinity, mg/L', published: '50', ours: LIMESTONE_UP_TO_MG_L }],
  },
  {
    name: 'Sá (UFC), total buffering capacity of shrimp ponds; molar masses of NaHCO3 and CaCO3 (IUPAC)',
    cited: ['SA_UFC', '(Sá)', 'Sá (UFC)'],
    figures: [
      {
        of: 'sodium bicarbonate for 1 g of CaCO3, g',
        published: '1.679',
        ours: BICARBONATE_PER_CACO3,
      },
    ],
  },
  {
    name: 'Valdez et al. 2008, Hidrobiológica 18(2): vannamei spends least near 26 ppt',
    cited: ['VALDEZ_2008', 'Valdez et al. 2008'],
    figures: [
      {
        of: 'upper end of the good salinity, ppt',
        published: '26',
        ours: water.optimal.salinity.max,
      },
    ],
  },
  {
    name: 'Wickins & Lee 2008, as quoted: vannamei is farmed from 0.5 to 45 ppt',
    cited: ['CULTURE_RANGE', 'Wickins & Lee 2008'],
    figures: [],
    tested: [{ file: 'test/science/advice/advice-table.test.ts', says: 'is never told to dilute' }],
  },
  {
    name: 'PSS-78, Unesco technical papers in marine science 37, 1981: check values',
    cited: ['Unesco technical papers in marine science 37, 1981', 'PSS-78', 'Hill, Dauphinee & Woods (1986)'],
    figures: [
      {
        of: 'salinity of 42.914 mS/cm at 15 °C: standard sea water',
        published: '35.0000',
        ours: practicalSalinity(42.914, 15) ?? Number.NaN,
      },
      {
        of: 'salinity of 53.0648 mS/cm at 25 °C: standard sea water (tables of the scale)',
        published: '35.00',
        ours: practicalSalinity(53.0648, 25) ?? Number.NaN,
      },
    ],
  },
];
