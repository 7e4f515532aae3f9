import * as z from 'zod';

// The program itself: which version runs, and how far an update is.

/** GET and POST /system/update */
export const systemUpdateAnswer = z.object({
  version: z.string().describe('Version that runs'),
  is_managed: z.boolean().describe('Whether this installation can update itself'),
  step: z
    .enum(['rest', 'fetching', 'staging', 'staged', 'trial'])
    .describe('staged: waits for the restart; trial: runs and has not proven itself yet'),
  target_version: z
    .string()
    .nullable()
    .describe('Version the step is about; while it is fetched nobody knows'),
  last: z
    .object({
      result: z.enum(['updated', 'rolled_back', 'refused', 'interrupted', 'damaged']),
      version: z.string().describe('Empty where it was never known'),
      code: z.string().nullable().describe('Why it was refused, as a POST would be, for example OLDER'),
      detail: z.string(),
      at: z.string(),
      aside: z
        .string()
        .optional()
        .describe(
          'File in the data folder with the database that the new version had changed for good; entries since the switch are in it alone',
        ),
    })
    .nullable()
    .describe('How the last update ended'),
});

/** POST /system/update */
export const systemUpdateInput = z.object({
  from: z
    .string()
    .min(1)
    .max(1_000)
    .describe(
      'A file or folder of the gateway (a stick), an https address of a signed package, or the word hosted: what the hosted instance offers',
    ),
  allow_older: z.boolean().optional().describe('Take a package that is older than what runs'),
});
