import * as z from 'zod';

import { dayInput, longText, shortText, wordOf } from '../fields.ts';

// What the electricity meter of a farm showed when somebody read it by hand, as at the change of a shift.

/** Why a counter shows less than before: another meter hangs there, or it ran over its last digit. Nobody guesses it. */
export const METER_CHANGES = ['CHANGED', 'ROLLED_OVER'] as const;
export type MeterChange = (typeof METER_CHANGES)[number];

/** One meter, however its name was written. */
export const meterKey = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/** As they are stored: columns that came after the table, so that each has a value for "nothing was said". */
export const meterColumns = {
  meter: z.string().nullable().default(null),
  /** kWh of one unit of the counter; null: 1. */
  meter_factor: z.number().nullable().default(null),
  meter_change: z.enum(METER_CHANGES).nullable().default(null),
};

export const meterGroups = { meter: { fields: ['meter', 'meter_factor', 'meter_change'] } };

const counter = z.number().min(0).max(1_000_000_000);
const factor = z
  .number()
  .positive()
  .max(100_000)
  .nullish()
  .describe('kWh of one unit of the counter, as the label of a meter behind transformers says; null: 1');
const change = wordOf(METER_CHANGES)
  .nullish()
  .describe(
    'Since the reading before: CHANGED another meter hangs there, and its first reading says nothing of what was used; ROLLED_OVER it ran over its last digit',
  );

export const meterFields = {
  meter: shortText.describe('What the farm calls the meter'),
  amount: counter.describe('What the counter shows'),
  meter_factor: factor,
  meter_change: change,
  responsible: shortText.nullish().describe('Who read it'),
  text: longText.nullish(),
};

/** What a correction may say of them. */
export const meterUpdate = { meter: shortText.optional(), meter_factor: factor, meter_change: change };

export const meterAnswer = {
  meter: z.string().nullable().describe('Of a reading of the electricity meter: which one'),
  meter_factor: z.number().nullable().describe('kWh of one unit of the counter; null: 1'),
  meter_change: z.enum(METER_CHANGES).nullable().describe('Why the counter shows less than before'),
};

/** GET /farms/{farm_id}/energy/meters */
export const meterUseQuery = z.object({
  start_date: dayInput.optional().describe('Day of the farm; default six days before end_date'),
  end_date: dayInput.optional().describe('Day of the farm, inclusive; default today'),
});

/** Why nobody can tell what a stretch used. */
export const UNKNOWN_USES = ['CHANGED', 'WENT_BACK'] as const;

const kwh = z.number().nullable();

export const meterUseAnswer = z.object({
  farm_id: z.uuid(),
  start_date: z.string(),
  end_date: z.string(),
  tariff_per_kwh: z.number(),
  shifts: z.array(z.string()).describe('When the meters are read, as the farm has set it: HH:MM, farm time'),
  total_kwh: kwh.describe('Of the stretches below whose use is known; null: of none it is'),
  total_cost: z.number().nullable().describe('At the tariff of the farm, its hours with a discount counted'),
  meters: z.array(
    z.object({
      meter: z.string(),
      read_at: z.string().describe('The last time, whenever that was'),
      counter: z.number(),
      meter_factor: z.number().nullable(),
    }),
  ),
  stretches: z
    .array(
      z.object({
        meter: z.string(),
        from: z.string(),
        to: z.string(),
        date: z.string().describe('Day of the farm on which its first shift begins'),
        shift: z.string().describe('When its first shift begins'),
        shifts: z.int().describe('How many it holds; above 1 a reading is missing in between'),
        kwh: kwh.describe('null: see unknown'),
        cost: z.number().nullable(),
        unknown: z
          .enum(UNKNOWN_USES)
          .nullable()
          .describe(
            'CHANGED: another meter hangs there; WENT_BACK: the counter shows less than before and nobody said why',
          ),
      }),
    )
    .describe('Between readings at the change of shifts, oldest first'),
  days: z.array(
    z.object({
      date: z.string(),
      kwh: kwh.describe(
        'Of all meters, from the first shift of the day to that of the next; null: not all is known',
      ),
      cost: z.number().nullable(),
      missing: z
        .array(z.object({ meter: z.string(), shift: z.string() }))
        .describe('Readings of the day that nobody wrote down, since the meter was first read'),
      expected_kwh: kwh.describe(
        'Power of the aerators × hours their control points reported ON in that time; null: nothing reports',
      ),
    }),
  ),
});
export type MeterUseAnswer = z.infer<typeof meterUseAnswer>;
