import * as z from 'zod';
import { idInput, pageQuery } from '../fields.ts';
import { instant } from '../resource.ts';
import { LANES } from '../sync/wire.ts';
import { CONFLICT_RULES, CONFLICT_STATES } from './sync-tables.ts';

// What a gateway says about its sync: GET /sync/status and the list of rows that are kept aside.

const SYNC_STATES = [
  'unpaired',
  'connected',
  'catching_up',
  'comparing',
  'offline',
  'upgrade_needed',
  'revoked',
  'fenced',
  'farm_moved',
] as const;
export type SyncStateWord = (typeof SYNC_STATES)[number];

const ageS = z
  .int()
  .nullable()
  .describe('Seconds since then, by the monotonic clock; null: never since the start');
const figure = z.object({ age_s: ageS });

const laneStatus = z.object({
  waiting_rows: z.int().describe('Changes of this gateway that the hosted instance has not confirmed'),
  oldest_waiting_at: instant.nullable(),
  lag_s: z.int().nullable().describe('Age of the oldest of them'),
  age_s: z.int().describe('Seconds since this was counted'),
});

export const syncStatusAnswer = z.object({
  state: z
    .enum(SYNC_STATES)
    .describe('connected: both sides have the same, and spoke with each other within the last minutes'),
  summary: z.string().describe('The state in a sentence, in the language of the request'),
  as_of: instant,
  link: z.object({
    is_up: z.boolean().describe('The hosted instance answered within the last minutes'),
    last_contact_at: instant.nullable(),
    age_s: ageS,
    trouble: z
      .object({ code: z.string(), detail: z.string(), age_s: z.int() })
      .nullable()
      .describe(
        'What the last attempt failed of; null when it did not. For owners, managers and administrators',
      ),
  }),
  socket: z.object({ is_open: z.boolean().describe('Orders from afar come through now'), age_s: ageS }),
  lanes: z.object({ core: laneStatus, history: laneStatus }),
  last_ack: figure.describe('When the hosted instance last confirmed changes of this gateway'),
  last_pull: figure.describe('When changes of the hosted instance were last asked for'),
  parked: z.object({
    here: z.int().describe('Rows of the hosted instance that could not be applied here'),
    there: z.int().describe('Rows of this gateway that the hosted instance keeps aside'),
  }),
  conflicts_open: z.int(),
  moved_farms: z
    .array(z.object({ farm_id: z.uuid(), at: z.string() }))
    .describe(
      'Farms that were taken off this gateway in the cloud: it runs them no longer and takes no changes of them',
    ),
  clock: z.object({
    quality: z.enum(['trusted', 'estimated']),
    ahead_of_hosted_ms: z.int().nullable(),
    age_s: ageS,
  }),
  offline: z.object({
    log_bytes: z.int().describe('About what the unconfirmed changes take on the disk'),
    quota_bytes: z.int().describe('What they may take'),
    bytes_per_day: z.int(),
    days_left: z
      .number()
      .nullable()
      .describe(
        'So long this farm can go on without a link and lose no time when it is back; null: no bound in sight',
      ),
    age_s: z.int(),
  }),
  data_today: z
    .object({ sent_bytes: z.int(), received_bytes: z.int(), since: instant })
    .describe(
      'Bodies of the requests of the sync, packed, since midnight of this gateway or since the program was started',
    ),
  comparison: z
    .object({
      last_at: instant.nullable(),
      age_s: z.int().nullable(),
      differed: z.array(z.string()).describe('Tables that were not alike then; there should be none'),
      repaired_rows: z.int().describe('Rows made right since the program was started'),
    })
    .describe('Sums of everything on both sides are compared once a day and after a long silence'),
  counts: z
    .object({
      resyncs: z.int(),
      restarts: z.int(),
      pushed_rows: z.int(),
      pulled_rows: z.int(),
      failures: z.int(),
    })
    .describe('Since the program was started'),
});
export type SyncStatusAnswer = z.infer<typeof syncStatusAnswer>;

export const parkedRowAnswer = z.object({
  id: z.uuid(),
  kept: z.enum(['here', 'there']).describe('Which side could not apply it'),
  lane: z.enum(LANES),
  table: z.string(),
  row_id: z.string(),
  reason: z.string(),
  parked_at: instant,
  tries: z.int(),
});
export type ParkedRowAnswer = z.infer<typeof parkedRowAnswer>;

export const parkedRetryAnswer = z.object({
  state: z.enum(['applied', 'still_parked']),
  reason: z.string().nullable(),
});

export const syncNowAnswer = z.object({
  state: z
    .enum(['begun', 'later'])
    .describe(
      'begun: it is under way. later: the hosted instance asked this gateway to wait; it follows then',
    ),
});

// Edits that lost against a concurrent one on the other side: GET /sync/conflicts.

const version = z.object({
  values: z
    .record(z.string(), z.unknown())
    .describe('Field names and values; empty: this side says that the row is deleted'),
  by: z.uuid().nullable().describe('null: not known, or the system'),
  by_name: z.string().nullable(),
  at: instant.describe('When it was said, by the clock of the side where it was'),
});

export const syncConflictAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid().nullable(),
  state: z
    .enum(CONFLICT_STATES)
    .describe('superseded: it was changed again since; nothing is left to decide'),
  rule: z.enum(CONFLICT_RULES),
  rule_text: z.string().describe('The rule in words, in the language of the request'),
  table: z.string(),
  row_id: z.string(),
  row_name: z.string().nullable().describe('What people know the row by'),
  fields: z.array(z.string()),
  kept: version.describe('What stands'),
  dropped: version.describe('What lost'),
  is_restorable: z.boolean(),
  found_at: instant,
  settled_at: instant.nullable(),
  settled_by: z.uuid().nullable(),
});
export type SyncConflictAnswer = z.infer<typeof syncConflictAnswer>;

export const syncConflictQuery = pageQuery.extend({
  farm_id: idInput.optional(),
  state: z.enum(CONFLICT_STATES).optional(),
});
