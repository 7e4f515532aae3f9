import { describe, expect, it } from 'vitest';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { isSendable, type Judged, judgePond } from '../../desktop/console/state/water-draft.ts';

const { water } = SCIENCE_DEFAULTS;
const RANGES: Record<WaterField, readonly [number, number]> = {
  dissolved_oxygen: [0, 50],
  temperature: [-5, 60],
  ph: [0, 14],
  salinity: [0, 100],
  alkalinity: [0, 1_000],
  ammonia: [0, 100],
  nitrite: [0, 100],
  nitrate: [0, 1_000],
  transparency: [0, 500],
};
type Values = Partial<Record<WaterField, number>>;

const judged = (
  typed: Values,
  { last = {}, sure = [], on = water }: { last?: Values; sure?: WaterField[]; on?: typeof water | null } = {},
) =>
  judgePond((field) => typed[field] ?? null, {
    water: on,
    ranges: RANGES,
    last,
    sure: new Set(sure),
  });
const alarmsOf = (typed: Values, on = water) =>
  Object.entries(judged(typed, { on }))
    .filter(([, each]: [string, Judged]) => each.is === 'value' && each.raisesAlarm)
    .map(([field]) => field);
const mayGo = (...args: Parameters<typeof judged>) => isSendable(Object.values(judged(...args)));

describe('a figure just typed', () => {
  it('says that it raises an alarm exactly where the gateway raises one', () => {
    expect(alarmsOf({ dissolved_oxygen: 4.4, salinity: 5, transparency: 60 })).toEqual([]);
    expect(alarmsOf({ dissolved_oxygen: 4, temperature: 32, ph: 8.5 })).toEqual([]);
    expect(alarmsOf({ dissolved_oxygen: 3.9, temperature: 32.1, ph: 7.4 }).toSorted()).toEqual([
      'dissolved_oxygen',
      'ph',
      'temperature',
    ]);
    // 0,3 mg/L was inside of what the screens shade as good
    expect(alarmsOf({ ammonia: 0.3, nitrate: 30 })).toEqual(['ammonia', 'nitrate']);
  });

  it('is called neither good nor alarming while the limits of the farm are not known; what no pond has is asked back', () => {
    const found = judged({ dissolved_oxygen: 0.4, temperature: 29, ammonia: 3 }, { on: null });
    expect(found.dissolved_oxygen).toMatchObject({ raisesAlarm: null, isDoubtful: false });
    expect(found.temperature).toMatchObject({ raisesAlarm: null });
    expect(found.ammonia).toMatchObject({ raisesAlarm: null, isDoubtful: false });
    expect(mayGo({ dissolved_oxygen: 0.4 }, { on: null })).toBe(true);
    expect(mayGo({ dissolved_oxygen: 40.2 }, { on: null })).toBe(false);
  });

  it('follows the limits that the farm has set, and what is un-ionised of total ammonia', () => {
    const alerts = { ...water.alerts, LOW_OXYGEN: { limit: 5, highFrom: 3 } };
    expect(alarmsOf({ dissolved_oxygen: 4.4 }, { ...water, alerts })).toEqual(['dissolved_oxygen']);
    const total = { ...water, ammoniaBasis: 'TAN' as typeof water.ammoniaBasis };
    expect(alarmsOf({ ammonia: 0.5, ph: 7.6, temperature: 28 }, total)).toEqual([]);
    expect(alarmsOf({ ammonia: 3, ph: 8.4, temperature: 30 }, total)).toEqual(['ammonia']);
  });

  it.each([
    ['40,2 for 4,2', { dissolved_oxygen: 40.2 }, {}],
    ['52 for 5,2', { dissolved_oxygen: 48 }, { dissolved_oxygen: 5.2 }],
    ['0,52 for 5,2', { dissolved_oxygen: 0.52 }, { dissolved_oxygen: 5.2 }],
    ['2,85 for 28,5', { temperature: 2.85 }, { temperature: 28.5 }],
    ['80 for 8,0 ppt', { salinity: 80 }, { salinity: 8 }],
    ['1 for 120 of alkalinity', { alkalinity: 12 }, { alkalinity: 120 }],
  ] as const)('%s does not leave until somebody says that it is right', (_what, typed, last) => {
    expect(mayGo(typed, { last })).toBe(false);
    const [field] = Object.keys(typed) as WaterField[];
    expect(field).toBeDefined();
    expect(mayGo(typed, { last, sure: field === undefined ? [] : [field] })).toBe(true);
  });

  it('leaves when it only changed as ponds do between dawn and noon', () => {
    expect(
      mayGo({ dissolved_oxygen: 9.5, ammonia: 0.12 }, { last: { dissolved_oxygen: 2.1, ammonia: 0.01 } }),
    ).toBe(true);
    expect(judged({ dissolved_oxygen: 9.5 }, { last: { dissolved_oxygen: 2.1 } }).dissolved_oxygen).toEqual({
      is: 'value',
      value: 9.5,
      raisesAlarm: false,
      isDoubtful: false,
      isBigChange: true,
    });
  });

  it('holds the pond back when one of them cannot be read or cannot be', () => {
    expect(mayGo({ dissolved_oxygen: 5, ph: Number.NaN })).toBe(false);
    expect(mayGo({ dissolved_oxygen: 5, ph: 15 })).toBe(false);
    expect(mayGo({})).toBe(false);
  });
});
