import * as z from 'zod';
import { instantInput } from '../fields.ts';

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
