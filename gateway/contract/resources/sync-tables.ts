import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { COMMAND_STATES, SWITCH_STATES } from '../words.ts';

// Tables of the sync itself; none of them leaves its instance. Those with two words for a key stand in the migration
// alone (sync_seen, sync_restamps, sync_marks, sync_bases), and what was brought back from the future
// (sync_time_returns): only the statements of the sync touch them.

const lane = z.enum(['core', 'history']);

/** A row of the other instance that could not be applied. */
export const parkedChange = defineResource({
  name: 'sync_parked',
  sync: 'local',
  row: z.object({
    id: uuid,
    stream_id: z.int(),
    lane,
    seq: z.int(),
    entity: z.int(),
    row_id: z.string(),
    /** A word of PARK_REASONS, a colon, and what exactly was wrong. */
    reason: z.string(),
    /** The change as it came (contract/sync/wire.ts, WireChange). */
    change_json: z.string(),
    parked_at: instant,
    tries: z.int(),
    /** Of the program that last tried it. */
    tried_schema: z.int(),
  }),
});

export const CONFLICT_RULES = [
  'last_writer',
  'delete_wins',
  'renamed',
  'unassigned',
  'duplicate',
  'overdrawn',
] as const;
export const CONFLICT_STATES = ['open', 'restored', 'confirmed', 'superseded'] as const;

/** An edit that lost against a concurrent one. Its id is derived from both stamps: both instances find the same one. */
export const syncConflict = defineResource({
  name: 'sync_conflicts',
  sync: 'local',
  row: z.object({
    id: uuid,
    stream_id: z.int(),
    farm_id: uuid.nullable(),
    entity: z.int(),
    row_id: z.string(),
    /** Name of the field group; `*` for a whole row. */
    field_group: z.string(),
    rule: z.enum(CONFLICT_RULES),
    /** Fields and values as they stand, and as they were dropped; JSON. */
    kept_json: z.string(),
    dropped_json: z.string(),
    kept_hlc: z.string(),
    dropped_hlc: z.string(),
    kept_by: uuid.nullable(),
    dropped_by: uuid.nullable(),
    state: z.enum(CONFLICT_STATES),
    found_at: instant,
    settled_at: instant.nullable(),
    settled_by: uuid.nullable(),
  }),
});

/** Hosted: which gateway runs a farm; id is the farm's. */
export const syncFarm = defineResource({
  name: 'sync_farms',
  sync: 'local',
  row: z.object({ id: uuid, stream_id: z.int(), bound_at: instant }),
});

export const GATEWAY_STATES = ['active', 'revoked', 'fenced'] as const;

/** Hosted: a paired gateway. */
export const pairedGateway = defineResource({
  name: 'gateways',
  sync: 'local',
  row: z.object({
    id: uuid,
    stream_id: z.int(),
    owner_id: uuid,
    name: z.string(),
    /** Ed25519, raw, base64url. */
    public_key: z.string(),
    next_public_key: z.string().nullable(),
    key_retires_at: instant.nullable(),
    status: z.enum(GATEWAY_STATES),
    software: z.string(),
    schema_version: z.int(),
    hardware: z.string(),
    paired_at: instant,
    revoked_at: instant.nullable(),
    last_seen_at: instant.nullable(),
    /** What it last told of itself; JSON. */
    last_report_json: z.string().nullable(),
    /** An announced outage: silence until then is no alarm. */
    outage_until: instant.nullable(),
    outage_reason: z.string().nullable(),
    /** Set while the owner has been told that it is silent. */
    silent_since: instant.nullable(),
    /** The last starts of it that came in, newest last; JSON of [{ run, since }]. */
    runs_json: z.string(),
  }),
});

/** Hosted: a pairing under way; id is the SHA-256 of the code the gateway polls with. */
export const pairing = defineResource({
  name: 'pairings',
  sync: 'local',
  row: z.object({
    id: z.string(),
    user_code_hash: z.string(),
    gateway_id: uuid,
    public_key: z.string(),
    name: z.string(),
    software: z.string(),
    schema_version: z.int(),
    hardware: z.string(),
    state: z.enum(['waiting', 'claimed', 'done', 'refused']),
    claimed_by: uuid.nullable(),
    stream_id: z.int().nullable(),
    created_at: instant,
    expires_at: instant,
    /** Where it was started from, sealed; empty: by a version that noted none. */
    source: z.string(),
  }),
});

/** Hosted: somebody whose account stands on a gateway alone; the row in users is a stand-in that cannot log in. */
export const localUser = defineResource({
  name: 'local_users',
  sync: 'local',
  row: z.object({
    id: uuid,
    stream_id: z.int(),
    name: z.string(),
    email: z.string(),
    state: z.enum(['local', 'adopted']),
    seen_at: instant,
  }),
});

export const LOST_KINDS = ['account', 'membership', 'password', 'email', 'name', 'role'] as const;

/** Hosted: what a gateway knows of a person and this instance lost by a failover or a restore; an ADMIN decides. */
export const lostPerson = defineResource({
  name: 'lost_people',
  sync: 'local',
  row: z.object({
    id: uuid,
    stream_id: z.int(),
    kind: z.enum(LOST_KINDS),
    user_id: uuid,
    /** Of a membership. */
    farm_id: uuid.nullable(),
    name: z.string(),
    email: z.string(),
    /** Of the account, or of the membership; null of a password. */
    role: z.string().nullable(),
    password_version: z.int(),
    /** Of an account: another gateway told of it before. That one's memberships come with the answer, this one's are asked. */
    told_before: z.boolean(),
    /** Of an account: the gateway was told that the person is on none of its farms, and did not tell of them since. */
    left_told: z.boolean(),
    state: z.enum(['open', 'taken_back', 'dismissed']),
    seen_at: instant,
    settled_at: instant.nullable(),
    settled_by: uuid.nullable(),
  }),
});

/** Hosted: an order on its way to a gateway. */
export const command = defineResource({
  name: 'commands',
  sync: 'local',
  row: z.object({
    id: uuid,
    stream_id: z.int(),
    control_point_id: uuid,
    target_status: z.enum(SWITCH_STATES),
    issued_by: uuid.nullable(),
    /** Aerator whose switching the order came from; its row follows when the gateway took the order. */
    aerator_id: uuid.nullable(),
    reason: z.string().nullable(),
    /** `for_s`: back to the rules after that many seconds. */
    hold_s: z.int().nullable(),
    basis_version: z.int(),
    basis_epoch: z.string(),
    is_forced: z.boolean(),
    issued_at_ms: z.int(),
    expires_at_ms: z.int(),
    state: z.enum(COMMAND_STATES),
    state_at: instant,
    /** Why it was rejected or superseded. */
    result: z.string().nullable(),
  }),
});

/** Gateway: a command that was taken, on disk before anything is switched. */
export const takenCommand = defineResource({
  name: 'commands_taken',
  sync: 'local',
  row: z.object({
    id: uuid,
    state: z.enum(['accepted', 'done', 'rejected', 'expired', 'superseded']),
    result: z.string().nullable(),
    taken_at: instant,
  }),
});

/** Hosted: work that one process does for all, until `until_ms` by the database's clock. */
export const lease = defineResource({
  name: 'leases',
  sync: 'local',
  row: z.object({ id: z.string(), holder: z.string(), until_ms: z.int(), term: z.int() }),
});
