import * as z from 'zod';
import {
  flagInQuery,
  idOrNumber,
  instantInput,
  isDateOnly,
  longText,
  numberInQuery,
  ownId,
  pageQuery,
  warnings,
} from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { ALERT_TYPES, SEVERITIES } from '../words.ts';

const value = z.number().nullable();

/** One measurement of a pond's water; what was not measured is null. */
export const measurement = defineResource({
  name: 'measurements',
  entity: 19,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    pond_id: uuid,
    measurement_date: instant,
    /** °C */
    temperature: value,
    /** mg/L */
    dissolved_oxygen: value,
    ph: value,
    /** ppt */
    salinity: value,
    /** mg/L CaCO₃ */
    alkalinity: value,
    /** mg/L, on the farm's basis: un-ionised (NH3) or total (TAN) */
    ammonia: value,
    /** mg/L */
    nitrite: value,
    /** mg/L */
    nitrate: value,
    /** cm */
    transparency: value,
    notes: z.string().nullable(),
    source: z.enum(['manual', 'probe', 'import']),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    values: {
      fields: [
        'measurement_date',
        'temperature',
        'dissolved_oxygen',
        'ph',
        'salinity',
        'alkalinity',
        'ammonia',
        'nitrite',
        'nitrate',
        'transparency',
      ],
    },
    notes: { fields: ['notes'] },
  },
  parents: { ponds: 'pond_id' },
  goesBy: 'parent',
});

export const WATER_FIELDS = [
  'temperature',
  'dissolved_oxygen',
  'ph',
  'salinity',
  'alkalinity',
  'ammonia',
  'nitrite',
  'nitrate',
  'transparency',
] as const;
export type WaterField = (typeof WATER_FIELDS)[number];

const within = (least: number, most: number, unit: string) =>
  z.number().min(least).max(most).nullish().describe(unit);

/** What a probe or a kit can show at all; what is merely unlikely is stored with a warning. */
const waterValues = {
  temperature: within(-5, 60, '°C'),
  dissolved_oxygen: within(0, 50, 'mg/L'),
  ph: within(0, 14, 'pH'),
  salinity: within(0, 100, 'ppt'),
  alkalinity: within(0, 1000, 'mg/L CaCO₃'),
  ammonia: within(0, 100, 'mg/L, on the basis the farm has chosen (NH3 or TAN)'),
  nitrite: within(0, 100, 'mg/L'),
  nitrate: within(0, 1000, 'mg/L'),
  transparency: within(0, 500, 'cm'),
};
const measuredAt = instantInput.describe('A bare date is the start of that day in the zone of the farm');

/** POST /water-quality/ */
export const measurementCreate = z
  .object({
    id: ownId,
    pond_id: idOrNumber,
    measurement_date: measuredAt.nullish().describe('Default now, at most 10 minutes ahead'),
    ...waterValues,
    notes: longText.nullish(),
    source: z
      .enum(['manual', 'probe', 'import'])
      .default('manual')
      .describe('import: what lies behind; alerts are stored and nobody is told'),
  })
  .refine((sent) => WATER_FIELDS.some((field) => sent[field] != null), {
    path: ['temperature'],
    message: `at least one value is required: ${WATER_FIELDS.join(', ')}`,
  });
export type MeasurementCreate = z.infer<typeof measurementCreate>;

/** PUT /water-quality/{measurement_id}: fields left out stay, null takes a value away. */
export const measurementUpdate = z.object({
  measurement_date: measuredAt.optional(),
  ...waterValues,
  notes: longText.nullish(),
});
export type MeasurementUpdate = z.infer<typeof measurementUpdate>;

const figure = z.number().nullable();
const waterFigures = {
  temperature: figure,
  dissolved_oxygen: figure,
  ph: figure,
  salinity: figure,
  alkalinity: figure,
  ammonia: figure,
  nitrite: figure,
  nitrate: figure,
  transparency: figure,
};

/** Ammonia on both bases. */
export const ammoniaAs = z.object({
  basis: z.enum(['NH3', 'TAN']).describe('What the farm’s kit measures: `ammonia` stands on it'),
  nh3_n: z.number().describe('mg/L NH3-N; with WORST_CASE on the basis TAN the most that it may be'),
  tan: figure.describe('mg/L total ammonia nitrogen; null: it cannot be worked out, see `gaps`'),
  certainty: z
    .enum(['KNOWN', 'EXTRAPOLATED', 'WORST_CASE'])
    .describe('EXTRAPOLATED: beyond the published tables, at 35–40 °C or 36–45 ppt'),
  gaps: z
    .array(
      z.enum([
        'TEMPERATURE_MISSING',
        'PH_MISSING',
        'SALINITY_MISSING',
        'TEMPERATURE_OUT_OF_RANGE',
        'PH_OUT_OF_RANGE',
        'SALINITY_OUT_OF_RANGE',
      ]),
    )
    .describe('What the other basis could not be worked out from'),
});
export type AmmoniaAs = z.infer<typeof ammoniaAs>;

export const measurementAnswer = z.object({
  id: z.uuid(),
  pond_id: z.uuid(),
  measurement_date: z.string(),
  ...waterFigures,
  notes: z.string().nullable(),
  source: z.enum(['manual', 'probe', 'import']),
  created_by: z.uuid().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  ammonia_as: ammoniaAs.nullable().describe('null: ammonia was not measured'),
  oxygen_saturation_percent: z
    .number()
    .nullable()
    .describe(
      'Of what such water holds (Benson & Krause 1984); null: oxygen, temperature or salinity was not measured with it',
    ),
});
export type MeasurementAnswer = z.infer<typeof measurementAnswer>;

export const triggeredAlert = z.object({
  type: z.enum(ALERT_TYPES),
  message: z.string(),
  value: z.number().describe('What was compared with the threshold; on the basis TAN the NH3-N in it'),
  threshold: z.number(),
  severity: z.enum(SEVERITIES),
  id: z.uuid(),
  parameter: z.enum(WATER_FIELDS),
  resolved: z.boolean().describe('true: a newer value of this parameter is known, nobody was told'),
  advice: z.string().describe('What to do now, in the language of the request'),
});

export const measurementCreated = measurementAnswer.extend({
  alerts_triggered: z.array(triggeredAlert),
  warnings,
});

export const waterAlert = z.object({
  id: z.uuid(),
  type: z.enum(ALERT_TYPES),
  parameter: z.string().nullable(),
  value: figure,
  threshold: figure,
  severity: z.enum(SEVERITIES),
  message: z.string(),
  triggered_at: z.string(),
  resolved: z.boolean(),
  resolved_at: z.string().nullable(),
  episode_id: z.uuid().describe('Alerts of one trouble without a good value between share it'),
  advice: z.string().describe('What to do now, by the limits of the farm'),
});
export type WaterAlert = z.infer<typeof waterAlert>;

/** A bare date stays one, for the farm's zone to read; anything else becomes an instant. */
const dayOrInstant = z
  .string()
  .trim()
  .transform((text, context) => {
    const parsed = instantInput.safeParse(text);
    if (parsed.success) return isDateOnly(text) ? text : parsed.data;
    for (const { message } of parsed.error.issues) context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({
    override: {
      anyOf: [
        { type: 'string', format: 'date' },
        { type: 'string', format: 'date-time' },
      ],
    },
  });

export const waterSpanQuery = pageQuery.extend({
  start_date: dayOrInstant.optional().describe('A bare date is a day of the zone of the farm'),
  end_date: dayOrInstant.optional().describe('Inclusive; a bare date to the end of that day'),
});

export const waterAlertQuery = waterSpanQuery.extend({ resolved: flagInQuery.optional() });

export const measurementJournal = z.object({
  pond_id: z.uuid(),
  pond_cod: z.string(),
  measurements: z.array(measurementAnswer).describe('Newest first'),
  statistics: z.object({
    total_measurements: z.int(),
    date_range: z.object({
      start: z.string().nullable().describe('YYYY-MM-DD in the zone of the farm'),
      end: z.string().nullable(),
    }),
    averages: z.object({ temperature: figure, dissolved_oxygen: figure, ph: figure, salinity: figure }),
  }),
});
export type MeasurementJournal = z.infer<typeof measurementJournal>;

export const latestWater = measurementAnswer.extend({
  pond_cod: z.string(),
  time_since_measurement: z.string().describe('In the language of the request'),
  status: z.enum(['NORMAL', 'WARNING', 'CRITICAL']),
  alerts: z.array(waterAlert).describe('ACTIVE ones of the pond’s water, each episode by its newest'),
});
export type LatestWater = z.infer<typeof latestWater>;

const count = z.int();
export const waterAlerts = z.object({
  pond_id: z.uuid(),
  pond_cod: z.string(),
  alerts: z.array(waterAlert).describe('Newest first'),
  summary: z.object({
    total_alerts: count,
    unresolved: count,
    high_severity: count,
    medium_severity: count,
    low_severity: count,
  }),
});
export type WaterAlerts = z.infer<typeof waterAlerts>;

export const trendQuery = z.object({
  days: numberInQuery(z.number().int().min(1).max(366))
    .default(30)
    .describe('Days of the zone of the farm, today included'),
  points: numberInQuery(z.number().int().min(400).max(2_000))
    .optional()
    .describe(
      'For a drawing: adds `readings`, what was measured in at most so many equal stretches of the period',
    ),
  start_date: dayOrInstant
    .optional()
    .describe(
      'Of a drawing that somebody looks into: `readings` from here on, in finer stretches; the days stay those of `days`',
    ),
  end_date: dayOrInstant.optional().describe('Inclusive: `readings` until here'),
});

export const waterTrend = z.object({
  pond_id: z.uuid(),
  pond_cod: z.string(),
  parameter: z.enum(WATER_FIELDS),
  unit: z.string(),
  optimal_range: z.object({ min: z.number(), max: figure }),
  trend_data: z.object({
    period_days: z.int(),
    data_points: z.array(
      z.object({
        date: z.string().describe('YYYY-MM-DD in the zone of the farm'),
        avg: z.number(),
        min: z.number(),
        max: z.number(),
        ammonia_as: ammoniaAs
          .optional()
          .describe(
            'Only of ammonia: the mean of the day on both bases, each value with the water it was measured in',
          ),
      }),
    ),
    readings: z
      .array(
        z.object({
          at: z.string().describe('The first reading of the stretch'),
          avg: z.number(),
          min: z.number(),
          max: z.number(),
        }),
      )
      .max(2_000)
      .optional()
      .describe('Only where `points` was sent; oldest first, stretches without a reading are left out'),
    statistics: z.object({
      overall_avg: figure,
      overall_min: figure,
      overall_max: figure,
      std_deviation: figure,
      trend_direction: z.enum(['INCREASING', 'DECREASING', 'STABLE', 'VOLATILE']),
      alerts_triggered: count,
    }),
  }),
  latest_ammonia_as: ammoniaAs
    .nullable()
    .optional()
    .describe('Only of ammonia: the newest value on both bases; null: there is none in the period'),
  recommendations: z.array(z.string()),
});
export type WaterTrend = z.infer<typeof waterTrend>;
