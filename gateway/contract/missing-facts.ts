import * as z from 'zod';

/** What an answer of science needs and nobody recorded: something else stands in for it, and the truth may be worse. */
const MISSING_FACTS = [
  'WEIGHING',
  'RECENT_WEIGHING',
  'SURVIVAL',
  'FEED',
  'EXPENSES',
  'DAILY_COST',
  'POND_SIZE',
  'POND_DEPTH',
  'AERATORS',
] as const;

export const missingFacts = z
  .array(z.enum(MISSING_FACTS))
  .describe('What nobody recorded: something else stands in for it, and the truth may be worse');
