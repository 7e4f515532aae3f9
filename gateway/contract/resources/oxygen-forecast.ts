import * as z from 'zod';

const mgL = z.number().describe('mg/L');
const instant = z.string().describe('ISO 8601 UTC');

/** GET /ponds/{pond_id}/oxygen-forecast */
export const oxygenForecastAnswer = z.object({
  pond_id: z.uuid(),
  pond_cod: z.string(),
  night: z
    .object({ dusk_at: instant, dawn_at: instant, is_night: z.boolean() })
    .nullable()
    .describe('Tonight, or by day the night to come; null while the clock is not to be trusted'),
  readings: z.array(z.object({ measurement_date: instant, dissolved_oxygen: mgL })),
  forecast: z
    .object({
      dawn_at: instant,
      dissolved_oxygen: mgL.describe('Expected at dawn as aeration is now, mg/L'),
      uncertainty: mgL.describe('Half-width of the band that holds four dawns of five, mg/L'),
      chance_low: z.number().describe('Chance that dawn lies below `warn_below`, 0 to 1'),
      outlook: z
        .enum(['WARN', 'MEASURE', 'DOUBT', 'WELL'])
        .describe(
          'WARN: told as LOW_OXYGEN_FORECAST. MEASURE: the readings are too few to rule a low dawn out, asked for as MEASURE_OXYGEN. DOUBT: so, too, but a probe goes on measuring. WELL: unlikely below `warn_below`',
        ),
      measure_at: instant.nullable().describe('When one more reading tells most; null unless MEASURE'),
      from: instant.describe('Last reading, from which the forecast runs'),
    })
    .nullable(),
  warn_below: mgL.describe('A dawn that is likely below it raises LOW_OXYGEN_FORECAST'),
  emergency_level: mgL.describe('do_emergency of the control point, else what is proposed'),
  reaches_emergency_at: instant.nullable().describe('null: not before dawn, or no forecast'),
  why_none: z
    .enum(['CLOCK_UNTRUSTED', 'BY_DAY', 'NO_READING', 'ONE_READING', 'TOO_CLOSE', 'NOT_FALLING'])
    .nullable(),
  message: z.string().describe('In plain words, in the language of the request'),
});
export type OxygenForecastAnswer = z.infer<typeof oxygenForecastAnswer>;
