import type { OxygenReading } from '#science/oxygen-forecast.ts';

// Nights that were measured and published, with the source's figures; none of them chose a constant of the forecast but the
// error that readings of one place share. Hours are the site's clock, from 24 on after midnight.

export type PublishedNight = {
  name: string;
  source: string;
  duskHour: number;
  dawnHour: number;
  /** Oxygen at dawn by the source, mg/L. */
  dawnMgL: number;
  readings: readonly (readonly [hour: number, mgL: number])[];
};

const FORTINO =
  'Fortino, K., Longwood University: sondes of Chalgrove Lake and Via Sacra Pond, github.com/KennyPeanuts/watershed_metabolism (CC-BY)';
const BOYD = 'Boyd, Romaire & Johnston 1978: constant respiration, paces of ponds of 12 g shrimp';
const MADENJIAN = 'Madenjian, Rogers & Fast 1987, Aquac. Eng. 6:191';

const HALF = 0.5;
const every = (from: number, step: number, values: readonly number[]) =>
  values.map((mgL, i) => [from + i * step, mgL] as const);

/** Every half-hour (the last every ten minutes) until three hours before dawn; nights five days apart, as the files have them. */
const SONDES: readonly PublishedNight[] = [
  {
    name: 'Chalgrove Lake, 1 to 2 July 2019',
    source: FORTINO,
    duskHour: 20.6,
    dawnHour: 30,
    dawnMgL: 11.51,
    readings: every(
      21,
      HALF,
      [13.27, 13.21, 12.97, 12.96, 13.0, 12.91, 12.15, 11.96, 11.89, 11.69, 11.68, 11.62, 11.62],
    ),
  },
  {
    name: 'Chalgrove Lake, 6 to 7 July 2019',
    source: FORTINO,
    duskHour: 20.6,
    dawnHour: 30,
    dawnMgL: 12.01,
    readings: every(
      21,
      HALF,
      [14.3, 13.86, 13.95, 14.45, 14.31, 14.5, 14.06, 14.03, 14.1, 13.69, 13.44, 13.05, 13.16],
    ),
  },
  {
    name: 'Chalgrove Lake, 11 to 12 July 2019',
    source: FORTINO,
    duskHour: 20.6,
    dawnHour: 30,
    dawnMgL: 6.99,
    readings: every(23, HALF, [9.26, 8.46, 8.22, 8.03, 7.92, 7.8, 7.41, 7.28, 7.27]),
  },
  {
    name: 'Chalgrove Lake, 16 to 17 July 2019',
    source: FORTINO,
    duskHour: 20.6,
    dawnHour: 30,
    dawnMgL: 8.9,
    readings: every(25 + 2 / 3, 1 / 6, [9.43, 9.3, 9.4, 9.23, 9.4, 9.6, 9.33, 9.49, 9.02]),
  },
  {
    name: 'Chalgrove Lake, 2 July 2019, every 20 minutes from midnight',
    source: FORTINO,
    duskHour: 20.6,
    dawnHour: 30,
    dawnMgL: 11.51,
    readings: every(24, 1 / 3, [12.15, 11.93, 11.91, 11.89, 11.84, 11.77, 11.68, 11.63, 11.66, 11.62]),
  },
  {
    name: 'Via Sacra Pond, 21 November 2019, every 20 minutes',
    source: FORTINO,
    duskHour: 17,
    dawnHour: 30 + 2 / 3,
    dawnMgL: 9.79,
    readings: every(25 + 1 / 3, 1 / 3, [9.97, 9.95, 9.92, 9.92, 9.89, 9.87, 9.85, 9.85]),
  },
];

/** Some readings of a night, as a person with a meter would have taken them. */
const byHand = (night: PublishedNight, hours: readonly number[]): PublishedNight => ({
  ...night,
  name: `${night.name}, by hand at ${hours.map((hour) => `${hour % 24}:00`).join(', ')}`,
  readings: night.readings.filter(([hour]) => hours.some((each) => Math.abs(each - hour) < 0.01)),
});

const straight = (name: string, pace: number, dawnMgL: number): PublishedNight => ({
  name,
  source: BOYD,
  duskHour: 18,
  dawnHour: 29.5,
  dawnMgL,
  readings: [20, 23].map((hour) => [hour, dawnMgL + pace * (29.5 - hour)] as const),
});

const [JULY_1, JULY_6, JULY_11] = SONDES as readonly [PublishedNight, PublishedNight, PublishedNight];

export const PUBLISHED_NIGHTS: readonly PublishedNight[] = [
  ...SONDES,
  byHand(JULY_1, [21, 24]),
  byHand(JULY_1, [21, 24, 26]),
  byHand(JULY_6, [21, 24]),
  byHand(JULY_6, [21, 24, 26]),
  byHand(JULY_11, [23, 26]),
  {
    name: 'Via Sacra Pond, 20 November 2019, by hand at 19:00, 22:00',
    source: FORTINO,
    duskHour: 17,
    dawnHour: 30 + 2 / 3,
    dawnMgL: 9.79,
    readings: [
      [19, 10.13],
      [22, 10.06],
    ],
  },
  straight('60 shrimp per m², 0.70 mg/L an hour', 0.7, 2.36),
  straight('120 shrimp per m², 0.90 mg/L an hour', 0.9, 1.13),
  ...[3.34, 2.72].map((dawnMgL) => ({
    name: `6.2 at 20:00, 5.1 at 23:00 ${dawnMgL === 3.34 ? 'by the logarithm' : 'on a straight line'}`,
    source: MADENJIAN,
    duskHour: 18,
    dawnHour: 29.5,
    dawnMgL,
    readings: [
      [20, 6.2],
      [23, 5.1],
    ] as const,
  })),
];

const DAY_MS = Date.parse('2026-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;

export const momentsOf = ({ duskHour, dawnHour, readings }: PublishedNight) => ({
  night: { isNight: true, duskMs: DAY_MS + duskHour * HOUR_MS, dawnMs: DAY_MS + dawnHour * HOUR_MS },
  readings: readings.map(
    ([hour, oxygenMgL]): OxygenReading => ({
      atMs: DAY_MS + hour * HOUR_MS,
      oxygenMgL,
    }),
  ),
});
