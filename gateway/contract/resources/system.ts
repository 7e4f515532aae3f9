import * as z from 'zod';
import { instantInput, shortText } from '../fields.ts';

// Who this instance is on the farm network, and by what it is known again.

const port = z.int().nullable().describe('null: switched off, or not open now');

const authority = z.object({
  spki_sha256: z.string().describe('Pin: SHA-256 over the public key (SubjectPublicKeyInfo), base64'),
  fingerprint_sha256: z.string().describe('SHA-256 over the certificate, AB:CD:…, for people who compare'),
  not_after: z.string(),
});

/** GET /system/identity */
export const systemIdentityAnswer = z.object({
  gateway_id: z.string(),
  name: z.string().describe('Host name of the box'),
  role: z.enum(['gateway', 'hosted']),
  software: z
    .string()
    .nullish()
    .describe('Version of the program; null for callers outside the farm network, absent before it told so'),
  authority: authority.nullable().describe('What to pin; null where there is no TLS of its own'),
  next_authority: authority
    .extend({ cross_over_at: z.string() })
    .nullable()
    .describe('Signs from cross_over_at on; pin it, too'),
  former_authority: authority
    .extend({ retire_at: z.string() })
    .nullable()
    .describe('Who pinned it is served until retire_at'),
  certificate: z
    .object({ fingerprint_sha256: z.string(), not_after: z.string(), names: z.array(z.string()) })
    .nullable()
    .describe('What the box shows now; it changes, do not pin it'),
  addresses: z.array(z.string()).describe('Empty for callers outside the farm network'),
  ports: z.object({ http: port, https: port, mqtt: port, mqtts: port }),
  qr: z.string().nullable().describe('Text for a QR code that consoles read: id, pin, addresses, ports'),
});

/** GET /system/authority and the answers of its changes */
export const systemAuthorityAnswer = z.object({
  phase: z.enum(['steady', 'announced', 'overlap']).describe('overlap: the former one still gets through'),
  authority: authority.nullable(),
  next_authority: authority.extend({ cross_over_at: z.string(), retire_at: z.string() }).nullable(),
  former_authority: authority.extend({ retire_at: z.string() }).nullable(),
  trouble: z.string().nullable().describe('What is wrong with it, and null while nothing is'),
});

/** PUT /system/authority/rotation */
export const authorityRotationInput = z.object({
  cross_over_at: instantInput.optional().describe('When the next authority signs; default in 30 days'),
  retire_at: instantInput
    .optional()
    .describe('When the present one ends; default a year after the cross-over'),
});

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

// The clock of an instance, which schedules are read off.

const CLOCK_REASONS = [
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
