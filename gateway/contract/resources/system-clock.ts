import * as z from 'zod';
import { instantInput, shortText } from '../fields.ts';

// The clock of an instance, which schedules are read off.

export const CLOCK_REASONS = [
  'synchronised',
  'battery_clock',
  'plausible',
  'configured',
  'before_last_known_time',
  'not_synchronised',
  'stepped',
  'set_by_operator',
  'hosted_time',
] as const;

/** GET and POST /system/clock */
export const systemClockAnswer = z.object({
  quality: z
    .enum(['trusted', 'estimated'])
    .describe('estimated: schedules wait, fail-safes decide, and what is stored says so'),
  reason: z.enum(CLOCK_REASONS).describe('Why it is trusted, or not'),
  server_time: z.string().describe('The time the instance goes by'),
  correction_s: z
    .number()
    .describe('Added to the clock of the machine; not 0 while that one is known to be wrong'),
});

/** POST /system/clock; an empty body confirms the time shown. */
export const systemClockInput = z.object({
  server_time: instantInput.optional().describe('The time it is now; absent: the one shown is right'),
  replaces: instantInput
    .optional()
    .describe('`server_time` as it was shown; needed for a step of more than a day'),
  reason: shortText.optional(),
});
