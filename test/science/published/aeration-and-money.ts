import { aerationSizing } from '#science/aeration-sizing.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { priceAtSize } from '#science/economics.ts';
import { hoursToOxygenLevel, upperTail } from '#science/oxygen-forecast.ts';
import { type Source, table } from './source.ts';

const { aeration, economics, energy } = SCIENCE_DEFAULTS;
/** Horsepower that a tonne needs by the program, at so many kg per horsepower at most. */
const horsepowerFor = (biomassKg: number) =>
  aerationSizing(aeration, { biomassKg, powerKw: 0, areaM2: null }).missingHorsepower;
const price = (known: { pricePerKg: number; weightG: number }, weightG: number) =>
  priceAtSize(economics, known, weightG) ?? Number.NaN;

export const AERATION_AND_MONEY_SOURCES: readonly Source[] = [
  {
    name: 'Boyd, energy use in pond aeration, part 1: 1 hp per 300–500 kg (2.0–3.3 hp/t), none to 1.5–2 t/ha',
    cited: ['animals are at risk (Boyd)', '1.5–2 t/ha; Boyd', '1 hp per 300–500 kg (Boyd)'],
    figures: [
      { of: 'kg per hp, comfortable', published: '300', ours: aeration.kgPerHorsepower.comfortable },
      { of: 'kg per hp, at most', published: '500', ours: aeration.kgPerHorsepower.most },
      { of: 'hp for a tonne', published: ['2.0', '3.3'], ours: horsepowerFor(1000) },
      { of: 't/ha without aerators', published: ['1.5', '2'], ours: aeration.unaeratedKgPerM2 * 10 },
      { of: 'kW of a horsepower', published: '0.7457', ours: aeration.kwPerHorsepower },
    ],
  },
  {
    name: 'Nyan Taw 2009: 550 kg per hp in biofloc, between what needs more aeration and what is at risk',
    cited: [],
    figures: [
      {
        of: 'kg per hp: more aeration is asked for, no risk is told',
        published: [550, 700],
        ours: aeration.kgPerHorsepower.risky,
      },
    ],
  },
  {
    name: 'Boyd & McNevin (The Fish Site): aeration in Thailand 13.7–24.5, mean 18.1 GJ/t',
    cited: ['Boyd & McNevin', 'Thai ponds'],
    figures: table(
      [
        ['low', '13.7'],
        ['mean', '18.1'],
        ['high', '24.5'],
      ] as const,
      (which, published) => ({ of: `${which}, GJ/t`, published, ours: energy.kwhPerTonne[which] * 0.0036 }),
    ),
  },
  {
    name: 'Two Brazilian quotations of 2017 (portaloros.com.br): 10 g R$ 22–25, 20 g R$ 32 in December',
    cited: ['two Brazilian quotations of 2017', 'Two Brazilian quotations'],
    figures: [
      {
        of: '10 g from 20 g at R$ 32, R$/kg',
        published: ['22', '25'],
        ours: price({ pricePerKg: 32, weightG: 20 }, 10),
      },
      {
        of: '20 g from 10 g at R$ 23.50, R$/kg',
        published: '32',
        ours: price({ pricePerKg: 23.5, weightG: 10 }, 20),
      },
    ],
  },
  {
    name: 'Law 15.235/2025: no discount for aquaculture from 18:00 to 22:59; before, 21:30–06:00',
    cited: ['the law moved them in 2025'],
    figures: [
      {
        of: 'hours of discount that the program supposes: those of the contract alone count',
        published: '0',
        ours: energy.discountWindows.length,
      },
    ],
  },
  {
    name: 'Ponds of 12 g shrimp at 20, 60, 120 per m² and biofloc of 350 per m³: time from 4 to 1 mg/L without aeration',
    cited: [],
    figures: table(
      [
        [0.16, '8'],
        [0.44, '4.6'],
        [0.77, '3.3'],
        [4.2, '0.62'],
      ] as const,
      (kgPerM3, published) => ({
        of: `${kgPerM3} kg/m³, hours`,
        published,
        ours: hoursToOxygenLevel(aeration, { kgPerM3, fromMgL: 4, toMgL: 1 }),
      }),
    ),
  },
  {
    name: 'Boyd, Romaire & Johnston 1978; Madenjian et al. 1987, Aquac. Eng. 6:191 and 6:209: nights of ponds',
    cited: ['Boyd, Romaire & Johnston 1978', 'Madenjian et al. 1987', 'MADENJIAN_1987'],
    figures: [],
    tested: [
      { file: 'test/science/oxygen-forecast.test.ts', says: 'lies between the two published courses' },
      { file: 'test/science/oxygen-forecast.test.ts', says: 'nights that were measured and published' },
      { file: 'scripts/bench/published-nights.ts', says: 'KennyPeanuts/watershed_metabolism' },
    ],
  },
  {
    name: 'NOAA’s solar calculator (Meeus, Astronomical Algorithms) against almanacs',
    cited: ['NOAA', 'Meeus'],
    figures: [],
    tested: [{ file: 'test/science/night.test.ts', says: 'agree with almanacs to within two minutes' }],
  },
  {
    name: 'Abramowitz & Stegun, Handbook of mathematical functions, 26.2.17 and table 26.1',
    cited: ['Abramowitz & Stegun'],
    figures: table(
      [
        [0, '0.50000'],
        [1, '0.15866'],
        [1.28, '0.10027'],
        [1.96, '0.02500'],
        [3, '0.00135'],
      ] as const,
      (z, published) => ({ of: `P(Z > ${z})`, published, ours: upperTail(z) }),
    ),
  },
  {
    name: 'Mann–Kendall and Theil–Sen: Gilbert 1987, sec. 16.4',
    cited: ['Mann–Kendall', 'Theil–Sen', "Kendall's"],
    figures: [],
    tested: [{ file: 'test/science/parameter-trend.test.ts', says: 'Gilbert (1987)' }],
  },
  {
    name: 'von Bertalanffy, Rosso, Bayes: names of equations, whose figures stand with their sources',
    cited: ['von Bertalanffy', 'Rosso', 'Bayesian'],
    figures: [],
    tested: [
      { file: 'test/science/growth.test.ts', says: 'Computed apart from this program from the two curves' },
      { file: 'test/science/temperature-factor.test.ts', says: 'growth by water temperature, 28 °C being 1' },
    ],
  },
  {
    name: 'What events cost in animals: WOAH, GSA (IMNV 30–50 %, WSSV 80–100 %)',
    cited: ['IMNV', 'WSSV'],
    figures: [],
    tested: [{ file: 'test/science/survival.test.ts', says: 'an event that kills' }],
  },
  {
    name: 'Practice of the trade: no study, named as that',
    cited: ['PRACTICE'],
    figures: [],
    tested: [{ file: 'test/science/advice/advice-table.test.ts', says: 'source' }],
  },
];
