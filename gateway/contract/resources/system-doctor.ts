import * as z from 'zod';
import { instant } from '../resource.ts';

// What the doctor says: GET /system/doctor, and the command of the same name.

/** From well to broken; the worst one decides how a report ends. */
export const SEVERITIES_OF_FINDINGS = ['ok', 'note', 'warn', 'bad'] as const;
export type FindingSeverity = (typeof SEVERITIES_OF_FINDINGS)[number];

const both = z.object({ 'pt-BR': z.string(), en: z.string() });
/** A sentence for people, in both languages. */
export type Both = z.infer<typeof both>;

export const finding = z.object({
  id: z.string().describe('Names the check and what it found; stays the same over versions'),
  severity: z.enum(SEVERITIES_OF_FINDINGS).describe('note: good to know; warn: see to it; bad: act now'),
  sentence: both,
  next_step: both.nullable().describe('What to do about it; null: nothing'),
  measured: z
    .object({ value: z.union([z.number(), z.string(), z.boolean()]), unit: z.string().nullable() })
    .nullable()
    .describe('What was measured, with its unit'),
  control_point: z
    .object({ id: z.uuid(), farm_id: z.uuid(), cod: z.string(), device_id: z.string() })
    .nullable()
    .describe('The control point whose controller it is about; null: it is about the instance'),
});
export type Finding = z.infer<typeof finding>;

/** GET /system/doctor */
export const doctorAnswer = z.object({
  made_at: instant,
  version: z.string().describe('Version of the program'),
  role: z.enum(['gateway', 'hosted']),
  is_running: z.boolean().describe('false: a stopped gateway was looked at from outside'),
  worst: z.enum(SEVERITIES_OF_FINDINGS),
  findings: z.array(finding).describe('Worst first'),
});
export type DoctorReport = z.infer<typeof doctorAnswer>;
