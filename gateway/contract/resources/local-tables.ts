import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';

// Tables that never leave this instance.

/** Single values of the instance: secrets, the time floor, the epoch of targets. */
export const instanceValue = defineResource({
  name: 'instance_values',
  sync: 'local',
  row: z.object({ id: z.string(), value: z.string() }),
});

/** Logged-out tokens until they expire; id is the token's `jti`. */
export const revokedToken = defineResource({
  name: 'revoked_tokens',
  sync: 'local',
  row: z.object({ id: z.string(), expires_at: instant }),
});

/** Last contact of a control point; id is the control point's. Narrow, because it is rewritten every 30 s. */
export const presence = defineResource({
  name: 'presence',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** Milliseconds since 1970: a third of the pages that text takes. */
    heard_at_ms: z.int(),
    consumption: z.number(),
  }),
});

/** Keys of controllers, stored as HMAC-SHA256 with the instance's pepper. */
export const deviceKey = defineResource({
  name: 'device_keys',
  sync: 'local',
  row: z.object({
    id: uuid,
    control_point_id: uuid,
    key_hash: z.string(),
    /**
     * pending until its first authenticated use, then active; the one before retires after the overlap. A revoked one
     * opens nothing and stays as the sign that this controller must have a key.
     */
    state: z.enum(['pending', 'active', 'retiring', 'revoked']),
    created_at: instant,
    activated_at: instant.nullable(),
    retires_at: instant.nullable(),
  }),
});

/** Stored answers of creates, kept 24 h; id is a hash over user, method, path and key. */
export const idempotentAnswer = defineResource({
  name: 'idempotent_answers',
  sync: 'local',
  row: z.object({
    id: z.string(),
    body_hash: z.string(),
    status: z.int(),
    answer: z.string(),
    created_at: instant,
  }),
});

/** Numeric ids of users, ponds and batches; id is the number in decimal. */
export const numericId = defineResource({
  name: 'numeric_ids',
  sync: 'local',
  row: z.object({ id: z.string(), entity: z.string(), uuid }),
});
